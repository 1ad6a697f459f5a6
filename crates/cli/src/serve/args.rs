//! The arguments of `serve`.

use super::live::LiveArgs;
use crate::values;
use clap::Args;
use engine::Bytes;
use std::net::SocketAddr;
use std::path::PathBuf;

const SERVE_HELP: &str = "\
The drive is simulated in step with the clock: a request ends when the model ends it, and what is
written is kept. Programs attach by NBD, at a socket or on TCP of this machine.

--size is the part of the drive that clients see. All dies and channels are there, with shorter
blocks, so that it is as fast and as steady as the whole drive.

What a run on this machine adds is counted for each answer as its lateness, and shown at the end
and by `drivelab control`. A drive that is quicker than a socket can be served slower than the
clock: with --time 10x its second takes ten, and all its times can be seen.

With --store FILE the drive remembers its map, wear and health, and a cached volume what its cache
holds, from one server to the next, in FILE.state, if it ended in order (Ctrl-C or `drivelab control
SOCKET.control stop`).

Power is cut by `drivelab control SOCKET.control cut-power`: the drive loses what the real one
would lose, and nothing else. With --flush ignored it says that it has flushed when it has not.

Programs name the socket, which is shown at the start, as fio and qemu-img do:
  fio --name=a --ioengine=nbd --uri='nbd+unix:///?socket=./p4510-8tb.sock' --rw=randread --bs=4k
  qemu-img info 'nbd+unix:///?socket=./p4510-8tb.sock'

Examples:
  drivelab serve p4510 --size 16GiB
  drivelab serve pm9a3 --size 64GiB --store ./pm9a3.img --socket /tmp/pm9a3.sock
  drivelab serve p5430@give_up=25% --state steady --tcp 127.0.0.1:10809
  drivelab serve p4510 --size 64GiB --nvme 127.0.0.1:4420
  drivelab serve p4510 --size 64GiB --vhost-user ./p4510.vhost
  drivelab serve raid10-4x-pm981a --time 10x
  drivelab serve sn850 --flush ignored";

/// Arguments of `serve`.
#[derive(Args, Debug)]
#[command(after_help = SERVE_HELP)]
pub struct ServeArgs {
    /// Drive or system of the library, or a model file; it may be changed behind an `@`:
    /// `p4510@give_up=10%`
    pub target: String,
    #[command(flatten)]
    pub live: LiveArgs,
    /// Where what clients write is kept: `memory`, or a file that is made, or was made by an
    /// earlier `serve`; of several devices `FILE.1`, `FILE.2` and so on. With `none` nothing is
    /// kept and everything reads as zeros, for measurements of more than memory holds
    #[arg(long, value_name = "FILE", value_parser = store, default_value = "memory")]
    pub store: Store,
    /// Memory that --store memory takes at most [default: half of what is free]
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub memory: Option<Bytes>,
    /// Socket for clients, for you only; control is at the same path with `.control` behind it
    /// [default: ./NAME.sock]
    #[arg(long, value_name = "PATH", help_heading = "Clients")]
    pub socket: Option<PathBuf>,
    /// Address on TCP for clients besides: `127.0.0.1:10809`
    #[arg(long, value_name = "ADDRESS", help_heading = "Clients")]
    pub tcp: Option<SocketAddr>,
    /// Address for NVMe over TCP, for one flash drive with NVMe: `127.0.0.1:4420`. Hosts find its
    /// health, features, namespaces, format and sanitize as on the real drive
    #[arg(long, value_name = "ADDRESS", help_heading = "Clients")]
    pub nvme: Option<SocketAddr>,
    /// Socket for virtual machines by vhost-user, for you only: QEMU, cloud-hypervisor and libblkio
    /// find a virtio disk there; of several devices at `PATH.1`, `PATH.2` and so on
    #[arg(long, value_name = "PATH", help_heading = "Clients")]
    pub vhost_user: Option<PathBuf>,
    /// Let --tcp and --nvme be reached from other machines: whoever reaches them can read and write
    /// everything
    #[arg(long, help_heading = "Clients")]
    pub allow_remote: bool,
    /// Least size and alignment of a request
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, default_value = "512B")]
    #[arg(help_heading = "Clients")]
    pub sector: Bytes,
    /// What a request costs on its way; answers leave so much before they are due [default: as
    /// measured at the start]
    #[arg(long, value_name = "TIME", value_parser = early, help_heading = "Time")]
    pub transport: Option<std::time::Duration>,
    /// Wait for the drive with a busy processor: exact only if the processor is free
    #[arg(long, help_heading = "Time")]
    pub spin: bool,
    /// Save a Record at the end: latencies of the model, the drive over time, lateness; for
    /// `drivelab report`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record: Option<PathBuf>,
    /// Replace the Record if it is there
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,
    /// Print the final state as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Neither notes nor warnings on standard error
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

fn early(text: &str) -> Result<std::time::Duration, String> {
    let time = values::wall_time(text)?;
    match time <= std::time::Duration::from_millis(10) {
        true => Ok(time),
        false => Err("no socket of this machine takes more than 10 ms".to_owned()),
    }
}

/// Where what clients write is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    Memory,
    /// It is not kept.
    Nowhere,
    File(PathBuf),
}

fn store(text: &str) -> Result<Store, std::convert::Infallible> {
    Ok(match text {
        "memory" => Store::Memory,
        "none" => Store::Nowhere,
        path => Store::File(PathBuf::from(path)),
    })
}

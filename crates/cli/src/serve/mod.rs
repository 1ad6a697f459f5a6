//! `drivelab serve`: a modelled drive for real programs.

mod args;
mod kept;
mod live;
mod nvme;
mod record;
mod words;

pub use args::ServeArgs;
pub use live::{Live, LiveArgs};
pub use record::save;
pub use words::state;

use crate::arguments::State;
use crate::console::Console;
use crate::files;
use crate::free_memory;
use crate::interrupt;
use crate::render::Failure;
use ::serve::contents::{Contents, FileMedium, Medium as _, MemoryMedium, NoMedium, StoreError};
use ::serve::drive::LiveDrive;
use ::serve::server::{Front, Limits, Listener, Options, Server, raise_descriptors};
use ::serve::spaces::Spaces;
use ::serve::transport::{self, Costs};
use args::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a drive that other machines can reach means.
const NOBODY_IS_ASKED: &str =
    "nobody is asked who they are, and whoever reaches it can read and write everything";

/// Runs the command.
pub fn command(args: &ServeArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.quiet);
    check(args)?;
    let live = Live::new(&args.target, &args.live)?;
    live.resolved.warnings.iter().for_each(|warning| console.warn(warning));
    let costs =
        transport::measure(args.spin, args.live.slower()).map_err(|e| failed("the sockets", &e))?;
    let costs = Costs { round_trip: args.transport.unwrap_or(costs.round_trip), ..costs };
    let sockets = Sockets::new(args, &live.system.slug);
    // Without a list of devices there is one.
    let devices = live.resolved.spec.devices.len().max(1);
    let listeners = sockets.listen(args, devices)?;
    let (drive, remembers) = build(args, &live, costs, &mut console)?;
    let sector = u32::try_from(args.sector.base()).unwrap_or(512);
    let mut options = Options { spin: args.spin, ..live.options(&drive, costs, sector) };
    if matches!(args.store, Store::File(_)) {
        options.description.push_str(", kept in a file");
    }
    let of_nvme = listeners.iter().find(|(_, front)| *front == Front::Nvme);
    let place = of_nvme.and_then(|(listener, _)| listener.address());
    let about =
        place.map(|place| Ok::<_, Failure>((place, nvme::about(&live, &drive)?))).transpose()?;
    let state = if remembers { "as it was switched off" } else { args.live.state.word() };
    console.note(&words::summary(&live, &drive, (state, args.live.slower())));
    for line in words::how_to_attach(&listeners, &options, &sockets.control) {
        console.note(&line);
    }
    if let Some((place, about)) = &about {
        console.note(&words::how_to_connect(*place, &about.name));
    }
    let (have, needed) = raise_descriptors(&Limits::default());
    if have < needed {
        console.warn(&format!(
            "this process may have {have} descriptors, and all clients that it takes would need \
             {needed}: some may have to wait (ulimit -n)"
        ));
    }
    for (listener, _) in &listeners {
        let remote = listener.address().filter(|address| !address.ip().is_loopback());
        if let Some(address) = remote {
            console
                .warn(&format!("{address} can be reached from other machines: {NOBODY_IS_ASKED}"));
        }
    }
    let _orderly = interrupt::orderly();
    let stop = watch_interrupt();
    let tell = |notice| console.event(&words::notice(&notice));
    let server = Server::new(drive, options, listeners, tell);
    let mut server = server.map_err(|e| failed("the server", &e))?;
    if let Some((place, about)) = about {
        server = server.with_controller(about, place);
    }
    let served = server.run(&stop);
    let (ended, state) = (server.served(), server.state());
    let mut drive = server.into_drive();
    if let Some(path) = kept::place(&args.store).filter(|_| drive.can_be_kept()) {
        kept::switch_off(&mut drive, &path, &mut console);
    }
    drop(drive);
    served.map_err(|e| failed("the server", &e))?;
    if let Some(path) = &args.record {
        record::save(ended, &state, path)?;
    }
    let text = match args.json {
        true => files::json_text(&state)?,
        false => words::state(&state),
    };
    files::print(&text)
}

/// Refuses a drive whose answers a socket cannot carry in time, unless the user knows: what clients
/// measure would be the socket.
fn check_speed(args: &ServeArgs, drive: &mut LiveDrive, costs: Costs) -> Result<(), Failure> {
    // What was never written is answered without the flash.
    if args.live.time.is_some() || args.live.state == State::Fresh {
        return Ok(());
    }
    let (read, socket) = (drive.read_latency().as_s() * 1e6, costs.round_trip.as_secs_f64() * 1e6);
    if read >= socket {
        return Ok(());
    }
    let times = (2.0 * socket / read.max(0.1)).ceil();
    let message = format!(
        "a read of this drive takes {read:.1} us and a socket of this machine {socket:.1} us: what \
         clients measure would be the socket"
    );
    Err(Failure::wrong(message).with_help(format!(
        "slow it down with --time {times}x, or serve it nevertheless with --time 1x"
    )))
}

/// Requests that cannot be right.
fn check(args: &ServeArgs) -> Result<(), Failure> {
    if let Some(path) = &args.record {
        files::check_place(path, args.overwrite)?;
    }
    let sector = args.sector.base();
    if !sector.is_power_of_two() || !(512..=4096).contains(&sector) {
        let message = format!("a sector of {} is no sector of a drive", args.sector);
        return Err(Failure::wrong(message).with_help("give 512B or 4KiB"));
    }
    if args.allow_remote && args.tcp.is_none() && args.nvme.is_none() {
        let message = "--allow-remote is for --tcp and --nvme, and neither is given";
        return Err(Failure::wrong(message).with_help("name an address, or leave it out"));
    }
    for address in args.tcp.into_iter().chain(args.nvme) {
        if !address.ip().is_loopback() && !args.allow_remote {
            let message = format!("{address} can be reached from other machines");
            return Err(Failure::wrong(message)
                .with_help(format!("use 127.0.0.1, or say --allow-remote: {NOBODY_IS_ASKED}")));
        }
    }
    Ok(())
}

fn failed(what: &str, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{what}: {error}"))
}

/// Where clients find the drive.
struct Sockets {
    data: PathBuf,
    control: PathBuf,
}

impl Sockets {
    fn new(args: &ServeArgs, slug: &str) -> Self {
        let data = args.socket.clone().unwrap_or_else(|| {
            let name = Path::new(slug).file_stem().unwrap_or_default();
            PathBuf::from(format!("./{}.sock", name.to_string_lossy()))
        });
        let control = files::with_ending(&data, ".control");
        Sockets { data, control }
    }

    fn listen(&self, args: &ServeArgs, devices: usize) -> Result<Vec<(Listener, Front)>, Failure> {
        let at = |path: &Path, option: &str| {
            Listener::unix(path).map_err(|error| {
                Failure::wrong(format!("no socket can be made: {error}"))
                    .at(path.display().to_string())
                    .with_help(format!("name another place with {option}"))
            })
        };
        let mut listeners = vec![
            (at(&self.data, "--socket")?, Front::Nbd),
            (at(&self.control, "--socket")?, Front::Control),
        ];
        let of_guests =
            args.vhost_user.iter().flat_map(|path| (0..devices).map(move |n| (path, n)));
        for (path, device) in of_guests {
            let path = numbered(path, device, devices > 1);
            listeners.push((at(&path, "--vhost-user")?, Front::VhostUser(device)));
        }
        let fronts = [(args.tcp, Front::Nbd), (args.nvme, Front::Nvme)];
        for (address, front) in fronts.into_iter().filter_map(|(a, front)| Some((a?, front))) {
            let listener = Listener::tcp(address).map_err(|error| {
                Failure::wrong(format!("nobody can listen there: {error}")).at(address.to_string())
            })?;
            listeners.push((listener, front));
        }
        Ok(listeners)
    }
}

/// Builds the drive and opens its contents; whether it remembers what it was when it was switched
/// off.
fn build(
    args: &ServeArgs,
    live: &Live,
    costs: Costs,
    console: &mut Console,
) -> Result<(LiveDrive, bool), Failure> {
    let several = live.resolved.spec.devices.len() > 1;
    let (mut last, mut was_closed) = (None, true);
    let contents = |number: usize, bytes: u64, block: u64| {
        let path = match &args.store {
            Store::Memory => {
                let most = args.memory.map_or_else(half_of_free, |bytes| bytes.base());
                return Ok::<_, Failure>(in_memory(most, bytes, block));
            }
            Store::Nowhere => return Ok(Contents::new(Box::new(NoMedium), bytes, block, &[])),
            Store::File(path) => numbered(path, number, several),
        };
        let medium = FileMedium::open(&path, bytes).map_err(|error| refused(&error))?;
        let spaces = medium.spaces().map(|kept| Spaces::of_kept(kept, bytes, block));
        spaces.transpose().map_err(|fault| {
            let why = format!("its namespaces are none of such a drive ({fault:?})");
            refused(&StoreError::BadNote(files::with_ending(&path, ".store"), why))
        })?;
        was_closed &= !medium.is_new() && !medium.was_open();
        if medium.was_open() {
            last = Some(path);
        }
        let held = medium.held().to_vec();
        Ok(Contents::new(Box::new(medium), bytes, block, &held))
    };
    let place = kept::place(&args.store);
    place.as_deref().map_or(Ok(()), kept::check)?;
    let mut drive = live.build(contents)?;
    // Before it remembers: what a warm cache has says nothing of the rest.
    check_speed(args, &mut drive, costs)?;
    let place = place.filter(|_| was_closed && drive.can_be_kept());
    let remembers = place.is_some_and(|path| kept::switch_on(&mut drive, &path, console));
    if let Some(path) = last {
        console.warn(&format!(
            "the server before did not end in order: {} holds every write that had reached it, \
             acknowledged or not, which is what a drive with power-loss protection would hold; a \
             power cut loses nothing of it, only of what is written from now on. Namespaces are as \
             hosts have made them; map and wear are those of --state",
            path.display()
        ));
    }
    Ok((drive, remembers))
}

/// The path for a device: of several, with its number behind it.
fn numbered(path: &Path, number: usize, several: bool) -> PathBuf {
    if several { files::with_ending(path, &format!(".{}", number + 1)) } else { path.to_owned() }
}

fn refused(error: &StoreError) -> Failure {
    let help = match error {
        StoreError::Foreign(_) => {
            "name a file that is not there yet, or the store of an earlier serve"
        }
        StoreError::BadNote(..) => {
            "remove both files if they are not needed, or name another store"
        }
        StoreError::OtherSize { .. } => "give the same target and --size as then, or another store",
        StoreError::Shortened { .. } => {
            "bring the whole file back, or remove it with its note and begin a new store"
        }
        StoreError::InUse(_) => "end that server first, or name another store",
        StoreError::System { .. } => "name another store",
    };
    Failure::wrong(error.to_string()).with_help(help)
}

/// The contents of a device in memory, which takes `most` bytes at most.
pub fn in_memory(most: u64, bytes: u64, block: u64) -> Contents {
    Contents::new(Box::new(MemoryMedium::new(most)), bytes, block, &[])
}

/// Half of the memory that is free, bytes.
pub fn half_of_free() -> u64 {
    free_memory::of_machine().map_or(1 << 30, |bytes| bytes / 2)
}

/// A flag that is set when the user interrupts.
fn watch_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = stop.clone();
    std::thread::spawn(move || {
        while !interrupt::happened() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        set.store(true, Ordering::Relaxed);
    });
    stop
}

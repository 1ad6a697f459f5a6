//! Random reads through the initiator: how fast a target on TCP is.
//!
//!     cargo run --release -p nvme --example load -- ADDRESS NQN DEPTH BLOCKS SECONDS
//!
//! Each request reads so many blocks of 512 bytes of the first GiB of namespace 1, DEPTH of them at
//! a time. Prints requests a second and bytes a second.

#![allow(clippy::disallowed_methods, reason = "a load is timed by the clock")]

use nvme::Sqe;
use nvme::initiator::{Connection, Options, Queue};
use std::error::Error;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000002";
const READ: u8 = 2;
const BLOCK: u32 = 512;
const SPAN_BYTES: u64 = 1 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, nqn, depth, blocks, seconds] = &words[..] else {
        return Err("say ADDRESS NQN DEPTH BLOCKS SECONDS".into());
    };
    let (depth, blocks): (u32, u32) = (depth.parse()?, blocks.parse()?);
    let time = Duration::from_secs(seconds.parse()?);
    let (mut admin, controller) = queue(address, nqn, 0, None)?;
    admin.enable()?;
    let (mut data, _) = queue(address, nqn, 1, Some(controller))?;
    let places = SPAN_BYTES / u64::from(blocks * BLOCK);
    let mut draw = 1_u64;
    let mut next = || {
        // Knuth's multiplier: any sequence that is not in order will do.
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let lba = (draw >> 33) % places * u64::from(blocks);
        let sqe = Sqe::new(READ, 1).with(10, low(lba)).with(11, low(lba >> 32));
        sqe.with(12, blocks - 1)
    };
    for _ in 0..depth {
        data.send(next(), &[], blocks * BLOCK)?;
    }
    let (began, mut requests) = (Instant::now(), 0_u64);
    while began.elapsed() < time {
        data.receive()?;
        requests += 1;
        data.send(next(), &[], blocks * BLOCK)?;
    }
    let rate = requests as f64 / began.elapsed().as_secs_f64();
    println!("{rate:.0} {:.0}", rate * f64::from(blocks * BLOCK));
    Ok(())
}

fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0)
}

fn queue(
    address: &str,
    subsystem: &str,
    qid: u16,
    controller: Option<u16>,
) -> Result<(Queue<TcpStream>, u16), Box<dyn Error>> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut queue = Queue::open(stream, Options::default())?;
    let connection =
        Connection { qid, entries: 128, controller, subsystem, host: HOST, keep_alive_ms: 0 };
    let controller = queue.connect(&connection)?;
    Ok((queue, controller))
}

//! Small drives of the library with their contents in memory.

pub mod wire;

use engine::Instant;
use iopath::device::flash::drive::DriveState;
use serve::contents::{Contents, MemoryMedium};
use serve::drive::{Arrival, Ask, End, Flushes, LiveDrive};
use std::convert::Infallible;

/// A target of the library at 4 Mi units, its contents in memory.
pub fn drive(name: &str, flushes: Flushes) -> LiveDrive {
    drive_with(name, flushes, |bytes, block| {
        Contents::new(Box::new(MemoryMedium::new(1 << 30)), bytes, block, &[])
    })
}

/// The same with these contents, given the bytes of the device and of a block.
pub fn drive_with(
    name: &str,
    flushes: Flushes,
    contents: impl Fn(u64, u64) -> Contents,
) -> LiveDrive {
    drive_set(name, &[], 4 << 20, flushes, contents)
}

/// The same with values of its model set, at so many units.
pub fn drive_set(
    name: &str,
    set: &[(&str, &str)],
    units: u64,
    flushes: Flushes,
    contents: impl Fn(u64, u64) -> Contents,
) -> LiveDrive {
    let scale = library::Scale::Units(units);
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let system = library::System::named(name, &set).unwrap_or_else(|_| panic!("{name}"));
    let resolved = system.resolve(scale, &library::Overrides::default()).expect("it resolves");
    let contents = |_, bytes, block| Ok::<_, Infallible>(contents(bytes, block));
    match LiveDrive::build(&resolved.spec, (&DriveState::Filled, 1), flushes, contents) {
        Ok(drive) => drive,
        Err(never) => match never {},
    }
}

/// A request of the first device.
pub fn arrival(ask: Ask, start: u64, len: u64, ticket: u64) -> Arrival {
    Arrival { device: 0, ask, start, len, durable: false, own: false, ticket }
}

/// Runs until so many requests have ended.
pub fn ends(drive: &mut LiveDrive, count: usize) -> Vec<End> {
    let mut ends = Vec::new();
    while ends.len() < count {
        if let Some(end) = drive.take_end() {
            ends.push(end);
        } else {
            let next = drive.next().expect("something is under way");
            drive.run(next);
        }
    }
    ends
}

/// Submits a request now, and waits for its end.
pub fn now(drive: &mut LiveDrive, ask: Ask, start: u64, len: u64) -> End {
    let at: Instant = drive.now();
    drive.submit(arrival(ask, start, len, 0), at);
    ends(drive, 1).remove(0)
}

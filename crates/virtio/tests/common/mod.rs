//! A device with a guest in this process, and a drive in memory behind it.

use std::fs::File;
use std::os::unix::net::UnixStream;
use vhost::vhost_user::VhostUserBackendReqHandlerMut as _;
use vhost::vhost_user::message::{
    VhostUserConfigFlags, VhostUserInflight, VhostUserMemoryRegion, VhostUserVringAddrFlags,
};
use virtio::driver::{Driver, Ended};
use virtio::{Device, Disk, Fault, Next, Op, Status};
use vm_memory::{FileOffset, GuestAddress, GuestMemoryMmap};

/// Bytes of the disk, and of the guest's memory.
pub const BYTES: u64 = 1 << 20;
pub const MEMORY: u64 = 8 << 20;
/// Where the frontend has the memory of the guest, and where the guest has it.
pub const FRONTEND: u64 = 0x7000_0000_0000;
pub const GUEST: u64 = 0x10_0000;
pub const ENTRIES: u16 = 32;

/// Features: events, a switch of the write cache, flushes.
pub const EVENTS: u64 = 1 << 29;
pub const SWITCH: u64 = 1 << 11;
pub const FLUSHES: u64 = 1 << 9;

pub fn disk(sector: u32) -> Disk {
    Disk { bytes: BYTES, sector, block: 4096, serial: "SERIAL-1".to_owned() }
}

/// A device and its guest.
pub struct World {
    pub device: Device,
    pub drive: Vec<u8>,
    pub memory: GuestMemoryMmap,
    pub file: File,
    /// The guest's ends: what it is called by, and what it kicks with.
    pub ends: (UnixStream, UnixStream),
    /// What reads and writes come to.
    pub failure: Option<Status>,
    /// What was asked of the drive: op, start, bytes, durable.
    pub log: Vec<(&'static str, u64, u64, bool)>,
}

pub fn region(guest: u64, frontend: u64, len: u64) -> VhostUserMemoryRegion {
    VhostUserMemoryRegion::new(guest, len, frontend, 0)
}

impl World {
    /// A device whose first queue runs, with the driver of it.
    pub fn new(features: u64, sector: u32, indirect: bool) -> (World, Driver) {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(MEMORY).expect("room");
        let place = FileOffset::new(file.try_clone().expect("a file"), 0);
        let ranges = [(GuestAddress(GUEST), MEMORY as usize, Some(place))];
        let memory = GuestMemoryMmap::from_ranges_with_files(ranges).expect("memory");
        let driver = Driver::new(memory.clone(), GUEST, ENTRIES, indirect);
        let mut device = Device::new(disk(sector));
        device.set_features(features).expect("features");
        let ends = begin(&mut device, &file, driver.place());
        let drive = vec![0; BYTES as usize];
        let (failure, log) = (None, Vec::new());
        (World { device, drive, memory, file, ends, failure, log }, driver)
    }

    /// The connection broke: another device, with the memory that the frontend has kept.
    pub fn attach_again(&mut self, driver: &Driver, kept: Option<(&VhostUserInflight, File)>) {
        self.device = Device::new(disk(512));
        if let Some((inflight, file)) = kept {
            self.device.set_inflight_fd(inflight, file).expect("it was kept");
        }
        self.ends = begin(&mut self.device, &self.file, driver.place());
    }

    /// Takes all that is asked and does it.
    pub fn work(&mut self) -> Result<(), Fault> {
        loop {
            let request = match self.device.next_request()? {
                Next::Nothing => return self.device.call(),
                Next::Answered => continue,
                Next::Asked(request) => request,
            };
            for piece in request.pieces {
                let (start, len) = (piece.start as usize, piece.len as usize);
                let range = start..start + len;
                let (name, read) = match &piece.op {
                    Op::Read => ("read", self.drive[range].to_vec()),
                    Op::Write(data) => {
                        self.drive[range].copy_from_slice(data);
                        ("write", Vec::new())
                    }
                    Op::WriteZeroes { .. } | Op::Discard => {
                        self.drive[range].fill(0);
                        (if piece.op == Op::Discard { "discard" } else { "zeros" }, Vec::new())
                    }
                    Op::Flush => ("flush", Vec::new()),
                };
                self.log.push((name, piece.start, piece.len, request.durable));
                let result = self.failure.map_or(Ok(read), Err);
                self.device.complete(request.tag, result)?;
            }
        }
    }

    /// Turns the write cache on or off.
    pub fn cache(&mut self, on: bool) {
        let flags = VhostUserConfigFlags::WRITABLE;
        self.device.set_config(32, &[u8::from(on)], flags).expect("a switch");
    }
}

/// Gives a device the memory of the guest, and begins its first queue.
fn begin(device: &mut Device, file: &File, place: (u64, u64, u64)) -> (UnixStream, UnixStream) {
    let files = vec![file.try_clone().expect("a file")];
    device.set_mem_table(&[region(GUEST, FRONTEND, MEMORY)], files, None).expect("memory");
    let (calls, call) = UnixStream::pair().expect("sockets");
    let (kicks, kick) = UnixStream::pair().expect("sockets");
    calls.set_nonblocking(true).expect("a socket");
    let (descriptors, available, used) = place;
    let user = |addr: u64| addr - GUEST + FRONTEND;
    device.set_vring_num(0, ENTRIES.into()).expect("entries");
    device.set_vring_base(0, 0).expect("a base");
    let flags = VhostUserVringAddrFlags::empty();
    device
        .set_vring_addr(0, flags, user(descriptors), user(used), user(available), 0)
        .expect("rings");
    device.set_vring_call(0, Some(owned(call))).expect("a call");
    device.set_vring_kick(0, Some(owned(kick))).expect("a kick");
    (calls, kicks)
}

/// A socket as a file: both are descriptors.
fn owned(stream: UnixStream) -> File {
    File::from(std::os::fd::OwnedFd::from(stream))
}

/// Asks and waits for the answer.
pub fn asked(world: &mut World, driver: &mut Driver, ask: (u32, u64, &[u8], u32)) -> Ended {
    let (kind, sector, out, read) = ask;
    driver.ask(kind, sector, out, read).expect("memory").expect("room");
    world.work().expect("it works");
    driver.ended().expect("memory").expect("an answer")
}

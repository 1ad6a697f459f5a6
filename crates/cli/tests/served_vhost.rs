//! Served drives over vhost-user: a guest's memory in this process, the whole way to the model and
//! back.

#![allow(clippy::disallowed_methods, reason = "clients wait on the clock")]

use crate::common::drivelab;
use crate::serve::Served;
use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};
use vhost::vhost_user::message::{VhostUserConfigFlags, VhostUserHeaderFlag};
use vhost::vhost_user::{Frontend, VhostUserFrontend as _, VhostUserProtocolFeatures};
use vhost::{VhostBackend as _, VhostUserMemoryRegionInfo, VringConfigData};
use virtio::driver::{
    DISCARD, Descriptor, Driver, Ended, FLUSH, GET_ID, IN, NEXT, OUT, WRITE_ZEROES, range,
};
use vm_memory::{FileOffset, GuestAddress, GuestMemoryBackend as _, GuestMemoryMmap};
use vmm_sys_util::eventfd::EventFd;

const ENTRIES: u16 = 64;
const GUEST: u64 = 1 << 20;
/// Protocol features, the switch of the write cache, flushes, events, version 1.
const FEATURES: u64 = 1 << 30 | 1 << 11 | 1 << 9 | 1 << 29 | 1 << 32;

/// A queue of a guest.
struct Queue {
    driver: Driver,
    kick: EventFd,
    call: EventFd,
}

/// A guest with its frontend.
struct Guest {
    frontend: Frontend,
    queues: Vec<Queue>,
    _memory: File,
}

impl Guest {
    /// Attaches at a socket, with so many queues.
    fn attach(socket: &Path, queues: usize) -> Guest {
        let there = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            socket.exists()
        });
        assert!(there, "nobody listens at {}", socket.display());
        let mut frontend = Frontend::connect(socket, 64).expect("it listens");
        frontend.set_owner().expect("an owner");
        let offered = frontend.get_features().expect("features");
        assert_eq!(offered & FEATURES, FEATURES);
        frontend.set_features(FEATURES).expect("features");
        let protocol = frontend.get_protocol_features().expect("features");
        let wanted = VhostUserProtocolFeatures::MQ
            | VhostUserProtocolFeatures::CONFIG
            | VhostUserProtocolFeatures::REPLY_ACK;
        assert!(protocol.contains(wanted));
        frontend.set_protocol_features(wanted).expect("features");
        frontend.set_hdr_flags(VhostUserHeaderFlag::NEED_REPLY);
        assert_eq!(frontend.get_queue_num().expect("queues"), 64);
        let each = Driver::bytes(ENTRIES);
        let len = each * queues as u64;
        let file = tempfile::tempfile().expect("a file");
        file.set_len(len).expect("room");
        let place = FileOffset::new(file.try_clone().expect("a file"), 0);
        let ranges = [(GuestAddress(GUEST), len as usize, Some(place))];
        let memory = GuestMemoryMmap::<()>::from_ranges_with_files(ranges).expect("memory");
        let region = memory.iter().next().expect("a region");
        let region = VhostUserMemoryRegionInfo::from_guest_region(region).expect("a file");
        frontend.set_mem_table(&[region]).expect("memory");
        let queue = |number: usize| {
            let at = GUEST + each * number as u64;
            let driver = Driver::new(memory.clone(), at, ENTRIES, number % 2 == 1);
            let event = || EventFd::new(0x800).expect("an event");
            let queue = Queue { driver, kick: event(), call: event() };
            queue.begin(&mut frontend, number, region.userspace_addr);
            queue
        };
        let queues = (0..queues).map(queue).collect();
        Guest { frontend, queues, _memory: file }
    }

    /// Asks the first queue and waits for the answer.
    fn ask(&mut self, kind: u32, sector: u64, out: &[u8], read: u32) -> Ended {
        self.queues[0].send(kind, sector, out, read);
        self.queues[0].answer().expect("an answer")
    }

    fn read(&mut self, sector: u64, len: u32) -> Vec<u8> {
        let ended = self.ask(IN, sector, &[], len);
        assert_eq!(ended.status, 0);
        ended.data
    }
}

impl Queue {
    fn begin(&self, frontend: &mut Frontend, number: usize, mapped: u64) {
        let (descriptors, available, used) = self.driver.place();
        let user = |addr: u64| addr - GUEST + mapped;
        frontend.set_vring_num(number, ENTRIES).expect("entries");
        frontend.set_vring_base(number, 0).expect("a base");
        let rings = VringConfigData {
            queue_max_size: ENTRIES,
            queue_size: ENTRIES,
            flags: 0,
            desc_table_addr: user(descriptors),
            used_ring_addr: user(used),
            avail_ring_addr: user(available),
            log_addr: None,
        };
        frontend.set_vring_addr(number, &rings).expect("rings");
        frontend.set_vring_call(number, &self.call).expect("a call");
        frontend.set_vring_kick(number, &self.kick).expect("a kick");
        frontend.set_vring_enable(number, true).expect("enabled");
    }

    fn send(&mut self, kind: u32, sector: u64, out: &[u8], read: u32) -> u16 {
        let before = self.driver.offered();
        let number = self.driver.ask(kind, sector, out, read).expect("memory").expect("room");
        if self.driver.must_kick(before).expect("memory") {
            self.kick.write(1).expect("a kick");
        }
        number
    }

    /// The next request that ends, if one does.
    fn answer(&mut self) -> Option<Ended> {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            if let Some(ended) = self.driver.ended().expect("memory") {
                return Some(ended);
            }
            // Whether it is called or not, it finds what has ended; calls are counted elsewhere.
            std::thread::sleep(Duration::from_micros(50));
        }
        None
    }
}

fn pattern(len: usize, seed: u32) -> Vec<u8> {
    (0..len as u32)
        .map(|i| (i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect()
}

#[test]
fn guests_write_read_and_come_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("v.sock");
    let served = Served::new(folder.path(), &["--vhost-user", "./v.sock"]);
    let mut guest = Guest::attach(&socket, 1);
    let mode = socket.metadata().expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let flags = VhostUserConfigFlags::empty();
    let (_, space) = guest.frontend.get_config(0, 60, flags, &[0; 60]).expect("a disk");
    let sectors = u64::from_le_bytes(space[..8].try_into().expect("8 bytes"));
    assert!((32 << 20..34 << 20).contains(&sectors), "{sectors} sectors");
    let data = pattern(64 << 10, 1);
    assert_eq!(guest.ask(OUT, 2048, &data, 0).status, 0);
    assert!(guest.queues[0].call.read().is_ok(), "it was called");
    assert_eq!(guest.read(2048, 64 << 10), data);
    assert_eq!(guest.ask(FLUSH, 0, &[], 0).status, 0);
    assert!(guest.ask(GET_ID, 0, &[], 20).data.starts_with(b"p4510-8tb\0"));
    assert_eq!(guest.ask(DISCARD, 0, &range(2048, 8, 0), 0).status, 0);
    assert_eq!(guest.read(2048, 4096), [0; 4096]);
    assert_eq!(guest.ask(WRITE_ZEROES, 0, &range(2057, 1, 0), 0).status, 0);
    let mut after = data[4096..8192].to_vec();
    after[512..1024].fill(0);
    assert_eq!(guest.read(2056, 4096), after);
    assert_eq!(guest.ask(IN, sectors, &[], 512).status, 1, "beyond the end");
    assert_eq!(guest.ask(99, 0, &[], 512).status, 2, "what nobody knows");
    assert_eq!(served.state()["clients"], 1);
    drop(guest);
    let mut again = Guest::attach(&socket, 1);
    assert_eq!(again.read(2064, 4096), data[8192..12288], "another guest finds it");
    let state = served.state();
    let number = |op: &str| state["requests"][op]["requests"].as_u64();
    assert_eq!((number("write"), number("read")), (Some(2), Some(4)));
    assert_eq!((number("flush"), number("trim")), (Some(1), Some(1)));
    drop(again);
    let said = served.stop().stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("a client has attached to p4510-8tb"), "{said}");
    assert!(said.contains("vhost-user-blk at ./v.sock"), "{said}");
}

#[test]
fn several_queues_are_served_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let _served = Served::new(folder.path(), &["--vhost-user", "./v.sock"]);
    let mut guest = Guest::attach(&folder.path().join("v.sock"), 4);
    for round in 0..50_u64 {
        for (number, queue) in (0_u64..).zip(&mut guest.queues) {
            for i in 0..8 {
                let sector = (number * 8 + i) * 8;
                queue.send(OUT, sector, &pattern(4096, (round + sector) as u32), 0);
            }
        }
        for queue in &mut guest.queues {
            for _ in 0..8 {
                assert_eq!(queue.answer().expect("an answer").status, 0);
            }
        }
    }
    for sector in (0..32 * 8).step_by(8) {
        assert_eq!(guest.read(sector, 4096), pattern(4096, 49 + sector as u32), "{sector}");
    }
}

/// Power is gone for guests, too, and what was acknowledged behind protection is there afterwards.
#[test]
fn a_power_cut_ends_the_connection_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("v.sock");
    let _served = Served::new(folder.path(), &["--vhost-user", "./v.sock"]);
    let mut guest = Guest::attach(&socket, 1);
    let data = pattern(16 << 10, 7);
    assert_eq!(guest.ask(OUT, 64, &data, 0).status, 0);
    let order = |word| drivelab(folder.path(), &["control", "./d.sock.control", word]);
    assert!(order("cut-power").status.success());
    guest.frontend.get_features().expect_err("the connection is gone");
    let mut refused = Frontend::connect(&socket, 64).expect("a socket is there");
    refused.get_queue_num().expect_err("and nobody speaks");
    assert!(order("restore").status.success());
    let mut guest = Guest::attach(&socket, 1);
    assert_eq!(guest.read(64, 16 << 10), data);
}

/// A guest that does what no driver does is gone, with a reason, and nobody else.
#[test]
fn a_broken_guest_is_gone_and_others_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("v.sock");
    let served = Served::new(folder.path(), &["--vhost-user", "./v.sock"]);
    let mut other = Guest::attach(&socket, 1);
    let mut guest = Guest::attach(&socket, 1);
    let queue = &mut guest.queues[0];
    let loops = Descriptor { addr: GUEST, len: 16, flags: NEXT, next: 0 };
    queue.driver.set(0, loops).expect("memory");
    queue.driver.offer(0).expect("memory");
    queue.kick.write(1).expect("a kick");
    guest.frontend.get_features().expect_err("the connection is gone");
    assert_eq!(other.read(0, 512), [0; 512]);
    // Requests of somebody who is gone end without him.
    let mut gone = Guest::attach(&socket, 1);
    for i in 0..10 {
        gone.queues[0].send(OUT, i * 8, &[1; 4096], 0);
    }
    drop(gone);
    assert_eq!(other.read(4096, 512), [0; 512]);
    let said = served.stop().stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("a chain of descriptors has no end"), "{said}");
}

/// A virtual machine that is paused asks where its queues are, and waits for what is under way.
#[test]
fn a_queue_is_drained_before_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let slow = ["--vhost-user", "./v.sock", "--time", "1000x"];
    let _served = Served::new(folder.path(), &slow);
    let mut guest = Guest::attach(&folder.path().join("v.sock"), 1);
    let queue = &mut guest.queues[0];
    for i in 0..6 {
        queue.send(IN, i * 800, &[], 4096);
    }
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(queue.driver.ended().expect("memory"), None, "a read takes 85 ms");
    assert_eq!(guest.frontend.get_vring_base(0).expect("a base"), 6);
    let ended = std::iter::from_fn(|| guest.queues[0].driver.ended().expect("memory"));
    assert_eq!(ended.filter(|ended| ended.status == 0).count(), 6);
}

/// Each device of a system has a socket.
#[test]
fn several_devices_have_a_socket_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let eight = ["--vhost-user", "./v.sock", "--size", "128GiB"];
    let _served = Served::of("8x-cd6", folder.path(), &eight);
    let mut first = Guest::attach(&folder.path().join("v.sock.1"), 1);
    let mut second = Guest::attach(&folder.path().join("v.sock.2"), 1);
    assert_eq!(first.ask(OUT, 0, &[1; 512], 0).status, 0);
    assert_eq!(second.read(0, 512), [0; 512]);
    assert_eq!(first.read(0, 512), [1; 512]);
    assert!(!folder.path().join("v.sock.9").exists());
}

//! Served drives over NVMe: an initiator on TCP, the whole way to the model and back.

use crate::common::drivelab;
use crate::serve::Served;
use nvme::Sqe;
use nvme::initiator::{Connection, Options, Queue};
use std::net::{SocketAddr, TcpListener, TcpStream};

const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001";
/// Where the namespace begins that tests write to, in blocks.
const LBA: u64 = 4096;

/// A port that nobody uses.
fn place() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

fn queue(place: SocketAddr, qid: u16, controller: Option<u16>) -> (Queue<TcpStream>, u16) {
    queue_of("p4510-8tb", place, qid, controller)
}

/// A queue of a controller of the drive with this slug, on a connection of its own.
fn queue_of(
    slug: &str,
    place: SocketAddr,
    qid: u16,
    controller: Option<u16>,
) -> (Queue<TcpStream>, u16) {
    let stream = TcpStream::connect(place).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let options = Options { header_digests: true, data_digests: true, ..Options::default() };
    let mut queue = Queue::open(stream, options).expect("a handshake");
    let (subsystem, host) = (&format!("nqn.2026-11.example.drivelab:{slug}"), HOST);
    let connection =
        Connection { qid, entries: 32, controller, subsystem, host, keep_alive_ms: 15_000 };
    let controller = queue.connect(&connection).expect("a queue");
    if qid == 0 {
        queue.enable().expect("it is enabled");
    }
    (queue, controller)
}

/// The number at a place of a page.
fn number(bytes: &[u8], at: usize, len: usize) -> u128 {
    bytes[at..at + len].iter().rev().fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

#[test]
fn a_host_writes_reads_and_looks_at_the_health() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = place();
    let served = Served::new(folder.path(), &["--nvme", &place.to_string()]);
    let (mut admin, controller) = queue(place, 0, None);
    let identity = admin.identify(1, 0).expect("Identify Controller");
    assert!(identity[24..64].starts_with(b"Intel P4510 8TB "), "{:?}", &identity[24..64]);
    assert!(identity[4..24].starts_with(b"P4510-8TB-1 "), "{:?}", &identity[4..24]);
    let (mut data, _) = queue(place, 1, Some(controller));
    let block = vec![0xA5; 64 << 10];
    data.write(1, (LBA, 128), &block, true).expect("written");
    data.write(1, (LBA + 1000, 1), &[7; 512], false).expect("in the capsule");
    assert_eq!(data.read(1, LBA, 128, 512).expect("read"), block);
    assert_eq!(data.read(1, LBA + 1000, 1, 512).expect("read"), [7; 512]);
    data.flush(1).expect("flushed");
    data.deallocate(1, &[(LBA, 128)]).expect("given up");
    assert!(data.read(1, LBA, 128, 512).expect("read").iter().all(|byte| *byte == 0));
    // The health is looked at ten times a second.
    std::thread::sleep(std::time::Duration::from_millis(250));
    let health = admin.log_page(2, 512).expect("the health log");
    assert_eq!((number(&health, 64, 16), number(&health, 80, 16)), (3, 2), "reads, writes");
    assert_eq!((health[3], health[4]), (100, 10), "spare and its threshold");
    let state = served.state();
    assert_eq!(state["requests"]["write"]["requests"], 2);
    assert_eq!(state["requests"]["trim"]["requests"], 1);
    assert!(served.stop().status.success());
}

/// What the flash has been through before counts as it does on a drive that was used.
#[test]
fn an_aged_drive_says_so_in_its_health() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = place();
    let served = Served::new(folder.path(), &["--nvme", &place.to_string()]);
    let (mut admin, _) = queue(place, 0, None);
    let mut used = || admin.log_page(2, 512).expect("the health log")[5];
    assert_eq!(used(), 0);
    assert!(served.control(&["age", "cycles=80%"]).status.success());
    std::thread::sleep(std::time::Duration::from_millis(250));
    assert_eq!(used(), 80);
    let drive = &served.state()["drives"][0];
    assert!(drive["mean_erases"].as_f64().is_some_and(|erases| erases > 1000.0), "{drive}");
    served.stop();
}

#[test]
fn namespaces_are_deleted_created_and_hold_their_own_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = place();
    let _served = Served::new(folder.path(), &["--nvme", &place.to_string()]);
    let (mut admin, controller) = queue(place, 0, None);
    let (mut data, _) = queue(place, 1, Some(controller));
    data.write(1, (0, 8), &[1; 4096], false).expect("written");
    admin.delete_namespace(1).expect("deleted");
    data.read(1, 0, 8, 512).expect_err("it is gone");
    for (nsid, byte) in [(1, 2_u8), (2, 3)] {
        assert_eq!(admin.create_namespace(1 << 20, 1).expect("created"), nsid, "4 GiB of 4 KiB");
        data.read(nsid, 0, 1, 4096).expect_err("it is not attached");
        admin.attach_namespace(nsid, controller, true).expect("attached");
        assert_eq!(data.read(nsid, 0, 1, 4096).expect("read"), [0; 4096], "the old data is gone");
        data.write(nsid, (0, 1), &[byte; 4096], false).expect("written");
    }
    assert_eq!(data.read(1, 0, 1, 4096).expect("read"), [2; 4096]);
    assert_eq!(data.read(2, 0, 1, 4096).expect("read"), [3; 4096]);
}

/// Power is gone for hosts, too, and what was acknowledged behind protection is there afterwards.
#[test]
fn a_power_cut_ends_the_connections_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = place();
    let served = Served::new(folder.path(), &["--nvme", &place.to_string()]);
    let (_admin, controller) = queue(place, 0, None);
    let (mut data, _) = queue(place, 1, Some(controller));
    data.write(1, (8, 8), &[9; 4096], false).expect("written");
    let cut = drivelab(folder.path(), &["control", "./d.sock.control", "cut-power"]);
    assert!(cut.status.success());
    data.read(1, 8, 8, 512).expect_err("the connection is gone");
    let restored = drivelab(folder.path(), &["control", "./d.sock.control", "restore"]);
    assert!(restored.status.success());
    let (mut admin, controller) = queue(place, 0, None);
    let (mut data, _) = queue(place, 1, Some(controller));
    assert_eq!(data.read(1, 8, 8, 512).expect("read"), [9; 4096]);
    std::thread::sleep(std::time::Duration::from_millis(250));
    let health = admin.log_page(2, 512).expect("the health log");
    assert_eq!(number(&health, 144, 16), 1, "a power loss without notice");
    drop(served);
}

/// A power state that is slower is slower for hosts.
#[test]
fn a_power_state_limits_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = place();
    let slow = ["--nvme", &place.to_string(), "--time", "10x"];
    let served = Served::of("p5430", folder.path(), &slow);
    let (mut admin, controller) = queue_of("d5-p5430-15.36tb", place, 0, None);
    let (mut data, _) = queue_of("d5-p5430-15.36tb", place, 1, Some(controller));
    // 16 outstanding writes of 256 KiB, for longer than the window of the limit.
    let mean = |queue: &mut Queue<TcpStream>| {
        let numbers = || {
            let of = served.state()["requests"]["write"].clone();
            let requests = of["requests"].as_f64().unwrap_or(0.0);
            (requests, requests * of["mean_us"].as_f64().unwrap_or(0.0))
        };
        let (n0, t0) = numbers();
        for i in 0..600_u32 {
            let write = Sqe::new(1, 1).with(10, i * 512).with(12, 511);
            queue.send(write, &[1; 256 << 10], 0).expect("sent");
            if i >= 16 {
                queue.receive().expect("written");
            }
        }
        (0..16).for_each(|_| drop(queue.receive().expect("written")));
        let (n1, t1) = numbers();
        (t1 - t0) / (n1 - n0)
    };
    let free = mean(&mut data);
    admin.set_feature(2, 0, 2).expect("the third power state");
    assert_eq!(admin.feature(2, 0, 0, 0).expect("a power state"), 2);
    let limited = mean(&mut data);
    assert!(limited > 1.1 * free, "{free} us without a limit, {limited} us with one");
}

#[test]
fn what_has_no_controller_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        (["serve", "intel-710", "--nvme", "127.0.0.1:0"], "this drive has no NVMe"),
        (["serve", "raid10-4x-pm981a", "--nvme", "127.0.0.1:0"], "that of one flash drive"),
        (["serve", "mdraid-raid0-4x-p5520", "--nvme", "127.0.0.1:0"], "that of one flash drive"),
        (["serve", "8x-pm9a3", "--nvme", "127.0.0.1:0"], "that of one flash drive"),
        (["serve", "p4510", "--nvme", "0.0.0.0:4420"], "can be reached from other machines"),
    ];
    for (arguments, reason) in cases {
        let output = drivelab(folder.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
}

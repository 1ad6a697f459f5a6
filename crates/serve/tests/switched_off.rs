//! What a drive remembers from one time with power to the next.

use crate::common::{drive, drive_with, now};
use crate::sockets;
use iopath::device::health::Wear;
use nvme::Backend as _;
use serve::contents::{Contents, FileMedium};
use serve::controller::Controller;
use serve::drive::{Ask, Flushes, KeptError, LiveDrive, is_kept};
use serve::spaces::{KeptSpaces, Spaces};
use std::path::Path;

const BLOCK: u64 = 4096;

fn kept(drive: &mut LiveDrive) -> Vec<u8> {
    let mut state = Vec::new();
    drive.switch_off(&mut state).expect("memory");
    assert!(is_kept(&state));
    state
}

/// Wear, units written by cause, and the counters of each flash drive.
fn about(drive: &LiveDrive) -> Vec<String> {
    let machine = drive.machine();
    let of = |address| {
        let drive = machine.drive(address);
        let wear = Wear::of(drive.ftl().pool().erases());
        format!("{wear:?} {:?} {:?}", drive.ftl().ledger(), drive.health())
    };
    let programmed = drive.flash().map(|address| drive.programmed_bytes(address).to_string());
    drive.flash().map(of).chain(programmed).collect()
}

fn write(drive: &mut LiveDrive, megabytes: u64) {
    for at in 0..16 * megabytes {
        let data = vec![7; 65_536];
        now(drive, Ask::Write(data), at * 65_536, 65_536).result.expect("written");
    }
}

/// What brings a drive into its first state is no work of its life: a filled drive has programmed
/// nothing, and what is written to it in order is programmed about once.
#[test]
fn only_what_is_written_in_its_life_counts() {
    let mut drive = drive("p4510", Flushes::Honoured);
    let address = drive.flash().next().expect("a drive");
    assert_eq!(drive.programmed_bytes(address), 0);
    write(&mut drive, 64);
    kept(&mut drive);
    let amplification = drive.programmed_bytes(address) as f64 / (64 << 20) as f64;
    assert!((0.99..1.5).contains(&amplification), "{amplification}");
    assert_eq!(serve::control::drives(&drive)[0].write_amplification, Some(amplification));
}

/// Volatile buffers are emptied when a drive is switched off; what they held is on the flash.
#[test]
fn map_wear_and_health_go_on_where_they_ended() {
    for name in ["p4510", "sn850"] {
        let mut first = drive(name, Flushes::Honoured);
        write(&mut first, 64);
        first.cut_power(false).expect("memory");
        let state = kept(&mut first);
        let mut second = drive(name, Flushes::Honoured);
        assert_ne!(about(&second), about(&first));
        second.switch_on(&mut state.as_slice()).expect("of this drive");
        assert_eq!(about(&second), about(&first), "{name}");
        assert_eq!((first.power_cycles(), second.power_cycles()), (2, 3));
        assert!(second.power_on_s() >= first.power_on_s() && first.power_on_s() > 0.0);
        // It goes on as a drive: it takes writes and reads, and remembers these too.
        write(&mut second, 8);
        now(&mut second, Ask::Read, 0, BLOCK).result.expect("read");
        let mut third = drive(name, Flushes::Honoured);
        third.switch_on(&mut kept(&mut second).as_slice()).expect("of this drive");
        assert_eq!(about(&third), about(&second), "{name}");
    }
}

/// The same state gives the same bytes again: nothing is lost on the way.
#[test]
fn a_state_that_is_put_in_comes_out_again() {
    let mut first = drive("x25-e", Flushes::Honoured);
    write(&mut first, 16);
    let state = kept(&mut first);
    let mut second = drive("x25-e", Flushes::Honoured);
    second.switch_on(&mut state.as_slice()).expect("of this drive");
    let flash = |state: &[u8]| {
        let line = state.iter().position(|byte| *byte == b'\n').expect("a line");
        state[line..].to_vec()
    };
    assert!(flash(&kept(&mut second)) == flash(&state));
}

/// A state of something else is refused, and the drive is as it was.
#[test]
fn what_is_not_of_the_drive_is_left_alone() {
    let mut other = drive("x25-e", Flushes::Honoured);
    write(&mut other, 1);
    let state = kept(&mut other);
    let mut mine = drive("p4510", Flushes::Honoured);
    let before = about(&mine);
    let mut refused = |bytes: &[u8]| mine.switch_on(&mut &bytes[..]).expect_err("not its own");
    assert!(matches!(refused(b"{}\n"), KeptError::Foreign));
    assert!(matches!(refused(b"\x00\x01"), KeptError::Foreign));
    assert!(matches!(refused(&state), KeptError::Drive(_)), "another model");
    let own = kept(&mut drive("p4510", Flushes::Honoured));
    assert!(matches!(refused(&own[..own.len() - 9]), KeptError::Drive(_)), "cut off");
    let mut damaged = own.clone();
    let at = damaged.len() / 2;
    damaged[at] ^= 1;
    assert!(matches!(refused(&damaged), KeptError::Drive(_)), "a bit is another one");
    let two = String::from_utf8_lossy(&own[..own.len() - own.len() / 2]).into_owned();
    let two = two.lines().next().expect("a line").replace("\"drives\":[", "\"drives\":[{},");
    assert!(matches!(refused(two.as_bytes()), KeptError::Foreign));
    assert_eq!(about(&mine), before);
}

/// What a write cache before an array remembers is in no drive.
#[test]
fn all_but_write_caches_of_arrays_are_kept() {
    for name in ["p4510", "raid0-2x-intel-710", "optane-memory-32gb", "optane-32gb-hdd"] {
        assert!(drive(name, Flushes::Honoured).can_be_kept(), "{name}");
    }
    assert!(!drive("perc-h755n-raid5", Flushes::Honoured).can_be_kept(), "it has a cache");
}

/// A hot file is found again after a restart: the module before the disk still has it, and what
/// was written but not yet destaged.
#[test]
fn a_cached_volume_goes_on_with_a_warm_cache() {
    let cached = || drive("optane-32gb-hdd", Flushes::Honoured);
    let read = |drive: &mut LiveDrive, block: u64| {
        let begun = drive.now();
        now(drive, Ask::Read, 64 * block * BLOCK, BLOCK).result.expect("read");
        drive.now().since(begun).as_s()
    };
    let mut first = cached();
    let cold: f64 = (0..64).map(|block| read(&mut first, block)).sum();
    now(&mut first, Ask::Write(vec![7; 4096]), BLOCK, BLOCK).result.expect("written");
    let state = kept(&mut first);
    let mut second = cached();
    assert!(read(&mut second, 1) > 1e-3, "a new one turns the disk");
    second.switch_on(&mut state.as_slice()).expect("of this volume");
    let warm: f64 = (0..64).map(|block| read(&mut second, block)).sum();
    assert!(warm < 0.02 * cold, "{warm} s after the restart, {cold} s before");
    assert!(kept(&mut second).len() == state.len(), "the same blocks");
}

/// A cache that does not fit is left out, and the volume is as it was.
#[test]
fn a_cache_of_another_volume_is_left_alone() {
    let mut first = drive("optane-32gb-hdd", Flushes::Honoured);
    now(&mut first, Ask::Read, 0, BLOCK).result.expect("read");
    let state = kept(&mut first);
    let mut other = drive("optane-16gb-dt01aca200", Flushes::Honoured);
    let refused = other.switch_on(&mut state.as_slice());
    assert!(matches!(refused, Err(KeptError::Tier(_))), "{refused:?}");
    let mut own = drive("optane-32gb-hdd", Flushes::Honoured);
    let refused = own.switch_on(&mut &state[..state.len() - 1]);
    assert!(matches!(refused, Err(KeptError::Tier(_))), "cut off: {refused:?}");
    own.switch_on(&mut state.as_slice()).expect("of this volume");
}

/// Each member of an array goes on where it ended; one that is missing is known to the array alone.
#[test]
fn the_members_of_an_array_go_on() {
    let array = || drive("mdraid-raid5-4x-p5520", Flushes::Honoured);
    let mut first = array();
    write(&mut first, 64);
    assert!(first.can_be_kept() && first.volumes_are_whole());
    let state = kept(&mut first);
    let mut second = array();
    second.switch_on(&mut state.as_slice()).expect("of this array");
    assert_eq!(about(&second), about(&first));
    assert_eq!(about(&second).len(), 8, "wear and bytes of four drives");
    write(&mut second, 8);
    now(&mut second, Ask::Read, 0, BLOCK).result.expect("read");
    second.fail_member(1).expect("an array");
    write(&mut second, 8);
    assert!(!second.volumes_are_whole());
}

/// A drive with its contents in a file.
fn in_file(path: &Path) -> LiveDrive {
    let contents = |bytes, block| {
        let medium = FileMedium::open(path, bytes).expect("its store");
        let held = medium.held().to_vec();
        Contents::new(Box::new(medium), bytes, block, &held)
    };
    drive_with("p4510", Flushes::Honoured, contents)
}

/// Namespaces that hosts have made are there again even if the server was killed, attached or not,
/// with their formats, their places on the device and the numbers that tell which one they are; and
/// so are the gaps.
#[test]
fn namespaces_that_hosts_have_made_go_on() {
    let about = |drive: &LiveDrive| sockets::about(drive.devices()[0].bytes);
    let folder = tempfile::tempdir().expect("a folder");
    let [path, later] = ["a.img", "b.img"].map(|name| folder.path().join(name));
    let mut first = in_file(&path);
    let mut controller = Controller::new(about(&first), first.spaces());
    controller.delete(1).expect("it is there");
    let mut made = || controller.create(1 << 30, 1).expect("there is room");
    let [one, two, three] = [made(), made(), made()];
    controller.attach(one, true).expect("it is there");
    controller.attach(three, true).expect("it is there");
    controller.delete(two).expect("it is there");
    first.set_spaces(controller.spaces()).expect("kept");
    // What a server that is killed now leaves behind.
    for ending in ["", ".store"] {
        let name = |path: &Path| format!("{}{ending}", path.display());
        std::fs::copy(name(&path), name(&later)).expect("copied");
    }
    let second = in_file(&later);
    let mut again = Controller::new(about(&second), second.spaces());
    assert_eq!(again.namespaces(), controller.namespaces());
    assert_eq!([one, three].map(|nsid| again.start(nsid)), [Some(0), Some(2 << 30)]);
    let both = [&mut controller, &mut again].map(|one| one.create(1 << 30, 0).expect("the gap"));
    assert_eq!(both, [two; 2]);
    assert_eq!(again.namespace(two), controller.namespace(two), "its number is a new one in both");
}

/// Kept namespaces that cannot be are those of no device.
#[test]
fn namespaces_that_cannot_be_are_refused() {
    let (bytes, unit) = (1 << 20, 4096);
    let kept = serde_json::to_string(&Spaces::whole(bytes, unit).kept()).expect("a line");
    let read = |from: &str, to: &str| {
        assert!(kept.contains(from), "{kept}");
        let kept: KeptSpaces = serde_json::from_str(&kept.replace(from, to)).expect("a line");
        Spaces::of_kept(&kept, bytes, unit)
    };
    let size = format!("\"bytes\":{bytes}");
    for (from, to) in [
        ("\"start\":0", "\"start\":1"),
        ("\"start\":0", "\"start\":4096"),
        (size.as_str(), "\"bytes\":0"),
        (size.as_str(), "\"bytes\":18446744073709551615"),
        ("\"number\":0", "\"number\":128"),
    ] {
        assert!(read(from, to).is_err(), "{to}");
    }
    assert_eq!(read("0", "0").expect("as it was"), Spaces::whole(bytes, unit));
}

//! The guard on loop devices of this machine, and the installed fio through it. As root only.

use crate::common::fakes::FakePrograms;
use needs::LoopDevice;
use real::run::{RunOptions, run};
use real::{InstalledFio, Permit, RealJob, Reason, Refusal, Request, SourceOptions, System};
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Bytes of a device.
const BYTES: u64 = 16 << 20;

fn content(device: &LoopDevice) -> Vec<u8> {
    let flush = Command::new("blockdev").arg("--flushbufs").arg(device.node()).status();
    assert!(flush.expect("blockdev starts").success());
    fs::read(device.image()).expect("read")
}

/// The serial number of a loop device is the file behind it.
fn request(device: &LoopDevice) -> Request {
    Request {
        path: device.node().to_path_buf(),
        writes: true,
        destroy_data: Some(device.image().display().to_string()),
        ..Request::default()
    }
}

fn examine(device: &LoopDevice) -> Result<Permit, Refusal> {
    System::real().examine(&request(device))
}

fn reason(result: Result<Permit, Refusal>) -> Reason {
    result.expect_err("must be refused").reason
}

fn shell(program: &str, arguments: &[&Path]) {
    let mut command = Command::new(program);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    assert!(quiet.args(arguments).status().expect("starts").success(), "{program}");
}

#[test]
fn a_free_loop_device_is_written_and_nothing_else_gets_in_between() {
    let Some(device) = LoopDevice::new(BYTES) else { return };
    let permit = examine(&device).expect("permitted");
    assert!(permit.why().contains("nobody uses it"), "{}", permit.why());
    // The exclusive open is held from the decision on: no mount, no mkfs, no second drivelab.
    let exclusive = fs::OpenOptions::new().read(true).custom_flags(0o200).open(device.node());
    assert_eq!(exclusive.expect_err("taken").raw_os_error(), Some(16));
    assert_eq!(reason(examine(&device)), Reason::InUse);
    let Some(fio) = needs::found(needs::FIO, InstalledFio::find().ok()) else { return };
    let job = RealJob::parse("[w]\nrw=write\nbs=64k\n", &SourceOptions::default());
    let permits = [permit];
    let job = job.expect("parses").redirect(&permits, None).expect("redirected");
    let options = RunOptions { scratch_root: device.folder().into(), ..RunOptions::default() };
    let go_on = &mut |_| ControlFlow::Continue(());
    let done = run(&System::real(), &fio, &permits, &job, &options, go_on).expect("runs");
    assert!(done.success, "{}", done.messages);
    assert!(content(&device).iter().any(|byte| *byte != 0), "fio wrote through the claim");
    drop(permits);
    examine(&device).expect("free again");
}

#[test]
fn refused_loop_devices_stay_as_they_are() {
    let Some(device) = LoopDevice::new(BYTES) else { return };
    let (empty, node) = (content(&device), device.node());
    let wrong = Request { destroy_data: Some("other".into()), ..request(&device) };
    assert_eq!(reason(System::real().examine(&wrong)), Reason::WrongSerial);
    let silent = Request { destroy_data: None, ..request(&device) };
    assert_eq!(reason(System::real().examine(&silent)), Reason::NotConfirmed);
    // The file behind it is in use, by whatever name.
    let file =
        Request { path: device.image(), writes: true, overwrite: true, ..Request::default() };
    assert_eq!(reason(System::real().examine(&file)), Reason::InUse);
    // A process holds it open without an exclusive open.
    let mut holder =
        Command::new("sleep").arg("60").stdin(File::open(node).expect("opened")).spawn();
    let held = examine(&device);
    let holder = holder.as_mut().expect("started");
    holder.kill().and_then(|()| holder.wait()).expect("ended");
    let refusal = held.expect_err("a raw user");
    assert!(refusal.reason == Reason::InUse && refusal.why.contains("(sleep)"), "{refusal}");
    assert!(content(&device) == empty, "nothing was written");
    shell("mkfs.ext4", &[Path::new("-q"), node]);
    let made = content(&device);
    let refusal = examine(&device).expect_err("a file system");
    assert_eq!(refusal.reason, Reason::Signature);
    let point = device.folder().join("mnt");
    fs::create_dir(&point).expect("made");
    shell("mount", &[node, &point]);
    let mounted = examine(&device);
    shell("umount", &[&point]);
    assert_eq!(reason(mounted), Reason::InUse);
    shell("wipefs", &[Path::new("-a"), node]);
    assert!(made != empty);
    examine(&device).expect("free again");
}

#[test]
fn an_alias_of_a_used_file_is_found_out() {
    let Some(device) = LoopDevice::new(BYTES) else { return };
    let alias = device.folder().join("alias");
    fs::create_dir(&alias).expect("made");
    shell("mount", &[Path::new("--bind"), device.folder(), &alias]);
    let path = alias.join("image");
    let request = Request { path, writes: true, overwrite: true, ..Request::default() };
    let result = System::real().examine(&request);
    shell("umount", &[&alias]);
    let refusal = result.expect_err("the file behind a loop device");
    assert!(refusal.why.contains("loop device"), "{refusal}");
}

/// blkid knows what the table does not: the disk is refused with its word.
#[test]
fn blkid_is_asked() {
    let Some(device) = LoopDevice::new(BYTES) else { return };
    let programs = FakePrograms::new();
    programs.add("blkid", "echo TYPE=something_new");
    let system = System { blkid: programs.path().join("blkid"), ..System::real() };
    let refusal = system.examine(&request(&device)).expect_err("refused");
    assert!(refusal.why.contains("something_new"), "{refusal}");
}

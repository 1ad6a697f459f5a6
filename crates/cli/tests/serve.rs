//! Drives that are served: real clients, the control socket, stores that outlive a server.

use crate::common::{drivelab, fio, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A server in a folder, at `d.sock`, until the test ends.
pub struct Served<'a> {
    folder: &'a Path,
    child: Option<Child>,
}

impl<'a> Served<'a> {
    pub fn new(folder: &'a Path, arguments: &[&str]) -> Self {
        Self::of("p4510", folder, arguments)
    }

    /// The same of another drive.
    pub fn of(target: &str, folder: &'a Path, arguments: &[&str]) -> Self {
        Self::by(Command::new(env!("CARGO_BIN_EXE_drivelab")), target, folder, arguments)
    }

    /// The same by a command to which the arguments are added.
    pub fn by(mut command: Command, target: &str, folder: &'a Path, arguments: &[&str]) -> Self {
        let child = command
            .current_dir(folder)
            .args(["serve", target, "--socket", "./d.sock"])
            .args(if arguments.contains(&"--size") { &[][..] } else { &["--size", "16GiB"] })
            .args(if arguments.contains(&"--time") { &[][..] } else { &["--time", "1x"] })
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let served = Served { folder, child: Some(child) };
        // A server that was killed leaves its sockets: only an answer says that there is one.
        let listens = (0..400).any(|_| {
            std::thread::sleep(Duration::from_millis(25));
            folder.join("d.sock.control").exists() && served.control(&["health"]).status.success()
        });
        assert!(listens, "it does not listen");
        served
    }

    pub fn control(&self, arguments: &[&str]) -> Output {
        drivelab(self.folder, &[&["control", "./d.sock.control"], arguments].concat())
    }

    /// Runs fio on it.
    pub fn load(&self, arguments: &[&str]) -> Output {
        load(self.folder, arguments)
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    pub fn state(&self) -> Value {
        let output = self.control(&["health", "--json"]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Ends it in order; what it printed.
    pub fn stop(mut self) -> Output {
        assert!(self.control(&["stop"]).status.success());
        self.child.take().expect("it runs").wait_with_output().expect("it ends")
    }

    fn kill(mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs fio on the drive of a folder.
fn load(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("fio")
        .current_dir(folder)
        .args(["--name=x", "--ioengine=nbd", "--uri=nbd+unix:///?socket=./d.sock", "--thread"])
        .args(arguments)
        .output()
        .expect("fio starts")
}

#[test]
fn fio_writes_and_finds_again_what_it_wrote() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::new(folder.path(), &[]);
    let verify = ["--rw=randwrite", "--bs=4k", "--size=32m", "--iodepth=16", "--verify=crc32c"];
    let output = load(folder.path(), &verify);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let state = served.state();
    assert_eq!(state["requests"]["write"]["requests"], 8192);
    assert_eq!(state["requests"]["read"]["requests"], 8192);
    let said = served.stop();
    assert!(said.status.success());
    let said = text(&said.stdout);
    assert!(said.contains("Lateness: ") && said.contains("write "), "{said}");
}

/// Against the same job in simulated time: what the model says of the time of a request must not
/// depend on who asks. Reads, writes and both, of a filled drive and in the steady state.
#[test]
fn a_served_drive_is_as_fast_as_a_simulated_one() {
    const LENGTH: &str = "number_ios=3000\nnorandommap\n";
    let Some(()) = fio() else { return };
    for (state, kind, depth) in [
        ("filled", "randread", 1),
        ("filled", "randread", 4),
        ("filled", "randwrite", 1),
        ("steady", "randread", 16),
        ("steady", "randwrite", 1),
        ("steady", "randrw", 1),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let served = Served::new(folder.path(), &["--time", "10x", "--state", state]);
        let (rw, deep) = (format!("--rw={kind}"), format!("--iodepth={depth}"));
        let options = [rw.as_str(), &deep, "--bs=4k", "--number_ios=3000", "--size=16g"];
        let all = [&options[..], &["--norandommap"]].concat();
        assert!(load(folder.path(), &all).status.success());
        let health = served.state();
        let job = format!("[x]\nrw={kind}\nbs=4k\nioengine=libaio\niodepth={depth}\n{LENGTH}");
        std::fs::write(folder.path().join("job.fio"), job).expect("written");
        let on = ["--on", "p4510", "--scale", "4Mi units", "--state", state, "--json", "--quiet"];
        let run = drivelab(folder.path(), &[&["run", "job.fio"][..], &on].concat());
        let run: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        for side in ["read", "write"] {
            let Some(us) = health["requests"][side]["mean_us"].as_f64() else { continue };
            let ns = run["jobs"][0][side]["clat_ns"]["mean"].as_f64().expect("a time");
            let ratio = us * 1e3 / ns;
            let what = format!("{state} {kind} {depth} {side}");
            assert!((0.97..1.03).contains(&ratio), "{what}: {us} us served, {ns} ns simulated");
        }
        served.stop();
    }
}

#[test]
fn a_store_outlives_its_server() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = ["--store", "./disk.img"];
    let served = Served::new(folder.path(), &store);
    let verify = ["--rw=write", "--bs=64k", "--size=4m", "--verify=crc32c", "--do_verify=0"];
    assert!(load(folder.path(), &verify).status.success());
    let second = drivelab(
        folder.path(),
        &["serve", "p4510", "--socket", "./e.sock", "--size", "16GiB", "--store", "./disk.img"],
    );
    assert_eq!(second.status.code(), Some(2), "{}", text(&second.stderr));
    assert!(text(&second.stderr).contains("another server uses"), "{}", text(&second.stderr));
    served.stop();
    let again = Served::new(folder.path(), &store);
    let read = ["--rw=read", "--bs=64k", "--size=4m", "--verify=crc32c"];
    assert!(load(folder.path(), &read).status.success(), "the data is there");
    again.kill();
    let after = Served::new(folder.path(), &store);
    assert!(load(folder.path(), &read).status.success(), "and after a kill, too");
    assert!(after.control(&["cut-power"]).status.success());
    assert!(after.control(&["restore"]).status.success());
    assert!(load(folder.path(), &read).status.success(), "and after a power cut");
    let said = text(&after.stop().stderr);
    assert!(said.contains("did not end in order"), "{said}");
    assert!(said.contains("only of what is written from now on"), "{said}");
}

/// A drive that was switched off in order is what it was; after a kill it is not known what it was.
#[test]
fn a_drive_remembers_what_it_was_when_it_was_switched_off() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = ["--store", "./disk.img", "--state", "fresh"];
    let write = ["--rw=write", "--bs=64k", "--size=16m"];
    let host = |served: &Served| served.state()["drives"][0]["host_bytes"].as_u64();
    let served = Served::new(folder.path(), &store);
    assert!(load(folder.path(), &write).status.success());
    assert_eq!(host(&served), Some(16 << 20));
    let said = text(&served.stop().stderr);
    assert!(said.contains(", fresh"), "{said}");
    let again = Served::new(folder.path(), &store);
    assert_eq!(host(&again), Some(16 << 20));
    assert!(load(folder.path(), &write).status.success());
    let said = text(&again.stop().stderr);
    assert!(said.contains(", as it was switched off"), "{said}");
    let third = Served::new(folder.path(), &store);
    assert_eq!(host(&third), Some(32 << 20));
    third.kill();
    let after = Served::new(folder.path(), &store);
    assert_eq!(host(&after), Some(0));
    let said = text(&after.stop().stderr);
    assert!(said.contains("did not end in order") && said.contains("those of --state"), "{said}");
    // Something else at its place is left alone.
    std::fs::write(folder.path().join("disk.img.state"), "mine").expect("written");
    let serve = ["serve", "p4510", "--socket", "./e.sock", "--size", "16GiB"];
    let refused = drivelab(folder.path(), &[&serve[..], &["--time", "1x"], &store].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert_eq!(std::fs::read(folder.path().join("disk.img.state")).expect("there"), b"mine");
}

/// A hot file is found again after a restart: the model's time of its reads is that of the module.
#[test]
fn a_cached_volume_finds_hot_files_again() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mean = || {
        let served = Served::of("optane-32gb-hdd", folder.path(), &["--store", "./v.img"]);
        let reads = ["--rw=randread", "--bs=4k", "--size=400m", "--io_size=512k", "--randseed=7"];
        assert!(served.load(&reads).status.success());
        let mean = served.state()["requests"]["read"]["mean_us"].as_f64().expect("a time");
        assert!(served.stop().status.success());
        mean
    };
    let (cold, warm) = (mean(), mean());
    assert!(cold > 1000.0 && warm < 50.0, "{cold} us, then {warm} us");
}

#[test]
fn power_is_cut_and_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::new(folder.path(), &[]);
    let restored = served.control(&["restore"]);
    assert_eq!(restored.status.code(), Some(1));
    assert!(text(&restored.stderr).contains("it has power"), "{}", text(&restored.stderr));
    assert!(served.control(&["cut-power"]).status.success());
    assert_eq!(served.state()["powered"], false);
    assert!(served.control(&["restore"]).status.success());
    assert_eq!(served.state()["cuts"], 1);
    let said = text(&served.stop().stderr);
    assert!(said.contains("power was cut") && said.contains("power is back"), "{said}");
}

#[test]
fn mistakes_are_found_before_anything_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.txt"), "mine").expect("written");
    let cases: [(&[&str], &str); 7] = [
        (&["--tcp", "0.0.0.0:10809"], "can be reached from other machines"),
        (&["--allow-remote"], "is for --tcp and --nvme"),
        (&["--store", "./mine.txt"], "is not the store of a served drive"),
        (&["--socket", "./mine.txt"], "that is no socket"),
        (&["--sector", "1000B"], "no sector"),
        (&["--time", "10"], "unit"),
        (&["--size", "1GiB"], "superblocks"),
    ];
    for (arguments, reason) in cases {
        let output = drivelab(folder.path(), &[&["serve", "p4510"], arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("mine.txt")).expect("there"), "mine");
    let nobody = drivelab(folder.path(), &["control", "./d.sock.control", "health"]);
    assert_eq!(nobody.status.code(), Some(2));
}

/// Whoever lets other machines in is told what that means, and how hosts find it there.
#[test]
fn an_address_for_other_machines_is_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = ["--tcp", "0.0.0.0:0", "--nvme", "0.0.0.0:0", "--allow-remote"];
    let said = Served::new(folder.path(), &open).stop();
    let said = text(&said.stderr);
    assert_eq!(said.matches("nobody is asked who they are").count(), 2, "{said}");
    assert!(said.contains("nvme connect -t tcp -a ADDRESS-OF-THIS-MACHINE"), "{said}");
    let near = Served::new(folder.path(), &["--tcp", "127.0.0.1:0"]).stop();
    assert!(!text(&near.stderr).contains("nobody is asked"), "this machine is no other");
}

/// Power fails within so many writes, and each answer that was late is told beside the latency
/// that it spoils.
#[test]
fn power_fails_at_random_and_lateness_is_marked() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::of("sn850", folder.path(), &[]);
    assert!(served.control(&["cut-power", "--at-random", "20"]).status.success());
    let both = served.control(&["cut-power", "--at-random", "20", "--after-writes", "5"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
    let cut = served.load(&["--rw=randwrite", "--bs=4k", "--size=16m"]);
    assert!(!cut.status.success(), "power fails before the last of 4096 writes");
    let state = served.state();
    assert_eq!(state["powered"], false);
    assert!(state["requests"]["write"]["requests"].as_u64() <= Some(20), "{state:#}");
    let shown = text(&served.control(&["health"]).stdout);
    let of = |name: &str, key: &str| state[name][key].as_f64().expect("a number");
    let mean = state["requests"]["write"]["mean_us"].as_f64().expect("a number");
    let is_spoiled = of("lateness", "p50_us") > 0.1 * mean;
    let line = shown.lines().find(|line| line.starts_with("write")).expect("a row");
    assert_eq!(line.contains(&format!("{mean:.1} us*")), is_spoiled, "{shown}");
}

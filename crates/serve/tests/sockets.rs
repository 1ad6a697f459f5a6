//! Clients at sockets: data, several connections, control, power cuts.

use crate::common::drive;
use nbd::client::Client;
use nvme::backend::{Facts, PowerState, SanitizeKinds};
use serve::control::{Action, Answer};
use serve::controller::About;
use serve::drive::Flushes;
use serve::server::{Front, Limits, Listener, Notice, Options, Server};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Name of the subsystem for NVMe hosts.
pub const SUBSYSTEM: &str = "nqn.2026-11.example.drivelab:test";

/// A drive that is served until the test ends, by NBD at a path and by NVMe on TCP.
pub struct Served {
    /// Where NVMe hosts find it.
    pub place: SocketAddr,
    folder: tempfile::TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Served {
    pub fn new(name: &'static str) -> Served {
        Served::with(name, Limits::default())
    }

    pub fn with(name: &'static str, limits: Limits) -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let (stop, notices) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (data, control) = (folder.path().join("data"), folder.path().join("control"));
        let nvme = Listener::tcp(([127, 0, 0, 1], 0).into()).expect("listens");
        let place = nvme.address().expect("an address");
        let listeners = vec![
            (Listener::unix(&data).expect("listens"), Front::Nbd),
            (Listener::unix(&control).expect("listens"), Front::Control),
            (nvme, Front::Nvme),
        ];
        let (ends, hears) = (stop.clone(), notices.clone());
        let thread = std::thread::spawn(move || {
            let options = Options {
                names: vec!["disk".to_owned()],
                description: "a drive".to_owned(),
                rotational: false,
                sector: 512,
                slower: NonZeroU32::MIN,
                about: stats::Outcome::default(),
                early: std::time::Duration::ZERO,
                wake: std::time::Duration::ZERO,
                spin: false,
            };
            let tell = |notice| hears.lock().expect("no panic").push(notice);
            let drive = drive(name, Flushes::Honoured);
            let about = about(drive.devices()[0].bytes);
            let server = Server::new(drive, options, listeners, tell).expect("a server");
            let mut server = server.with_limits(limits).with_controller(about, place);
            server.run(&ends).expect("it serves");
        });
        Served { place, folder, stop, thread: Some(thread), notices }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A connection for data on which nothing has been said.
    pub fn stream(&self) -> UnixStream {
        UnixStream::connect(self.path("data")).expect("it listens")
    }

    pub fn client(&self) -> Client<UnixStream> {
        Client::connect(self.stream(), "disk").expect("a session")
    }

    pub fn notices(&self) -> Vec<Notice> {
        self.notices.lock().expect("no panic").clone()
    }

    /// Why clients had to leave, so far.
    pub fn reasons(&self) -> Vec<String> {
        let why = |notice| if let Notice::Left(why) = notice { why } else { None };
        self.notices().into_iter().filter_map(why).collect()
    }

    /// Waits until so many clients had to leave; why.
    pub fn wait_for_reasons(&self, count: usize) -> Vec<String> {
        until("they leave", || self.reasons().len() >= count);
        self.reasons()
    }

    /// Waits until nobody is attached and nothing is under way; then somebody can still be served.
    pub fn settle(&self) {
        until("all is over", || {
            let state = self.order(Action::Health).state;
            (state.clients, state.under_way) == (0, 0)
        });
        let mut client = self.client();
        client.write(0, &[9; 4096], false).expect("written");
        assert_eq!(client.read(0, 4096).expect("read"), [9; 4096]);
        client.disconnect().expect("said");
    }

    pub fn order(&self, action: Action) -> Answer {
        order(&self.path("control"), action)
    }
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed().as_secs() < 60, "not in time: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// What NVMe hosts are told of a drive of so many bytes.
pub fn about(total_bytes: u64) -> About {
    let state = PowerState { centiwatts: 2500, entry_us: 0, exit_us: 0, idle: false };
    let facts = Facts {
        model: "Modelled drive".to_owned(),
        serial: "S1".to_owned(),
        firmware: "1".to_owned(),
        total_bytes,
        formats: vec![512, 4096],
        most_namespaces: 8,
        volatile_cache: true,
        power_states: vec![state],
        warning_kelvin: 0,
        critical_kelvin: 0,
        sanitize: SanitizeKinds { crypto: true, block: true, overwrite: false },
        crypto_erase: true,
        ocp: true,
        self_test_minutes: Some(2),
    };
    let name = SUBSYSTEM.to_owned();
    About { facts, name, caps: vec![None], rated_cycles: None, erase_ns: 300_000_000 }
}

fn order(path: &Path, action: Action) -> Answer {
    let mut stream = UnixStream::connect(path).expect("it listens");
    let text = serde_json::to_string(&action).expect("an action");
    writeln!(stream, "{text}").expect("sent");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("an answer");
    serde_json::from_str(&line).expect("an answer")
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))), "the server failed");
    }
}

#[test]
fn what_one_client_writes_another_reads() {
    let served = Served::new("p4510");
    let (mut one, mut other) = (served.client(), served.client());
    one.write(1 << 20, &[5; 8192], false).expect("written");
    one.flush().expect("flushed");
    assert_eq!(other.read(1 << 20, 8192).expect("read"), [5; 8192]);
    other.write_zeroes((1 << 20) + 4096, 4096).expect("zeroed");
    let both = one.read(1 << 20, 8192).expect("read");
    assert!(
        both[..4096].iter().all(|byte| *byte == 5) && both[4096..].iter().all(|byte| *byte == 0)
    );
    one.trim(1 << 20, 8192).expect("trimmed");
    assert_eq!(other.read(1 << 20, 8192).expect("read"), [0; 8192]);
    one.disconnect().expect("said");
    let state = served.order(Action::Health).state;
    assert_eq!(state.requests["write"].requests, 1, "zeros of whole blocks are given up");
    assert_eq!(state.requests["read"].requests, 3);
    assert!(state.powered && state.lateness.answers >= 7);
}

#[test]
fn a_read_takes_the_time_of_the_model() {
    let served = Served::new("p4510");
    let mut client = served.client();
    let began = std::time::Instant::now();
    for i in 0..200 {
        client.read(i * 1_048_576, 4096).expect("read");
    }
    let state = served.order(Action::Health).state;
    let mean = state.requests["read"].mean_us;
    assert!((40.0..200.0).contains(&mean), "{mean} us for a read of TLC");
    let wall = began.elapsed().as_secs_f64() * 1e6 / 200.0;
    assert!(wall >= mean, "{wall} us on the wall are less than {mean} of the model");
}

#[test]
fn a_cut_ends_the_clients_and_power_comes_back() {
    let served = Served::new("p4510");
    let mut client = served.client();
    client.write(0, &[1; 4096], false).expect("written");
    let answer = served.order(Action::CutPower { after_writes: 0, within_writes: 0 });
    assert_eq!((answer.error, answer.state.powered, answer.state.cuts), (None, false, 1));
    assert!(client.read(0, 4096).is_err(), "its session is gone");
    let again = served.order(Action::CutPower { after_writes: 0, within_writes: 0 });
    assert_eq!(again.error.as_deref(), Some("it has no power"));
    assert!(served.order(Action::Restore).state.powered);
    assert_eq!(served.client().read(0, 4096).expect("read"), [1; 4096]);
    let notices = served.notices.lock().expect("no panic").clone();
    assert!(notices.contains(&Notice::Restored), "{notices:?}");
}

#[test]
fn a_cut_after_some_writes_acknowledges_just_these() {
    let served = Served::new("p4510");
    let mut client = served.client();
    assert_eq!(served.order(Action::CutPower { after_writes: 5, within_writes: 0 }).error, None);
    let done = (0..100).take_while(|i| client.write(i * 4096, &[1; 4096], false).is_ok()).count();
    assert_eq!(done, 5);
}

#[test]
fn the_server_ends_when_it_is_told() {
    let served = Served::new("p4510");
    served.order(Action::Stop);
    let waited = std::time::Instant::now();
    while served.path("data").exists() && waited.elapsed().as_secs() < 10 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(!served.path("data").exists(), "sockets are gone with the server");
}

#[test]
fn rubbish_is_dropped_with_a_reason_and_hurts_nobody() {
    let served = Served::new("p4510");
    let mut client = served.client();
    let mut rude = UnixStream::connect(served.path("data")).expect("it listens");
    rude.write_all(&[0xff; 4096]).expect("sent");
    let mut loud = UnixStream::connect(served.path("control")).expect("it listens");
    loud.write_all(&[b'x'; 8192]).expect("sent");
    client.write(0, &[1; 4096], false).expect("written");
    let mut wrong = UnixStream::connect(served.path("control")).expect("it listens");
    wrong.write_all(b"{\"action\":\"explode\"}\n").expect("sent");
    let mut line = String::new();
    BufReader::new(wrong).read_line(&mut line).expect("an answer");
    assert!(line.contains("no action"), "{line}");
    let left = |notice: &Notice| matches!(notice, Notice::Left(Some(_)));
    let notices = served.notices.lock().expect("no panic").clone();
    assert_eq!(notices.iter().filter(|notice| left(notice)).count(), 2, "{notices:?}");
}

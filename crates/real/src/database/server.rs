//! A MariaDB server of our own: private data, private socket, no network, gone when it is dropped.

use super::directory::Home;
use super::programs::{LOOK, Programs, looks, missing};
use super::{DatabaseError, DatabaseJob};
use process::{Running, starter};
use rustix::process::Signal;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// Longest time until a server answers, and until it has ended in order.
const START: Duration = Duration::from_secs(60);
const STOP: Duration = Duration::from_secs(60);

/// A server that runs.
pub(super) struct Server {
    // Dropped first: the directory is removed behind it.
    process: Running,
    home: Home,
}

impl Server {
    /// Starts one and waits until it answers.
    pub(super) fn start(
        programs: &Programs,
        home: Home,
        job: &DatabaseJob,
        look: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Self, DatabaseError> {
        let mut command = programs.guarded(&programs.mariadbd, home.user);
        command.args(arguments(&home, job)).current_dir("/");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| missing(starter(), &error))?;
        let process = Running::new(child, Signal::TERM, STOP);
        let mut server = Server { process, home };
        for _ in 0..looks(START) {
            if UnixStream::connect(server.home.socket()).is_ok() {
                return Ok(server);
            }
            if server.process.ended().is_some() {
                return Err(server.complaint("it ended at once"));
            }
            if look().is_break() {
                return Err(DatabaseError::Cancelled);
            }
            thread::sleep(LOOK);
        }
        Err(server.complaint("it does not answer"))
    }

    /// What the server says of itself, or `otherwise`.
    fn complaint(&self, otherwise: &str) -> DatabaseError {
        let log = fs::read_to_string(self.home.log()).unwrap_or_default();
        let wrong = log.lines().rfind(|line| line.contains("[ERROR]"));
        let line = wrong.or_else(|| log.lines().last()).map(str::trim);
        let why = line.filter(|line| !line.is_empty()).unwrap_or(otherwise);
        DatabaseError::Failed { what: "mariadbd".to_owned(), why: why.to_owned() }
    }

    /// How sysbench reaches it.
    pub(super) fn connection(&self) -> Vec<String> {
        vec![
            "--db-driver=mysql".to_owned(),
            format!("--mysql-socket={}", self.home.socket().display()),
            "--mysql-user=root".to_owned(),
            "--mysql-db=sbtest".to_owned(),
        ]
    }

    /// Where its files are, and whose they are.
    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// Ends it in order, and removes its data unless they are to be kept.
    pub(super) fn stop(mut self, keep: bool) -> Option<std::path::PathBuf> {
        self.process.stop();
        let Server { process, home } = self;
        drop(process);
        keep.then(|| home.keep())
    }
}

/// Its settings: those of the model, and no more of the machine than it needs.
fn arguments(home: &Home, job: &DatabaseJob) -> Vec<String> {
    let place = |name: &str, path: std::path::PathBuf| format!("--{name}={}", path.display());
    let switch = |on: bool| if on { "ON" } else { "OFF" };
    // `--no-defaults` must come first: nothing of the machine's own server is read.
    vec![
        "--no-defaults".to_owned(),
        place("datadir", home.data()),
        place("socket", home.socket()),
        place("pid-file", home.run().join("pid")),
        place("log-error", home.log()),
        place("init-file", home.first_words()),
        place("tmpdir", home.run()),
        // No port, no users, no copy of the changes for others.
        "--skip-networking".to_owned(),
        "--skip-grant-tables".to_owned(),
        "--skip-log-bin".to_owned(),
        "--loose-performance-schema=OFF".to_owned(),
        format!("--max-connections={}", job.threads.saturating_mul(2).max(100)),
        format!("--innodb-buffer-pool-size={}", job.pool_bytes),
        format!("--innodb-log-file-size={}", job.log_bytes.max(4 << 20)),
        format!("--innodb-doublewrite={}", switch(job.doublewrite)),
        format!("--innodb-file-per-table={}", switch(job.file_per_table)),
        format!("--innodb-old-blocks-time={}", job.old_blocks_ms),
        "--innodb-flush-log-at-trx-commit=1".to_owned(),
        "--innodb-flush-method=O_DIRECT".to_owned(),
        "--innodb-read-ahead-threshold=0".to_owned(),
        "--innodb-random-read-ahead=OFF".to_owned(),
        // Not in every version.
        "--loose-innodb-change-buffering=all".to_owned(),
        "--loose-innodb-buffer-pool-dump-at-shutdown=OFF".to_owned(),
        "--loose-innodb-buffer-pool-load-at-startup=OFF".to_owned(),
        // What is thrown away afterwards need not be tidied up.
        "--innodb-fast-shutdown=2".to_owned(),
    ]
}

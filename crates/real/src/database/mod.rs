//! Sysbench's transactions on servers of our own, in a directory that the user named.
//!
//! The order is fixed: the programs are looked for, the directory is examined, servers are started
//! in new directories there, tables are made, the load runs, the servers are ended and their data
//! removed. Whatever fails in between, or a user who interrupts, leads to the same end: every
//! process and every directory here has an owner that removes it when it is dropped, and servers
//! end by themselves if this process is killed.

mod directory;
mod programs;
mod report;
mod script;
mod server;
mod status;

pub use programs::{INSTALL, Programs};
pub use report::{Report, ReportError};
pub use status::Status;

use crate::refusal::Refusal;
use crate::system::System;
use directory::Home;
use programs::{LOOK, Said, run_all};
use server::Server;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Bytes of a row with its index entry on the disk, with room for pages that are split.
const ROW_BYTES: u64 = 300;
/// Bytes of a server beside its tables and its log: system tables, doublewrite, undo.
const SERVER_BYTES: u64 = 100 << 20;

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseJob {
    /// Servers side by side; at least 1.
    pub servers: u32,
    /// Clients of each.
    pub threads: u32,
    /// Tables of each.
    pub tables: u32,
    /// Rows of a table.
    pub rows: u64,
    /// Buffer pool of each, bytes.
    pub pool_bytes: u64,
    /// Redo log of each, bytes.
    pub log_bytes: u64,
    /// Whether pages are written twice.
    pub doublewrite: bool,
    /// A data file for each table.
    pub file_per_table: bool,
    /// Time before a second use counts in the buffer pool, ms.
    pub old_blocks_ms: u64,
    /// How rows are drawn: sysbench's `--rand-type`.
    pub distribution: &'static str,
    /// Measured time, s; at least 1.
    pub seconds: u64,
    /// Leave the data where they are.
    pub keep: bool,
}

impl DatabaseJob {
    /// Bytes that it takes on the disk, about.
    pub fn bytes(&self) -> u64 {
        let rows = self.rows.saturating_mul(u64::from(self.tables));
        let each = rows.saturating_mul(ROW_BYTES).saturating_add(self.log_bytes + SERVER_BYTES);
        each.saturating_mul(u64::from(self.servers))
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct DatabaseRun {
    /// What sysbench reported for each server.
    pub reports: Vec<Report>,
    /// What each server counted over the load, if it reports that.
    pub counts: Vec<Option<Status>>,
    /// The server's version.
    pub version: String,
    /// Where the data are, if they were to be kept.
    pub kept: Vec<PathBuf>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// A program is not installed.
    #[error("{program} is not installed; on Debian and Ubuntu: {INSTALL}")]
    Missing {
        /// What was looked for.
        program: String,
    },
    /// The directory cannot be used.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A program or a file failed.
    #[error("{what}: {why}")]
    Failed {
        /// Which.
        what: String,
        /// What was said.
        why: String,
    },
    /// sysbench's report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The caller ended it.
    #[error("interrupted; the servers are stopped and their data removed")]
    Cancelled,
}

/// Runs the load; `news` gets the current activity and the completed share, and may stop the run.
///
/// # Errors
/// See [`DatabaseError`].
pub fn run(
    system: &System,
    programs: &Programs,
    directory: &Path,
    job: &DatabaseJob,
    news: &mut dyn FnMut(&str, f64) -> ControlFlow<()>,
) -> Result<DatabaseRun, DatabaseError> {
    let version = programs.check()?;
    let root = system.examine_directory(directory, job.bytes())?;
    let mut servers = Vec::new();
    for _ in 0..job.servers.max(1) {
        let home = Home::new(&root)?;
        let look = &mut || news("starting a server", 0.0);
        servers.push(Server::start(programs, home, job, look)?);
    }
    let sysbench = Sysbench { programs, job, servers: &servers };
    sysbench.make_tables(&mut || news("making tables", 0.05))?;
    let before = sysbench.counts();
    let mut seen = 0u64;
    let all = job.seconds.saturating_mul(1000) / LOOK.as_millis() as u64;
    let reports = sysbench.load(&mut || {
        seen += 1;
        let share = (seen as f64 / all.max(1) as f64).min(1.0);
        news("transactions", 0.2 + 0.75 * share)
    })?;
    let over = |(after, before): (Status, Status)| after.since(&before);
    let counts = sysbench.counts().into_iter().zip(before);
    let counts = counts.map(|(after, before)| after.zip(before).map(over)).collect();
    // The caller cannot end what is over.
    let _ = news("stopping the servers", 1.0);
    let kept = servers.into_iter().filter_map(|server| server.stop(job.keep)).collect();
    Ok(DatabaseRun { reports, counts, version, kept })
}

/// Sysbench on all servers, side by side.
struct Sysbench<'a> {
    programs: &'a Programs,
    job: &'a DatabaseJob,
    servers: &'a [Server],
}

impl Sysbench<'_> {
    /// Runs one of its verbs to the end.
    fn run(
        &self,
        options: &[String],
        verb: &str,
        look: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Vec<Said>, DatabaseError> {
        let tables =
            [format!("--tables={}", self.job.tables), format!("--table-size={}", self.job.rows)];
        let command = |server: &Server| {
            let mut command = self.programs.guarded(&self.programs.sysbench, server.home().user);
            command.arg(&self.programs.script).args(server.connection()).args(&tables);
            command.args(options).arg(verb);
            command
        };
        run_all(self.servers.iter().map(command).collect(), &self.programs.sysbench, look)
    }

    /// Makes and fills the tables.
    fn make_tables(&self, look: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), DatabaseError> {
        let makers = [format!("--threads={}", self.job.tables.clamp(1, 8))];
        for said in self.run(&makers, "prepare", look)? {
            if !said.success {
                let text = format!("{}\n{}", said.errors, said.output);
                let fatal = text.lines().find(|line| line.starts_with("FATAL"));
                let why = fatal.or(text.lines().last()).unwrap_or("it said nothing");
                let (what, why) = ("sysbench prepare".to_owned(), why.trim().to_owned());
                return Err(DatabaseError::Failed { what, why });
            }
        }
        Ok(())
    }

    /// Runs the transactions: what sysbench reports for each server.
    fn load(
        &self,
        look: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Vec<Report>, DatabaseError> {
        let load = [
            format!("--threads={}", self.job.threads),
            format!("--time={}", self.job.seconds.max(1)),
            "--events=0".to_owned(),
            format!("--rand-type={}", self.job.distribution),
            "--percentile=99".to_owned(),
            "--histogram=on".to_owned(),
        ];
        let report = |said: Said| {
            Report::parse(&said.output).map_err(|error| match error {
                // sysbench prints some of its errors on the other output.
                ReportError::Missing(..) if !said.errors.trim().is_empty() => {
                    ReportError::Fatal(said.errors.trim().chars().take(300).collect())
                }
                error => error,
            })
        };
        let said = self.run(&load, "run", look)?;
        Ok(said.into_iter().map(report).collect::<Result<_, _>>()?)
    }

    /// What each server has counted so far, if it reports that.
    fn counts(&self) -> Vec<Option<Status>> {
        self.servers.iter().map(|server| Status::of(server, self.programs)).collect()
    }
}

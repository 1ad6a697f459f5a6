//! A directory that exists as the target of a method: real servers in it, behind the guard.

use super::failure::Failure;
use super::load::Load;
use super::target::{Counters, Ran, Target, Transactions, Work, Written};
use iopath::host::oltp::Rows;
use metric::{MetricValue, State};
use real::System;
use real::database::{self, DatabaseError, DatabaseJob, DatabaseRun, Programs, Status};
use simulate::ServersAsked;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Transactions are counted over so long where no time is given, s.
const SECONDS: u64 = 60;

/// What a user says about a directory.
#[derive(Clone, Debug)]
pub struct DatabaseOptions {
    /// The directory, in which a new one is made.
    pub directory: PathBuf,
    /// Leave data and logs of the servers there.
    pub keep: bool,
    /// The programs.
    pub programs: Programs,
    /// Asked now and then whether to stop.
    pub interrupted: fn() -> bool,
}

/// A directory.
pub struct DatabaseTarget {
    name: String,
    options: DatabaseOptions,
}

impl DatabaseTarget {
    /// Looks for the programs. Nothing is written yet.
    ///
    /// # Errors
    /// A program that is missing, or the guard's refusal of the directory.
    pub fn new(options: DatabaseOptions) -> Result<Self, Failure> {
        options.programs.check().map_err(refused)?;
        System::real()
            .examine_directory(&options.directory, 0)
            .map_err(|refusal| Failure::left_out(refusal.to_string()))?;
        Ok(DatabaseTarget { name: options.directory.display().to_string(), options })
    }
}

fn refused(error: DatabaseError) -> Failure {
    match error {
        DatabaseError::Missing { .. } | DatabaseError::Refused(_) => {
            Failure::left_out(error.to_string())
        }
        _ => Failure::failed(error.to_string()),
    }
}

/// Everything but a database.
fn no_file<T>() -> Result<T, Failure> {
    Err(Failure::left_out("a directory is for databases: name a file in it, or a device"))
}

impl Target for DatabaseTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn modelled(&self) -> bool {
        false
    }

    fn devices(&self) -> Vec<u64> {
        Vec::new()
    }

    fn sector(&self) -> u64 {
        512
    }

    fn prepare(&mut self, _state: State, _share: f64) -> Result<(), Failure> {
        no_file()
    }

    fn fill(&mut self, _block: u64) -> Result<(), Failure> {
        no_file()
    }

    fn run(&mut self, _work: &Work<'_>) -> Result<Ran, Failure> {
        no_file()
    }

    fn load_for(&mut self, _load: &Load, _seconds: f64, _seed: u64) -> Result<Written, Failure> {
        no_file()
    }

    fn idle(&mut self, _seconds: f64) -> Result<(), Failure> {
        no_file()
    }

    fn counters(&mut self) -> Result<Counters, Failure> {
        no_file()
    }

    /// The state of the drive is what it is, and processors and the way to the disk are those of
    /// this machine.
    fn serve(
        &mut self,
        asked: &ServersAsked,
        _state: State,
        watch: &dyn Fn(f64),
    ) -> Result<Transactions, Failure> {
        let seconds = asked.longest.ps() / engine::time::PS_PER_SECOND;
        let job = DatabaseJob {
            servers: asked.vms,
            threads: asked.threads,
            tables: asked.tables,
            rows: asked.rows,
            pool_bytes: asked.pool_bytes,
            log_bytes: asked.log_bytes,
            doublewrite: asked.doublewrite,
            file_per_table: asked.file_per_table,
            old_blocks_ms: asked.old_time.ns() / 1_000_000,
            distribution: match asked.distribution {
                Rows::Uniform => "uniform",
                Rows::Special => "special",
            },
            seconds: if seconds == 0 { SECONDS } else { seconds },
            keep: self.options.keep,
        };
        let interrupted = self.options.interrupted;
        let mut news = |_: &str, share: f64| {
            watch(share);
            if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let (system, programs) = (System::real(), &self.options.programs);
        let run = database::run(&system, programs, &self.options.directory, &job, &mut news)
            .map_err(refused)?;
        Ok(transactions(&run))
    }
}

/// Rates of all servers together, response times as the mean over them, as reviewers report it.
fn transactions(run: &DatabaseRun) -> Transactions {
    let mut done = Transactions::default();
    let count: u64 = run.reports.iter().map(|report| report.transactions).sum();
    let sum = |each: &dyn Fn(&database::Report) -> f64| run.reports.iter().map(each).sum::<f64>();
    let servers = run.reports.len().max(1) as f64;
    let mut put = |name: &str, value: f64, samples: Option<u64>| {
        done.values.insert(name.to_owned(), MetricValue { value, samples, interval95: None });
    };
    put("tps", sum(&|report| report.per_second), Some(count));
    let weighted = sum(&|report| report.mean_ms * report.transactions as f64);
    put("mean_ms", weighted / 1e3 / count.max(1) as f64, Some(count));
    let p99 = |report: &database::Report| report.percentile.map_or(0.0, |(_, ms)| ms);
    if run.reports.iter().all(|report| report.percentile.is_some()) {
        put("p99_ms", sum(&p99) / 1e3 / servers, Some(count));
    }
    let seconds = sum(&|report| report.seconds) / servers;
    let counted = |name: &str| -> Option<f64> {
        let each = run.counts.iter().map(|counts| counts.as_ref().and_then(|c| of(c, name)));
        each.sum::<Option<f64>>()
    };
    for (metric, name) in [
        ("page_reads", "Innodb_buffer_pool_reads"),
        ("page_writes", "Innodb_pages_written"),
        ("log_writes", "Innodb_log_writes"),
        ("log_bandwidth", "Innodb_os_log_written"),
    ] {
        if let Some(number) = counted(name).filter(|_| seconds > 0.0) {
            put(metric, number / seconds, None);
        }
    }
    let used = counted("Innodb_buffer_pool_read_requests").filter(|used| *used > 0.0);
    if let Some((used, read)) = used.zip(counted("Innodb_buffer_pool_reads")) {
        // The server counts every look at an inner page too.
        put("buffer_hits", 1.0 - read / used, None);
    }
    done.warnings.push(format!("measured with {}", run.version));
    let errors: u64 = run.reports.iter().map(|report| report.errors).sum();
    if errors > 0 {
        done.warnings.push(format!("{errors} statements failed and were tried again"));
    }
    for path in &run.kept {
        done.warnings.push(format!("data and logs are kept in {}", path.display()));
    }
    done
}

fn of(counts: &Status, name: &str) -> Option<f64> {
    counts.count(name).map(|count| count as f64)
}

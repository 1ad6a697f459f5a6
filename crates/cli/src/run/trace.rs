//! A block trace as what is run: it becomes a job that replays it.

use super::args::RunArgs;
use crate::console::Console;
use crate::job_source::JobSource;
use crate::render::Failure;
use crate::trace::{self, read};
use ::trace::Prepared;
use answer::trace::Replay;
use metric::{Dimension, show};
use simulate::Simulated;
use stats::{Direction, RunResult};

/// A trace that has been read, and the job that replays it.
pub struct Replayed {
    /// The trace.
    pub prepared: Prepared,
    /// The job.
    pub source: JobSource,
    /// The name of the trace in the job.
    pub name: String,
}

/// Reads the trace that is to be run; `None` if it is a job file.
pub fn find(args: &RunArgs, console: &mut Console) -> Result<Option<Replayed>, Failure> {
    let replay = &args.replay;
    if !trace::is_trace(&args.job) && replay.format.is_none() {
        return match replay.given() {
            None => Ok(None),
            Some(option) => {
                let message = format!("{option} is for traces, and {} is none", args.job.display());
                Err(Failure::wrong(message)
                    .with_help("leave it out, or say --format if its format is not found out"))
            }
        };
    }
    let prepared = read(&args.job, replay.options(), console)?;
    let name = trace::name_of(&args.job);
    let format = prepared.summary().format;
    let replay = &replay.of_format(format);
    let mut depth = replay.depth();
    if args.replay.pace.is_none() && !format.has_times() {
        console.note(&format!(
            "the trace has no times: its requests are issued as soon as {depth} or fewer are in \
             flight (--depth)"
        ));
    }
    if crate::target::is_real(&args.on) && replay.depth.is_none() {
        depth = depth.min(trace::REAL_DEPTH);
    }
    let source = JobSource::of_text(&name, trace::job(&name, &name, replay, &depth.to_string()));
    Ok(Some(Replayed { prepared, source, name }))
}

/// What came of a replay: PCMark 10's busy time, its bandwidth and its mean access time, beside
/// what was recorded.
pub fn outcome(prepared: &Prepared, simulated: &Simulated) -> Replay {
    let summary = prepared.summary();
    let (requests, bytes, mean_access_s) = totals(&simulated.run);
    let busy_s = simulated.busy_s;
    let replayed = answer::trace::Replayed {
        requests,
        bytes,
        recorded_s: summary.duration_ns() as f64 / 1e9,
        replayed_s: simulated.measured_s,
        busy_s,
        bytes_per_busy_s: (busy_s > 0.0).then(|| bytes as f64 / busy_s),
        mean_access_s,
        recorded_response_s: summary.mean_response_ns().map(|ns| ns / 1e9),
    };
    Replay { trace: trace::answer(None, summary), replayed: Some(replayed) }
}

/// Reads, writes and trims: their number, their bytes and their mean latency, s.
fn totals(run: &RunResult) -> (u64, u64, Option<f64>) {
    let all = run.jobs.iter().flat_map(|job| Direction::ALL.map(|d| job.direction(d)));
    let (mut ios, mut bytes, mut ns) = (0, 0, 0.0);
    for side in all {
        ios += side.total_ios;
        bytes += side.io_bytes;
        ns += side.lat.mean_ns * side.total_ios as f64;
    }
    (ios, bytes, (ios > 0).then(|| ns / ios as f64 / 1e9))
}

/// The same in a line.
pub fn line(replay: &Replay) -> Option<String> {
    let replayed = replay.replayed?;
    let time = |seconds: f64| show(Dimension::Time, seconds);
    Some(format!(
        "replayed {} requests: recorded {}, took {}, busy {} at {}, mean access time {}",
        replayed.requests,
        time(replayed.recorded_s),
        time(replayed.replayed_s),
        time(replayed.busy_s),
        show(Dimension::Bandwidth, replayed.bytes_per_busy_s.unwrap_or(f64::NAN)),
        time(replayed.mean_access_s.unwrap_or(f64::NAN))
    ))
}

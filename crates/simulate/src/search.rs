//! What became of searches for the queue depth (`latency_target`).

use super::observe::ThreadTally;
use super::warn::warning;
use fio::Job;
use iopath::kernel::probe::Found;
use stats::Warning;

/// The depth at which the threads of an entry ended, if they searched for one: the least.
pub(super) fn depth(threads: &[&ThreadTally]) -> Option<u32> {
    let depths = threads.iter().filter_map(|thread| match thread.search? {
        Found::Next(depth) | Found::Greatest(depth) => Some(depth),
        Found::Nothing => Some(1),
    });
    depths.min()
}

/// What to say of those that found none.
pub(super) fn unfinished(job: &Job, threads: &[&ThreadTally]) -> Option<Warning> {
    let asked = job.latency_target?;
    let found = threads.iter().filter_map(|thread| thread.search);
    let message = found.filter_map(|found| match found {
        Found::Greatest(_) => None,
        Found::Next(_) if asked.run => None,
        Found::Next(depth) => Some(format!(
            "job `{}`: the search for its queue depth had not ended at {depth}, so nothing was \
             measured; give it more time (runtime, --budget), or each depth less (latency_window)",
            job.name
        )),
        Found::Nothing => Some(format!(
            "job `{}`: not even one I/O at a time stays within latency_target, {} us; fio would \
             have ended the job",
            job.name, asked.target_us
        )),
    });
    message.map(|message| warning("latency-target", job.name.clone(), message)).next()
}

//! Options of a job that the model does not support yet: refused where it would change the result,
//! warned about where it would not.

use super::warn::{push_once, warning};
use engine::Duration;
use fio::workload::{
    ExitWhat, FileService, RwModifier, RwSequencer, SubmitMode, ThinkBlocks, WriteCommand, ZoneMode,
};
use fio::{Diagnostic, Job};
use stats::Warning;
use std::ops::Add;

/// Refuses a job whose result would be wrong; the message names the option and says what to do.
pub(super) fn refuse(job: &Job) -> Result<(), Diagnostic> {
    let identical = job.rw_sequencer == RwSequencer::Identical
        && matches!(job.rw.modifier, RwModifier::EveryNth(2..));
    let other_service = !matches!(
        job.file_service,
        FileService::RoundRobin { .. } | FileService::Random { .. } | FileService::Sequential
    );
    let replays = job.replay.is_some();
    let searches = job.latency_target.is_some();
    let several = job.nrfiles > 1 || job.filenames.len() > 1;
    let cases = [
        (replays && job.loops > 1, "loops", "a replay that begins again"),
        (replays && (job.rate.iter().flatten().any(|r| *r > 0)), "rate", "a replay at a rate"),
        (replays && job.thinktime_us > 0, "thinktime", "pauses besides the recorded ones"),
        (replays && job.zone_mode != ZoneMode::None, "zonemode", "zones of a recording"),
        (searches && replays, "latency_target", "a replay at a depth that is searched"),
        (job.thinktime_iotime_us > 0, "thinktime_iotime", "a pause after a time of I/O"),
        (identical, "rw_sequencer", "the same offset several times in a row"),
        (job.verify_only && job.rw.trim, "verify_only", "reading back what was trimmed"),
        (job.trim_percentage > 0, "trim_percentage", "trimming what is verified"),
        (job.bs_is_seq_rand, "bs_is_seq_rand", "block sizes by kind of offset"),
        (job.create_only, "create_only", "laying out files and nothing else"),
        (job.file_append, "file_append", "beginning at the end of a file"),
        (several && other_service, "file_service_type", "a law for the choice of files"),
    ];
    for (asked, option, what) in cases {
        if asked {
            let message = format!("job `{}`: `{option}` ({what}) is not modelled yet", job.name);
            let help = format!("remove `{option}`, or run the job on a real drive");
            return Err(Diagnostic::new(&job.place, message).with_help(help));
        }
    }
    too_long(job)
}

/// The times of a job come one after the other, and a clock holds no more than their sum.
fn too_long(job: &Job) -> Result<(), Diagnostic> {
    let times = [job.start_delay_us.1, job.ramp_time_us, job.runtime_us.unwrap_or(0)];
    let all: Duration = times.map(Duration::from_us).into_iter().fold(Duration::ZERO, Add::add);
    if all <= Duration::LONGEST {
        return Ok(());
    }
    let message = format!(
        "job `{}`: startdelay, ramp_time and runtime are more than 100 days of simulated time",
        job.name
    );
    Err(Diagnostic::new(&job.place, message).with_help("write shorter times"))
}

/// Warns of what is skipped because the result is the same, or nearly so.
pub(super) fn passed_over(job: &Job, compresses: bool, warnings: &mut Vec<Warning>) {
    let content = job.buffer_compress_percentage.is_some_and(|p| p > 0) || job.zero_buffers;
    let cases = [
        (
            job.verify.is_some() && !job.verify_only,
            "verify",
            "a model keeps no data: nothing is compared, and what was written is not read back",
        ),
        (
            job.verify_only,
            "verify_only",
            "a model keeps no data: what is read back is not compared",
        ),
        (
            content && !compresses,
            "buffer_compress_percentage",
            "the model has no compression: all data is taken as incompressible",
        ),
        (
            job.dedupe_percentage.is_some_and(|p| p > 0),
            "dedupe_percentage",
            "no model finds equal data: all of it is taken as different",
        ),
        (
            job.io_submit_mode == SubmitMode::Offload,
            "io_submit_mode",
            "I/Os are submitted inline: an arrival waits while `iodepth` I/Os are outstanding",
        ),
        (
            job.exit_all && job.exit_what == ExitWhat::All,
            "exit_what",
            "jobs behind a `stonewall` are run: `exitall` ends those that run at the time",
        ),
        (
            job.buffer_pattern.is_some(),
            "buffer_pattern",
            "a model keeps no data, and takes it as incompressible",
        ),
        (job.serialize_overlap, "serialize_overlap", "overlapping I/Os are not held apart"),
        (
            job.sync_file_range > 0,
            "sync_file_range",
            "it flushes the page cache, not the drive: it has no effect",
        ),
        (job.write_iolog.is_some(), "write_iolog", "no log of the pattern is written"),
        (
            job.thinktime_us > 0
                && job.thinktime_blocks_type == ThinkBlocks::Complete
                && job.thinktime_blocks > 1,
            "thinktime_blocks_type",
            "blocks are counted when they are issued",
        ),
    ];
    let cases = cases.into_iter().filter(|case| case.0).map(|(_, option, what)| (option, what));
    for (option, what) in cases.chain(other_command(job)) {
        let message = format!("`{option}`: {what}");
        push_once(warnings, warning("passed-over", option, message));
    }
}

/// What of a command that takes the place of writes is not modelled.
fn other_command(job: &Job) -> Option<(&'static str, &'static str)> {
    match job.write_command {
        WriteCommand::Write => None,
        WriteCommand::Verify => Some((
            "write_mode",
            "a model keeps no data: what the drive is to verify is read from it, over its link too",
        )),
        WriteCommand::Same => {
            Some(("sg_write_mode", "all blocks cross the link, where the drive would need but one"))
        }
        WriteCommand::Stream => Some(("sg_write_mode", "streams are not kept apart on the flash")),
    }
}

//! Options that say when I/Os are issued: depth, copies, rates, pauses, limits.

use super::draft::Draft;
use super::value::Value;
use crate::diagnostic::Diagnostic;
use crate::number::shown;
use crate::workload::{ExitWhat, PerDirection, RateProcess, SteadyMetric, SubmitMode, ThinkBlocks};

/// Applies an option of this group; `false` if it belongs to another.
pub(super) fn apply(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    Ok(apply_queue(draft, value)? || apply_rates(draft, value)? || apply_limits(draft, value)?)
}

fn apply_queue(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "iodepth" => job.iodepth = value.int32()?,
        "iodepth_batch" => job.iodepth_batch_submit = value.int32()?,
        "iodepth_batch_complete_min" => job.iodepth_batch_complete_min = value.int32()?,
        "iodepth_batch_complete_max" => draft.batch_complete_max = Some(value.int32()?),
        "iodepth_low" => job.iodepth_low = value.int32()?,
        "serialize_overlap" => job.serialize_overlap = value.boolean()?,
        "io_submit_mode" => {
            let offload = value.word()? == "offload";
            job.io_submit_mode = if offload { SubmitMode::Offload } else { SubmitMode::Inline };
        }
        "numjobs" => job.numjobs = value.int32()?,
        "thread" => job.thread = value.flag()?,
        "stonewall" => job.stonewall = value.flag()?,
        "new_group" => job.new_group = value.flag()?,
        "wait_for" => job.wait_for = Some(value.required()?.to_owned()),
        "exitall" => job.exit_all = value.flag()?,
        "exit_what" => {
            job.exit_what = match value.word()? {
                "stonewall" => ExitWhat::Stonewall,
                "all" => ExitWhat::All,
                _ => ExitWhat::Group,
            };
        }
        "flow" => job.flow = value.weight()?,
        "flow_watermark" => job.flow_watermark = value.int32()?,
        "flow_id" => job.flow_id = value.int32()?,
        "flow_sleep" => job.flow_sleep_us = value.time()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_rates(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "rate" => merge(&mut job.rate, value.by_direction(|text| value.bytes_of(text))?),
        "rate_min" => merge(&mut job.rate_min, value.by_direction(|text| value.bytes_of(text))?),
        "rate_iops" => merge(&mut job.rate_iops, rates(value)?),
        "rate_iops_min" => merge(&mut job.rate_iops_min, rates(value)?),
        "rate_process" => {
            let poisson = value.word()? == "poisson";
            job.rate_process = if poisson { RateProcess::Poisson } else { RateProcess::Linear };
        }
        "rate_cycle" => job.rate_cycle_us = value.time()?,
        "rate_ignore_thinktime" => job.rate_ignore_thinktime = value.boolean()?,
        "thinktime" => job.thinktime_us = value.time()?,
        "thinktime_spin" => job.thinktime_spin_us = value.time()?,
        // fio counts 0 blocks as 1.
        "thinktime_blocks" => job.thinktime_blocks = value.int()?.max(1),
        "thinktime_blocks_type" => {
            let issue = value.word()? == "issue";
            job.thinktime_blocks_type =
                if issue { ThinkBlocks::Issue } else { ThinkBlocks::Complete };
        }
        "thinktime_iotime" => job.thinktime_iotime_us = value.time()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_limits(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "runtime" => job.runtime_us = Some(value.time()?).filter(|time| *time > 0),
        "time_based" => job.time_based = value.flag()?,
        "ramp_time" => job.ramp_time_us = value.time()?,
        "startdelay" => {
            let text = value.required()?;
            job.start_delay_us = match text.split_once(['-', ':']) {
                Some((low, high)) if !low.is_empty() => {
                    let (low, high) = (value.time_of(low)?, value.time_of(high)?);
                    (low.min(high), low.max(high))
                }
                _ => {
                    let delay = value.time()?;
                    (delay, delay)
                }
            };
        }
        // fio runs a job with no loops once.
        "loops" => job.loops = value.int32()?.max(1),
        "max_latency" => {
            let limits = value.by_direction(|text| value.time_in(text, 1))?;
            job.max_latency_us = limits.map(|limit| limit.filter(|limit| *limit > 0));
        }
        "latency_target" => draft.latency.target_us = value.time()?,
        "latency_window" => draft.latency.window_us = value.time()?,
        "latency_percentile" => {
            let percentile = value.float_of(value.required()?)?;
            if !(0.0..=100.0).contains(&percentile) {
                let reason = format!("{} is out of range", shown(value.text()));
                return Err(value.error_help(reason, "write a percentage from 0 to 100"));
            }
            draft.latency.percentile = percentile;
        }
        "latency_run" => draft.latency.run = value.boolean()?,
        "steadystate" => steady_state(draft, value)?,
        "steadystate_duration" => draft.steady.duration_us = value.time()?,
        "steadystate_ramp_time" => draft.steady.ramp_us = value.time()?,
        "steadystate_check_interval" => {
            draft.steady.interval_us = value.time()?;
            if draft.steady.interval_us == 0 {
                return Err(value.error_help("the interval is 0", "write 1 s or more"));
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Reads `bw_slope:0.1%`.
fn steady_state(draft: &mut Draft, value: &Value<'_>) -> Result<(), Diagnostic> {
    let text = value.required()?;
    let Some((criterion, limit)) = text.split_once(':') else {
        let reason = format!("{} has no limit", shown(text));
        return Err(value.error_help(reason, "write CRITERION:LIMIT, as in iops_slope:0.3%"));
    };
    let (name, slope) = match criterion.strip_suffix("_slope") {
        Some(name) => (name, true),
        None => (criterion, false),
    };
    draft.steady.metric = match name {
        "iops" => SteadyMetric::Iops,
        "bw" => SteadyMetric::Bw,
        "lat" => SteadyMetric::Lat,
        _ => {
            let help = "write iops, bw or lat, or one of these with `_slope`";
            return Err(value.error_help(format!("{} is unknown", shown(criterion)), help));
        }
    };
    draft.steady.slope = slope;
    let percent = limit.trim().strip_suffix('%');
    draft.steady.limit_is_percent = percent.is_some();
    draft.steady.limit = value.float_of(percent.unwrap_or(limit).trim())?;
    if draft.steady.limit < 0.0 {
        return Err(value.error_help(format!("{} is negative", shown(limit)), "write 0 or more"));
    }
    draft.has_steady = true;
    Ok(())
}

fn rates(value: &Value<'_>) -> Result<PerDirection<Option<u64>>, Diagnostic> {
    value.by_direction(|text| value.int_of(text, 0, u64::from(u32::MAX)))
}

/// Directions that are left out keep what they had; 0 lifts a limit.
fn merge(slots: &mut PerDirection<Option<u64>>, values: PerDirection<Option<u64>>) {
    for (slot, value) in slots.iter_mut().zip(values) {
        if let Some(value) = value {
            *slot = Some(value).filter(|value| *value > 0);
        }
    }
}

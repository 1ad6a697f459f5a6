//! Options about what is measured, logged and shown.

use stats::result::Unified;

use super::draft::Draft;
use super::value::{Value, Warnings};
use crate::diagnostic::Diagnostic;
use crate::number::shown;
use crate::workload::PERCENTILES_MAX;

/// Applies an option of this group; `false` if it belongs to another.
pub(super) fn apply(
    draft: &mut Draft,
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<bool, Diagnostic> {
    Ok(apply_shown(draft, value)?
        || apply_latencies(draft, value)?
        || apply_logs(draft, value, warnings)?)
}

fn apply_shown(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let job = &mut draft.job;
    match value.name() {
        "description" => job.description = Some(value.required()?.to_owned()),
        "name" => job.name = value.required()?.to_owned(),
        "group_reporting" => job.group_reporting = value.flag()?,
        "unified_rw_reporting" => {
            job.unified = match value.word()? {
                "mixed" | "1" => Unified::Mixed,
                "both" | "2" => Unified::Both,
                _ => Unified::None,
            };
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_latencies(draft: &mut Draft, value: &Value<'_>) -> Result<bool, Diagnostic> {
    let latencies = &mut draft.job.latencies;
    match value.name() {
        "percentile_list" => latencies.percentile_list = percentiles(value)?,
        "clat_percentiles" => latencies.clat_percentiles = value.boolean()?,
        "lat_percentiles" => latencies.lat_percentiles = value.boolean()?,
        "slat_percentiles" => latencies.slat_percentiles = value.boolean()?,
        "gtod_reduce" => latencies.gtod_reduce = value.boolean()?,
        "disable_lat" => latencies.disable_lat = value.boolean()?,
        "disable_clat" => latencies.disable_clat = value.boolean()?,
        "disable_slat" => latencies.disable_slat = value.boolean()?,
        "disable_bw_measurement" => latencies.disable_bw = value.boolean()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_logs(
    draft: &mut Draft,
    value: &Value<'_>,
    warnings: &mut Warnings,
) -> Result<bool, Diagnostic> {
    // A log without a name is called after the job, which `name` may still change.
    let named = || Some(value.text().to_owned());
    let logs = &mut draft.job.logs;
    match value.name() {
        "write_bw_log" => logs.bw = named(),
        "write_lat_log" => logs.lat = named(),
        "write_iops_log" => logs.iops = named(),
        "write_hist_log" => logs.hist = named(),
        "bwavgtime" => logs.bw_avg_ms = window_ms(value)?,
        "iopsavgtime" => logs.iops_avg_ms = window_ms(value)?,
        "log_avg_msec" => logs.avg_ms = value.time()? / 1000,
        "log_hist_msec" => logs.hist_ms = value.time()? / 1000,
        "log_hist_coarseness" => logs.hist_coarseness = value.int32()?,
        "log_max_value" => logs.max_value = value.boolean()?,
        "log_window_value" => match value.word()? {
            "avg" | "average" => logs.max_value = false,
            "max" | "maximum" => logs.max_value = true,
            _ => {
                logs.max_value = false;
                let message = "`log_window_value`: of `both`, only the mean is logged";
                let warning = Diagnostic::new(&value.entry.value_place, message)
                    .with_help("run the job again with log_window_value=max");
                warnings.once("log_window_value", warning);
            }
        },
        "log_offset" => logs.offset = value.boolean()?,
        "log_prio" => logs.prio = value.boolean()?,
        "log_unix_epoch" => logs.unix_epoch = value.boolean()?,
        "per_job_logs" => logs.per_job = value.boolean()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn window_ms(value: &Value<'_>) -> Result<u64, Diagnostic> {
    match value.time()? / 1000 {
        0 => Err(value.error_help("the window is shorter than 1 ms", "write 1 ms or more")),
        window => Ok(window),
    }
}

/// Reads `50:99:99.9`.
fn percentiles(value: &Value<'_>) -> Result<Vec<f64>, Diagnostic> {
    let parts: Vec<&str> = value.required()?.split(':').map(str::trim).collect();
    if parts.len() > PERCENTILES_MAX {
        let reason = format!("the list has {} percentiles", parts.len());
        return Err(value.error_help(reason, "write at most 20"));
    }
    let mut list = Vec::with_capacity(parts.len());
    for part in parts {
        let percentile = value.float_of(part)?;
        if percentile <= 0.0 || percentile > 100.0 {
            let reason = format!("{} is out of range", shown(part));
            let help = "write percentages above 0 and up to 100";
            return Err(value.error_help(reason, help));
        }
        list.push(percentile);
    }
    list.sort_by(f64::total_cmp);
    list.dedup();
    Ok(list)
}

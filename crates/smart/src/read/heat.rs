//! Heat in the log of a drive.

use super::source::Source;
use crate::error::SmartError;
use crate::snapshot::ThermalLog;
use serde_json::Value;

/// What the log says about heat; smartctl and nvme-cli agree on these names.
pub(super) fn thermal(source: &Source<'_>, log: &Value) -> Result<ThermalLog, SmartError> {
    let number = |key| source.number(log, key);
    Ok(ThermalLog {
        warning_minutes: number("warning_temp_time")?,
        critical_minutes: number("critical_comp_time")?,
        light_transitions: number("thm_temp1_trans_count")?,
        heavy_transitions: number("thm_temp2_trans_count")?,
        light_seconds: number("thm_temp1_total_time")?,
        heavy_seconds: number("thm_temp2_total_time")?,
    })
}

//! nvme-cli's JSON logs: `smart-log`, `id-ctrl`, `ocp smart-add-log`, and the vendor logs of
//! `intel smart-log-add` and `solidigm smart-log-add`.
//!
//! The keys are those of nvme-cli's sources (`nvme-print-json.c`, `plugins/ocp`, `plugins/intel`,
//! `plugins/solidigm`) over the versions 1.x to 2.x, which have spelled several of them twice.

use super::source::{Source, whole};
use crate::counter::WEAR_STEPS;
use crate::error::SmartError;
use crate::snapshot::{EraseCounts, NvmeHealth, OcpLog, Protocol, Snapshot, VendorLog};
use serde_json::Value;

/// Kind of a log that names the drive only.
pub(super) const IDENTIFY: &str = "nvme id-ctrl";
/// Where drivelab keeps an OCP log beside smartctl's values.
pub const OCP_KEY: &str = "nvme_ocp_smart_add_log";
/// Where drivelab keeps a vendor log beside smartctl's values.
pub const VENDOR_KEY: &str = "nvme_vendor_smart_add_log";
/// Key of both vendors' logs.
pub const DEVICE_STATS: &str = "Device stats";

const WRITTEN: [&str; 2] = ["Physical media units written", "physical_media_units_written"];
const READ: [&str; 2] = ["Physical media units read", "physical_media_units_read"];
/// Kelvin at 0 degrees Celsius, as smartctl takes it.
const KELVIN: i64 = 273;

/// Reads the object into the snapshot if it is nvme-cli's; returns what kind of log it was.
pub(super) fn read(
    source: &Source<'_>,
    value: &Value,
    into: &mut Snapshot,
) -> Result<Option<Vec<&'static str>>, SmartError> {
    let has = |key: &str| value.get(key).is_some();
    if WRITTEN.iter().any(|key| has(key)) {
        into.ocp = Some(ocp(source, value)?);
        return Ok(Some(vec!["OCP C0h"]));
    }
    if let Some(stats) = value.get(DEVICE_STATS) {
        into.vendor = Some(vendor(source, stats)?);
        return Ok(Some(vec!["vendor CAh"]));
    }
    if has("data_units_written") && has("data_units_read") {
        let health = health(source, value)?;
        into.identity.protocol = Some(Protocol::Nvme);
        into.power_cycles = into.power_cycles.or(health.power_cycles);
        into.power_on = into.power_on.or(health.power_on_hours.map(|hours| (hours, None)));
        into.temperature_c = into.temperature_c.or(temperature(source, value)?);
        into.nvme = Some(health);
        // The same log as smartctl's, so that one file holds not both.
        return Ok(Some(vec!["smartctl"]));
    }
    if has("mn") && has("sn") {
        let identity = &mut into.identity;
        identity.model = source.text(value, "mn").or(identity.model.take());
        identity.serial = source.text(value, "sn").or(identity.serial.take());
        identity.firmware = source.text(value, "fr").or(identity.firmware.take());
        let capacity = source.number(value, "tnvmcap")?.filter(|bytes| *bytes > 0);
        identity.capacity_bytes = identity.capacity_bytes.or(capacity);
        identity.protocol = Some(Protocol::Nvme);
        return Ok(Some(vec![IDENTIFY]));
    }
    Ok(None)
}

fn health(source: &Source<'_>, log: &Value) -> Result<NvmeHealth, SmartError> {
    let any = |keys: &[&str]| source.any(log, keys);
    Ok(NvmeHealth {
        percentage_used: any(&["percent_used", "percentage_used"])?,
        available_spare: any(&["avail_spare", "available_spare"])?,
        available_spare_threshold: any(&["spare_thresh", "available_spare_threshold"])?,
        data_units_read: any(&["data_units_read"])?,
        data_units_written: any(&["data_units_written"])?,
        host_reads: any(&["host_read_commands", "host_reads"])?,
        host_writes: any(&["host_write_commands", "host_writes"])?,
        controller_busy_minutes: any(&["controller_busy_time", "ctrl_busy_time"])?,
        power_cycles: any(&["power_cycles"])?,
        power_on_hours: any(&["power_on_hours"])?,
        unsafe_shutdowns: any(&["unsafe_shutdowns"])?,
        media_errors: any(&["media_errors"])?,
        thermal: super::heat::thermal(source, log)?,
    })
}

/// nvme-cli prints kelvins in JSON, also where its text shows degrees Celsius.
fn temperature(source: &Source<'_>, log: &Value) -> Result<Option<i64>, SmartError> {
    let number = source.number(log, "temperature")?.and_then(|t| i64::try_from(t).ok());
    Ok(number.filter(|kelvin| *kelvin > 0).map(|t| if t > 200 { t - KELVIN } else { t }))
}

fn ocp(source: &Source<'_>, log: &Value) -> Result<OcpLog, SmartError> {
    let raw = |keys: &[&str], nested: &str| -> Result<Option<u64>, SmartError> {
        match log.get(nested).filter(|value| value.is_object()) {
            Some(both) => source.number(both, "raw"),
            None => source.any(log, keys),
        }
    };
    Ok(OcpLog {
        media_bytes_written: wide(source, log, &WRITTEN)?,
        media_bytes_read: wide(source, log, &READ)?,
        bad_user_blocks: raw(
            &["Bad user nand blocks - Raw", "bad_user_nand_blocks_raw"],
            "Bad user nand blocks",
        )?,
        max_erases: source
            .any(log, &["Max User data erase counts", "max_user_data_erase_count"])?,
        min_erases: source
            .any(log, &["Min User data erase counts", "min_user_data_erase_count"])?,
        percent_free_blocks: source.any(log, &["Percent free blocks", "percent_free_blocks"])?,
    })
}

/// A number of 128 bits, printed as two halves or as one number.
fn wide(source: &Source<'_>, log: &Value, keys: &[&str]) -> Result<Option<u128>, SmartError> {
    for key in keys {
        let Some(value) = log.get(*key).filter(|value| !value.is_null()) else { continue };
        let parts = (value.get("hi").and_then(whole), value.get("lo").and_then(whole));
        let number = match parts {
            (hi, Some(lo)) => {
                let hi = hi.unwrap_or(0);
                (hi >> 64 == 0 && lo >> 64 == 0).then_some((hi << 64) | lo)
            }
            _ => whole(value),
        };
        return match number {
            Some(number) => Ok(Some(number)),
            None => {
                let message = format!("`{key}` is {value}, and should be a number or hi and lo");
                Err(source.wrong(key, message))
            }
        };
    }
    Ok(None)
}

fn vendor(source: &Source<'_>, stats: &Value) -> Result<VendorLog, SmartError> {
    let raw = |keys: &[&str]| -> Result<Option<u64>, SmartError> {
        for key in keys {
            if let Some(entry) = stats.get(*key) {
                return source.number(entry, "raw");
            }
        }
        Ok(None)
    };
    // nvme-cli's Intel log has divided E2h by 1024 already; Solidigm's prints it raw.
    let media_wear = match stats.get("timed_workload_media_wear").and_then(|e| e.get("raw")) {
        Some(percent) => {
            let steps = percent.as_f64().map(|percent| (percent * WEAR_STEPS).round());
            let steps = steps.filter(|steps| (0.0..=65535.0).contains(steps));
            let wrong = || {
                let message =
                    format!("the timed workload's wear is {percent}, which is not a percentage");
                source.wrong("timed_workload_media_wear", message)
            };
            Some(steps.ok_or_else(wrong)? as u64)
        }
        None => raw(&["media_wear_percentage"])?,
    };
    let erases = ["wear_leveling", "wear_leveling_count"].iter().find_map(|key| stats.get(*key));
    let erases =
        match erases.map(|entry| entry.get("raw").filter(|r| r.is_object()).unwrap_or(entry)) {
            Some(entry) if entry.get("avg").is_some() => Some(EraseCounts {
                min: source.number(entry, "min")?.unwrap_or(0),
                max: source.number(entry, "max")?.unwrap_or(0),
                mean: source.number(entry, "avg")?.unwrap_or(0),
            }),
            _ => None,
        };
    Ok(VendorLog {
        media_wear,
        host_reads_percent: raw(&[
            "timed_workload_host_reads",
            "timed_work_load_host_reads",
            "host_reads",
        ])?,
        timer_minutes: raw(&["timed_workload_timer", "timed_work_load_timer", "timed_work_load"])?,
        nand_written_32mib: raw(&["nand_bytes_written"])?,
        host_written_32mib: raw(&["host_bytes_written"])?,
        erases,
    })
}

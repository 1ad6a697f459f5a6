//! `smartctl --json`, versions 7.x, of ATA and NVMe drives.
//!
//! The keys are those of smartmontools' sources (`ataprint.cpp`, `nvmeprint.cpp`, `json.cpp`).
//! Raw values of ATA attributes are taken as the whole six bytes (`raw.value`), except power-on
//! time and temperature: drives pack milliseconds or extremes into those, and smartctl prints the
//! plain numbers as `power_on_time` and `temperature`.

use super::heat;
use super::nvme_cli;
use super::source::Source;
use crate::error::SmartError;
use crate::snapshot::{AtaAttribute, DeviceStatistics, Identity, NvmeHealth, Protocol, Snapshot};
use serde_json::Value;

const HEALTH: &str = "nvme_smart_health_information_log";
const ATTRIBUTES: &str = "ata_smart_attributes";
const STATISTICS: &str = "ata_device_statistics";

/// Reads the object into the snapshot if it is smartctl's; returns what kinds of logs it held.
pub(super) fn read(
    source: &Source<'_>,
    value: &Value,
    into: &mut Snapshot,
) -> Result<Option<Vec<&'static str>>, SmartError> {
    let ours = ["smartctl", "json_format_version", HEALTH, ATTRIBUTES];
    if !ours.iter().any(|key| value.get(key).is_some()) {
        return Ok(None);
    }
    let mut kinds = vec!["smartctl"];
    let has_health = [HEALTH, ATTRIBUTES, STATISTICS].iter().any(|key| value.get(key).is_some());
    if !has_health {
        return Err(no_health(source, value));
    }
    into.identity = identity(source, value)?;
    into.taken_s = value.pointer("/local_time/time_t").and_then(Value::as_i64);
    if let Some(time) = value.get("power_on_time")
        && let Some(hours) = source.number(time, "hours")?
    {
        into.power_on = Some((hours, source.number(time, "minutes")?));
    }
    into.power_cycles = source.number(value, "power_cycle_count")?;
    into.temperature_c = value.pointer("/temperature/current").and_then(Value::as_i64);
    if let Some(log) = value.get(HEALTH) {
        into.nvme = Some(health(source, log)?);
    }
    if let Some(table) = value.get(ATTRIBUTES).and_then(|a| a.get("table")) {
        into.attributes = attributes(source, table)?;
    }
    if let Some(pages) = value.get(STATISTICS).and_then(|s| s.get("pages")) {
        into.statistics = statistics(source, pages)?;
    }
    // drivelab keeps vendor and OCP logs of modelled drives in the same object.
    for key in [nvme_cli::OCP_KEY, nvme_cli::VENDOR_KEY] {
        if let Some(log) = value.get(key) {
            kinds.extend(nvme_cli::read(source, log, into)?.unwrap_or_default());
        }
    }
    Ok(Some(kinds))
}

/// Why smartctl has printed no health: its own words, if it has said any.
fn no_health(source: &Source<'_>, value: &Value) -> SmartError {
    let messages = value.pointer("/smartctl/messages").and_then(Value::as_array);
    let said: Vec<&str> = messages
        .into_iter()
        .flatten()
        .filter_map(|message| message.get("string").and_then(Value::as_str))
        .collect();
    let (message, help) = if said.is_empty() {
        ("smartctl has printed no health data", "ask for them: `smartctl --json -x DEVICE`")
    } else {
        ("smartctl failed", "fix what smartctl reports, often with sudo or `-d TYPE`")
    };
    let message = match said.is_empty() {
        true => message.to_owned(),
        false => format!("{message}: {}", said.join("; ")),
    };
    source.wrong("smartctl", message).with_help(help)
}

fn identity(source: &Source<'_>, value: &Value) -> Result<Identity, SmartError> {
    let capacity = match value.get("user_capacity") {
        Some(capacity) => source.number(capacity, "bytes")?,
        None => source.number(value, "nvme_total_capacity")?,
    };
    let protocol = match value.pointer("/device/protocol").and_then(Value::as_str) {
        Some("ATA") => Some(Protocol::Ata),
        Some("NVMe") => Some(Protocol::Nvme),
        _ if value.get(HEALTH).is_some() => Some(Protocol::Nvme),
        _ => Some(Protocol::Ata),
    };
    Ok(Identity {
        model: source.text(value, "model_name"),
        serial: source.text(value, "serial_number"),
        firmware: source.text(value, "firmware_version"),
        capacity_bytes: capacity,
        sector_bytes: source.number(value, "logical_block_size")?.filter(|bytes| *bytes > 0),
        protocol,
    })
}

fn health(source: &Source<'_>, log: &Value) -> Result<NvmeHealth, SmartError> {
    let number = |key| source.number(log, key);
    Ok(NvmeHealth {
        percentage_used: number("percentage_used")?,
        available_spare: number("available_spare")?,
        available_spare_threshold: number("available_spare_threshold")?,
        data_units_read: number("data_units_read")?,
        data_units_written: number("data_units_written")?,
        host_reads: number("host_reads")?,
        host_writes: number("host_writes")?,
        controller_busy_minutes: number("controller_busy_time")?,
        power_cycles: number("power_cycles")?,
        power_on_hours: number("power_on_hours")?,
        unsafe_shutdowns: number("unsafe_shutdowns")?,
        media_errors: number("media_errors")?,
        thermal: heat::thermal(source, log)?,
    })
}

fn attributes(source: &Source<'_>, table: &Value) -> Result<Vec<AtaAttribute>, SmartError> {
    let rows = table.as_array().ok_or_else(|| {
        source.wrong(ATTRIBUTES, "the table of ATA attributes is not a list".to_owned())
    })?;
    let mut list = Vec::with_capacity(rows.len());
    for row in rows {
        let small = |key: &str| -> Result<Option<u8>, SmartError> {
            match source.number(row, key)?.map(u8::try_from) {
                None => Ok(None),
                Some(Ok(number)) => Ok(Some(number)),
                Some(Err(_)) => {
                    let message = format!("`{key}` of an ATA attribute is above 255");
                    Err(source.wrong(key, message))
                }
            }
        };
        let missing =
            |key: &str| source.wrong(ATTRIBUTES, format!("an ATA attribute has no `{key}`"));
        let id = small("id")?.ok_or_else(|| missing("id"))?;
        let raw = row.get("raw").ok_or_else(|| missing("raw"))?;
        let number = source.number(raw, "value")?.ok_or_else(|| missing("raw.value"))?;
        let text = raw.get("string").and_then(Value::as_str).map(str::to_owned);
        list.push(AtaAttribute {
            id,
            name: source.text(row, "name").unwrap_or_default(),
            value: small("value")?.unwrap_or(0),
            worst: small("worst")?,
            threshold: small("thresh")?,
            raw: number,
            raw_text: text.unwrap_or_else(|| number.to_string()),
        });
    }
    Ok(list)
}

fn statistics(source: &Source<'_>, pages: &Value) -> Result<Option<DeviceStatistics>, SmartError> {
    let mut found = DeviceStatistics::default();
    for page in pages.as_array().into_iter().flatten() {
        for row in page.get("table").and_then(Value::as_array).into_iter().flatten() {
            // A statistic that the drive marks as not valid is printed without a value.
            let value = source.number(row, "value")?;
            let place = match row.get("name").and_then(Value::as_str) {
                Some("Logical Sectors Written") => &mut found.sectors_written,
                Some("Logical Sectors Read") => &mut found.sectors_read,
                Some("Number of Write Commands") => &mut found.write_commands,
                Some("Number of Read Commands") => &mut found.read_commands,
                Some("Percentage Used Endurance Indicator") => &mut found.percentage_used,
                _ => continue,
            };
            *place = value;
        }
    }
    Ok((found != DeviceStatistics::default()).then_some(found))
}

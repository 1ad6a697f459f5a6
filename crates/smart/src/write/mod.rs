//! A snapshot as `smartctl --json` would print it, as far as it has values.
//!
//! What smartctl does not print (OCP's and the vendors' logs) is in the same object under keys of
//! drivelab, spelled inside as nvme-cli spells it, so that one file is one valid JSON object.

mod date;

use crate::read::{DEVICE_STATS, OCP_KEY, VENDOR_KEY};
use crate::snapshot::{AtaAttribute, NvmeHealth, OcpLog, Protocol, Snapshot, VendorLog};
use serde_json::{Map, Value, json};

/// Greatest whole number that every JSON reader keeps: 2^53 - 1. Above it smartctl adds the
/// digits as text.
const SAFE: u64 = (1 << 53) - 1;

/// The snapshot as text, with a line break at the end. `version` is that of drivelab, which takes
/// smartctl's place in the header.
pub fn smartctl(snapshot: &Snapshot, version: &str) -> String {
    let mut out = Map::new();
    out.insert("json_format_version".to_owned(), json!([1, 0]));
    let program = format!("drivelab {version}");
    out.insert(
        "smartctl".to_owned(),
        json!({ "version": [7, 4], "build_info": program, "exit_status": 0 }),
    );
    if let Some(time) = snapshot.taken_s {
        out.insert(
            "local_time".to_owned(),
            json!({ "time_t": time, "asctime": date::asctime(time) }),
        );
    }
    identity(snapshot, &mut out);
    if let Some((hours, minutes)) = snapshot.power_on {
        let mut time = Map::new();
        put(&mut time, "hours", Some(hours));
        put(&mut time, "minutes", minutes);
        out.insert("power_on_time".to_owned(), Value::Object(time));
    }
    put(&mut out, "power_cycle_count", snapshot.power_cycles);
    if let Some(celsius) = snapshot.temperature_c {
        out.insert("temperature".to_owned(), json!({ "current": celsius }));
    }
    if let Some(health) = &snapshot.nvme {
        let log = nvme(health, snapshot.temperature_c);
        out.insert("nvme_smart_health_information_log".to_owned(), log);
    }
    if !snapshot.attributes.is_empty() {
        let rows: Vec<Value> = snapshot.attributes.iter().map(attribute).collect();
        out.insert("ata_smart_attributes".to_owned(), json!({ "revision": 1, "table": rows }));
    }
    if let Some(statistics) = &snapshot.statistics {
        let row = |name: &str, value: Option<u64>| {
            value.map(|v| {
                let mut row = Map::new();
                row.insert("name".to_owned(), json!(name));
                put(&mut row, "value", Some(v));
                Value::Object(row)
            })
        };
        let general = [
            row("Logical Sectors Written", statistics.sectors_written),
            row("Number of Write Commands", statistics.write_commands),
            row("Logical Sectors Read", statistics.sectors_read),
            row("Number of Read Commands", statistics.read_commands),
        ];
        let solid = [row("Percentage Used Endurance Indicator", statistics.percentage_used)];
        let list = |rows: &[Option<Value>]| rows.iter().flatten().cloned().collect::<Vec<_>>();
        let pages = json!([
            { "number": 1, "name": "General Statistics", "revision": 1, "table": list(&general) },
            { "number": 7, "name": "Solid State Device Statistics", "revision": 1,
              "table": list(&solid) },
        ]);
        out.insert("ata_device_statistics".to_owned(), json!({ "pages": pages }));
    }
    if let Some(log) = &snapshot.vendor {
        out.insert(VENDOR_KEY.to_owned(), vendor(log));
    }
    if let Some(log) = &snapshot.ocp {
        out.insert(OCP_KEY.to_owned(), ocp(log));
    }
    let mut text = serde_json::to_string_pretty(&Value::Object(out)).unwrap_or_default();
    text.push('\n');
    text
}

/// Adds a number if there is one, and its digits as text if it is large.
fn put(out: &mut Map<String, Value>, key: &str, number: Option<u64>) {
    let Some(number) = number else { return };
    out.insert(key.to_owned(), json!(number));
    if number > SAFE {
        out.insert(format!("{key}_s"), json!(number.to_string()));
    }
}

fn identity(snapshot: &Snapshot, out: &mut Map<String, Value>) {
    let identity = &snapshot.identity;
    if let Some(protocol) = identity.protocol {
        let kind = match protocol {
            Protocol::Ata => "sat",
            Protocol::Nvme => "nvme",
        };
        let device = json!({
            "name": "drivelab", "info_name": "drivelab (modelled)", "type": kind,
            "protocol": protocol.name(),
        });
        out.insert("device".to_owned(), device);
    }
    let texts = [
        ("model_name", &identity.model),
        ("serial_number", &identity.serial),
        ("firmware_version", &identity.firmware),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            out.insert(key.to_owned(), json!(text));
        }
    }
    if identity.capacity_bytes.is_some() {
        let mut capacity = Map::new();
        put(&mut capacity, "bytes", identity.capacity_bytes);
        out.insert("user_capacity".to_owned(), Value::Object(capacity));
    }
    put(out, "logical_block_size", identity.sector_bytes);
}

fn nvme(health: &NvmeHealth, temperature_c: Option<i64>) -> Value {
    let mut log = Map::new();
    if let Some(celsius) = temperature_c {
        log.insert("temperature".to_owned(), json!(celsius));
    }
    put(&mut log, "available_spare", health.available_spare);
    put(&mut log, "available_spare_threshold", health.available_spare_threshold);
    put(&mut log, "percentage_used", health.percentage_used);
    put(&mut log, "data_units_read", health.data_units_read);
    put(&mut log, "data_units_written", health.data_units_written);
    put(&mut log, "host_reads", health.host_reads);
    put(&mut log, "host_writes", health.host_writes);
    put(&mut log, "controller_busy_time", health.controller_busy_minutes);
    put(&mut log, "power_cycles", health.power_cycles);
    put(&mut log, "power_on_hours", health.power_on_hours);
    put(&mut log, "unsafe_shutdowns", health.unsafe_shutdowns);
    put(&mut log, "media_errors", health.media_errors);
    let heat = &health.thermal;
    put(&mut log, "warning_temp_time", heat.warning_minutes);
    put(&mut log, "critical_comp_time", heat.critical_minutes);
    put(&mut log, "thm_temp1_trans_count", heat.light_transitions);
    put(&mut log, "thm_temp2_trans_count", heat.heavy_transitions);
    put(&mut log, "thm_temp1_total_time", heat.light_seconds);
    put(&mut log, "thm_temp2_total_time", heat.heavy_seconds);
    Value::Object(log)
}

fn attribute(attribute: &AtaAttribute) -> Value {
    let mut row = Map::new();
    row.insert("id".to_owned(), json!(attribute.id));
    row.insert("name".to_owned(), json!(attribute.name));
    row.insert("value".to_owned(), json!(attribute.value));
    if let Some(worst) = attribute.worst {
        row.insert("worst".to_owned(), json!(worst));
    }
    if let Some(threshold) = attribute.threshold {
        row.insert("thresh".to_owned(), json!(threshold));
    }
    let mut raw = Map::new();
    put(&mut raw, "value", Some(attribute.raw));
    raw.insert("string".to_owned(), json!(attribute.raw_text));
    row.insert("raw".to_owned(), Value::Object(raw));
    Value::Object(row)
}

fn vendor(log: &VendorLog) -> Value {
    let mut stats = Map::new();
    let rows = [
        ("media_wear_percentage", log.media_wear),
        ("timed_work_load_host_reads", log.host_reads_percent),
        ("timed_work_load_timer", log.timer_minutes),
        ("nand_bytes_written", log.nand_written_32mib),
        ("host_bytes_written", log.host_written_32mib),
    ];
    for (key, number) in rows.into_iter().filter(|(_, number)| number.is_some()) {
        let mut entry = Map::new();
        put(&mut entry, "raw", number);
        stats.insert(key.to_owned(), Value::Object(entry));
    }
    if let Some(erases) = log.erases {
        let mut entry = Map::new();
        put(&mut entry, "min", Some(erases.min));
        put(&mut entry, "max", Some(erases.max));
        put(&mut entry, "avg", Some(erases.mean));
        stats.insert("wear_leveling_count".to_owned(), Value::Object(entry));
    }
    json!({ DEVICE_STATS: stats })
}

fn ocp(log: &OcpLog) -> Value {
    let mut out = Map::new();
    let wide = |n: u128| json!({ "hi": (n >> 64) as u64, "lo": n as u64 });
    // The first key makes it known as an OCP log, whatever else is there.
    let written = log.media_bytes_written.map_or(Value::Null, wide);
    out.insert("Physical media units written".to_owned(), written);
    if let Some(read) = log.media_bytes_read {
        out.insert("Physical media units read".to_owned(), wide(read));
    }
    put(&mut out, "Bad user nand blocks - Raw", log.bad_user_blocks);
    put(&mut out, "Max User data erase counts", log.max_erases);
    put(&mut out, "Min User data erase counts", log.min_erases);
    put(&mut out, "Percent free blocks", log.percent_free_blocks);
    Value::Object(out)
}

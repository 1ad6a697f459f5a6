//! What is written is read back the same, and any text is read or refused.

use proptest::option::of;
use proptest::prelude::*;
use smart::{
    AtaAttribute, DeviceStatistics, EraseCounts, Identity, NvmeHealth, OcpLog, Protocol, Snapshot,
    ThermalLog, VendorLog, read, write,
};

/// Numbers of every size: small, around the limits of JSON readers, and all 64 bits.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..1000u64, (1u64 << 53) - 2..(1u64 << 53) + 2, any::<u64>()]
}

fn words() -> impl Strategy<Value = String> {
    "[A-Za-z0-9\"\\\\{}é_-]{1,12}( [A-Z0-9{\"]{1,6})?"
}

fn statistics() -> impl Strategy<Value = DeviceStatistics> {
    (number(), of(number()), of(number()), of(number()), of(0..256u64)).prop_map(
        |(written, read, writes, reads, used)| DeviceStatistics {
            sectors_written: Some(written),
            sectors_read: read,
            write_commands: writes,
            read_commands: reads,
            percentage_used: used,
        },
    )
}

fn nvme() -> impl Strategy<Value = NvmeHealth> {
    let n = || of(number());
    let six = || (n(), n(), n(), n(), n(), n());
    (six(), six(), six()).prop_map(|(a, b, c)| NvmeHealth {
        percentage_used: a.0,
        available_spare: a.1,
        available_spare_threshold: a.2,
        data_units_read: a.3,
        data_units_written: a.4,
        host_reads: a.5,
        host_writes: b.0,
        controller_busy_minutes: b.1,
        power_cycles: b.2,
        power_on_hours: b.3,
        unsafe_shutdowns: b.4,
        media_errors: b.5,
        thermal: ThermalLog {
            warning_minutes: c.0,
            critical_minutes: c.1,
            light_transitions: c.2,
            heavy_transitions: c.3,
            light_seconds: c.4,
            heavy_seconds: c.5,
        },
    })
}

fn vendor() -> impl Strategy<Value = VendorLog> {
    let erases = of((number(), number(), number()));
    (of(number()), of(number()), of(number()), of(number()), of(number()), erases).prop_map(
        |(wear, reads, minutes, nand, host, erases)| VendorLog {
            media_wear: wear,
            host_reads_percent: reads,
            timer_minutes: minutes,
            nand_written_32mib: nand,
            host_written_32mib: host,
            erases: erases.map(|(min, max, mean)| EraseCounts { min, max, mean }),
        },
    )
}

fn ocp() -> impl Strategy<Value = OcpLog> {
    let wide = || of(any::<u128>());
    (wide(), wide(), of(number()), of(number()), of(number()), of(number())).prop_map(
        |(written, read, bad, max, min, free)| OcpLog {
            media_bytes_written: written,
            media_bytes_read: read,
            bad_user_blocks: bad,
            max_erases: max,
            min_erases: min,
            percent_free_blocks: free,
        },
    )
}

fn attributes() -> impl Strategy<Value = Vec<AtaAttribute>> {
    let row = (any::<u8>(), words(), any::<u8>(), of(any::<u8>()), of(any::<u8>()), number());
    let row = (row, words()).prop_map(|((id, name, value, worst, threshold, raw), raw_text)| {
        AtaAttribute { id, name, value, worst, threshold, raw, raw_text }
    });
    proptest::collection::vec(row, 1..6)
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let identity = (of(words()), of(words()), of(words()), of(number()), of(1..10_000u64));
    let common = (of(any::<i64>()), of((number(), of(0..60u64))), of(number()), of(-40..120i64));
    let is_nvme = any::<bool>();
    let logs = (attributes(), of(statistics()), nvme(), of(vendor()), of(ocp()));
    (identity, common, is_nvme, logs).prop_map(|(i, c, is_nvme, logs)| Snapshot {
        identity: Identity {
            model: i.0,
            serial: i.1,
            firmware: i.2,
            capacity_bytes: i.3,
            sector_bytes: i.4,
            protocol: Some(if is_nvme { Protocol::Nvme } else { Protocol::Ata }),
        },
        taken_s: c.0,
        power_on: c.1,
        power_cycles: c.2,
        temperature_c: c.3,
        attributes: if is_nvme { Vec::new() } else { logs.0 },
        statistics: logs.1.filter(|_| !is_nvme),
        nvme: is_nvme.then_some(logs.2),
        vendor: logs.3,
        ocp: logs.4,
    })
}

/// Samples in which values are replaced.
const SAMPLES: [&str; 3] =
    ["ata-intel-710-after.json", "nvme-cli-2-with-ocp.json", "nvme-cli-intel.json"];

/// A value of any type.
const ANY_VALUE: &str = "(-?[0-9.e]{1,25}|\"[a-z0-9]*\"|null|\\[\\]|\\{\\})";

proptest! {
    #[test]
    fn a_snapshot_survives_writing_and_reading(before in snapshot(), text in "[^{]{0,40}") {
        let written = write::smartctl(&before, "0.1.0");
        prop_assert!(serde_json::from_str::<serde_json::Value>(&written).is_ok(), "one object");
        let after = read::snapshot("f", &format!("{text}\n{written}"));
        prop_assert_eq!(after.as_ref(), Ok(&before), "{}", written);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"a-z_0-9 .\\n-]{0,80}") {
        let _ = read::snapshot("f", &text);
    }

    /// One value of a log is replaced by another of any type.
    #[test]
    fn any_value_is_read_or_refused(at in 0usize..200, with in ANY_VALUE) {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        for name in SAMPLES {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let colons: Vec<usize> = text.match_indices(':').map(|(i, _)| i).collect();
            let start = colons[at % colons.len()] + 1;
            let end = text[start..].find([',', '\n']).map_or(text.len(), |n| n + start);
            let _ = read::snapshot("f", &format!("{}{with}{}", &text[..start], &text[end..]));
        }
    }
}

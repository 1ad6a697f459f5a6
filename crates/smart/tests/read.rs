//! Reads sample logs in the shapes of several tools and versions, and refuses what is none.

use smart::counter::{self, TimedState, TimedWorkload};
use smart::{EraseCounts, Protocol, SmartError, Snapshot, read};
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn sample(name: &str) -> Snapshot {
    read::snapshot(name, &text(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn wrong(text: &str) -> SmartError {
    read::snapshot("x.json", text).expect_err("refused")
}

#[test]
fn an_intel_ata_drive() {
    let s = sample("ata-intel-710-valid-after.json");
    assert_eq!(s.identity.model.as_deref(), Some("INTEL SSDSA2BZ200G3"));
    assert_eq!(s.identity.protocol, Some(Protocol::Ata));
    assert_eq!(s.identity.capacity_bytes, Some(200_049_647_616));
    assert_eq!(s.taken_s, Some(1_710_600_000));
    // The raw value of attribute 9 packs milliseconds above the hours; the plain time counts.
    assert_eq!((s.power_on, s.attribute(9).unwrap().raw >> 24), (Some((419, None)), 123_456));
    let timed = TimedWorkload { media_wear: 4450, reads_percent: Some(1), minutes: 500 };
    assert_eq!(counter::timed_workload(&s), TimedState::Valid(timed));
    let host = counter::host_writes(&s)[0];
    assert_eq!(host.count * host.step, 91_440.0 * 33_554_432.0);
    let e9 = counter::wear_percent(&s).unwrap();
    assert_eq!((e9.steps, e9.step), (4.0, 1.0 / 99.0), "from 100 down to 1");
    let fresh = sample("ata-intel-710-before.json");
    assert_eq!(counter::timed_workload(&fresh), TimedState::NotYet);
}

#[test]
fn an_ata_drive_with_device_statistics() {
    let s = sample("ata-crucial.json");
    let host = counter::host_writes(&s);
    assert_eq!(host[0].source, "device statistics, sectors written");
    assert_eq!(host[0].count, host[1].count, "attribute 246 tells the same");
    assert_eq!(counter::program_pages(&s), Some((1.25e9, 0.75e9)));
    assert_eq!(s.statistics.unwrap().read_commands, None, "marked as not valid");
    assert_eq!((s.power_on, s.temperature_c), (Some((9120, Some(30))), Some(34)));
    assert_eq!(counter::timed_workload(&s), TimedState::Missing);
    assert_eq!(counter::wear_percent(&s).unwrap().steps, 7.0);
}

#[test]
fn an_nvme_drive_by_smartctl_and_by_two_spellings_of_nvme_cli() {
    let a = sample("nvme-smartctl-before.json");
    let health = a.nvme.unwrap();
    assert_eq!(health.host_reads, Some(9_007_199_254_740_993), "exact, by the digits beside it");
    assert_eq!((health.percentage_used, a.temperature_c), (Some(11), Some(41)));
    let (old, new) = (sample("nvme-cli-1.json"), sample("nvme-cli-2-with-ocp.json"));
    for s in [&old, &new] {
        let log = s.nvme.unwrap();
        assert_eq!(log.data_units_written, health.data_units_written);
        assert_eq!(log.percentage_used, health.percentage_used);
        assert_eq!(log.host_writes, health.host_writes);
        assert_eq!(s.temperature_c, Some(41), "kelvins");
        assert_eq!((s.taken_s, s.identity.serial.as_deref()), (None, None));
    }
    let ocp = new.ocp.unwrap();
    assert_eq!(ocp.media_bytes_written, Some(1_075_200_000_000_000));
    assert_eq!((ocp.bad_user_blocks, ocp.max_erases), (Some(12), Some(310)));
}

#[test]
fn logs_of_the_second_ocp_spelling_and_of_an_older_plugin() {
    let second = sample("nvme-ocp-v2.json").ocp.unwrap();
    assert_eq!(second.media_bytes_written, Some((1 << 64) + 5));
    assert_eq!((second.bad_user_blocks, second.min_erases), (Some(12), Some(260)));
    let older = sample("nvme-ocp-wdc.json").ocp.unwrap();
    assert_eq!((older.bad_user_blocks, older.media_bytes_read), (Some(7), Some(43)));
}

#[test]
fn vendor_logs_of_intel_and_solidigm() {
    let intel = sample("nvme-cli-intel.json");
    assert_eq!(intel.identity.model.as_deref(), Some("INTEL EXAMPLE P4510"));
    assert_eq!(intel.identity.capacity_bytes, Some(1_000_204_886_016));
    let timed = TimedWorkload { media_wear: 4450, reads_percent: Some(61), minutes: 52_360 };
    assert_eq!(counter::timed_workload(&intel), TimedState::Valid(timed));
    let erases = Some(EraseCounts { min: 61, max: 80, mean: 70 });
    let solidigm = sample("nvme-cli-solidigm-hold.json");
    assert_eq!((intel.vendor.unwrap().erases, solidigm.vendor.unwrap().erases), (erases, erases));
    assert_eq!(counter::timed_workload(&solidigm), TimedState::NotYet);
}

/// Attribute 226 of a disk is its load-in time.
#[test]
fn a_number_alone_does_not_make_a_wear_counter() {
    let disk = text("ata-intel-710-valid-after.json")
        .replace("Workld_Media_Wear_Indic", "Load-in_Time")
        .replace("INTEL", "SPINNING");
    let s = read::snapshot("disk", &disk).unwrap();
    assert_eq!(counter::timed_workload(&s), TimedState::Missing);
    let unnamed = text("ata-intel-710-valid-after.json")
        .replace("Workld_Media_Wear_Indic", "Unknown_SSD_Attribute");
    let s = read::snapshot("intel", &unnamed).unwrap();
    assert!(matches!(counter::timed_workload(&s), TimedState::Valid(_)));
}

#[test]
fn the_tool_s_own_words_are_passed_on() {
    let error = read::snapshot("f.json", &text("smartctl-failed.json")).unwrap_err();
    assert!(error.message.contains("/dev/sdz failed: No such device"), "{error}");
}

#[test]
fn errors_have_places() {
    let place = |text: &str| wrong(text).place().unwrap();
    assert_eq!(place("no JSON at all"), "x.json");
    assert_eq!(place("warning\n  {\"a\": tru }\n"), "x.json:2:12");
    let cut = &text("nvme-cli-1.json")[..200];
    assert!(wrong(cut).message.contains("ends too early"), "{}", wrong(cut));
    let base = text("nvme-cli-1.json");
    let minus = base.replace("\"percent_used\" : 11", "\"percent_used\" : -1");
    let error = wrong(&minus);
    assert!(error.message.contains("`percent_used` is -1"), "{error}");
    assert_eq!(error.place().unwrap(), "x.json:7:3");
    assert!(wrong("{\"jobs\": []}").message.contains("no known health log"));
    assert!(wrong(&base.repeat(2)).message.contains("two logs of the same kind"));
    assert!(wrong("{\"sn\": \"a\", \"mn\": \"b\"}").message.contains("named"));
    for name in ["ata-intel-710-after.json", "nvme-cli-intel.json", "nvme-ocp-v2.json"] {
        assert!(sample(name) != Snapshot::default());
    }
}

/// Of NVMe drives those of the media, of ATA drives the sum of their attributes, whatever each
/// of them counts.
#[test]
fn errors_are_counted() {
    assert_eq!(counter::errors(&sample("nvme-smartctl-after.json")), Some(0));
    let s = sample("ata-intel-710-valid-after.json");
    assert_eq!(counter::errors(&s), Some(0));
    let sound = text("nvme-smartctl-after.json");
    let broken = sound.replace("\"media_errors\": 0", "\"media_errors\": 3");
    assert_eq!(counter::errors(&read::snapshot("x.json", &broken).unwrap()), Some(3));
}

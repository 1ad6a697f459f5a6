//! The arithmetic of endurance on worked examples, its bounds, and what it refuses.

use smart::endurance::{Named, Options, Report, between, so_far};
use smart::{AtaAttribute, Interval, SmartError, Snapshot, read};
use std::path::Path;

fn sample(name: &str) -> Snapshot {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    read::snapshot(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

fn compare(a: &Snapshot, b: &Snapshot, options: &Options) -> Result<Report, SmartError> {
    let before = Named { file: "a.json", snapshot: a };
    between(before, Named { file: "b.json", snapshot: b }, options)
}

fn get(report: &Report, key: &str) -> Interval {
    report.get(key).unwrap_or_else(|| panic!("no {key} among {:#?}", report.rows))
}

fn near(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() < 1e-9
}

fn set(snapshot: &mut Snapshot, id: u8, raw: u64) {
    let all = snapshot.attributes.iter_mut().filter(|attribute| attribute.id == id);
    all.for_each(|attribute: &mut AtaAttribute| attribute.raw = raw);
}

fn pair() -> (Snapshot, Snapshot) {
    (sample("ata-intel-710-valid-before.json"), sample("ata-intel-710-valid-after.json"))
}

/// Intel's data sheets work through it: 500 minutes, 30,000 units of 32 MiB.
#[test]
fn the_data_sheet_s_example() {
    let (mut a, mut b) = pair();
    for (snapshot, wear, minutes) in [(&mut a, 65_535, 65_535), (&mut b, 16, 500)] {
        set(snapshot, 226, wear);
        set(snapshot, 227, wear);
        set(snapshot, 228, minutes);
    }
    b.taken_s = a.taken_s.map(|s| s + 500 * 60);
    let report = compare(&a, &b, &Options::default()).unwrap();
    assert!(near(get(&report, "host_written").value, 30_000.0 * 33_554_432.0));
    let wear = get(&report, "wear");
    assert!(near(wear.value, 16.0 / 1024.0 / 100.0) && near(wear.high, 17.0 / 102_400.0));
    assert!(near(get(&report, "wear_per_day").value, wear.value * 1440.0 / 500.0));
    assert!(near(get(&report, "tbw").value, get(&report, "host_written").value / wear.value));
    assert!(report.notes.iter().any(|note| note.contains("reset")), "{:?}", report.notes);
}

/// The review: TBW = host writes / wear, days = time / wear, GB a day = TBW / days.
#[test]
fn the_review_s_projections_are_one_formula() {
    let (a, b) = pair();
    let options = Options { price: "1200 USD".parse().ok(), ..Options::default() };
    let report = compare(&a, &b, &options).unwrap();
    let (tbw, days) = (get(&report, "tbw"), get(&report, "life_days"));
    assert!(near(get(&report, "wear").value, 250.0 / 102_400.0));
    assert!(near(days.value, 400.0 / 1440.0 / (250.0 / 102_400.0)));
    assert!(near(get(&report, "bytes_per_day").value, tbw.value / days.value));
    assert!(near(get(&report, "dwpd_warranty").value, tbw.value / 200_049_647_616.0 / 1095.75));
    let cost = get(&report, "cost_per_tb_written");
    assert!(near(cost.value, 1200.0 / (tbw.value / 1e12)));
    assert!(near(get(&report, "cost_per_year").value, 1200.0 / (days.value / 365.25)));
    // E9h is at 96: a life of 114 days ends the warranty before three years do.
    assert!(near(get(&report, "warranty_days").value, days.value));
    let (left, rest) = (get(&report, "days_left"), 95.0 / 99.0);
    assert!(near(left.value, rest * days.value) && left.low < rest * days.low);
}

/// Six hours of random writes move E2h by a handful of counts, and the bounds say so.
#[test]
fn six_hours_resolve_a_life_to_the_steps_of_the_counter() {
    let (a, b) = (sample("ata-intel-710-before.json"), sample("ata-intel-710-after.json"));
    let report = compare(&a, &b, &Options::default()).unwrap();
    let tbw = get(&report, "tbw");
    assert!(near(tbw.value, 5400.0 * 33_554_432.0 / (18.0 / 102_400.0)));
    assert!(near(tbw.low, 5399.0 * 33_554_432.0 / (19.0 / 102_400.0)));
    assert!(near(tbw.high, 5401.0 * 33_554_432.0 / (18.0 / 102_400.0)));
    // Whatever the counters hide below their last digit, the true figure is inside.
    for (hidden_wear, hidden_writes) in [(0.0, -0.999), (0.999, 0.999), (0.5, 0.0)] {
        let truth = (5400.0 + hidden_writes) * 33_554_432.0 / ((18.0 + hidden_wear) / 102_400.0);
        assert!(tbw.contains(truth), "{truth} not in {tbw:?}");
    }
}

#[test]
fn an_nvme_drive_by_percentage_used() {
    let (a, b) = (sample("nvme-smartctl-before.json"), sample("nvme-smartctl-after.json"));
    let report = compare(&a, &b, &Options::default()).unwrap();
    assert!(near(get(&report, "host_written").value, 270e6 * 512_000.0));
    let wear = get(&report, "wear");
    assert!(near(wear.value, 0.03) && near(wear.low, 0.02) && near(wear.high, 0.04));
    assert!(near(get(&report, "life_days").value, 1000.0));
    let left = get(&report, "days_left");
    assert!(near(left.value, 860.0) && left.low < 0.85 * 750.0 + 1.0 && left.high > 1280.0);
    // One step is not enough: the bound above is open.
    let mut close = b.clone();
    if let Some(log) = &mut close.nvme {
        log.percentage_used = Some(12);
    }
    let report = compare(&a, &close, &Options::default()).unwrap();
    assert!(report.get("wear").is_none() && report.get("host_written").is_some());
    let short = report.shortfall.unwrap();
    assert!(short.message.contains("1 steps of about 1 %"), "{short}");
    assert!(short.help.unwrap().contains("600 days"));
}

#[test]
fn the_counters_of_ocp_give_write_amplification() {
    let a = sample("nvme-cli-2-with-ocp.json");
    let mut b = a.clone();
    if let (Some(log), Some(ocp)) = (&mut b.nvme, &mut b.ocp) {
        log.data_units_written = log.data_units_written.map(|units| units + 1_000_000);
        ocp.media_bytes_written = ocp.media_bytes_written.map(|bytes| bytes + 1_280_000_000_000);
    }
    let options = Options {
        elapsed_s: Some(6.0 * 3600.0),
        raw_bytes: Some(4096.0 * 1024f64.powi(3)),
        rated_cycles: Some(3000.0),
        ..Options::default()
    };
    let report = compare(&a, &b, &options).unwrap();
    let factor = get(&report, "write_amplification");
    assert!(near(factor.value, 2.5) && factor.spread() < 1.00001, "{factor:?}");
    let used = 1.28e12 / (4096.0 * 1024f64.powi(3));
    assert!(near(get(&report, "cycles_used").value, used));
    assert!(near(get(&report, "wear").value, used / 3000.0), "by cycles, where percent is coarse");
    // Without the flash's figures the percentage has not moved.
    let report = compare(&a, &b, &Options { elapsed_s: Some(21_600.0), ..Options::default() });
    let short = report.unwrap().shortfall.unwrap();
    assert!(short.help.unwrap().contains("more than 5 days"));
}

/// A sequential run gives the rated cycles, and with them a random run its amplification.
#[test]
fn rated_cycles_and_amplification_back_and_forth() {
    let (a, b) = pair();
    let raw = 320.0 * 1024f64.powi(3);
    let sequential =
        Options { raw_bytes: Some(raw), write_amplification: Some(1.0), ..Options::default() };
    let rated = get(&compare(&a, &b, &sequential).unwrap(), "rated_cycles");
    let host = 30_000.0 * 33_554_432.0;
    assert!(near(rated.value, host / raw / (250.0 / 102_400.0)));
    let random =
        Options { raw_bytes: Some(raw), rated_cycles: Some(rated.value), ..Options::default() };
    let factor = get(&compare(&a, &b, &random).unwrap(), "write_amplification");
    assert!(near(factor.value, 1.0));
}

#[test]
fn pages_of_crucial_drives_give_amplification_without_a_page_size() {
    let s = sample("ata-crucial.json");
    let named = Named { file: "s", snapshot: &s };
    let report = so_far(named, &Options::default()).unwrap();
    assert!(near(get(&report, "write_amplification").value, 1.6));
    assert!(near(get(&report, "host_written").value, 36e12));
    assert!(near(get(&report, "tbw").value, 36e12 / 0.07));
    let life = get(&report, "life_days");
    assert!(near(life.value, 9120.5 / 24.0 / 0.07) && life.low < life.value);
    let mut fresh = s.clone();
    if let Some(statistics) = &mut fresh.statistics {
        statistics.percentage_used = Some(0);
    }
    let report = so_far(Named { file: "s", snapshot: &fresh }, &Options::default()).unwrap();
    assert!(report.get("tbw").is_none() && report.notes[0].contains("less than 1 %"));
}

fn refused(a: &Snapshot, b: &Snapshot) -> String {
    compare(a, b, &Options::default()).unwrap_err().to_string()
}

#[test]
fn snapshots_of_different_drives() {
    let (a, b) = pair();
    let other = sample("ata-crucial.json");
    assert!(refused(&a, &other).contains("serial number is `BTTV10000001200GGN`"));
    let mut model = b.clone();
    model.identity.serial = None;
    model.identity.model = Some("INTEL SSDSA2BZ100G3".into());
    assert!(refused(&a, &model).contains("of different drives: the model"));
    let mut kind = b;
    kind.identity = sample("nvme-cli-1.json").identity;
    assert!(refused(&a, &kind).contains("protocol is `ATA`"));
}

#[test]
fn counters_that_run_backwards() {
    let (a, b) = pair();
    assert!(refused(&b, &a).contains("older than a.json"));
    type Change = fn(&mut Snapshot);
    let changes: [(&str, Change); 4] = [
        ("host writes", |s| s.attributes.iter_mut().for_each(|a| a.raw = a.raw.min(5))),
        ("power cycles", |s| s.power_cycles = Some(1)),
        ("power-on hours", |s| s.power_on = Some((1, None))),
        ("wear in percent", |s| {
            s.attributes.iter_mut().filter(|a| a.id == 233).for_each(|a| a.value = 100);
        }),
    ];
    for (what, change) in changes {
        let mut broken = b.clone();
        change(&mut broken);
        let error = refused(&a, &broken);
        assert!(error.contains("runs backwards") && error.contains(what), "{error}");
    }
}

/// Until 60 minutes are over the drive shows FFFFh; a reset in between takes the base away.
#[test]
fn the_workload_timer_s_rules() {
    let (mut a, mut b) = pair();
    set(&mut b, 226, 65_535);
    set(&mut b, 228, 65_535);
    let error = refused(&a, &b);
    assert!(error.contains("not valid yet") && error.contains("60 minutes"), "{error}");
    set(&mut b, 226, 60);
    set(&mut b, 228, 99);
    assert!(refused(&a, &b).contains("reset between the snapshots: E4h went from 100 to 99"));
    // Just reset before the first: the second speaks for itself, if the clocks agree or not.
    set(&mut a, 226, 65_535);
    set(&mut a, 228, 65_535);
    let report = compare(&a, &b, &Options::default()).unwrap();
    assert!(report.notes.iter().any(|n| n.contains("99 minutes")), "{:?}", report.notes);
    let (tbw, host) = (get(&report, "tbw").value, 30_000.0 * 33_554_432.0);
    assert!(near(tbw, host / 24_000.0 / ((60.0 / 102_400.0) / (99.0 * 60.0))));
}

#[test]
fn wear_that_has_moved_by_less_than_two_steps() {
    let (a, mut b) = pair();
    for (raw, word) in [(4200, "more than"), (4201, "about")] {
        set(&mut b, 226, raw);
        // E9h does not change either.
        b.attributes.iter_mut().filter(|x| x.id == 233).for_each(|x| x.value = 96);
        let report = compare(&a, &b, &Options::default()).unwrap();
        let short = report.shortfall.expect("too close").to_string();
        assert!(short.contains("too close together") && short.contains(word), "{short}");
    }
    set(&mut b, 226, 4202);
    assert!(compare(&a, &b, &Options::default()).unwrap().shortfall.is_none());
}

#[test]
fn a_drive_that_reports_nothing_of_use() {
    let (mut a, mut b) = pair();
    for s in [&mut a, &mut b] {
        s.attributes.retain(|attribute| attribute.id == 9);
    }
    assert!(refused(&a, &b).contains("does not report host writes"));
    let error = so_far(Named { file: "a", snapshot: &a }, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("smartctl --json -x"));
}

//! The cells of the library: what each NAND file is rated for, and how a drive ages.

use iopath::device::flash::cell::age::{AgeSpec, CyclesUsed};
use iopath::device::flash::cell::{CellConfig, CellModel, Stress, retention::YEAR_HOURS};
use iopath::device::flash::drive::DriveState;
use library::{Model, NandFile, Overrides, Scale, nand_text, nands, source_text};
use simulate::{Rig, RunOptions, Simulated};

fn file(name: &str) -> NandFile {
    toml::from_str(nand_text(name).unwrap()).unwrap()
}

fn cell(name: &str) -> CellModel {
    CellModel::new(file(name).cell.expect("every shipped NAND file has cells").resolve())
}

#[test]
fn every_nand_file_is_rated_within_what_is_published_of_its_class() {
    let published = [
        ("slc-50nm", 90_000.0, 110_000.0),
        ("slc-34nm", 90_000.0, 110_000.0),
        ("mlc-25nm", 3_000.0, 5_000.0),
        ("het-mlc-25nm", 20_000.0, 25_000.0),
        ("tlc-v5-9xl", 2_700.0, 3_300.0),
        ("tlc-176l", 2_700.0, 3_300.0),
        ("tlc-128l-v6", 3_000.0, 7_000.0),
        ("tlc-96l-b27", 4_500.0, 6_000.0),
        ("tlc-96l-bics4", 3_000.0, 5_000.0),
        ("tlc-96l-bics4-dc", 3_000.0, 5_500.0),
        ("tlc-64l-fg", 3_000.0, 7_000.0),
        ("tlc-144l-fg", 3_000.0, 7_000.0),
        ("qlc-144l-fg", 1_500.0, 3_000.0),
        ("qlc-192l-fg", 2_700.0, 3_300.0),
    ];
    assert_eq!(nands().count(), published.len(), "every file is in the table");
    for (name, least, most) in published {
        let cycles = cell(name).rated_cycles();
        println!("{name}: {cycles:.0}");
        assert!((least..=most).contains(&cycles), "{name}: {cycles}");
    }
}

#[test]
fn het_is_the_mlc_die_with_two_factors() {
    let (plain, het) = (cell("mlc-25nm").config().clone(), cell("het-mlc-25nm").config().clone());
    assert_eq!((het.programming, het.screening), (1.46, 2.0));
    let same = CellConfig { programming: 1.0, screening: 1.0, class: plain.class, ..het };
    assert_eq!(same, plain, "nothing else differs");
    // The program times say the same factor: 1900 us on average over 1300 us.
    let mean = |name: &str| {
        let file = file(name);
        file.program.iter().map(|t| t.get().as_s() * 1e6).sum::<f64>() / file.program.len() as f64
    };
    assert!(
        (mean("mlc-25nm") - 1300.0).abs() < 1e-6 && (mean("het-mlc-25nm") - 1900.0).abs() < 1e-6
    );
}

#[test]
fn a_worn_charge_trap_needs_twenty_retries_after_a_year() {
    // Park (ASPLOS 2021) found about 20 steps on average at 2,000 cycles and one year.
    let cell = cell("tlc-v5-9xl");
    let stress = Stress { cycles: 2000.0, hours: YEAR_HOURS, reads: 0.0 };
    let pages = cell.pages();
    let sum: u32 = (0..pages).map(|page| cell.read(stress, page).retries).sum();
    let mean = sum as f64 / pages as f64;
    assert!((17.0..=22.0).contains(&mean), "{mean}");
    let fresh = Stress { cycles: 2000.0, hours: 0.0, reads: 0.0 };
    assert_eq!(cell.read(fresh, 1).retries, 0, "just written it needs none");
}

/// The error for a change of the P5430's NAND file, which is beside the drive's file.
fn broken(from: &str, to: &str) -> String {
    let text = nand_text("qlc-192l-fg").unwrap();
    assert!(text.contains(from), "the file no longer says `{from}`");
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("qlc-192l-fg.toml");
    std::fs::write(beside, text.replacen(from, to, 1)).unwrap();
    let drive = source_text("d5-p5430-15.36tb").unwrap();
    match Model::parse("mine", "mine.toml", drive, Some(folder.path()), &[]) {
        Ok(_) => panic!("`{to}` was accepted"),
        Err(diagnostic) => {
            assert!(diagnostic.line > 1, "{diagnostic}");
            diagnostic.to_string()
        }
    }
}

#[test]
fn impossible_cells_are_reported_with_their_place() {
    let told = |from: &str, to: &str, parts: &[&str]| {
        let error = broken(from, to);
        assert!(error.contains("qlc-192l-fg.toml:"), "{error}");
        parts.iter().for_each(|part| assert!(error.contains(part), "{error}"));
    };
    told("value = \"1-2-4-8\"", "value = \"1-2-4\"", &["3 bits a cell"]);
    told("value = \"1-2-4-8\"", "value = \"1-2-4-9\"", &["1-2-4-9"]);
    told("value = \"50 mV\"", "value = \"50\"", &["has no unit"]);
    told("value = \"50 mV\"", "value = \"0 mV\"", &["without width"]);
    told("value = \"100 mV\"", "value = \"0.4 V\"", &["as large as the distance"]);
    told("value = \"40 steps\"", "value = \"400 steps\"", &["200 times"]);
    told("value = \"50000 reads\"", "value = \"0 reads\"", &["states no rate"]);
    told("value = \"2 KiB\"", "value = \"0 KiB\"", &["codeword"]);
    told("source = \"assumed: twice the noise\"", "source = \"x\"", &["a source begins with"]);
    told("noise =", "nosie =", &["did you mean `noise`?"]);
}

#[test]
fn program_times_are_one_value_or_a_list() {
    assert_eq!((file("qlc-192l-fg").program.len(), file("mlc-25nm").program.len()), (1, 2));
    let line =
        nand_text("qlc-192l-fg").unwrap().lines().find(|l| l.starts_with("program =")).unwrap();
    let error = broken(line, "program = []");
    assert!(error.contains("the list is empty"), "{error}");
    let error = broken(line, "program = \"8.2 ms\"");
    assert!(error.contains("a value with its source"), "{error}");
}

/// Random reads of 4 KiB at queue depth 1 on a filled P4510 whose file ends in `more`.
fn reads_of(more: &str, age: AgeSpec) -> Simulated {
    let text = format!("{}{more}", source_text("p4510-8tb").unwrap());
    let model = Model::parse("mine", "mine.toml", &text, None, &[]).unwrap();
    let resolved = model.resolve(Scale::Units(4 << 20), &Overrides::default()).unwrap();
    let mut rig = Rig::new(resolved.config, resolved.scale, 1);
    rig.prepare(&DriveState::Filled);
    rig.set_age(&age).unwrap();
    let job = "[r]\nrw=randread\nbs=4k\ndirect=1\nnumber_ios=2000\nfilename=/dev/x\n";
    let file = fio::jobfile::parse_str("j", job, &fio::LoadOptions::default()).unwrap();
    rig.run(&file, &mut RunOptions::default()).unwrap()
}

fn at(share: f64) -> AgeSpec {
    let cycles = CyclesUsed::Share(share);
    AgeSpec { cycles, shelf_hours: YEAR_HOURS, ..AgeSpec::default() }
}

#[test]
fn an_aged_drive_reports_its_retries_and_at_last_its_losses() {
    let (new, half, dead) =
        (reads_of("", AgeSpec::default()), reads_of("", at(0.5)), reads_of("", at(10.0)));
    let mean = |run: &Simulated| run.run.jobs[0].read().clat.moments.as_ref().unwrap().mean();
    assert_eq!((new.read_retries, new.lost_pages, half.lost_pages), (0, 0, 0));
    assert!(half.read_retries > 2000 && mean(&half) > 2.0 * mean(&new));
    assert!(half.run.jobs[0].error == 0 && !half.warnings.iter().any(|w| w.code == "pages-lost"));
    assert!(dead.lost_pages > 0 && dead.run.jobs[0].error != 0);
    assert!(dead.warnings.iter().any(|w| w.code == "pages-lost"));
}

#[test]
fn a_drive_that_refreshes_says_so_and_its_ledger_adds_up() {
    let faults = "\n[faults]\nrefresh_share = { value = \"50 %\", source = \"assumed: a test\" }\n";
    let run = reads_of(faults, at(0.9));
    assert_eq!(run.checks.failures(), Vec::<String>::new());
    let programmed = &run.checks.ledgers[0];
    assert!(programmed.bytes(stats::Cause::Refresh) > 0, "{programmed:?}");
    let wrong = |text: &str| {
        let text = format!("{}\n[faults]\n{text}\n", source_text("p4510-8tb").unwrap());
        Model::parse("mine", "mine.toml", &text, None, &[]).unwrap_err().to_string()
    };
    let share = "refresh_share = { value = \"150 %\", source = \"assumed: a test\" }";
    assert!(wrong(share).contains("cannot be refreshed at 150 %"), "{}", wrong(share));
    let reads = "refresh_reads = { value = \"5 reads\", source = \"assumed: a test\" }";
    assert!(wrong(reads).contains("at least 1000 reads"), "{}", wrong(reads));
}

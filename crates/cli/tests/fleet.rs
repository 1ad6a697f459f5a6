//! `drivelab fleet` as a user runs it.

use crate::common::{drivelab, faults, made, schema, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Small drives, and little work on them.
const SMALL: [&str; 5] = ["--scale", "1Mi units", "--budget", "20ms", "--quiet"];

const PLAN: &str = r#"
time = "3 years"
[purchase.one]
drive = "x25-e-64gb"
drives = "40 drives"
[purchase.two]
drive = "intel-710@give_up=20%"
drives = "40 drives"
[use]
writes = "0.5 x/day, p95 3 x/day"
fill = "40 % .. 100 %"
in_order = "25 %"
[hazard]
source = "a test"
random = "2 %/year"
wear_out = { life = "1.2 x", shape = "5 x" }
[array]
drives = "8 drives"
spare = "1 drives"
rebuild = "2 days"
"#;

fn lived(folder: &Path, plan: &str, more: &[&str]) -> (Value, Vec<u8>) {
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let words = [&["fleet", "plan.toml", "--json"], more, &SMALL[..]].concat();
    let output = drivelab(folder, &words);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    (serde_json::from_slice(&output.stdout).expect("JSON"), output.stdout)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The answer is of its form, holds together, and is the same each time.
#[test]
fn a_fleet_adds_up() {
    let folder = tempfile::tempdir().unwrap();
    let (fleet, bytes) = lived(folder.path(), PLAN, &["--runs", "30", "--months", "m.csv"]);
    assert_eq!(faults(&schema("fleet"), &fleet), Vec::<String>::new());
    let purchases = fleet["purchases"].as_array().unwrap();
    assert_eq!(purchases.len(), 2);
    for one in purchases {
        let months = one["months"].as_array().unwrap();
        assert_eq!(months.len(), 36);
        let gone = &one["gone"];
        let all = ["early", "random", "worn_out", "retired"].map(|why| number(&gone[why]));
        let replaced = number(&one["replaced"]["mean"]);
        assert!((all.iter().sum::<f64>() - replaced).abs() < 1e-9, "{gone}");
        assert_eq!(&months[35]["gone"], gone, "the last month is the end");
        let rate = all[..3].iter().sum::<f64>() / number(&one["drives"]) / 3.0;
        assert!((number(&one["failure_rate"]) - rate).abs() < 1e-9);
        let wear: Vec<f64> = months.iter().map(|month| number(&month["wear"][0])).collect();
        assert!(wear[0] < wear[35]);
        assert_eq!(one["losses"]["arrays"], 5);
        // More data is more to copy.
        let curve: Vec<f64> =
            one["curve"].as_array().unwrap().iter().map(|p| number(&p["simulated"])).collect();
        assert!(curve[0] < curve[curve.len() - 1], "{curve:?}");
        assert!(number(&one["in_order"]) < 1.2);
        is_held_by_its_sample(one);
    }
    // What is given up as spare area is not written, and copies less at the same fill.
    assert!((number(&purchases[1]["usable_capacity"]) / 160e9 - 1.0).abs() < 0.01);
    let csv = fs::read_to_string(folder.path().join("m.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 36);
    let again = lived(folder.path(), PLAN, &["--runs", "30", "--months", "m.parquet"]).1;
    assert!(fs::read(folder.path().join("m.parquet")).unwrap().starts_with(b"PAR1"));
    assert!(again == bytes, "the same seed gives the same bytes");
}

/// Drives of the fleet were worn to their end under their own use, and wear as the fleet does.
fn is_held_by_its_sample(purchase: &Value) {
    let sample = purchase["sample"].as_array().unwrap();
    assert_eq!(sample.len(), 10);
    // An array of eight drives is written alike: some are in order, some are not.
    assert!(sample.iter().any(|drive| drive["in_order"] == false));
    for drive in sample {
        let both = |what: &str| ["fleet", "simulated"].map(|from| number(&drive[what][from]));
        let [fleet, simulated] = both("amplification");
        assert!((fleet / simulated - 1.0).abs() < 0.04, "{drive}");
        let [fleet, simulated] = both("wear_a_year");
        assert!((fleet / simulated - 1.0).abs() < 0.04, "{drive}");
        let flash = number(&purchase["flash_writes"]);
        let amplified = number(&drive["writes"]) * number(&drive["amplification"]["fleet"]);
        assert!((fleet / (amplified * 365.0 * 86_400.0 / flash) - 1.0).abs() < 1e-9, "{drive}");
    }
}

/// Drives that are used alike are simulated once, and each is in the answer.
#[test]
fn drives_that_are_used_alike_are_simulated_once() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "time = '1 years'\n[purchase.one]\ndrive = 'x25-e'\ndrives = '30 drives'\n\
                [use]\nwrites = ['1 x/day', '5 x/day']\nin_order = '100 %'\n\
                [hazard]\nsource = 'a test'\nrandom = '1 %/year'\n";
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let small = SMALL.iter().filter(|word| **word != "--quiet");
    let words: Vec<&str> = ["fleet", "plan.toml", "--json"].iter().chain(small).copied().collect();
    let output = drivelab(folder.path(), &words);
    let said = text(&output.stderr);
    let fleet: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sample = fleet["purchases"][0]["sample"].as_array().unwrap();
    assert_eq!(sample.len(), 10, "{said}");
    let wear =
        |drive: &Value| number(&drive["wear_a_year"]["simulated"]) / number(&drive["writes"]);
    assert!(sample.iter().all(|drive| (wear(drive) / wear(&sample[0]) - 1.0).abs() < 1e-12));
    assert_ne!(sample[0]["writes"], sample[9]["writes"], "and written as much as it is");
    // One of writes in order, and one life.
    assert!(said.contains("[2/2]"), "{said}");
}

#[test]
fn the_tables_and_the_page_show_what_becomes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    let words = [&["fleet", "plan.toml", "--runs", "20"][..], &SMALL].concat();
    let output = drivelab(folder.path(), &words);
    let shown = text(&output.stdout);
    for words in [
        "3 years, lived through 20 times",
        "spares to stock",
        "worn out",
        "year  wear p50",
        "10 drives, ",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let (_, bytes) = lived(folder.path(), PLAN, &["--runs", "20"]);
    fs::write(folder.path().join("fleet.json"), bytes).unwrap();
    made(folder.path(), &["report", "fleet.json", "-o", "fleet.html"]);
    let page = fs::read_to_string(folder.path().join("fleet.html")).unwrap();
    assert!(
        page.contains("Fleet: one, two over 3 years")
            && page.contains("Write amplification by fill")
            && page.contains("Drives simulated in full")
    );
    let values = drivelab(folder.path(), &["report", "fleet.json", "--format", "csv"]);
    assert!(text(&values.stdout).contains("wear_p99.9"));
}

/// Drives are used as those of a table, of which each has all; sizes of writes have curves of their
/// own.
#[test]
fn use_may_come_from_a_table_of_drives() {
    let folder = tempfile::tempdir().unwrap();
    let table = "writes,fill,age\n1 x/day,50 %,1 years\n3 x/day , 100 % , 2 years\n";
    fs::write(folder.path().join("use.csv"), table).unwrap();
    let plan = PLAN
        .replace(
            "writes = \"0.5 x/day, p95 3 x/day\"\nfill = \"40 % .. 100 %\"",
            "records = \"use.csv\"",
        )
        .replace("in_order = \"25 %\"", "block = [\"4 KiB\", \"2 KiB\", \"4 KiB\"]")
        .replace(
            "[array]\ndrives = \"8 drives\"\nspare = \"1 drives\"\nrebuild = \"2 days\"\n",
            "",
        );
    let (fleet, _) = lived(folder.path(), &plan, &["--runs", "30"]);
    assert_eq!(faults(&schema("fleet"), &fleet), Vec::<String>::new());
    let records = fleet["inputs"]["records"].as_str().unwrap();
    assert!(records.contains("writes, fill, age of 2 drives"), "{records}");
    assert!(fleet["inputs"].get("fill").is_none(), "it is on record");
    for one in fleet["purchases"].as_array().unwrap() {
        let points = one["curve"].as_array().unwrap();
        let of = |block: f64, at: f64| {
            let is =
                |p: &&Value| number(&p["block"]) == block && (number(&p["fill"]) - at).abs() < 0.01;
            number(&points.iter().find(is).unwrap()["simulated"])
        };
        assert_eq!(points.len(), 14);
        assert!(of(4096.0, 1.0) > 1.2 * of(4096.0, 0.5), "{points:?}");
        assert!(of(2048.0, 1.0) > 1.5 * of(4096.0, 1.0), "parts of units: {points:?}");
        assert!(one["months"][0]["wear"][0].as_f64() < one["months"][0]["wear"][2].as_f64());
    }
    for (table, words) in [
        ("writes,full\n1 x/day,50 %\n", "use.csv:1\n"),
        ("writes,fill\n1 x/day,50 %\n2,150 %\n", "use.csv:3\n"),
        ("writes,fill\n1 x/day,150 %\n", "`150 %` is out of range"),
        ("writes,fill\n1 x/day\n", "use.csv:2\n"),
        ("writes,fill\n", "no drive is in it"),
        ("fill\n50 %\n", "`writes` is missing"),
        ("writes,in\n", "no column is called `in`"),
    ] {
        fs::write(folder.path().join("use.csv"), table).unwrap();
        let output = drivelab(folder.path(), &["fleet", "plan.toml"]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{words}: {said}");
    }
    fs::write(folder.path().join("use.csv"), "writes,fill\n1 x/day,50 %\n").unwrap();
    let twice = plan.replace("records =", "writes = \"1 x/day\"\nrecords =");
    fs::write(folder.path().join("plan.toml"), twice).unwrap();
    let said = text(&drivelab(folder.path(), &["fleet", "plan.toml"]).stderr);
    assert!(
        said.contains("plan.toml:10:") && said.contains("a column of the records too"),
        "{said}"
    );
}

/// All mistakes at once, each at its line.
#[test]
fn a_plan_with_mistakes_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = PLAN
        .replace("\"3 years\"", "\"3\"")
        .replace("\"40 % .. 100 %\"", "\"40 % .. 140 %\"")
        .replace("drive = \"x25-e-64gb\"", "drive = \"x25-f\"")
        .replace("\"2 %/year\"", "\"2 %\"")
        .replace("spare = \"1 drives\"", "spare = \"8 drives\"");
    fs::write(folder.path().join("plan.toml"), wrong).unwrap();
    let output = drivelab(folder.path(), &["fleet", "plan.toml"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let places =
        ["plan.toml:2:", "plan.toml:4:", "plan.toml:11:", "plan.toml:15:", "plan.toml:19:"];
    for place in places {
        assert!(said.contains(place), "{place}: {said}");
    }
    assert!(said.contains("as `0.9 %/year` is"), "{said}");
    for (plan, words) in [
        ("time = \"1 years\"\n[use]\nwrites = \"1 TB/day\"\n[purchase]\n", "no [purchase.NAME]"),
        ("time = \"1 years\"\n", "missing field"),
        ("time = \"1 years\"\ncolour = 1\n", "colour"),
    ] {
        fs::write(folder.path().join("plan.toml"), plan).unwrap();
        let output = drivelab(folder.path(), &["fleet", "plan.toml"]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{words}: {said}");
    }
    fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    let output = drivelab(folder.path(), &["fleet", "plan.toml", "--months", "m.html"]);
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("CSV or Parquet"), "{said}");
    let array = PLAN.replace("x25-e-64gb", "raid0-2x-intel-710");
    fs::write(folder.path().join("plan.toml"), array).unwrap();
    let said = text(&drivelab(folder.path(), &["fleet", "plan.toml"]).stderr);
    assert!(said.contains("is no drive; arrays are in [array]"), "{said}");
}

const STUDY: &str = r#"
[[published]]
purchase = "one"
what = "failure_rate"
value = "2 %"
basis = "input"
source = "a study"
[[published]]
purchase = "two"
what = "failed_under_tenth"
value = "82 %"
basis = "predicted"
source = "a study"
why = "another use"
"#;

/// What a field study says stands beside what becomes of the fleet, in the answer, the table and
/// the report; a purchase that is not there and a number that is none are found before anything
/// runs.
#[test]
fn a_fleet_is_held_against_a_study() {
    let folder = tempfile::tempdir().unwrap();
    let plan = format!("{PLAN}{STUDY}");
    let (fleet, bytes) = lived(folder.path(), &plan, &["--runs", "30"]);
    assert_eq!(faults(&schema("fleet"), &fleet), Vec::<String>::new());
    let rows = fleet["published"].as_array().unwrap();
    assert_eq!(rows[0]["found"], fleet["purchases"][0]["failure_rate"]);
    assert_eq!(rows[1]["found"], fleet["purchases"][1]["failed_wear"]["under_tenth"]);
    assert_eq!(rows[1]["basis"], "predicted");
    assert!((number(&rows[1]["published"]) - 0.82).abs() < 1e-9);
    let words = [&["fleet", "plan.toml", "--runs", "30"][..], &SMALL].concat();
    let table = text(&drivelab(folder.path(), &words).stdout);
    assert!(table.contains("failed with less than 10 % used  two"), "{table}");
    assert!(table.contains("failed with less than 10 % used: another use"), "{table}");
    fs::write(folder.path().join("fleet.json"), bytes).unwrap();
    made(folder.path(), &["report", "fleet.json", "-o", "fleet.html"]);
    let page = fs::read_to_string(folder.path().join("fleet.html")).unwrap();
    assert!(page.contains("Against field studies"));
    let wrong = plan.replace("purchase = \"two\"", "purchase = \"three\"").replace("82 %", "82 TB");
    fs::write(folder.path().join("plan.toml"), wrong).unwrap();
    let refused = drivelab(folder.path(), &["fleet", "plan.toml"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("no purchase of the plan is called `three`"), "{said}");
    assert!(said.contains("`82 TB` is not written as"), "{said}");
}

/// A drive writes no more than it can: where it is to write more always, there is no fleet; where
/// some drives are to, that is said.
#[test]
fn more_than_a_drive_can_write_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let of = |writes: &str| PLAN.replace("0.5 x/day, p95 3 x/day", writes);
    fs::write(folder.path().join("plan.toml"), of("20 TB/day")).unwrap();
    let output = drivelab(folder.path(), &[&["fleet", "plan.toml"][..], &SMALL].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("are to write 20 TB/day at least"), "{said}");
    let (fleet, _) = lived(folder.path(), &of("0.5 x/day, p95 60 x/day"), &["--runs", "20"]);
    let warnings = fleet["warnings"].to_string();
    assert!(warnings.contains("one: some of its drives are to write"), "{warnings}");
    let (fleet, _) = lived(folder.path(), PLAN, &["--runs", "20"]);
    assert!(!fleet["warnings"].to_string().contains("are to write"), "{}", fleet["warnings"]);
}

/// Prices: of the drives, their slots, and what replaces them.
#[test]
fn a_purchase_costs_its_drives_and_their_replacements() {
    let folder = tempfile::tempdir().unwrap();
    let prices =
        "currency = \"EUR\"\nper_slot = 10\n[drive]\n\"x25-e-64gb\" = 100\nintel-710-200gb = 500\n";
    fs::write(folder.path().join("prices.toml"), prices).unwrap();
    let (fleet, _) = lived(folder.path(), PLAN, &["--runs", "20", "--cost", "prices.toml"]);
    assert_eq!(fleet["currency"], "EUR");
    for (one, price) in fleet["purchases"].as_array().unwrap().iter().zip([100.0, 500.0]) {
        let law = 40.0 * (price + 10.0) + price * number(&one["replaced"]["mean"]);
        assert!((number(&one["cost"]["mean"]) / law - 1.0).abs() < 1e-9, "{}", one["cost"]);
    }
    // The dearer one beside the cheapest, over runs of the same use.
    let [one, two] = [0, 1].map(|at| &fleet["purchases"][at]);
    let compared = fleet["compared"].as_array().unwrap();
    assert_eq!(compared.len(), 1);
    assert_eq!((&compared[0]["purchase"], &compared[0]["cheapest"]), (&two["name"], &one["name"]));
    let [low, high] = [one, two].map(|one| number(&one["cost"]["mean"]));
    assert!((number(&compared[0]["more"]["mean"]) / (high - low) - 1.0).abs() < 1e-9);
    assert!((number(&compared[0]["share"]) / (high / low - 1.0) - 1.0).abs() < 1e-9);
    assert_eq!(number(&compared[0]["dearer_in"]), 1.0);
    let missing = prices.replace("intel-710-200gb = 500\n", "");
    fs::write(folder.path().join("prices.toml"), missing).unwrap();
    let output = drivelab(folder.path(), &["fleet", "plan.toml", "--cost", "prices.toml"]);
    let said = text(&output.stderr);
    assert!(
        output.status.code() == Some(2)
            && said.contains("no price for `intel-710-200gb`")
            && said.contains("prices.toml"),
        "{said}"
    );
}

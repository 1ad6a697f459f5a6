//! `drivelab sweep` as a user runs it: the same table whatever befell it.

use crate::common::{drivelab, interruptible, made, signal, text};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::Duration;

/// Small drives, and little work on them.
const SMALL: [&str; 5] = ["--scale", "1Mi units", "--budget", "2ms", "--quiet"];

pub fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep"], more, &SMALL[..]].concat()
}

/// What is varied in tests of the store: small drives, many points.
const MANY: [&str; 8] =
    ["--load", "mixed@qd=8", "--vary", "drive=x25-e", "--vary", "read=0..100%", "--points", "128"];
pub const FEW: [&str; 8] = [
    "--load",
    "mixed",
    "--vary",
    "drive=x25-e",
    "--vary",
    "qd=1..8 log2",
    "--vary",
    "read=50%,90%",
];

pub fn table(folder: &Path, store: &str) -> Vec<u8> {
    fs::read(folder.join(store).join("points.parquet")).expect("the table is there")
}

pub fn journal(folder: &Path, store: &str) -> String {
    fs::read_to_string(folder.join(store).join("journal.jsonl")).unwrap_or_default()
}

pub fn begun(folder: &Path, words: &[&str]) -> Child {
    interruptible(folder, words).spawn().expect("the program starts")
}

/// Waits until a journal has more lines than that, or the program has ended; whether it goes on.
fn goes_on(child: &mut Child, folder: &Path, store: &str, lines: usize) -> bool {
    loop {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        if journal(folder, store).lines().count() > lines {
            return true;
        }
        sleep(Duration::from_millis(2));
    }
}

/// Makes a sweep that is killed whenever its journal has more lines than one of these.
fn made_in_pieces(folder: &Path, store: &str, words: &[&str], kills: &[usize]) {
    for lines in kills {
        let mut child = begun(folder, words);
        goes_on(&mut child, folder, store, *lines);
        child.kill().ok();
        child.wait().unwrap();
    }
    made(folder, words);
}

/// A refusal: exit code 2, and what it says.
pub fn refused(folder: &Path, words: &[&str]) -> String {
    let output: Output = drivelab(folder, words);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {told}");
    told
}

/// The promise of the store: killed at any time and started again, no run is lost, doubled or
/// different.
#[test]
fn a_sweep_that_is_killed_fifty_times_ends_in_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    made(root, &words(&[&MANY[..], &["-o", "whole"]].concat()));
    let again = words(&[&MANY[..], &["-o", "killed"]].concat());
    let mut kills = 0;
    loop {
        let lines = journal(root, "killed").lines().count().max(1);
        let mut child = begun(root, &again);
        let goes_on = goes_on(&mut child, root, "killed", lines);
        // Not always right behind a line: in the middle of one too.
        sleep(Duration::from_micros(kills * 7919 % 9000));
        child.kill().ok();
        child.wait().unwrap();
        kills += 1;
        if !goes_on || kills > 400 {
            break;
        }
    }
    assert!(kills > 50, "{kills} kills before it was done");
    made(root, &again);
    assert_eq!(table(root, "killed"), table(root, "whole"), "{kills} kills");
    let ids = |store: &str| -> Vec<String> {
        let text = journal(root, store);
        let rows = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut ids: Vec<String> = rows.map(|row| row["id"].to_string()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids("killed"), ids("whole"), "none is lost and none is there twice");
}

/// A search breeds each generation from what was measured: killed after any run it breeds the same.
/// It makes as many points as were asked for, none twice.
#[test]
fn a_search_goes_on_where_it_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let search = [
        "--load",
        "mixed@read=50%",
        "--vary",
        "drive=x25-e",
        "--vary",
        "qd=1..32",
        "--vary",
        "give_up=0..40%",
        "--points",
        "8",
        "--generations",
        "3",
        "--maximise",
        "iops",
        "--maximise",
        "usable_capacity",
    ];
    let whole = made(root, &words(&[&search[..], &["-o", "whole", "--json"]].concat()));
    let answer: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(
        (&answer["points"], &answer["sampler"]),
        (&32.into(), &"sobol, 3 generations".into())
    );
    let again = words(&[&search[..], &["-o", "killed", "--threads", "1"]].concat());
    made_in_pieces(root, "killed", &again, &[3, 12, 26]);
    assert_eq!(table(root, "killed"), table(root, "whole"));
    let journal = journal(root, "whole");
    let rows: Vec<Value> =
        journal.lines().skip(1).map(|l| serde_json::from_str(l).unwrap()).collect();
    let points: std::collections::BTreeSet<String> =
        rows.iter().map(|row| row["at"].to_string()).collect();
    assert_eq!((rows.len(), points.len()), (32, 32));
}

/// In a race the points that others surely beat have fewer runs than the rest, and which these are
/// does not depend on threads or kills. Each point that is in the set has all of its runs.
#[test]
fn a_race_ends_early_and_the_same_wherever_it_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let qd = ["--vary", "qd=1..32 log2", "--vary", "read=50%,100%", "--maximise", "iops"];
    let race = [&["--load", "mixed", "--on", "x25-e"], &qd[..], &["--repeats", "6", "--race"]];
    let race = race.concat();
    let whole = made(root, &words(&[&race[..], &["-o", "whole", "--json"]].concat()));
    let answer: Value = serde_json::from_str(&whole).unwrap();
    let runs = answer["runs"].as_u64().unwrap();
    assert!((12 * 3..12 * 6).contains(&runs), "{runs} runs");
    assert_eq!(journal(root, "whole").lines().count() as u64, runs + 1, "and no others");
    assert_eq!(answer["all"].as_array().map(Vec::len), Some(12));
    for point in answer["pareto"].as_array().unwrap() {
        assert_eq!(point["ids"].as_array().map(Vec::len), Some(6), "{point}");
    }
    let again = words(&[&race[..], &["-o", "killed", "--threads", "1"]].concat());
    made_in_pieces(root, "killed", &again, &[5, 30, 40]);
    assert_eq!(table(root, "killed"), table(root, "whole"));
    let merge = words(&[&["merge"], &race[..], &["-o", "whole", "--json"]].concat());
    assert_eq!(made(root, &merge), whole);
}

#[test]
fn what_is_required_and_sought_may_change_and_runs_may_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    made(root, &words(&[&FEW[..], &["-o", "s"]].concat()));
    let lines = journal(root, "s");
    let more = ["-o", "s", "--json", "--require", "read_lat_p99 < 400 us", "--minimise", "power"];
    let answer: Value =
        serde_json::from_str(&made(root, &words(&[&FEW[..], &more].concat()))).unwrap();
    assert_eq!(journal(root, "s"), lines, "nothing was measured again");
    assert_eq!(answer["objectives"][0]["metric"], "power");
    let failed = answer["requirements"][0]["failed"].as_u64().unwrap();
    assert!((1..8).contains(&failed), "{failed}");
    let all = answer["all"].as_array().unwrap();
    let out = all.iter().filter(|point| point["verdict"] == "failed").count();
    assert_eq!((all.len(), out as u64), (8, failed), "every point with its verdict");
    for (change, told) in [
        (["--points", "9"].as_slice(), "the number of points was `64` and is `9`"),
        (&["--seed", "2"], "the seed was `1` and is `2`"),
        (&["--vary", "block=4 KiB,8 KiB"], "the factor block was nothing and is"),
    ] {
        let sobol = ["-o", "t", "--sampler", "sobol"];
        if !root.join("t").exists() {
            made(root, &words(&[&FEW[..], &sobol].concat()));
        }
        let said = refused(root, &words(&[&FEW[..], &sobol, change].concat()));
        assert!(said.contains(told) && said.contains("journal.jsonl"), "{said}");
    }
}

#[test]
fn two_processes_do_not_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let long = words(&[&MANY[..], &["-o", "s"]].concat());
    let mut first = begun(root, &long);
    assert!(goes_on(&mut first, root, "s", 1));
    let told = refused(root, &long);
    assert!(told.contains("another process works on this sweep"), "{told}");
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn an_interrupted_sweep_keeps_what_ended() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let long = words(&[&MANY[..], &["-o", "s"]].concat());
    let mut child = begun(root, &long);
    assert!(goes_on(&mut child, root, "s", 3));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let told = text(&output.stderr);
    assert!(told.contains("of 128 runs are kept; the same command goes on"), "{told}");
    assert!(journal(root, "s").lines().count() > 3);
}

/// A full disk, by a limit on the length of files.
#[test]
fn a_full_disk_costs_nothing_that_ended() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    made(root, &words(&[&FEW[..], &["-o", "whole"]].concat()));
    let line = words(&[&FEW[..], &["-o", "full"]].concat());
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_drivelab")])
        .args(&line)
        .current_dir(root)
        .output()
        .unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot be written") && told.contains("nothing that ended"), "{told}");
    let lines = journal(root, "full");
    assert!(lines.lines().count() > 1 && lines.ends_with('\n'), "whole lines only");
    made(root, &line);
    assert_eq!(table(root, "full"), table(root, "whole"));
}

#[test]
fn what_cannot_be_measured_is_a_row_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let vary = ["--vary", "flash.dies=40 dies,7 dies", "--on", "x25-e", "-o", "s", "--json"];
    let line = words(&[&["--load", "mixed@read=70%,qd=8"], &vary[..]].concat());
    let answer: Value = serde_json::from_str(&made(folder.path(), &line)).unwrap();
    assert_eq!((&answer["points"], &answer["failed"]), (&2.into(), &1.into()), "{answer}");
    assert_eq!(answer["failures"][0]["at"]["flash.dies"], "7 dies");
    assert_eq!(answer["all"].as_array().map(Vec::len), Some(1), "what was measured");
    assert!(!answer["failures"][0]["message"].as_str().unwrap().is_empty());
    assert!(answer["warnings"].to_string().contains("`flash.dies` is varied"));
    assert!(journal(folder.path(), "s").contains("\"status\":\"failed\""));
}

#[test]
fn two_spellings_of_a_point_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let vary = ["--vary", "drive=x25-e,x25-e-64gb", "--vary", "read=50%,50 %"];
    let listed = made(folder.path(), &words(&[&["plan", "--load", "mixed"], &vary[..]].concat()));
    assert!(listed.ends_with("points: 1 (grid), runs of each: 1\n"), "{listed}");
}

/// Loads of two methods beside another factor: each point is that of a sweep of its load alone.
#[test]
fn loads_are_a_factor() {
    let folder = tempfile::tempdir().unwrap();
    let vary = ["--on", "x25-e", "--vary", "give_up=0%,10%", "--maximise", "iops", "--json"];
    let loads = ["mixed@qd=8,read=70%", "mixed@qd=2,read=70%", "corner@qd=8,read=100%"];
    let sweep = |loads: &[&str], store: &str| -> Value {
        let named = loads.iter().flat_map(|load| ["--load", load]).collect::<Vec<_>>();
        let line = words(&[&named, &vary[..], &["-o", store]].concat());
        serde_json::from_str(&made(folder.path(), &line)).unwrap()
    };
    let all = sweep(&loads, "all");
    assert_eq!(all["factors"], json!(["load", "give_up"]));
    assert_eq!((&all["points"], &all["method"]), (&6.into(), &"corner; mixed".into()));
    assert_eq!(all["load"], loads.join("; ").as_str());
    assert_eq!(all["params"], json!({}), "they share none");
    assert_eq!(all["effects"][0]["factor"], "load");
    let value = |answer: &Value, at: Value| {
        let points = answer["all"].as_array().unwrap();
        let point = points.iter().find(|point| point["at"] == at);
        point.unwrap_or_else(|| panic!("{at} in {points:?}"))["values"].clone()
    };
    let mut best = all["best_by_load"].as_array().unwrap().iter();
    for load in loads {
        let alone = sweep(&[load], &load.replace('%', ""));
        for share in ["0%", "10%"] {
            let by_itself = value(&alone, json!({ "give_up": share }));
            assert_eq!(value(&all, json!({ "load": load, "give_up": share })), by_itself, "{load}");
        }
        let best = best.next().expect("each load has a best point");
        assert_eq!(best["values"], alone["best"]["values"]);
        assert_eq!(best["at"], json!({ "load": load, "give_up": alone["best"]["at"]["give_up"] }));
    }
    assert_eq!(all["best"], Value::Null, "no load is better than another");
    // A plan says the same, and finds the runs made.
    let list = loads.map(|load| format!("\"{load}\"")).join(", ");
    let plan = format!("load = [{list}]\non = \"x25-e\"\n[vary]\ngive_up = \"0%,10%\"\n");
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let before = journal(folder.path(), "all");
    let line = words(&["plan.toml", "-o", "all", "--maximise", "iops", "--json"]);
    let again: Value = serde_json::from_str(&made(folder.path(), &line)).unwrap();
    assert_eq!((again, journal(folder.path(), "all")), (all, before));
}

#[test]
fn loads_share_what_is_varied_and_sought() {
    let folder = tempfile::tempdir().unwrap();
    let told = |more: &[&str]| {
        refused(folder.path(), &words(&[&["--on", "x25-e", "-o", "s"], more].concat()))
    };
    let two = ["--load", "mixed@read=70%", "--load", "as-ssd"];
    assert!(told(&["--load", "mixed", "--load", "mixed"]).contains("`mixed` is listed twice"));
    let lacks = told(&[&two[..], &["--vary", "qd=1,2"]].concat());
    assert!(lacks.contains("`qd` is nothing that can be varied here"), "{lacks}");
    assert!(lacks.contains("a parameter of `as-ssd`"), "{lacks}");
    let lacks = told(&[&two[..], &["--maximise", "iops"]].concat());
    assert!(lacks.contains("`as-ssd` does not measure `iops`"), "{lacks}");
    let twice = told(&[&two[..], &["--vary", "load=mixed,corner"]].concat());
    assert!(twice.contains("the load is named and varied"), "{twice}");
    let range = told(&["--vary", "load=1..2"]);
    assert!(range.contains("loads are no range"), "{range}");
    let fixed = ["--load", "mixed@read=0%", "--load", "corner@qd=2", "--vary", "qd=1,2"];
    assert!(told(&fixed).contains("`qd` is varied, and fixed in the load"));
}

/// Halving, a race and a search choose among the points of each load: what goes on, and what is
/// best, is what it is in a sweep of that load alone.
#[test]
fn points_are_chosen_among_those_of_their_load() {
    let folder = tempfile::tempdir().unwrap();
    let loads = ["mixed@qd=8,read=70%", "corner@qd=8,read=0%"];
    let sweep = |loads: &[&str], vary: &[&str], store: &str| -> Value {
        let named = loads.iter().flat_map(|load| ["--load", load]).collect::<Vec<_>>();
        let vary = [vary, &["--on", "x25-e", "--maximise", "iops", "--json", "-o", store]].concat();
        serde_json::from_str(&made(folder.path(), &words(&[named, vary].concat()))).unwrap()
    };
    let last = |answer: &Value| answer["rungs"].as_array().unwrap().last().unwrap().clone();
    let halving = ["--vary", "give_up=0%,4%,8%,12%,16%,20%", "--halving", "2"];
    let both = sweep(&loads, &halving, "halved");
    let mut points = 0;
    for (number, load) in loads.iter().enumerate() {
        let alone = sweep(&[load], &halving, &format!("halved-{number}"));
        points += last(&alone)["points"].as_u64().unwrap();
        let best = &both["best_by_load"][number];
        assert_eq!(best["at"]["give_up"], alone["best"]["at"]["give_up"], "{load}");
        assert_eq!(best["values"], alone["best"]["values"], "{load}");
    }
    assert_eq!(last(&both)["points"], points, "each load sends its own better third");
    let each_has_a_best = |more: &[&str], store: &str| {
        let answer = sweep(&loads, more, store);
        let best = answer["best_by_load"].as_array().unwrap();
        let of: Vec<&Value> = best.iter().map(|best| &best["at"]["load"]).collect();
        assert_eq!(of, loads, "{more:?}");
    };
    each_has_a_best(&["--vary", "give_up=0%,20%", "--race", "--repeats", "5"], "raced");
    let search = ["--vary", "give_up=0..25%", "--generations", "1", "--points", "4"];
    each_has_a_best(&search, "searched");
}

/// A budget below a second of simulated time is one here: it costs fewer I/Os.
#[test]
fn a_small_budget_is_really_small() {
    let folder = tempfile::tempdir().unwrap();
    let samples = |budget: &str, store: &str| {
        let line = ["sweep", "--load", "mixed@read=100%", "--on", "intel-710", "--vary", "qd=8"];
        let more = ["--budget", budget, "-o", store, "--quiet", "--json"];
        let line = [&line, &more[..], &["--scale", "1Mi units"]].concat();
        let answer: Value = serde_json::from_str(&made(folder.path(), &line)).unwrap();
        answer["best"]["values"]["iops"]["samples"].as_u64().unwrap()
    };
    let (little, much) = (samples("1ms", "a"), samples("10ms", "b"));
    assert!((600..1000).contains(&little), "{little} of 800 I/Os");
    assert!((7000..9000).contains(&much), "{much} of 8000 I/Os");
}

fn answer(folder: &Path, more: &[&str]) -> Value {
    serde_json::from_str(&made(folder, &words(&[more, &["--json"]].concat()))).unwrap()
}

/// The longest of a thousand reads is not what one in a hundred thousand takes.
#[test]
fn a_tail_that_runs_cannot_know_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let required = |limit: &str, store: &str| {
        answer(folder.path(), &[&FEW[..], &["--require", limit, "-o", store]].concat())
    };
    let known = required("read_lat_p50 < 2 s", "a");
    assert_eq!(
        (&known["best"]["verdict"], &known["requirements"][0]["open"]),
        (&"met".into(), &0.into())
    );
    let unknown = required("read_lat_p99.999 < 2 s", "b");
    assert_eq!(
        (&unknown["best"]["verdict"], &unknown["requirements"][0]["open"]),
        (&"open".into(), &8.into())
    );
    let said = unknown["warnings"].to_string();
    assert!(said.contains("read_lat_p99.999: runs have too few I/Os"), "{said}");
}

/// What tells designs apart is how they collect; a drive that was filled in order does not.
#[test]
fn a_job_file_runs_in_the_steady_state_unless_it_says_another() {
    let folder = tempfile::tempdir().unwrap();
    let job = "[w]\nfilename=/dev/x\nrw=randwrite\nbs=4k\niodepth=8\nioengine=libaio\n\
               time_based\nruntime=2\n";
    fs::write(folder.path().join("w.fio"), job).unwrap();
    let rate = |load: &str, store: &str| {
        let line = ["--load", load, "--on", "x25-e", "--vary", "give_up=0%,10%", "-o", store];
        answer(folder.path(), &line)["all"][0]["values"]["iops"]["value"].clone()
    };
    let usual = rate("./w.fio", "a");
    assert_eq!(usual, rate("./w.fio@state=steady", "b"));
    assert!(usual.as_f64().unwrap() < 0.5 * rate("./w.fio@state=filled", "c").as_f64().unwrap());
}

/// A model file has a price as a drive of the library has.
#[test]
fn a_model_file_has_a_price() {
    let folder = tempfile::tempdir().unwrap();
    let model = fs::read_to_string("../../models/drive/x25-e-64gb.toml").unwrap();
    fs::write(folder.path().join("own.toml"), model).unwrap();
    let plan = "load = \"mixed@read=70%\"\nminimise = [\"cost\"]\nbudget = \"1ms\"\n\
                scale = \"1Mi units\"\n[vary]\ndrive = [\"./own.toml\", \"x25-e\"]\n[cost.drive]\n\
                \"./own.toml\" = 90\nx25-e = 100\n";
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let line = ["sweep", "plan.toml", "-o", "s", "--quiet", "--json"];
    let answer: Value = serde_json::from_str(&made(folder.path(), &line)).unwrap();
    assert_eq!(answer["best"]["values"]["cost"]["value"], 90.0, "{answer}");
}

#[test]
fn a_file_of_another_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("s")).unwrap();
    fs::write(folder.path().join("s/journal.jsonl"), "dear diary\n").unwrap();
    let told = refused(folder.path(), &words(&[&FEW[..], &["-o", "s"]].concat()));
    assert!(told.contains("no journal of a sweep"), "{told}");
    assert_eq!(journal(folder.path(), "s"), "dear diary\n");
}

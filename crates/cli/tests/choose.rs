//! `drivelab choose` as a user runs it: what it takes, why, and what it refuses.

use crate::common::{drivelab, faults, made, schema, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Small drives, and little work on them.
const SMALL: [&str; 5] = ["--scale", "1Mi units", "--budget", "5ms", "--quiet"];

fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["choose"], more, &SMALL[..]].concat()
}

fn chosen(folder: &Path, more: &[&str]) -> (Value, Option<i32>) {
    let output = drivelab(folder, &[&words(more)[..], &["--json"]].concat());
    let choice = serde_json::from_slice(&output.stdout);
    (choice.unwrap_or_else(|_| panic!("{}", text(&output.stderr))), output.status.code())
}

fn candidates(choice: &Value) -> &[Value] {
    choice["candidates"].as_array().expect("a list")
}

fn limits(candidate: &Value) -> Vec<&Value> {
    let conditions = candidate["conditions"].as_array().expect("a list");
    conditions.iter().flat_map(|one| one["limits"].as_array().expect("a list")).collect()
}

fn value(limit: &Value) -> f64 {
    limit["value"]["value"].as_f64().expect("a number")
}

const READS: [&str; 4] = ["--load", "corner@op=read,qd=8", "--among", "x25-e,p300,vertex-3"];

/// The answer follows from its own numbers: verdicts from intervals, the order from what is sought.
#[test]
fn the_best_that_keeps_every_limit_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let sought = ["--require", "iops > 20 kIOPS", "--require", "read_lat_p99 < 20 ms"];
    let (choice, code) = chosen(folder.path(), &[&READS[..], &sought].concat());
    assert_eq!(faults(&schema("choose"), &choice), Vec::<String>::new());
    let all = candidates(&choice);
    assert_eq!((all.len(), code), (3, Some(0)));
    assert_eq!(choice["chosen"], all[0]["name"]);
    let power = |one: &Value| one["objective"]["value"].as_f64().expect("a power");
    let keeps = |one: &&Value| one["verdict"] == "keeps";
    let kept: Vec<f64> = all.iter().filter(keeps).map(power).collect();
    assert!(!kept.is_empty() && kept.is_sorted(), "{kept:?}");
    for one in all {
        for limit in limits(one) {
            let low = limit["value"]["low95"].as_f64().unwrap_or_else(|| value(limit));
            let high = limit["value"]["high95"].as_f64().unwrap_or_else(|| value(limit));
            let at = limit["limit"].as_f64().unwrap();
            let (best, worst) = match limit["metric"].as_str() {
                Some("iops") => (high >= at, low >= at),
                _ => (low <= at, high <= at),
            };
            let expected = match (worst, best) {
                (true, _) => "keeps",
                (false, true) => "open",
                _ => "fails",
            };
            assert_eq!(limit["verdict"], expected, "{limit}");
        }
    }
}

#[test]
fn without_one_that_surely_keeps_them_the_exit_code_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (choice, code) =
        chosen(folder.path(), &[&READS[..], &["--require", "iops > 5 MIOPS"]].concat());
    assert_eq!((choice["chosen"].clone(), code), (Value::Null, Some(1)));
    let margins: Vec<f64> =
        candidates(&choice).iter().map(|one| limits(one)[0]["margin"].as_f64().unwrap()).collect();
    assert!(margins.iter().all(|margin| *margin < 0.0), "{margins:?}");
    assert!(margins.is_sorted_by(|a, b| a >= b), "the nearest first: {margins:?}");
}

/// An array is held to the limits without one of its drives too, a drive and stripes are not.
#[test]
fn an_array_is_held_to_the_limits_in_every_condition() {
    let folder = tempfile::tempdir().unwrap();
    let of = ["--load", "corner@op=read,qd=256,state=filled", "--require", "iops > 100 kIOPS"];
    let among = ["--among", "raid5-3x-pm981a,raid0-2x-pm981a,pm981a"];
    let (choice, _) = chosen(folder.path(), &[&of[..], &among].concat());
    let names = |one: &Value| -> Vec<String> {
        let list = one["conditions"].as_array().unwrap().iter();
        list.map(|condition| condition["name"].as_str().unwrap().to_owned()).collect()
    };
    for one in candidates(&choice) {
        let expected: &[&str] = match one["name"].as_str() {
            Some("raid5-3x-pm981a") => &["healthy", "degraded", "rebuilding"],
            _ => &["healthy"],
        };
        assert_eq!(names(one), expected, "{}", one["name"]);
        if expected.len() > 1 {
            let rates: Vec<f64> = limits(one).into_iter().map(value).collect();
            assert!((rates[1] / rates[0] - 0.5).abs() < 0.06, "half as many reads: {rates:?}");
        }
    }
    let healthy = [&of[..], &among, &["--while", "healthy"]].concat();
    let (choice, _) = chosen(folder.path(), &healthy);
    assert!(candidates(&choice).iter().all(|one| names(one) == ["healthy"]));
}

/// Cycles times the flash, over what is written a day and amplified.
#[test]
fn twice_the_writes_last_half_as_long() {
    let folder = tempfile::tempdir().unwrap();
    let life = |dwpd: &str| {
        let load = ["--load", "corner@op=write,qd=8", "--among", "x25-e", "--years", "5"];
        let (choice, _) = chosen(folder.path(), &[&load[..], &["--dwpd", dwpd]].concat());
        value(limits(&candidates(&choice)[0])[0])
    };
    assert!((life("1") / life("2") - 2.0).abs() < 1e-9);
}

/// What is given up as spare area wears less, and is not written either.
#[test]
fn spare_area_lasts_longer() {
    let folder = tempfile::tempdir().unwrap();
    let load = ["--load", "corner@op=write,qd=8", "--dwpd", "1", "--years", "5"];
    let among = ["--among", "x25-e,x25-e@give_up=20%"];
    let (choice, _) = chosen(folder.path(), &[&load[..], &among].concat());
    let of = |name: &str| {
        let one = candidates(&choice).iter().find(|one| one["name"] == name).unwrap();
        (value(limits(one)[0]), one["usable_capacity"].as_f64().unwrap())
    };
    let ((plain, whole), (spared, part)) = (of("x25-e-64gb"), of("x25-e-64gb@give_up=20 %"));
    assert!((part / whole - 0.8).abs() < 1e-9);
    assert!(spared > 1.25 * plain, "{plain} {spared}");
}

/// 2,000 TB are 17.12 times 64 GB a day for five years. What is given up is not written; a drive
/// that is not as its maker sells it has no rating.
#[test]
fn what_the_maker_rates_is_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let verdict = |candidate: &str, dwpd: &str| {
        let load = ["--load", "corner@op=write,qd=8", "--years", "5", "--dwpd", dwpd];
        let (choice, _) = chosen(folder.path(), &[&load[..], &["--among", candidate]].concat());
        let of = limits(&candidates(&choice)[0]).into_iter();
        let rated = of.filter(|limit| limit["metric"] == "rated_life");
        let rated = rated.map(|limit| (limit["verdict"].clone(), value(limit))).next();
        (rated, choice["warnings"].to_string().contains("no rating"))
    };
    let years = |dwpd: f64| 2000e12 / (dwpd * 64e9) * 86_400.0;
    for (candidate, dwpd, word, writes) in [
        ("x25-e", "17.1", "keeps", 17.1),
        ("x25-e", "17.2", "fails", 17.2),
        ("x25-e@give_up=20%", "21.3", "keeps", 21.3 * 0.8),
    ] {
        let (rated, warned) = verdict(candidate, dwpd);
        let (found, time) = rated.expect("a rating");
        assert_eq!((found.as_str(), warned), (Some(word), false), "{candidate}");
        assert!((time / years(writes) - 1.0).abs() < 1e-9, "{candidate}: {time}");
    }
    assert_eq!(verdict("x25-e@power.idle=0.07 W", "1"), (None, true));
}

/// All are offered the same, and one that cannot keep it fails for that.
#[test]
fn a_rate_that_is_not_kept_is_a_limit_that_is_failed() {
    let folder = tempfile::tempdir().unwrap();
    let job = |rate: u32| {
        format!(
            "[j]\nfilename=/dev/x\nioengine=libaio\ndirect=1\nnorandommap\nrw=randread\nbs=4k\n\
             iodepth=32\nrate_iops={rate}\ntime_based\nruntime=1\n"
        )
    };
    let kept = |rate: u32| {
        fs::write(folder.path().join("j.fio"), job(rate)).unwrap();
        let more = ["--load", "./j.fio", "--among", "x25-e", "--while", "healthy"];
        let (choice, _) = chosen(folder.path(), &more);
        assert_eq!(choice["offered_iops"].as_f64(), Some(f64::from(rate)));
        let all = candidates(&choice);
        assert_eq!(limits(&all[0])[0]["metric"], "rate_kept");
        (all[0]["verdict"].clone(), value(limits(&all[0])[0]))
    };
    let (verdict, share) = kept(5_000);
    assert!(verdict == "keeps" && share > 0.99, "{verdict} {share}");
    let (verdict, share) = kept(500_000);
    assert!(verdict == "fails" && share < 0.5, "{verdict} {share}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let more = [&READS[..], &["--require", "iops > 20 kIOPS", "--json"]].concat();
    let one = made(folder.path(), &[&words(&more)[..], &["--threads", "1"]].concat());
    let two = made(folder.path(), &[&words(&more)[..], &["--threads", "2"]].concat());
    assert_eq!(one, two);
}

#[test]
fn mistakes_are_told_together_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let told = |more: &[&str]| {
        let output = drivelab(folder.path(), &words(more));
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let several = told(&[
        "--load",
        "corner@op=read",
        "--among",
        "x25-e,x25-f,p300,p300",
        "--require",
        "happiness > 1",
        "--minimise",
        "cost",
    ]);
    for part in ["x25-f", "named twice", "happiness", "costs are not known"] {
        assert!(several.contains(part), "{part}: {several}");
    }
    let of = |more: &[&str]| told(&[&READS[..], more].concat());
    assert!(of(&[]).contains("no limit is named"));
    assert!(of(&["--dwpd", "1"]).contains("--years"));
    assert!(of(&["--dwpd", "-1", "--years", "5"]).contains("above 0"));
    assert!(of(&["--require", "iops > 1 kIOPS", "--while", "sick"]).contains("no condition"));
    fs::write(folder.path().join("p.toml"), "[drive]\nx25-e = 1\n").unwrap();
    let costs = ["--require", "iops > 1 kIOPS", "--cost", "p.toml"];
    assert!(of(&costs).contains("no price for") && of(&costs).contains("p.toml"));
}

/// Copies that report by themselves are one entry, as a group that reports together is, named as
/// its first job; random arrivals may miss the rate by chance; a run may end before a job begins.
#[test]
fn rates_are_kept_by_entries_of_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let global = "[global]\nfilename=/dev/x\nioengine=libaio\ndirect=1\nnorandommap\nbs=4k\n\
                  iodepth=8\ntime_based\nruntime=2\n";
    let kept = |jobs: &str, metric: &str| {
        fs::write(folder.path().join("j.fio"), format!("{global}{jobs}")).unwrap();
        let limit = format!("{metric} < 1 s");
        let more = ["--load", "./j.fio", "--among", "x25-e", "--require", &limit];
        let (choice, code) = chosen(folder.path(), &more);
        assert_eq!(code, Some(0), "{jobs}: {choice}");
    };
    kept("[j]\nrw=randread\nnumjobs=4\nrate_iops=500\n", "read_lat_p99");
    let two = "[a]\nrw=randread\nrate_iops=500\n[b]\nrw=randread\nrate_iops=500\n";
    kept(&format!("group_reporting\n{two}"), "read_lat_p99");
    kept(two, "b.read_lat_p99");
    kept("[j]\nrw=randread\nrate_iops=200\nrate_process=poisson\n", "read_lat_p99");
    let later = "[a]\nrw=randread\nrate_iops=5000\n[b]\nrw=randread\nrate_iops=500\nstartdelay=1\n";
    kept(later, "a.read_lat_p99");
}

#[test]
fn what_cannot_be_measured_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let told = |more: &[&str]| {
        let output = drivelab(folder.path(), &words(more));
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let servers = ["--load", "sysbench-oltp", "--require", "tps > 100", "--minimise", "p99_ms"];
    let array = told(&[&servers[..], &["--among", "raid5-4x-pm981a"]].concat());
    assert!(array.contains("healthy arrays only") && array.contains("--while healthy"), "{array}");
    let life = told(&[&READS[..], &["--require", "lifetime > 1 years"]].concat());
    assert!(life.contains("--dwpd"), "{life}");
    let rebuild = told(&[&READS[..], &["--require", "rebuild_time < 1 h"]].concat());
    assert!(rebuild.contains("no candidate has a `rebuild_time`"), "{rebuild}");
    fs::write(folder.path().join("j.fio"), "[a]\nrw=randread\n[b]\nrw=randread\n").unwrap();
    let of_job = |limit: &str| {
        let load = ["--load", "./j.fio", "--among", "x25-e", "--require", limit];
        told(&load)
    };
    assert!(of_job("processor_time < 1 s").contains("does not measure"));
    assert!(of_job("read_lat_p99 < 1 s").contains("ENTRY.METRIC, with one of a, b"));
    assert!(of_job("c.read_lat_p99 < 1 s").contains("ENTRY.METRIC"));
}

/// A series is each of its drives. What the load cannot tell of them is open, not failed.
#[test]
fn what_is_not_known_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let load = ["--load", "corner@op=read,qd=8", "--among", "optane-memory"];
    let life = [&load[..], &["--dwpd", "1", "--years", "5"]].concat();
    let (choice, code) = chosen(folder.path(), &life);
    let names: Vec<&Value> = candidates(&choice).iter().map(|one| &one["name"]).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    for one in candidates(&choice) {
        assert_eq!((&one["verdict"], &limits(one)[0]["value"]), (&"open".into(), &Value::Null));
        assert_eq!(
            limits(one)[1]["verdict"],
            "keeps",
            "5 years of 16 or 32 GB a day are below 182 TB"
        );
    }
    assert_eq!(code, Some(1));
}

/// A load that writes in order is measured on a drive that was written at random: it lasts as long
/// as that says at least, and as long as it does with nothing amplified at most, so that what is
/// between is open. On a drive that was written in order it is known.
#[test]
fn how_long_writes_in_order_last_is_not_told_from_random_ones() {
    let folder = tempfile::tempdir().unwrap();
    let job = "[a]\nfilename=/dev/target\nrw=write\nbs=64k\niodepth=4\nruntime=9\ntime_based\n";
    fs::write(folder.path().join("a.fio"), job).unwrap();
    let life = |load: &str, years: &str| {
        let more = ["--dwpd", "1", "--years", years, "--among", "intel-710"];
        let (choice, _) = chosen(folder.path(), &[&["--load", load][..], &more].concat());
        let mut all = limits(&candidates(&choice)[0]).into_iter();
        let life = all.find(|limit| limit["metric"] == "lifetime").unwrap().clone();
        (life, choice["warnings"].to_string())
    };
    let (known, warnings) = life("./a.fio@state=filled", "5");
    assert!(!warnings.contains("at least as long"), "{warnings}");
    let whole = value(&known);
    let years = |seconds: f64| format!("{}", seconds / (365.25 * 86_400.0));
    let (random, warnings) = life("./a.fio", &years(0.9 * whole));
    assert!(warnings.contains("at least as long"), "{warnings}");
    let high = random["value"]["high95"].as_f64().unwrap();
    assert!(value(&random) < 0.8 * whole, "{random} {whole}");
    // The drive amplifies writes in order by a few percent, too.
    assert!((1.0..1.1).contains(&(high / whole)), "{high} {whole}");
    assert_eq!(random["verdict"], "open");
    // Where even that is too short, it fails.
    assert_eq!(life("./a.fio", &years(1.2 * whole)).0["verdict"], "fails");
}

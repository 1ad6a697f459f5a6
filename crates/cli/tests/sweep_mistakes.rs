//! Mistakes of a sweep are told at their places, before anything is begun.

use crate::sweep::{FEW, refused, words};
use std::fs;

/// A plan with a mistake, and what is said of it.
const WRONG: [(&str, &str, &str); 16] = [
    ("", "plan.toml:3:2", "the space is empty"),
    ("drive = \"x25-e..\"", "plan.toml:4:1", "no number"),
    ("drive = [\"x25-e\"]\nqd = \"8..1\"", "plan.toml:5:1", "the range is empty"),
    ("drive = [\"x25-f\"]", "x25-e", "x25-f"),
    ("drive = [\"x25-e\"]\ncolour = [\"red\"]", "plan.toml:5:1", "nothing that can be varied"),
    ("drive = [\"x25-e\"]\nqd = [\"many\"]", "plan.toml:5:1", "qd"),
    ("drive = [\"x25-e\"]\nread = [\"50 %\"]", "plan.toml:5:1", "varied, and fixed in the load"),
    (
        "drive = [\"x25-e@flash.dies=40 dies\"]\n\"flash.dies\" = [\"40 dies\", \"44 dies\"]",
        "",
        "`flash.dies` is varied, and fixed in `x25-e@flash.dies=40 dies`",
    ),
    ("drive = [\"x25-e@give_up=5%\"]\ngive_up = [\"10 %\"]", "", "`give_up` is varied, and fixed"),
    ("drive = [\"x25-e\"]\n\"flash.diez\" = [\"8\"]", "plan.toml:5:1", "unknown field `diez`"),
    (
        "drive = [\"x25-e\"]\n\"flash.dies\" = [\"20 dies\"]\n\"flash.diez\" = [\"8\"]",
        "plan.toml:6:1",
        "unknown field `diez`",
    ),
    ("drive = [\"x25-e\"]\n[cost.drive]\nx25-e = \"cheap\"", "plan.toml:6:9", "invalid type"),
    (
        "drive = [\"x25-e\"]\n[cost.drive]\np4510 = 600",
        "plan.toml:5:2",
        "no price for `x25-e-64gb`",
    ),
    ("drive = [\"x25-e\"]\n[cost.drive]\nx25-q = 600", "plan.toml:6:1", "x25-q"),
    ("drive = [\"./disk.img\"]", "", "is real, and only models are swept"),
    ("drive = [\"x25-e\"]\ndrive = [\"x25-e\"]", "plan.toml:5:1", "duplicate key"),
];

#[test]
fn a_mistake_in_a_plan_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let head = "load = \"mixed@read=70%\"\nrequire = [\"iops > 1 kIOPS\"]\n[vary]\n";
    for (vary, place, message) in WRONG {
        fs::write(folder.path().join("plan.toml"), format!("{head}{vary}\n")).unwrap();
        let told = refused(folder.path(), &["sweep", "plan.toml", "-o", "s"]);
        assert!(told.contains(place) && told.contains(message), "{vary}: {told}");
        assert!(!folder.path().join("s").exists(), "nothing was begun: {vary}");
    }
}

#[test]
fn a_mistake_in_an_option_is_told_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let few =
        |more: &[&str]| refused(folder.path(), &words(&[&FEW[..], &["-o", "s"], more].concat()));
    for (more, message) in [
        (["--require", "happiness < 1"].as_slice(), "unknown metric `happiness`"),
        (&["--require", "read_lat_p99.9 < 1"], "has no unit"),
        (&["--require", "tbw > 1 PB"], "does not measure `tbw`"),
        (&["--minimise", "cost"], "costs are not known"),
        (&["--maximise", "iops_min"], "is a bound"),
        (&["--vary", "give_up=0..200%"], "give_up=0..200%"),
        (&["--on", "p4510"], "named and varied"),
        (&["--cost", "none.toml"], "none.toml"),
        (&["--sampler", "sobel"], "is no sampler"),
        (&["--sampler", "grid", "--generations", "2"], "nothing is left to search"),
        (&["--race", "--repeats", "3"], "a race needs more runs than three"),
    ] {
        let told = few(more);
        assert!(told.contains(message), "{more:?}: {told}");
    }
    let run = words(&[&["run"], &FEW[..], &["-o", "s", "--shard", "4/3"]].concat());
    assert!(refused(folder.path(), &run).contains("is no part"));
    assert!(refused(folder.path(), &words(&FEW)).contains("no directory is named"));
    fs::write(folder.path().join("prices.toml"), "per_slot = 3\n[drive]\np4510 = 600\n").unwrap();
    let told = few(&["--cost", "prices.toml"]);
    assert!(told.contains("no price for `x25-e-64gb`") && told.contains("prices.toml"), "{told}");
    let two =
        ["sweep", "--vary", "drive=x25-e,p300", "--vary", "qd=1,2", "--load", "corner@op=read"];
    let two = [&two[..], &["--cost", "prices.toml", "-o", "s"]].concat();
    let told = refused(folder.path(), &two);
    assert!(told.contains("for `x25-e-64gb`") && told.contains("for `p300-200gb`"), "{told}");
    let merge = words(&[&["merge"], &FEW[..], &["-o", "mistyped"]].concat());
    assert!(refused(folder.path(), &merge).contains("no such directory"));
    assert!(!folder.path().join("mistyped").exists());
    assert!(
        refused(folder.path(), &["sweep", "--vary", "qd=1,2", "-o", "s"]).contains("nothing to")
    );
}

//! A sweep in parts, one after another or side by side: the table of one that was not divided.

use crate::common::{drivelab, made, text};
use crate::sweep::{FEW, begun, journal, refused, table, words};
use serde_json::Value;
use std::fs;

#[test]
fn parts_are_the_whole_and_threads_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let whole = made(root, &words(&[&FEW[..], &["-o", "whole", "--threads", "1"]].concat()));
    for part in ["2/3", "1/3"] {
        made(root, &words(&[&["run"], &FEW[..], &["-o", "parts", "--shard", part]].concat()));
    }
    let merge = words(&[&["merge"], &FEW[..], &["-o", "parts"]].concat());
    let early = drivelab(root, &merge);
    assert_eq!(early.status.code(), Some(1));
    assert!(text(&early.stderr).contains("2 of 8 runs are missing"), "{}", text(&early.stderr));
    made(root, &words(&[&["run"], &FEW[..], &["-o", "parts", "--shard", "3/3"]].concat()));
    assert_eq!(made(root, &merge), whole);
    assert_eq!(table(root, "parts"), table(root, "whole"));
    // A second look makes nothing and says the same.
    let lines = journal(root, "whole");
    assert_eq!(made(root, &words(&[&FEW[..], &["-o", "whole"]].concat())), whole);
    assert_eq!(journal(root, "whole"), lines);
}

/// Two builds of one version may give other numbers: their rows are not mixed, and a part finds
/// that before it begins.
#[test]
fn another_build_works_in_a_store_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    made(root, &words(&[&["run"], &FEW[..], &["-o", "parts", "--shard", "1/2"]].concat()));
    let path = root.join("parts/part-1-of-2.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(lab::CODE), "{text}");
    fs::write(&path, text.replace(lab::CODE, "0123456789abcdef")).unwrap();
    let second = words(&[&["run"], &FEW[..], &["-o", "parts", "--shard", "2/2"]].concat());
    let told = refused(root, &second);
    assert!(told.contains("+0123456789abcdef, and this is"), "{told}");
    assert!(!root.join("parts/part-2-of-2.jsonl").exists(), "nothing was begun");
}

/// What follows from all runs before is made stage by stage: each part says what others have not
/// made, and goes on when they have. In the end it is the table of a sweep that was not divided.
#[test]
fn parts_of_rungs_generations_and_races_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let qd = ["--vary", "qd=1..32 log2", "--vary", "read=50%,100%", "--maximise", "iops"];
    let fixed = [&["--load", "mixed", "--on", "x25-e"], &qd[..]].concat();
    let spread = ["--load", "mixed@qd=8", "--vary", "drive=x25-e", "--vary", "read=0..100%"];
    let search = [&spread[..], &["--points", "4", "--generations", "2", "--maximise", "iops"]];
    for (name, stages, plan) in [
        ("rungs", 3, [&fixed[..], &["--halving", "3", "--repeats", "2"]].concat()),
        ("race", 4, [&fixed[..], &["--race", "--repeats", "4"]].concat()),
        ("search", 3, search.concat()),
    ] {
        let (whole, divided) = (format!("{name}-whole"), format!("{name}-parts"));
        let whole_words = words(&[&plan[..], &["-o", &whole]].concat());
        let answer = made(root, &whole_words);
        let merge = words(&[&["merge"], &plan[..], &["-o", &divided]].concat());
        let mut rounds = 0;
        loop {
            rounds += 1;
            assert!(rounds <= 2 * stages, "{name} does not end");
            let done = ["2/3", "1/3", "3/3"].map(|part| {
                let more = ["-o", &divided, "--shard", part, "--json"];
                let said = made(root, &words(&[&["run"], &plan[..], &more].concat()));
                let said: Value = serde_json::from_str(&said).unwrap();
                said["done"].as_bool().unwrap()
            });
            if done == [true; 3] {
                break;
            }
            assert_eq!(drivelab(root, &merge).status.code(), Some(1), "{name}: not all are there");
        }
        assert!(rounds > 1, "{name}: a stage follows from the one before");
        assert_eq!(made(root, &merge), answer, "{name}");
        assert_eq!(table(root, &divided), table(root, &whole), "{name}");
    }
}

/// What `--wait` is said with: rungs and a search, which both have stages.
fn staged() -> [(&'static str, Vec<&'static str>); 2] {
    let rungs =
        ["--load", "mixed@read=70%", "--on", "x25-e", "--vary", "qd=1..32 log2", "--halving", "3"];
    let search = [
        "--load",
        "mixed@qd=8",
        "--vary",
        "drive=x25-e",
        "--vary",
        "read=0..100%",
        "--points",
        "4",
        "--generations",
        "2",
        "--maximise",
        "iops",
    ];
    [("rungs", [&rungs[..], &["--maximise", "iops"]].concat()), ("search", search.to_vec())]
}

/// Parts that run at the same time need to be started once.
#[test]
fn parts_that_wait_for_each_other_are_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, plan) in staged() {
        let (whole, divided) = (format!("{name}-whole"), format!("{name}-parts"));
        let answer = made(root, &words(&[&plan[..], &["-o", &whole]].concat()));
        let start = |part: &&str| {
            let more = ["-o", &divided, "--shard", part, "--wait=5min", "--threads", "1"];
            begun(root, &words(&[&["run"], &plan[..], &more].concat()))
        };
        let parts: Vec<_> = ["1/3", "2/3", "3/3"].iter().map(start).collect();
        for part in parts {
            let ended = part.wait_with_output().unwrap();
            assert!(ended.status.success(), "{name}: {}", text(&ended.stderr));
        }
        let merge = words(&[&["merge"], &plan[..], &["-o", &divided]].concat());
        assert_eq!(made(root, &merge), answer, "{name}");
        assert_eq!(table(root, &divided), table(root, &whole), "{name}");
    }
}

#[test]
fn a_part_that_waits_alone_gives_up_and_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let [(_, plan), _] = staged();
    let part = |more: &[&str]| {
        let words = words(&[&["run"], &plan[..], &["-o", "s", "--shard"], more].concat());
        let ended = drivelab(root, &words);
        (ended.status.code(), text(&ended.stderr))
    };
    let (code, said) = part(&["1/2", "--wait=1s"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no other part has made one for 1 s"), "{said}");
    // The other one finds what the first has made. After the last stage nothing is waited for.
    for other in ["2/2", "1/2"] {
        let (code, said) = part(&[other, "--wait=1s"]);
        assert_eq!(code, Some(0), "{said}");
    }
    made(root, &words(&[&["merge"], &plan[..], &["-o", "s"]].concat()));
    // There is nothing to wait for without parts.
    let alone = drivelab(root, &words(&[&plan[..], &["-o", "t", "--wait"]].concat()));
    assert_eq!(alone.status.code(), Some(2), "{}", text(&alone.stderr));
    assert!(text(&alone.stderr).contains("'--wait' found"), "{}", text(&alone.stderr));
}

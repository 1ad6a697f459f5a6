//! What a served drive is told by `control` beside power cuts, its timeline, and its Record.

use crate::common::{drivelab, fio, text};
use crate::serve::Served;
use serde_json::Value;

#[test]
fn a_drive_is_throttled_cooled_and_aged_and_its_timeline_says_so() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::of("sn850", folder.path(), &["--record", "end.record.json"]);
    let told = |what: &[&str]| {
        let output = served.control(what);
        assert!(output.status.success(), "{what:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(told(&["throttle", "4 W"]).contains("Limit of power: 4 W a drive"));
    told(&["cool", "--ambient", "45 C", "--cooling", "finned-sink"]);
    let output =
        served.load(&["--rw=randread", "--bs=4k", "--iodepth=4", "--number_ios=2000", "--size=1g"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    told(&["age", "cycles=80%, shelf=1 year"]);
    assert!(!told(&["throttle", "off"]).contains("Limit of power"));
    let line = told(&["timeline", "--record", "now.record.json"]);
    assert!(line.contains("at most 4 W") && line.contains("Reads"), "{line}");
    let json: Value = serde_json::from_str(&told(&["timeline", "--json"])).expect("JSON");
    let phases = json["phases"].as_array().expect("phases");
    let names: Vec<&str> = phases.iter().filter_map(|phase| phase["name"].as_str()).collect();
    let all = ["served", "at most 4 W", "cooled otherwise", "aged", "no limit of power"];
    assert_eq!(names, all);
    let state = served.state();
    assert!(state["drives"][0]["celsius"].as_f64().is_some_and(|c| c > 20.0), "{state}");
    served.stop();
    for record in ["now.record.json", "end.record.json"] {
        let page = drivelab(folder.path(), &["report", record, "--json", "--output", "-"]);
        let again =
            drivelab(folder.path(), &["report", record, "--output", "page.html", "--overwrite"]);
        assert!(again.status.success(), "{}{}", text(&again.stderr), text(&page.stderr));
        let html = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
        assert!(html.contains("latencies are those of the model"), "lateness is told");
        assert!(html.contains("cooled otherwise"), "and what befell the drive");
    }
    let rerun = drivelab(folder.path(), &["rerun", "end.record.json"]);
    assert_eq!(rerun.status.code(), Some(2), "{}", text(&rerun.stderr));
}

#[test]
fn a_member_fails_and_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::of("mdraid-raid5-4x-p5520", folder.path(), &["--size", "64GiB"]);
    let array = |output: std::process::Output| {
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        said.lines().find(|line| line.starts_with("Array:")).map(str::to_owned)
    };
    array(served.control(&["fail-member", "2"])).expect("an array");
    let state = array(served.control(&["replace-member", "2"])).expect("an array");
    assert!(state.contains("rebuilding"), "{state}");
    let wrong = served.control(&["fail-member", "9"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong.stderr).contains("numbered from 0"), "{}", text(&wrong.stderr));
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::of("sn850", folder.path(), &[]);
    for (what, status, reason) in [
        (&["throttle", "9"][..], 2, "`off`"),
        (&["throttle", "10 mW"], 1, "at rest"),
        (&["cool"], 2, "nothing is said"),
        (&["cool", "--cooling", "ice"], 1, "ice"),
        (&["age", "cycle=3"], 2, "no `cycle`"),
        (&["fail-member", "0"], 1, "no array"),
        (&["timeline", "--record", "d.sock"], 2, "neither a file"),
    ] {
        let output = served.control(what);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{what:?}: {said}");
        assert!(said.contains(reason), "{what:?}: {said}");
    }
}

#[test]
fn a_drive_that_is_quicker_than_a_socket_is_refused_unless_it_is_slowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let serve = |more: &[&str]| {
        drivelab(
            folder.path(),
            &[&["serve", "p4510", "--size", "16GiB", "--transport", "1ms"], more].concat(),
        )
    };
    let output = serve(&[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("would be the socket") && said.contains("--time "), "{said}");
    assert!(!folder.path().join("p4510-8tb.sock").exists(), "nothing is left");
    Served::new(folder.path(), &["--transport", "1ms", "--time", "1x"]).stop();
}

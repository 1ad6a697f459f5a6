//! Reports of real files: what the installed fio measured, beside models.

use crate::common::{fio, made};
use serde_json::Value;

/// A write saturation of a real file: its curve and its rounds are in the Record, and drawn.
#[test]
fn write_saturation_of_a_real_file_has_its_curve_and_its_rounds() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let test = ["test", "snia-wsat", "--on", "./f.img", "--size", "64MiB", "--quiet"];
    let short = ["--param", "duration=1 s", "--param", "rounds=3"];
    // Three seconds do not write a hundred times the file.
    let last = ["--param", "drive_writes=100", "--param", "histogram_time=1 s"];
    let kept = ["--record", "ws.json"];
    let text = made(folder.path(), &[&test[..], &short, &last, &kept].concat());
    assert!(text.contains("./f.img, by point") && text.contains("round"), "{text}");
    let record = std::fs::read_to_string(folder.path().join("ws.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let target = &record["result"]["data"]["targets"][0];
    assert_eq!(target["origin"], "measured");
    let rounds: Vec<&str> = target["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["at"]["round"].as_str().unwrap())
        .collect();
    assert_eq!(rounds, ["1", "2", "3"]);
    made(folder.path(), &["report", "ws.json", "-o", "ws.html", "--quiet"]);
    let page = std::fs::read_to_string(folder.path().join("ws.html")).unwrap();
    for title in ["snia-wsat: bandwidth over time", "snia-wsat: by round"] {
        let chart = format!("<figcaption>{title}");
        assert!(page.contains(&chart), "no chart `{title}`");
    }
    assert!(page.contains("<span class=\"origin\">measured</span>"));
}

/// One command, a real file and a model: every column says which is which.
#[test]
fn real_and_modelled_stand_side_by_side_with_their_names() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let test = ["test", "corner", "--on", "./f.img", "--on", "p4510", "--size", "16MiB"];
    let short = [
        "--param",
        "op=read",
        "--param",
        "qd=4",
        "--param",
        "duration=1 s",
        "--budget",
        "10ms",
        "--scale",
        "4Mi units",
        "--quiet",
        "--record",
        "both.json",
    ];
    let text = made(folder.path(), &[&test[..], &short].concat());
    let head = text.lines().next().unwrap();
    assert!(head.contains("./f.img (measured)") && head.contains("p4510-8tb (modelled)"), "{head}");
    let page = made(folder.path(), &["report", "both.json", "--quiet"]);
    let heads = "| Metric | ./f.img (measured) | p4510-8tb (modelled) |";
    assert!(page.contains(heads), "{page}");
    assert!(page.contains("(measured and modelled)\n"), "at the charts");
    let values = made(folder.path(), &["report", "both.json", "--quiet", "--format", "json"]);
    let rows: Vec<Value> = serde_json::from_str(&values).unwrap();
    for row in rows {
        let real = row["target"] == "./f.img";
        assert_eq!(row["origin"], if real { "measured" } else { "modelled" }, "{row}");
    }
}

//! From a run of a modelled drive to its endurance, and health logs asked of a device.

use crate::common::drivelab;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn a_modelled_drive_s_logs_become_its_endurance() {
    let folder = tempfile::tempdir().expect("made");
    let job = "[w]\nfilename=/dev/x\ndirect=1\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\n\
               time_based\nruntime=10s\n";
    std::fs::write(folder.path().join("j.fio"), job).expect("written");
    let run = [
        "run",
        "j.fio",
        "--on",
        "p4510",
        "--scale",
        "4Mi units",
        "--state",
        "steady",
        "--quiet",
        "--smart-before",
        "a.json",
        "--smart-after",
        "b.json",
        "--output",
        "report.txt",
    ];
    let output = drivelab(folder.path(), &run);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let flash = ["--raw", "8.8 TB", "--rated-cycles", "3000 cycles", "--price", "900 USD"];
    let arguments = [&["endurance", "a.json", "b.json", "--json"][..], &flash].concat();
    let output = drivelab(folder.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let value =
        |key: &str| all["results"][key]["value"].as_f64().unwrap_or_else(|| panic!("{key}"));
    // Ten simulated seconds at 1/480 of the capacity are some 80 minutes.
    assert!((70.0..90.0).contains(&(value("time") / 60.0)), "{}", value("time"));
    assert!(value("write_amplification") > 1.5 && value("host_written") > 1e11);
    let identity = value("tbw") * value("write_amplification") / (3000.0 * 8.8e12);
    assert!((identity - 1.0).abs() < 0.02, "TBW x WA = rated cycles x raw capacity: {identity}");
    let real = drivelab(folder.path(), &["run", "j.fio", "--on", "./f", "--smart-after", "c.json"]);
    assert_eq!(real.status.code(), Some(2), "a real drive is asked by `endurance`");
}

/// A device that is a plain file here, and a smartctl of the test's own in the search path.
#[test]
#[cfg(target_os = "linux")]
fn a_device_is_asked_and_its_log_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("made");
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../smart/tests/data/ata-crucial.json");
    let program = folder.path().join("smartctl");
    let script =
        format!("#!/bin/sh\n[ \"$*\" = '--json -x /dev/null' ] && cat '{}'\n", log.display());
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("set");
    let ask = |path: &str| {
        Command::new(env!("CARGO_BIN_EXE_drivelab"))
            .current_dir(folder.path())
            .args(["endurance", "/dev/null", "--save", "kept.json", "--overwrite"])
            .env("PATH", path)
            .output()
            .expect("the program starts")
    };
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let output = ask(&path);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("CT1000MX500SSD1"));
    let kept = std::fs::read(folder.path().join("kept.json")).expect("kept");
    assert_eq!(kept, std::fs::read(&log).expect("read"), "as the tool printed it");
    let missing = ask("/nonexistent");
    assert_eq!(missing.status.code(), Some(1));
    let error = String::from_utf8_lossy(&missing.stderr);
    assert!(error.contains("apt install smartmontools"), "{error}");
}

//! Runs as a user makes them: what stands on standard output, and that a Record repeats.

use crate::common::fio;
use serde_json::Value;
use std::path::Path;

const JOB: &str = "[global]\nfilename=/dev/target\ndirect=1\nioengine=libaio\nbs=4k\niodepth=16\n\
                   norandommap\ntime_based\nruntime=200ms\n[reads]\nrw=randread\n[mix]\nstonewall\n\
                   rw=randrw\nrwmixread=70\n";

fn drivelab(dir: &Path, arguments: &[&str]) -> String {
    let output = crate::common::drivelab(dir, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("job.fio"), JOB).unwrap();
    dir
}

const ON: [&str; 4] = ["--on", "p5430", "--scale", "4Mi units"];

#[test]
fn json_is_all_there_is_on_standard_output() {
    let dir = folder();
    for format in ["json", "json+"] {
        let arguments = [&["run", "job.fio", "--output-format", format][..], &ON[..]].concat();
        let json: Value = serde_json::from_str(&drivelab(dir.path(), &arguments)).unwrap();
        let jobs = json["jobs"].as_array().unwrap();
        assert_eq!(jobs.len(), 2);
        let reads = &jobs[0]["read"];
        assert!(reads["iops"].as_f64().unwrap() > 100_000.0);
        // bw is in KiB/s, bw_bytes in B/s.
        let (bw, bytes) = (reads["bw"].as_f64().unwrap(), reads["bw_bytes"].as_f64().unwrap());
        assert!((bytes / bw / 1024.0 - 1.0).abs() < 0.01);
        assert_eq!(reads["clat_ns"]["bins"].is_object(), format == "json+");
        assert!(json["drivelab"]["version"].is_string());
    }
}

#[test]
fn text_looks_like_fio() {
    let dir = folder();
    let text = drivelab(dir.path(), &[&["run", "job.fio"][..], &ON[..]].concat());
    for part in ["reads: (groupid=0, jobs=1)", "  read: IOPS=", "clat (usec)", "Run status group 1"]
    {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

/// Zones of the real drive that would overlap on a part of it shrink with it: from one to the next
/// is the same share of the region.
#[test]
fn zones_shrink_with_the_drive_where_they_must() {
    let dir = folder();
    let job = "[z]\nfilename=/dev/target\nrw=read\nbs=4k\nzonemode=strided\nzonesize=256m\n\
               zonerange=2g\ntime_based\nruntime=50ms\nwrite_lat_log=z\nlog_offset=1\n";
    std::fs::write(dir.path().join("zones.fio"), job).unwrap();
    drivelab(dir.path(), &["run", "zones.fio", "--on", "p4510", "--scale", "4Mi units"]);
    let log = std::fs::read_to_string(dir.path().join("z_clat.1.log")).unwrap();
    let offset = |line: &str| line.split(", ").nth(4).unwrap().trim().parse::<u64>().unwrap();
    let list: Vec<u64> = log.lines().map(offset).collect();
    let jump = list.windows(2).position(|pair| pair[1] != pair[0] + 4096).expect("a next zone");
    let [zone, next] = [list[jump] + 4096 - list[0], list[jump + 1] - list[0]];
    let share = (256.0 / 2048.0, zone as f64 / next as f64);
    assert!((share.0 - share.1).abs() < 0.01, "{zone} of {next}");
    // 2 GiB of 8 TB on 16 GiB.
    let expected = 2.0 * f64::from(1 << 30) * (f64::from(16) * f64::from(1 << 30)) / 8e12;
    assert!((next as f64 / expected - 1.0).abs() < 0.02, "{next} of {expected}");
}

#[test]
fn a_record_repeats_byte_for_byte_and_its_laws_hold() {
    let dir = folder();
    let record = |name: &str, seed: &str| -> Value {
        let arguments = ["run", "job.fio", "--seed", seed, "--record", name];
        drivelab(dir.path(), &[&arguments[..], &ON[..]].concat());
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let (first, second) = (record("a.json", "7"), record("b.json", "7"));
    assert_eq!(first["result"].to_string(), second["result"].to_string());
    assert_eq!(first["hash"], second["hash"]);
    assert_ne!(first["hash"], record("c.json", "8")["hash"]);
    assert!(first["result"]["checks"].to_string().contains("little"));
}

#[test]
fn a_saved_state_can_be_loaded() {
    let dir = folder();
    let save = ["run", "job.fio", "--state", "steady", "--save-state", "s.state"];
    drivelab(dir.path(), &[&save[..], &ON[..]].concat());
    let load = ["run", "job.fio", "--load-state", "s.state"];
    assert!(drivelab(dir.path(), &[&load[..], &ON[..]].concat()).contains("IOPS="));
}

/// A budget that ends inside the ramp opens the window early; the laws hold there too.
#[test]
fn a_budget_may_end_inside_the_ramp() {
    let dir = folder();
    let job = "[a]\nfilename=/dev/target\ndirect=1\nioengine=libaio\nbs=4k\niodepth=32\n\
               numjobs=4\nrw=randrw\nnorandommap\ntime_based\nramp_time=5\nruntime=5\n";
    std::fs::write(dir.path().join("ramp.fio"), job).unwrap();
    for budget in ["50ms", "73ms", "100ms", "210ms"] {
        let arguments = [&["run", "ramp.fio", "--budget", budget][..], &ON[..]].concat();
        assert!(drivelab(dir.path(), &arguments).contains("read: IOPS="));
    }
}

/// The same job file on a real file, through the installed fio, into the same kind of Record.
#[test]
fn a_real_file_takes_the_same_path() {
    let Some(()) = fio() else { return };
    let dir = folder();
    std::fs::write(dir.path().join("w.fio"), "[w]\nrw=write\nbs=64k\nsize=4m\nfilename=/dev/x\n")
        .unwrap();
    let arguments = ["run", "w.fio", "--on", "./scratch.img", "--record", "r.json"];
    let text = drivelab(dir.path(), &arguments);
    assert!(text.contains("write: IOPS="), "{text}");
    let record: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(record["result"]["kind"], "fio-run");
    assert_eq!(std::fs::metadata(dir.path().join("scratch.img")).unwrap().len(), 4 << 20);
}

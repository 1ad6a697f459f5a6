//! What a user gets wrong is told before anything runs: one message with place and mend on
//! standard error, nothing on standard output, exit code 2, no file left behind.

use crate::common::drivelab;
use std::path::Path;

/// Runs and expects a refusal that says all of `parts`.
fn refused(dir: &Path, arguments: &[&str], parts: &[&str]) {
    let before = std::fs::read_dir(dir).unwrap().count();
    let output = drivelab(dir, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?} wrote to standard output");
    for part in parts {
        assert!(error.contains(part), "{arguments:?} does not say `{part}`:\n{error}");
    }
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), before, "{arguments:?} left a file");
}

#[test]
fn systems() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("job.fio"), "[a]\nrw=randread\nbs=4k\nsize=1m\n").unwrap();
    let shown = drivelab(dir.path(), &["show", "raid5-3x-pm981a"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    std::fs::write(dir.path().join("two.toml"), shown.replace("\"3 drives\"", "\"2 drives\""))
        .unwrap();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let all: Vec<&str> = ["run", "job.fio"].iter().chain(arguments).copied().collect();
        self::refused(dir.path(), &all, parts);
    };
    refused(&["--on", "two.toml"], &["at least 3 members", "two.toml:", "help: add members"]);
    refused(&["--on", "raid5-9x-pm981a"], &["did you mean the system `raid5-3x-pm981a`"]);
    let chunk = ["--on", "raid5-3x-pm981a", "--set", "array.raid.chunk=100 B"];
    refused(&chunk, &["multiple of the sector", "--set array.raid.chunk"]);
    let lanes = ["--on", "raid5-3x-pm981a", "--set", "chipset.lanes=8 lanes"];
    refused(&lanes, &["lanes that do not exist"]);
    let state = ["--on", "raid5-3x-pm981a", "--save-state", "state"];
    refused(&state, &["a single flash drive"]);
    let cache = ["--on", "optane-16gb-dt01aca200", "--smart-after", "x.json"];
    refused(&cache, &["no flash whose health could be told"]);
}

#[test]
fn devices() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    let two = "[a]\nrw=randread\nfilename=/dev/sdx1\nsize=1m\n[b]\nrw=randread\nsize=1m\n\
               filename=/dev/sdx2\n";
    write("two.fio", two);
    write("late.fio", "[a]\nrw=randread\nfilename=/dev/x\noffset=7t\nsize=1m\n");
    write("text", "of somebody");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let all: Vec<&str> = ["run", "two.fio"].iter().chain(arguments).copied().collect();
        self::refused(dir.path(), &all, parts);
    };
    let on = |arguments: &[&str], parts: &[&str]| {
        refused(&[&["--on", "d7-p5520-7.68tb"], arguments].concat(), parts);
    };
    on(&[], &["two.fio:5", "second device, `/dev/sdx2`", "help: give all jobs the same"]);
    on(&["--namespaces", "0"], &["no namespaces"]);
    on(&["--namespaces", "129"], &["129 namespaces", "at most 128"]);
    on(&["--namespaces", "2 x 4 TB"], &["take 8 TB", "the drive has 7.68 TB: 320 GB"]);
    on(&["--namespaces", "2 x 1 GB"], &["less than 5 %"]);
    on(&["--namespaces", "many"], &["`many`"]);
    on(&["--drives", "0"], &["1..=256"]);
    refused(&["--on", "8x-p5520", "--drives", "2"], &["says itself how many drives"]);
    refused(&["--on", "dt01aca200-2tb", "--namespaces", "2"], &["only flash drives with NVMe"]);
    let under = ["--on", "raid0-2x-pm981a", "--namespaces", "2"];
    refused(&under, &["part of a volume"]);
    let late = ["run", "late.fio", "--on", "d7-p5520-7.68tb", "--namespaces", "2"];
    self::refused(dir.path(), &late, &["late.fio:1", "the drive has 3840"]);
    // Real paths: as many as the job has devices, each confirmed for itself.
    refused(&["--on", "./one.img,two"], &["`two` of `./one.img,two` is no path"]);
    refused(&["--on", "./one.img"], &["two.fio", "/dev/sdx2", "as many paths"]);
    refused(&["--on", "./one.img,./one.img"], &["named twice"]);
    refused(&["--on", "./one.img,./text", "--destroy-data", "A"], &["1 serial numbers for 2"]);
    let writes = two.replace("randread", "randwrite");
    write("two.fio", &writes);
    refused(&["--on", "./one.img,./text"], &["text", "drivelab did not make it"]);
    assert_eq!(std::fs::read(dir.path().join("text")).unwrap(), b"of somebody");
    refused(&["--on", "./one.img", "--namespaces", "2"], &["--namespaces has no meaning"]);
}

#[test]
fn traces() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "bad.csv",
        "128166372000000000,usr,0,Read,0,4096,1\n128166372000000001,usr,0,Read,-8,4096,1\n",
    );
    write("good.csv", "128166372000000000,usr,0,Read,0,4096,1\n");
    write(
        "far.iolog",
        "fio version 2 iolog\n/d add\n/d open\n/d read 0 4096\n/d read 99999999999488 4096\n",
    );
    write("zip.gz", "\u{1f}\u{8b}");
    write("job.fio", "[a]\nrw=read\n");
    write("names.fio", "[a]\nread_iolog=nowhere.log\n");
    write("replays.fio", "[a]\nread_iolog=bad.csv\n");
    let refused = |arguments: &[&str], parts: &[&str]| refused(dir.path(), arguments, parts);
    refused(&["trace", "bad.csv"], &["bad.csv:2:31", "negative"]);
    refused(&["trace", "good.csv", "--device", "usr.1"], &["usr.1", "help: its devices are usr.0"]);
    refused(&["trace", "job.fio"], &["not recognised", "--format"]);
    refused(&["trace", "good.csv", "--format", "spc"], &["good.csv:1", "sector"]);
    refused(&["trace", "nowhere"], &["cannot be read"]);
    refused(&["trace", "good.csv", "--format", "msrc"], &["not a trace format"]);
    let run = |arguments: &[&str], parts: &[&str]| {
        refused(&[&["run", "--on", "p4510"], arguments].concat(), parts);
    };
    run(&["bad.csv"], &["bad.csv:2:31", "negative"]);
    run(&["good.csv", "--time-scale", "2"], &["200%"]);
    run(&["far.iolog", "--place", "refuse"], &["the target has", "help:"]);
    run(&["job.fio", "--pace", "fastest"], &["--pace is for traces"]);
    run(&["names.fio"], &["names.fio:1", "no trace nowhere.log"]);
    run(&["replays.fio"], &["bad.csv:2:31", "negative"]);
}

#[test]
fn jobs() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(dir.path().join(name), text).unwrap();
    write("typo.fio", b"[a]\nrw=randread\nidepth=4\n");
    write("rw.fio", b"[a]\nrw=randraed\n");
    write("empty.fio", b"");
    write("binary.fio", b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe");
    write("engine.fio", b"[a]\nrw=read\nioengine=rbd\n");
    write("far.fio", b"[a]\nrw=read\ndirect=1\nfilename=/dev/x\noffset=20t\nsize=1g\n");
    let on = ["--on", "d5-p5430", "--record", "out.json"];
    let run = |job, parts: &[&str]| {
        refused(dir.path(), &[&["run", job][..], &on[..]].concat(), parts);
    };
    run("typo.fio", &["typo.fio:3:1", "idepth", "did you mean `iodepth`?"]);
    run("rw.fio", &["rw.fio:2", "randraed", "help:"]);
    run("empty.fio", &["empty.fio:1:1", "empty"]);
    run("binary.fio", &["binary.fio:1", "not a text"]);
    run("engine.fio", &["engine.fio:3", "rbd"]);
    run("far.fio", &["far.fio:1", "15360000000000 bytes", "help:"]);
    run("missing.fio", &["missing.fio", "cannot be read"]);
}

#[test]
fn targets_and_models() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("job.fio"), "[a]\nrw=read\ndirect=1\nsize=1m\n").unwrap();
    let model = String::from_utf8(drivelab(dir.path(), &["show", "d5-p5430"]).stdout).unwrap();
    let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    write("typo.toml", model.replace("read_cost", "read_csot"));
    write("bare.toml", model.replace("value = \"96 dies\"", "value = 96"));
    write("shape.toml", model.replace("value = \"96 dies\"", "value = \"7 dies\""));
    let on = |target, parts: &[&str]| {
        refused(dir.path(), &["run", "job.fio", "--on", target], parts);
    };
    on("./typo.toml", &["typo.toml:", "read_csot", "did you mean `read_cost`?"]);
    on("./bare.toml", &["bare.toml:", "`96` has no unit"]);
    let all = model.replace("read_cost", "read_csot").replace("value = \"96 dies\"", "value = 96");
    write("all.toml", all.replace("[suspend]", "[suspend]\nsometimes = true"));
    let mistakes = ["read_csot", "did you mean `read_cost`?", "`96` has no unit", "sometimes"];
    on("./all.toml", &mistakes);
    on("./shape.toml", &["shape.toml:", "7 dies cannot use 16 channels"]);
    on("d5-p5431", &["d5-p5431", "help:"]);
    refused(
        dir.path(),
        &["run", "job.fio", "--on", "p5430", "--set", "flash.dice=4 dies"],
        &["flash.dice"],
    );
    refused(
        dir.path(),
        &["run", "job.fio", "--on", "p5430", "--power-state", "9"],
        &["power state 9"],
    );
    refused(
        dir.path(),
        &["run", "job.fio", "--on", "p5430", "--load-state", "job.fio"],
        &["not a snapshot"],
    );
}

#[test]
fn figures() {
    let dir = tempfile::tempdir().unwrap();
    let row = |metric: &str, test: &str| {
        format!(
            "[[ref]]\nid = \"mine.1\"\nreview = \"mine\"\nplace = \"bench\"\n\
             device = \"Solidigm D5-P5430 15.36TB\"\ntest = \"{test}\"\nparams = {{ qd = 1 }}\n\
             metric = \"{metric}\"\nvalue = 100\nunit = \"us\"\nkind = \"measured\"\n\
             confidence = \"high\"\n"
        )
    };
    let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    write("metric.toml", row("read_lat_meen", "4K random read"));
    write("test.toml", row("read_lat_mean", "4K rondom read"));
    write("key.toml", row("read_lat_mean", "4K random read").replace("kind", "kinds"));
    let reproduce = |file, parts: &[&str]| {
        refused(dir.path(), &["reproduce", "--reviews", file], parts);
    };
    reproduce("metric.toml", &["metric.toml:8:", "read_lat_meen", "read_lat_mean"]);
    reproduce("test.toml", &["test.toml:6:", "4K rondom read"]);
    reproduce("key.toml", &["key.toml:", "kinds"]);
    // Every mistake of a file at once: a row's, and those of the next.
    let second = row("iops", "4K random read").replace("mine.1", "mine.2");
    let second = second.replace("value =", "valeu =").replace("unit =", "untit =");
    write("all.toml", row("read_lat_meen", "4K random read") + &second);
    let metric = ["all.toml:8:", "read_lat_meen", "did you mean `read_lat_mean`?"];
    let keys = ["all.toml:21:", "`valeu`", "all.toml:22:", "`untit`", "did you mean `unit`?"];
    reproduce("all.toml", &[&metric[..], &keys[..]].concat());
}

/// A wrong name is answered with the few that are most like it, and with what lists all.
#[test]
fn names() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("job.fio"), "[a]\nrw=read\ndirect=1\nsize=1m\n").unwrap();
    let few = |arguments: &[&str], parts: &[&str]| {
        refused(dir.path(), arguments, parts);
        let error = drivelab(dir.path(), arguments).stderr;
        let longest = String::from_utf8(error).unwrap();
        let longest = longest.lines().map(|line| line.matches(", ").count()).max();
        assert!(longest < Some(7), "{arguments:?} lists more than five names: {longest:?}");
    };
    let run = |name, parts: &[&str]| few(&["run", "job.fio", "--on", name], parts);
    run("zzz", &["drivelab list drives"]);
    let first = "`p5520` could be d7-p5520-7.68tb or d7-p5520-15.36tb; of systems, ";
    run("p5520", &[first, "of `drivelab list systems`"]);
    few(&["show", "p5520"], &[first]);
    few(&["show", "zzz"], &["drivelab list"]);
    few(&["show", "p4511"], &["did you mean `p4510`?"]);
    few(&["test", "zzz", "--on", "p5430"], &["drivelab list methods"]);
    few(&["test", "corner", "--on", "p5430", "--param", "zzz=1"], &["zzz"]);
    let metric = ["compare", "x25-e", "p5430", "--metric", "zzz"];
    few(&metric, &["drivelab list metrics"]);
    few(&["reproduce", "zzz"], &["drivelab list reviews"]);
    few(&["test", "heat", "--on", "sn850", "--param", "cooling=zzz"], &["drivelab list coolings"]);
    refused(dir.path(), &["list", "nand"], &["similar value", "'nands'"]);
}

#[test]
fn list_alone_says_what_can_be_listed() {
    let dir = tempfile::tempdir().unwrap();
    let text = String::from_utf8(drivelab(dir.path(), &["list"]).stdout).unwrap();
    for kind in ["drives", "systems", "nands", "metrics", "reviews"] {
        assert!(text.lines().any(|line| line.starts_with(kind)), "{text}");
    }
}

/// The guard of real files: what drivelab did not make is not written to.
#[test]
fn foreign_files() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("job.fio"), "[a]\nrw=write\ndirect=1\nsize=1m\n").unwrap();
    std::fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
    refused(
        dir.path(),
        &["run", "job.fio", "--on", "./thesis.txt"],
        &["thesis.txt", "--overwrite"],
    );
    let text = std::fs::read_to_string(dir.path().join("thesis.txt")).unwrap();
    assert_eq!(text, "years of work");
    refused(dir.path(), &["run", "job.fio", "--on", "/dev/null"], &["/dev/null"]);
}

//! Signals while the installed fio runs: it ends with drivelab, and nothing half done is left.

use crate::common::{drivelab, fio, interruptible, signal, text};
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

/// A run of a minute on a new file, begun.
fn begun(folder: &Path) -> Child {
    let job = "[w]\nrw=randwrite\nbs=4k\nsize=8m\ntime_based\nruntime=60\nnumjobs=2\n";
    fs::write(folder.join("job.fio"), job).unwrap();
    let mut command = interruptible(folder, &["run", "job.fio", "--on", "./file.img"]);
    let child = command.env("TMPDIR", folder).spawn().unwrap();
    // Workers have the file open.
    let begun = (0..200).any(|_| {
        sleep(Duration::from_millis(50));
        users(&folder.join("file.img")) > 1
    });
    assert!(begun, "fio does not begin");
    child
}

/// Processes that hold a file open.
fn users(file: &Path) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let holds = |process: &fs::DirEntry| {
        let open = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        open.filter_map(|fd| fs::read_link(fd.path()).ok()).any(|target| target == file)
    };
    processes.filter(holds).count()
}

#[test]
fn fio_ends_with_drivelab_whatever_ends_it() {
    let Some(()) = fio() else { return };
    for (name, code) in
        [("-INT", Some(130)), ("-TERM", Some(143)), ("-HUP", Some(129)), ("-KILL", None)]
    {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let child = begun(&root);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), code, "{name}");
        let gone = (0..100).any(|_| {
            sleep(Duration::from_millis(50));
            users(&root.join("file.img")) == 0
        });
        assert!(gone, "{name}: fio goes on writing");
        let mut left: Vec<_> =
            fs::read_dir(&root).unwrap().flatten().map(|e| e.file_name()).collect();
        left.sort();
        if name == "-KILL" {
            // Nobody could tidy up. What is left is known to be unfinished.
            let again = drivelab(&root, &["run", "job.fio", "--on", "./file.img"]);
            let text = String::from_utf8_lossy(&again.stderr).into_owned();
            assert!(again.status.code() == Some(2) && text.contains("cut off"), "{text}");
        } else {
            assert_eq!(left, ["job.fio"], "{name}: neither the file nor temporary files are left");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(text.contains("interrupted"), "{text}");
        }
    }
}

/// fio's workers have sessions of their own and would go on writing.
#[test]
fn workers_of_a_fio_that_was_killed_do_not_go_on() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut child = begun(&root);
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let main = fs::read_to_string(children).unwrap();
    let killed = Command::new("kill").args(["-KILL", main.trim()]).status().unwrap();
    assert!(killed.success(), "fio is the only child: {main}");
    let ended = (0..200).find_map(|_| {
        sleep(Duration::from_millis(50));
        child.try_wait().unwrap()
    });
    assert_eq!(ended.expect("drivelab ends, too").code(), Some(1));
    assert_eq!(users(&root.join("file.img")), 0);
    assert!(!root.join("file.img").exists(), "a file that is not whole is removed");
}

#[test]
fn a_second_drivelab_is_refused_by_any_name() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut child = begun(&root);
    fs::create_dir(root.join("sub")).unwrap();
    for path in ["./file.img", "sub/../file.img"] {
        let second = drivelab(&root, &["run", "job.fio", "--on", path, "--overwrite"]);
        assert_eq!(second.status.code(), Some(2), "{path}");
        let test = ["test", "corner", "--on", path, "--param", "op=read", "--overwrite"];
        assert_eq!(drivelab(&root, &test).status.code(), Some(2), "{path}");
    }
    signal(&child, "-INT");
    child.wait().unwrap();
}

/// Whether a program handles the signal of a Ctrl-C by now.
fn watches(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 2 != 0)
}

#[test]
fn whoever_ends_long_work_is_told_what_is_kept_or_what_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = "time = '1 years'\n[purchase.one]\ndrive = 'p4510'\ndrives = '10 drives'\n\
                 [use]\nwrites = '0.1 x/day'\n";
    fs::write(folder.path().join("fleet.toml"), fleet).unwrap();
    let test = ["test", "corner", "--on", "p4510", "--param", "op=write"];
    let labels = ["labels", "quiet-drives", "--dir", "."];
    // A file that is there when the work has begun, and what is told.
    let cases: [(&[&str], &str, &str); 3] = [
        (&["fleet", "fleet.toml"], "fleet.toml", "with --output FILE"),
        (&test, "fleet.toml", "with --record FILE"),
        (&labels, "quiet-drives.toml", "0 labels are kept in ./quiet-drives.toml"),
    ];
    for (command, begun, wanted) in cases {
        let mut long = interruptible(folder.path(), command);
        let child = long.args(["--budget", "100s", "--quiet"]).spawn().unwrap();
        let ready = (0..200).any(|_| {
            sleep(Duration::from_millis(50));
            watches(&child) && folder.path().join(begun).exists()
        });
        assert!(ready, "{command:?} does not begin");
        sleep(Duration::from_millis(200));
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{told}");
        assert!(told.contains(wanted), "{command:?}: {told}");
    }
}

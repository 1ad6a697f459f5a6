//! Programs under power cuts: what was promised is found again, or its loss is told.

use crate::common::{drivelab, fio, is_installed, mounts, root, text};
use serde_json::Value;
use std::process::Output;

/// SQLite on a file system of a drive, interrupted some times.
fn sqlite(arguments: &[&str]) -> (Output, Value) {
    let always = ["crash-test", "--attach", "ext4", "--json", "--quiet", "--work", "5s"];
    let script = |word: &str| format!("TRANSACTIONS=60 sh examples/crash/sqlite.sh {word}");
    let (prepare, check, work) = (script("prepare"), script("check"), script("work"));
    let ours = ["--prepare", &prepare, "--check", &check];
    let program = ["--", "sh", "-c", &work];
    let output = drivelab(&root(), &[&always, arguments, &ours, &program].concat());
    let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, answer)
}

#[test]
fn sqlite_keeps_its_promises_on_a_drive_that_flushes() {
    let Some(()) = mounts(&["sqlite3"]) else { return };
    let (output, answer) = sqlite(&["--on", "sn850", "--size", "2GiB", "--cuts", "6"]);
    assert!(output.status.success(), "{}{answer:#}", text(&output.stderr));
    assert_eq!((&answer["passed"], &answer["failed"]), (&6.into(), &0.into()));
    let cuts = answer["cuts"].as_array().expect("cuts");
    let lost = |cut: &Value| cut["lost_bytes"].as_u64().expect("a number");
    assert!(cuts.iter().map(lost).sum::<u64>() > 0, "its buffer is volatile: {answer:#}");
    assert!(cuts.iter().all(|cut| cut["blocks_unknown"] == 0), "{answer:#}");
}

#[test]
fn a_drive_that_lies_about_flushes_is_found_out() {
    let Some(()) = mounts(&["sqlite3"]) else { return };
    let lies = ["--on", "sn850", "--size", "2GiB", "--cuts", "12", "--flush", "ignored"];
    let (output, answer) = sqlite(&lies);
    assert_eq!(output.status.code(), Some(1), "{}{answer:#}", text(&output.stderr));
    assert!(text(&output.stderr).contains("something that was promised is lost"));
    let cuts = answer["cuts"].as_array().expect("cuts");
    let last = cuts.last().expect("one");
    assert_eq!((&answer["failed"], &last["passed"]), (&1.into(), &false.into()), "it ends there");
    let said = last["said"].as_str().expect("words");
    assert!(said.contains("was committed") || said.contains("damaged"), "{said}");
}

/// Behind power-loss protection a flush promises nothing more than a write did.
#[test]
fn protection_keeps_what_was_never_flushed() {
    let Some(()) = mounts(&["sqlite3"]) else { return };
    let lies = ["--on", "p4510", "--size", "16GiB", "--cuts", "4", "--flush", "ignored"];
    let (output, answer) = sqlite(&lies);
    assert!(output.status.success(), "{}{answer:#}", text(&output.stderr));
    assert_eq!(answer["passed"], 4);
}

/// Whether both databases are here, with their clients.
fn databases() -> Option<()> {
    let all = ["mariadbd", "mariadb", "mariadb-install-db", "postgres", "psql"];
    needs::found(needs::DATABASES, all.into_iter().all(is_installed).then_some(()))
}

/// A database keeps its promises on a drive whose cache is volatile and which flushes, and on one
/// that is protected and does not; on one that lies it is found to have lost something.
fn keeps_its_promises(database: &str) {
    let (Some(()), Some(())) = (mounts(&[]), databases()) else { return };
    let script = |word: &str| format!("TRANSACTIONS=120 sh examples/crash/{database}.sh {word}");
    let (prepare, check, work) = (script("prepare"), script("check"), script("work"));
    let always = ["crash-test", "--attach", "ext4", "--json", "--quiet", "--work", "5s"];
    let ours = ["--prepare", &prepare, "--check", &check, "--", "sh", "-c", &work];
    for (drive, failed) in [
        (&["--on", "sn850", "--size", "3GiB", "--cuts", "4"][..], false),
        (&["--on", "p4510", "--size", "16GiB", "--cuts", "4", "--flush", "ignored"], false),
        (&["--on", "sn850", "--size", "3GiB", "--cuts", "20", "--flush", "ignored"], true),
    ] {
        let output = drivelab(&root(), &[&always, drive, &ours].concat());
        let said = text(&output.stderr);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        assert_eq!(output.status.code(), Some(i32::from(failed)), "{drive:?}: {said}{answer:#}");
        match failed {
            true => assert!(said.contains("something that was promised is lost"), "{said}"),
            false => assert_eq!(answer["passed"], 4, "{drive:?}: {answer:#}"),
        }
    }
}

#[test]
fn mariadb_keeps_its_promises_and_a_drive_that_lies_is_found_out() {
    keeps_its_promises("mariadb");
}

#[test]
fn postgresql_keeps_its_promises_and_a_drive_that_lies_is_found_out() {
    keeps_its_promises("postgresql");
}

#[test]
fn a_program_that_speaks_nbd_needs_no_mount() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let fio =
        "exec fio --name=a --ioengine=nbd --uri=\"$DRIVELAB_URI\" --bs=4k --size=64m --thread";
    let (work, check) = (format!("{fio} --rw=randwrite"), format!("{fio} --rw=read --size=1m"));
    let cuts = ["crash-test", "--on", "p4510", "--size", "16GiB", "--cuts", "3", "--quiet"];
    let output = drivelab(
        folder.path(),
        &[&cuts[..], &["--check", &check, "--", "sh", "-c", &work]].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("flushes honoured, nbd: 3 of 3 checks passed"), "{said}");
}

/// A check that did not run says nothing of the drive.
#[test]
fn a_check_that_comes_to_no_answer_is_no_loss() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let work = "exec fio --name=a --ioengine=nbd --uri=\"$DRIVELAB_URI\" --bs=4k --size=64k \
                --thread --rw=write";
    for (check, reason) in [
        ("./no-such-check", "--check came to no answer: the shell found nothing to run (127)"),
        ("kill -9 $$", "--check came to no answer: a signal ended it"),
        ("sleep 60", "--check came to no answer: it had not ended after 1 s (--patience)"),
        ("exit 3", "a check failed: something that was promised is lost"),
    ] {
        let always = ["crash-test", "--on", "p4510", "--size", "16GiB", "--patience", "1s"];
        let ours = ["--check", check, "--", "sh", "-c", work];
        let output = drivelab(folder.path(), &[&always[..], &ours].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{check}: {said}");
        assert!(said.contains(reason), "{check}: {said}");
    }
    // What was found before is told.
    let check = "test \"$DRIVELAB_CUT\" -lt 2 || kill -9 $$";
    let ours = ["crash-test", "--on", "p4510", "--size", "16GiB", "--check", check, "--"];
    let output = drivelab(folder.path(), &[&ours[..], &["sh", "-c", work]].concat());
    assert!(text(&output.stderr).contains("came to no answer"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 of 1 checks passed"), "{}", text(&output.stdout));
}

#[test]
fn what_goes_wrong_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = |check: &str, work: &[&str]| {
        let always = ["crash-test", "--on", "p4510", "--size", "16GiB", "--work", "300ms"];
        drivelab(folder.path(), &[&always[..], &["--check", check, "--"], work].concat())
    };
    let cases: [(&[&str], &str); 3] = [
        (&["sh", "-c", "echo no room >&2; exit 3"], "the program failed: no room"),
        (&["true"], "it wrote nothing to the drive"),
        (&["/no/such/program"], "No such file"),
    ];
    for (work, reason) in cases {
        let output = test("true", work);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{work:?}: {said}");
        assert!(said.contains(reason), "{work:?}: {said}");
    }
    let unknown =
        drivelab(folder.path(), &["crash-test", "--on", "p999", "--check", "a", "--", "b"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
}

//! Capacity that is there, and capacity that is not: a file whose second half lies on its first.

use crate::common::{drivelab, fio};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn a_file_has_the_capacity_that_it_says() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let words = ["capacity-check", "--on", "./f.img", "--size", "64MiB", "--full", "--json"];
    let output = drivelab(folder.path(), &words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["blocks"], &answer["wrong"]), (&64.into(), &0.into()));
    let text = drivelab(folder.path(), &["capacity-check", "--on", "./f.img", "--quiet"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("64 blocks hold what was written"), "{text}");
}

/// After the blocks are written, what lies in the second half is where the first was: a drive of
/// half the capacity that begins again.
#[test]
fn a_drive_that_begins_again_is_found_with_its_real_capacity() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("fio");
    let script = "#!/bin/sh\n\
        /usr/bin/fio \"$@\"; code=$?\n\
        case \"$*\" in *job.fio*) grep -q verify_only job.fio ||\n\
          dd if=\"$FAKE\" of=\"$FAKE\" bs=1M skip=32 count=32 conv=notrunc 2>/dev/null ;; esac\n\
        exit $code\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .env("FAKE", folder.path().join("f.img"))
        .args(["capacity-check", "--on", "./f.img", "--size", "64MiB", "--json"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect(&said);
    assert_eq!(answer["real_bytes"], 32 << 20, "{answer}");
    assert_eq!(answer["wrong"], 32, "{answer}");
}

#[test]
fn a_file_of_somebody_is_left_alone() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f.img"), "somebody's").unwrap();
    let output = drivelab(folder.path(), &["capacity-check", "--on", "./f.img"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.path().join("f.img")).unwrap(), "somebody's");
}

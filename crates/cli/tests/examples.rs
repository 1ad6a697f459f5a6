//! The examples in the help of every command are run, with little work each.
//!
//! That each is a command line at all is a test beside the program (`src/examples.rs`).

use std::path::Path;
use std::process::Command;

/// Examples that are not run, by words that stand in them, and why.
const ONLY_READ: [(&str, &str); 29] = [
    ("/dev/", "a real device"),
    ("fio --output-format", "the installed fio takes its own time"),
    ("--on ./scratch", "a real file: fio or MariaDB takes its own time"),
    ("spec p4510 --on 'p4510@", "it fails, since the link is short: docs/guide runs it"),
    ("twin --on", "minutes: docs/guide/make-a-twin.md has what it gave"),
    ("twin --blind", "hours: docs/guide/make-a-twin.md says what it gave"),
    ("drivelab shelf", "Records are needed: tests/shelf.rs makes some"),
    ("campaign examples/two-models.toml", "docs/guide runs it"),
    ("./old.img", "two real files: fio takes its own time"),
    ("reproduce solidigm-d5-p5430", "half a minute, also with little work each: tests of reviews"),
    ("--against docs/validation", "a kept result is needed: tests/reproduce.rs makes one"),
    ("compare d7-p5520-7.68tb pm9a3", "half a minute: tests/compare.rs has a smaller one"),
    ("compare pm9a3 --give-up", "half a minute: docs/guide has a smaller one"),
    ("compare 'p5430@give_up=10%'", "half a minute: tests/compare.rs has a smaller one"),
    ("fit d7-p5520-7.68tb", "half a minute: tests/fit.rs has a smaller one"),
    ("sweep examples/cheapest.toml -o", "half a minute: docs/guide runs it"),
    ("drivelab choose", "docs/guide/choose.md runs some: with little work every limit is open"),
    ("report choice.json", "docs/guide/choose.md makes one"),
    ("drivelab fleet", "half a minute: docs/guide/fleets.md and tests/fleet.rs run some"),
    ("report fleet.json", "tests/fleet.rs makes one"),
    ("sweep run", "a part of the same: tests/sweep_parts.rs"),
    ("sweep merge", "parts are needed: tests/sweep_parts.rs"),
    ("rerun mixed.json", "a Record is needed: tests/results.rs makes one"),
    ("fit ./mine.toml", "minutes: every value of the model that is not known"),
    ("calibrate", "kept results are needed: docs/validation/intervals.md has them"),
    ("drivelab serve", "it serves until it is told to end: tests/serve.rs"),
    ("drivelab control", "a served drive is needed: tests/serve.rs"),
    ("drivelab crash-test", "a program to interrupt is needed: tests/crash.rs"),
    ("test torture", "the torture cannot be shortened further"),
];

/// What some examples need besides.
const MORE: [(&str, &str); 5] = [
    ("four-corners.fio", "--scale '8Mi units'"),
    ("neighbours.fio", "--scale '12Mi units'"),
    ("span='2 TB'", "--scale '16Mi units'"),
    ("fit p4510", "--iterations 1"),
    ("sweep --vary drive", "--points 4"),
];

/// The examples in the help of a command.
fn examples(command: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .args([command, "--help"])
        .env("COLUMNS", "100")
        .output()
        .expect("the program starts");
    let help = String::from_utf8(output.stdout).expect("text").replace("\\\n", "");
    let (_, behind) = help.split_once("\nExamples:\n").expect("there are examples");
    behind.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The same with little work: a small part of the drive, and few I/Os.
fn little(example: &str) -> String {
    let mut words = example.split(' ').peekable();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "--budget" => drop(words.next()),
            "--full" => {}
            _ => kept.push(word),
        }
    }
    let command = kept.get(1).copied().unwrap_or_default();
    let (line, redirect) = match kept.iter().position(|word| *word == ">") {
        Some(at) => (kept[..at].join(" "), kept[at..].join(" ")),
        None => (kept.join(" "), String::new()),
    };
    let more = MORE.iter().find(|(words, _)| example.contains(words)).map(|(_, more)| *more);
    let more = more.unwrap_or_default();
    let scale = if more.contains("--scale") { "" } else { "--scale '4Mi units'" };
    let small = match command {
        "run" | "test" | "compare" | "sweep" | "fit" | "reproduce"
            if !line.contains("./scratch") =>
        {
            format!("--budget 5ms --quiet {scale} {more}")
        }
        "corpus" => "--budget 1ms --quiet".to_owned(),
        _ => String::new(),
    };
    format!("{line} {small} {redirect}")
}

/// A directory with the files that examples speak of.
fn prepared() -> tempfile::TempDir {
    let made = tempfile::tempdir().expect("made");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |from: &str, to: &str| {
        std::fs::copy(here.join(from), made.path().join(to)).expect("copied");
    };
    for (from, to) in [
        ("tests/cmd/trace.in/two-disks.csv", "web.csv"),
        ("tests/cmd/endurance.in/before.json", "before.json"),
        ("tests/cmd/endurance.in/after.json", "after.json"),
        ("tests/cmd/endurance.in/after.json", "now.json"),
        ("../../models/drive/d5-p5430-15.36tb.toml", "mine.toml"),
        ("tests/examples.in/figures.toml", "figures.toml"),
    ] {
        copy(from, to);
    }
    std::os::unix::fs::symlink(here.join("../../examples"), made.path().join("examples"))
        .expect("linked");
    for folder in [".config/fish/completions", ".local/share/bash-completion/completions"] {
        std::fs::create_dir_all(made.path().join(folder)).expect("made");
    }
    made
}

fn shell(folder: &Path, line: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_drivelab"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a folder").display());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", folder)
        .output()
        .expect("a shell starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{error}");
    let to_file = [">", "--dir", "--output", " -o "].iter().any(|word| line.contains(word));
    assert!(to_file || !output.stdout.is_empty(), "{line}: nothing was printed");
}

fn runs(command: &str) {
    let folder = prepared();
    let measured =
        "drivelab test mixed --on p4510 --param read=70% --param qd=16 --record real.json";
    if matches!(command, "fit" | "report") {
        shell(folder.path(), &little(measured));
    }
    if command == "report" {
        let copies = ["out/a.record.json", "monday.json", "tuesday.json", "p5430.record.json"];
        std::fs::create_dir(folder.path().join("out")).expect("made");
        for copy in copies {
            std::fs::copy(folder.path().join("real.json"), folder.path().join(copy)).expect("made");
        }
    }
    let left_out = |example: &String| ONLY_READ.iter().any(|(words, _)| example.contains(words));
    for example in examples(command).iter().filter(|example| !left_out(example)) {
        shell(folder.path(), &little(example));
    }
}

/// The name of a command on the command line.
fn name(test: &str) -> String {
    test.replace('_', "-")
}

macro_rules! commands {
    ($($command:ident)*) => {
        const COMMANDS: &[&str] = &[$(stringify!($command)),*];
        $(#[test] fn $command() { runs(&name(stringify!($command))); })*
    };
}

commands! {
    run reproduce calibrate preflight test capacity_check spec campaign shelf compare choose sweep
    fleet fit twin endurance report rerun serve control crash_test trace list show check corpus
    completions man
}

#[test]
fn no_command_is_forgotten_and_what_is_left_out_exists() {
    let help = Command::new(env!("CARGO_BIN_EXE_drivelab")).arg("--help").output();
    let help = String::from_utf8(help.expect("the program starts").stdout).expect("text");
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let listed: Vec<String> = listed
        .expect("a list of commands")
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    let commands: Vec<String> = COMMANDS.iter().map(|test| name(test)).collect();
    assert_eq!(listed, commands);
    let all: Vec<String> = commands.iter().flat_map(|command| examples(command)).collect();
    for (words, why) in ONLY_READ {
        assert!(all.iter().any(|example| example.contains(words)), "{words}: no such ({why})");
    }
}

//! Every test runs: what no binary names is compiled by nobody, and passes; what returns early
//! passes too, unless it says that it is skipped.

use crate::tree::{File, check, files, root};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// Words by which a test looks for a program that not every machine has.
const LOOKS: &[&str] = &["InstalledFio::find", "arg(\"--version\")", "geteuid", "bin/python"];
/// How a test asks `needs` for one.
const ASKS: [&str; 3] = ["needs::found", "needs::python", "LoopDevice::new"];
/// How a test ends early.
const RETURNS: &[&str] = &["return;", "return }", "return Ok"];

/// A function of a file of tests.
struct Function<'a> {
    name: &'a str,
    place: String,
    is_test: bool,
    body: String,
}

/// The functions of a file of tests, or of the tests at the end of a file, by the indentation that
/// rustfmt gives.
fn functions(file: &File) -> Vec<Function<'_>> {
    let program = if file.is_test() { 0 } else { file.program().count() };
    let lines: Vec<(usize, &str)> = file.code().skip(program).collect();
    let mut found = Vec::new();
    for (at, (number, line)) in lines.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let head = line.trim_start().trim_start_matches("pub ");
        let Some(rest) = head.strip_prefix("fn ") else { continue };
        let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
        let end = format!("{indent}}}");
        let body = lines[at + 1..].iter().map(|(_, line)| *line).take_while(|line| *line != end);
        let attributes = lines[..at].iter().rev().map(|(_, line)| line.trim());
        found.push(Function {
            name: name.unwrap_or_default(),
            place: format!("{}:{number}", file.path),
            is_test: attributes.take_while(|line| line.starts_with('#')).any(|a| a == "#[test]"),
            body: match line.ends_with('}') {
                true => (*line).to_owned(),
                false => body.collect::<Vec<_>>().join("\n"),
            },
        });
    }
    found
}

/// What is wrong with the early returns of a crate's tests: each is behind a question to `needs`,
/// in the test or in a function that it asks.
fn silent_returns(files: &[File]) -> Vec<String> {
    let all: Vec<Function> = files.iter().flat_map(functions).collect();
    let mut asks = BTreeSet::from(ASKS);
    loop {
        let calls = |body: &str| asks.iter().any(|name| body.contains(&format!("{name}(")));
        let more: Vec<&str> = all.iter().filter(|f| calls(&f.body)).map(|f| f.name).collect();
        let before = asks.len();
        asks.extend(more);
        if asks.len() == before {
            break;
        }
    }
    let said = |code: &str| asks.iter().any(|name| code.contains(&format!("{name}(")));
    let mut breaches = Vec::new();
    for f in &all {
        if LOOKS.iter().any(|word| f.body.contains(word)) && !said(&f.body) {
            breaches.push(format!("{}: {} looks for a program", f.place, f.name));
        }
        let returns = RETURNS.iter().flat_map(|word| f.body.match_indices(word));
        for (at, _) in returns.filter(|_| f.is_test) {
            let before = &f.body[..at];
            let statement = before.rfind("let Some(").or(before.rfind("if ")).unwrap_or(0);
            if !said(&before[statement..]) {
                breaches.push(format!("{}: {} returns early", f.place, f.name));
            }
        }
    }
    breaches
}

/// The folders with tests, which share no functions.
fn folders() -> Vec<String> {
    let manifests = ["crates", "benches", "tests"].map(|folder| files(folder, "Cargo.toml"));
    let paths = manifests.into_iter().flatten().map(|file| file.path);
    paths.map(|path| path.trim_end_matches("Cargo.toml").to_owned()).collect()
}

#[test]
fn no_test_is_skipped_in_silence() {
    let folders = folders();
    let own = ["tests/tidy/", "tests/needs/"];
    let tests = folders.iter().filter(|folder| !own.contains(&folder.as_str()));
    let breaches = tests.flat_map(|folder| {
        let mut all = files(folder, ".rs");
        all.retain(|file| file.is_test() || file.text.contains("#[cfg(test)]"));
        silent_returns(&all)
    });
    check("a test that lacks a program says so by `needs`", breaches.collect());
}

#[test]
fn a_silent_return_is_found() {
    let file = |text: &str| vec![File { path: "crates/a/tests/a.rs".into(), text: text.into() }];
    let bench = "fn bench() -> Option<u8> {\n    needs::found(needs::FIO, None)\n}\n";
    let test = "#[test]\nfn it() {\n    let Some(b) = bench() else { return };\n}\n";
    assert_eq!(silent_returns(&file(&format!("{bench}{test}"))), Vec::<String>::new());
    let known = test.replace("bench()", "needs::python()");
    assert_eq!(silent_returns(&file(&known)), Vec::<String>::new());
    let silent = bench.replace("needs::found(needs::FIO, None)", "None");
    let wrong = "crates/a/tests/a.rs:5: it returns early";
    assert_eq!(silent_returns(&file(&format!("{silent}{test}"))), [wrong]);
    let silent = bench.replace("needs::found(needs::FIO, None)", "InstalledFio::find().ok()");
    let wrong = ["crates/a/tests/a.rs:1: bench looks for a program", wrong];
    assert_eq!(silent_returns(&file(&format!("{silent}{test}"))), wrong);
}

/// The closing line of `make test`: a test that skipped itself is not one that passed, and a binary
/// that broke off is one that failed.
#[test]
fn the_closing_line_counts_what_happened() {
    let skips = std::env::temp_dir().join(format!("tidy-skips-{}", std::process::id()));
    fs::write(&skips, "skipped: a: no fio\nskipped: b: no fio\n").expect("written");
    let result = |passed, failed, ignored| {
        let counts = format!("{passed} passed; {failed} failed; {ignored} ignored; 0 measured");
        format!("\nrunning 9 tests\ntest result: ok. {counts}\n")
    };
    let printed = [result(9, 0, 0), result(5, 1, 3), "\nrunning 1 test\n".into()].concat();
    let log = std::env::temp_dir().join(format!("tidy-log-{}", std::process::id()));
    fs::write(&log, printed).expect("written");
    let variable = format!("skips={}", skips.display());
    let script = root().join("tests/tally.awk");
    let output = Command::new("awk").args(["-v", &variable, "-f"]).args([&script, &log]).output();
    let text = String::from_utf8(output.expect("awk starts").stdout).expect("text");
    fs::remove_file(skips).expect("removed");
    fs::remove_file(log).expect("removed");
    let skips = "\nskipped: a: no fio\nskipped: b: no fio\n";
    let end = format!("{skips}\ntests: 12 passed, 2 failed, 5 skipped\n");
    assert!(text.ends_with(&end), "{text}");
}

/// `make test` leaves out the tests of documentation: they would be compiled crate by crate.
#[test]
fn no_comment_is_a_test() {
    let mut breaches = Vec::new();
    for file in ["crates", "benches", "tests"].iter().flat_map(|folder| files(folder, ".rs")) {
        let lines = file.text.lines().enumerate().map(|(i, line)| (i + 1, line.trim_start()));
        let comments = lines.filter(|(_, line)| line.starts_with("//"));
        let fences = comments
            .filter(|(_, line)| line.trim_start_matches(['/', '!', ' ']).starts_with("```"));
        for (number, _) in fences.step_by(2).filter(|(_, line)| !line.ends_with("text")) {
            breaches.push(format!("{}:{number}", file.path));
        }
    }
    check("a block of a comment is `text`; what is to be tested is a test", breaches);
}

#[test]
fn every_file_of_tests_is_in_the_binary_of_its_crate() {
    let mut breaches = Vec::new();
    for manifest in files("crates", "Cargo.toml") {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        let Ok(entries) = fs::read_dir(root().join(folder).join("tests")) else { continue };
        let list = fs::read_to_string(root().join(folder).join("tests/all.rs")).unwrap_or_default();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let module = match name.strip_suffix(".rs") {
                Some("all") => continue,
                Some(module) => module.to_owned(),
                None if entry.path().join("mod.rs").exists() => name,
                None => continue,
            };
            if !list.lines().any(|line| line == format!("mod {module};")) {
                breaches.push(format!("{folder}tests/{module}"));
            }
        }
    }
    check("a file of tests is a module of tests/all.rs of its crate", breaches);
}

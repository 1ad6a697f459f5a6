//! Rules about the text of source files.

use crate::tree::{File, check, files, root};

/// Columns of a line of a program.
const COLUMNS: usize = 100;

/// Lines of a file of a program.
const LINES: usize = 500;

/// How the names of files of programs end.
const PROGRAMS: &[&str] = &[".rs", ".js", ".css", ".awk"];

/// Programs of others that lie here as they were released.
const FOREIGN: &[&str] = &["crates/report/assets/echarts.min.js"];

/// Files that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[];

/// Words that mark unfinished work.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "FIXME", "XXX"];

/// The files of programs that are written here.
fn programs() -> Vec<File> {
    let all = PROGRAMS.iter().flat_map(|ending| files("", ending));
    all.filter(|file| !FOREIGN.contains(&file.path.as_str())).collect()
}

#[test]
fn lines_and_files_are_short() {
    let mut breaches = Vec::new();
    for file in programs() {
        for (i, line) in file.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS {
                breaches.push(format!("{}:{}: {columns} columns", file.path, i + 1));
            }
        }
        let lines = file.text.lines().count();
        let excused = LONG.iter().any(|(path, _)| *path == file.path);
        if lines > LINES && !excused {
            breaches.push(format!("{}: {lines} lines", file.path));
        }
    }
    let rule =
        format!("at most {COLUMNS} columns and {LINES} lines; split the file by what it does");
    check(&rule, breaches);
}

#[test]
fn every_excuse_is_needed() {
    let kept =
        |path: &str| programs().iter().any(|f| f.path == path && f.text.lines().count() > LINES);
    let stale = LONG.iter().filter(|(path, _)| !kept(path));
    check("an exception that is not needed goes", stale.map(|(p, _)| (*p).to_owned()).collect());
}

#[test]
fn nothing_is_left_unfinished() {
    let mut breaches = Vec::new();
    // This crate names the words.
    for file in files("", ".rs").iter().filter(|f| !f.path.starts_with("tests/tidy/")) {
        for (i, line) in file.text.lines().enumerate() {
            if let Some(word) = UNFINISHED.iter().find(|word| line.contains(**word)) {
                breaches.push(format!("{}:{}: {word}", file.path, i + 1));
            }
        }
    }
    check("unfinished work is a note in an issue, not in the source", breaches);
}

#[test]
fn every_module_says_what_it_is() {
    let silent = files("", ".rs").into_iter().filter(|file| !file.text.starts_with("//! "));
    check("a file begins with a sentence that says what it is", silent.map(|f| f.path).collect());
}

#[test]
fn every_module_is_part_of_a_crate() {
    let all = files("", ".rs");
    let declared = |path: &str| -> bool {
        let Some((folder, name)) = path.rsplit_once('/') else { return true };
        let (inside, module) = match name {
            "mod.rs" => {
                let (above, own) = folder.rsplit_once('/').unwrap_or(("", folder));
                (above, own)
            }
            _ => (folder, name.trim_end_matches(".rs")),
        };
        let parents = ["lib.rs", "main.rs", "mod.rs"].map(|f| format!("{inside}/{f}"));
        let beside = format!("{inside}.rs");
        let declaration = format!("mod {module};");
        // Integration tests share modules without a common root.
        let is_parent = |file: &str| {
            let in_tests = inside.ends_with("/tests")
                && file.rsplit_once('/').is_some_and(|(f, _)| f == inside);
            parents.iter().any(|p| p == file) || file == beside || in_tests
        };
        all.iter()
            .filter(|f| is_parent(&f.path))
            .any(|f| f.text.lines().any(|line| line.trim_end().ends_with(&declaration)))
    };
    let is_root = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        ["lib.rs", "main.rs", "build.rs"].contains(&name)
            || ["tests", "examples", "fuzz_targets", "bin"]
                .iter()
                .any(|f| path.ends_with(&format!("/{f}/{name}")))
    };
    let dead = all.iter().filter(|f| !is_root(&f.path) && !declared(&f.path));
    check("a file that no module declares is dead", dead.map(|f| f.path.clone()).collect());
}

#[test]
fn text_files_end_in_one_line_end_and_have_no_trailing_blanks() {
    let mut breaches = Vec::new();
    for ending in [".toml", ".md"].iter().chain(PROGRAMS) {
        for file in files("", ending) {
            // Wrong texts are the point of these.
            let wrong = file.path.starts_with("fuzz/seeds/") || file.path.contains("/cli/tests/");
            if wrong || FOREIGN.contains(&file.path.as_str()) {
                continue;
            }
            if !file.text.ends_with('\n') || file.text.ends_with("\n\n") {
                breaches.push(format!("{}: ends in no or several line ends", file.path));
            }
            for (i, line) in file.text.lines().enumerate() {
                if line.ends_with([' ', '\t']) {
                    breaches.push(format!("{}:{}: trailing blank", file.path, i + 1));
                }
            }
        }
    }
    check("run an editor that trims", breaches);
}

#[test]
fn scripts_can_be_executed() {
    #[cfg(unix)]
    for path in [".ci/run", "fuzz/run"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(root().join(path)).expect(path).permissions().mode();
        assert!(mode & 0o111 != 0, "{path} cannot be executed");
    }
}

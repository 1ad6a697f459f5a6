//! Every command of the guide and of README.md is run, page by page, and has to print what the page
//! shows.
//!
//! A page is read like this:
//!
//! - A fenced block of `console` is commands behind `$ `, each with what it prints. `...` stands
//!   for any lines, `[..]` for anything in a line. `? 2` below a command is its exit code.
//! - A fenced block of another language whose first line is `# NAME` is a file of that name.
//! - The commands of a page run in order in one directory, beside the project's `examples`, `docs`
//!   and `reviews`.
//!
//! `GUIDE=overwrite cargo test -p cli --test all guide` writes into the pages what was printed.

use crate::common::fio;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a page and what it prints.
struct Step {
    line: String,
    exit: i32,
    printed: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

/// Runs a command as the reader would; the exit code, and all that was printed.
fn run(scratch: &Path, line: &str) -> (i32, Vec<String>) {
    let program = Path::new(env!("CARGO_BIN_EXE_drivelab"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a folder").display());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {line}\n}} 2>&1")])
        .current_dir(scratch)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .output()
        .expect("a shell starts");
    let text =
        String::from_utf8_lossy(&output.stdout).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let lines = text.lines().map(|line| line.trim_end().to_owned()).collect();
    (output.status.code().unwrap_or(-1), lines)
}

/// Whether a line is what the page shows.
fn same(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split("[..]");
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    rest.is_empty() || last.is_some_and(|part| part.is_empty() || printed.ends_with(part))
}

/// Whether lines are what the page shows, with `...` for any.
fn agree(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "..." => {
            (0..=printed.len()).any(|skipped| agree(rest, &printed[skipped..]))
        }
        (Some((first, shown)), Some((line, printed))) => same(first, line) && agree(shown, printed),
        _ => false,
    }
}

/// What is to stand on the page: the lines printed, of which those stay away that did so before.
fn shortened(shown: &[String], printed: &[String]) -> Vec<String> {
    if agree(shown, printed) {
        return shown.to_vec();
    }
    let (Some(head), Some(tail)) = (
        shown.iter().position(|line| line == "..."),
        shown.iter().rev().position(|line| line == "..."),
    ) else {
        return printed.to_vec();
    };
    if head + tail > printed.len() {
        return printed.to_vec();
    }
    let gap = ["...".to_owned()];
    [&printed[..head], &gap, &printed[printed.len() - tail..]].concat()
}

/// Does what a page says; the page as it should be, and where it is otherwise.
fn follow(text: &str, scratch: &Path) -> (String, Vec<String>) {
    let (mut page, mut wrong) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        page.push_str(&format!("{line}\n"));
        let Some(language) = line.strip_prefix("```").filter(|word| !word.is_empty()) else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match language {
            "console" => {
                for step in steps(&block) {
                    let (exit, printed) = run(scratch, &step.line);
                    if exit != step.exit || !agree(&step.printed, &printed) {
                        let got = printed.join("\n");
                        wrong.push(format!("$ {}\nexit code {exit}\n{got}", step.line));
                    }
                    page.push_str(&format!("$ {}\n", step.line));
                    if exit != 0 {
                        page.push_str(&format!("? {exit}\n"));
                    }
                    for line in shortened(&step.printed, &printed) {
                        page.push_str(&format!("{line}\n"));
                    }
                    page.push('\n');
                }
                page.pop();
            }
            _ => {
                let name = block.first().and_then(|line| line.strip_prefix("# "));
                let name = name.filter(|name| name.contains('.') && !name.contains(' '));
                if let Some(name) = name {
                    std::fs::write(scratch.join(name), block.join("\n") + "\n").expect("written");
                }
                page.push_str(&format!("{}\n", block.join("\n")));
            }
        }
        page.push_str("```\n");
    }
    (page, wrong)
}

fn steps(block: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                let line = command.to_owned();
                steps.push(Step { line, exit: 0, printed: Vec::new() });
            }
            (None, Some(step)) if step.line.ends_with('\\') => {
                step.line.push_str(&format!("\n{line}"));
            }
            (None, Some(step)) => match line.strip_prefix("? ").map(str::parse) {
                Some(Ok(exit)) if step.printed.is_empty() => step.exit = exit,
                _ => step.printed.push((*line).to_owned()),
            },
            (None, None) => panic!("a block of the guide begins with no command: {line}"),
        }
    }
    for step in &mut steps {
        while step.printed.last().is_some_and(String::is_empty) {
            step.printed.pop();
        }
    }
    steps
}

fn page(name: &str) {
    if ["test-a-real-drive.md", "review-a-drive.md", "against-the-box.md"].contains(&name)
        && fio().is_none()
    {
        return;
    }
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).expect("a page of the guide");
    let scratch = tempfile::tempdir().expect("made");
    for name in ["examples", "docs", "reviews"] {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        std::os::unix::fs::symlink(place, scratch.path().join(name)).expect("linked");
    }
    let (page, wrong) = follow(&text, scratch.path());
    if std::env::var("GUIDE").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, page).expect("written");
        return;
    }
    assert!(
        wrong.is_empty(),
        "{} shows other things than are printed; if they are right now, \
         `GUIDE=overwrite cargo test -p cli --test all guide` takes them over\n\n{}",
        path.display(),
        wrong.join("\n\n")
    );
}

macro_rules! pages {
    ($($test:ident $name:literal)*) => {
        const PAGES: &[&str] = &[$($name),*];
        $(#[test] fn $test() { page($name); })*
    };
}

pages! {
    tutorial "tutorial.md"
    job_file "run-a-job-file.md"
    model "describe-a-drive.md"
    choose "choose.md"
    cluster "cluster.md"
    sweeps "sweeps.md"
    fleets "fleets.md"
    python "python.md"
    review "review-a-drive.md"
    twin "make-a-twin.md"
    sheet "against-the-box.md"
    editors "editors.md"
    figure "add-a-figure.md"
    real_drive "test-a-real-drive.md"
    serve "serve-a-drive.md"
    database "your-database.md"
    nvme "nvme-over-tcp.md"
    vhost_user "vhost-user.md"
    crash_test "crash-test.md"
    report "read-the-report.md"
    snia "snia.md"
    steady_state "steady-state.md"
    write_a_method "write-a-method.md"
    write_amplification "write-amplification.md"
    tails "tails.md"
    cache "caches.md"
    how_sure "how-sure.md"
    calibration "../validation/intervals.md"
    readme "../../README.md"
}

#[test]
fn every_page_is_followed() {
    let entries = std::fs::read_dir(folder()).expect("the guide");
    let names = entries.map(|entry| entry.expect("read").file_name().into_string().expect("text"));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    let mut known: Vec<&str> = PAGES.iter().filter(|name| !name.contains('/')).copied().collect();
    known.sort_unstable();
    assert_eq!(names, known);
}

/// README.md shows nothing else than what is run: blocks of `sh` are commands without output, which
/// the program reads (`src/examples.rs`), and any other block says why it is not run.
#[test]
fn every_block_of_the_readme_is_run_or_says_why_not() {
    let text = std::fs::read_to_string(folder().join("../../README.md")).expect("README.md");
    let lines: Vec<&str> = text.lines().collect();
    let fences = (0..lines.len()).filter(|at| lines[*at].starts_with("```")).step_by(2);
    let mut others = 0;
    for at in fences {
        let body = lines[at + 1..].iter().take_while(|line| **line != "```");
        match lines[at] {
            // Those of Python are run by the tests of the package.
            "```console" | "```python" => {}
            "```sh" => {
                let commands = ["drivelab ", "make ", "    "];
                let shown = body.clone().find(|line| !commands.iter().any(|c| line.starts_with(c)));
                assert_eq!(shown, None, "a block of `sh` shows commands only");
            }
            _ => {
                let before = lines[at - 1];
                assert!(before.starts_with("<!-- not run: "), "line {}: {}", at + 1, lines[at]);
                others += 1;
            }
        }
    }
    assert!(others < 2, "{others} blocks are not run");
}

#[test]
fn a_page_that_shows_something_else_is_found() {
    let folder = tempfile::tempdir().expect("made");
    let text = "```text\n# a.txt\nhello\n```\n\n```console\n$ cat a.txt | tail -1\nhello\n\n\
                $ false\n? 1\n```\n";
    assert_eq!(follow(text, folder.path()), (text.to_owned(), Vec::new()));
    let (mended, wrong) = follow(&text.replace("-1\nhello", "-1\nhullo"), folder.path());
    assert_eq!((mended.as_str(), wrong.len()), (text, 1));
    let (_, wrong) = follow(&text.replace("? 1\n", ""), folder.path());
    assert_eq!(wrong.len(), 1);
    let elided = text.replace("-1\nhello", "\n...\nhel[..]");
    assert!(follow(&elided, folder.path()).1.is_empty());
}

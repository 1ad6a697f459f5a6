//! Rules about what each crate may use: the shape that `docs/ARCHITECTURE.md` promises.

use crate::tree::{check, files, read};

/// Each crate with the crates of the workspace that it may depend on. `iopath` and `stats` do not
/// know each other: statistics stay out of the models.
const MAY_USE: &[(&str, &[&str])] = &[
    ("engine", &[]),
    ("iopath", &["engine"]),
    ("stats", &["engine"]),
    ("fio", &["stats"]),
    ("smart", &[]),
    ("trace", &[]),
    ("nbd", &[]),
    ("process", &[]),
    ("real", &["fio", "smart", "stats", "trace", "metric", "process", "nbd"]),
    ("nvme", &[]),
    ("virtio", &[]),
    ("metric", &["engine", "stats", "fio"]),
    ("answer", &["stats", "metric"]),
    ("report", &["stats", "fio", "metric", "answer"]),
    ("library", &["engine", "iopath", "fio", "metric"]),
    ("simulate", &["engine", "iopath", "stats", "fio", "smart", "trace", "metric", "library"]),
    (
        "lab",
        &["engine", "iopath", "stats", "fio", "real", "smart", "metric", "library", "simulate"],
    ),
    ("fit", &["engine", "stats", "metric", "library"]),
    ("prior", &["engine", "stats", "library", "fit"]),
    ("review", &["engine", "stats", "fio", "metric", "answer", "library", "lab", "fit", "prior"]),
    ("sweep", &["engine", "stats", "metric", "answer"]),
    ("fleet", &["engine"]),
    ("serve", &["engine", "iopath", "stats", "nbd", "nvme", "virtio", "library"]),
    ("crash", &["engine", "process", "serve"]),
    ("cli", &ALL),
    ("python", &["cli", "metric"]),
];

/// What the program itself may use.
const ALL: [&str; 24] = [
    "engine", "iopath", "stats", "fio", "real", "smart", "trace", "metric", "answer", "library",
    "simulate", "lab", "fit", "prior", "review", "serve", "report", "nbd", "nvme", "virtio",
    "process", "crash", "sweep", "fleet",
];

/// Crates of the workspace that only tests use.
const IN_TESTS: &[&str] = &["needs"];

/// Crates that no crate of a model's path may depend on.
const NOT_IN_MODELS: &[&str] = &["rayon", "indicatif", "clap", "tempfile"];

/// Where programs are started.
const STARTS_PROGRAMS: &[(&str, &str)] = &[
    ("crates/real/", "runs the installed fio"),
    ("crates/process/", "starts what must not outlive us"),
    ("crates/crash/", "runs the programs of a crash test, and mounts what they work on"),
    ("benches/", "runs each work in a process of its own"),
];

/// Where files are made, changed or removed.
const CHANGES_FILES: &[(&str, &str)] = &[
    ("crates/real/", "prepares the file or device under test"),
    ("crates/cli/", "writes the results that the user named"),
    ("crates/simulate/src/", "saves snapshots of drives"),
    ("crates/virtio/src/inflight.rs", "sizes memory that it shares with a virtual machine"),
    ("crates/sweep/src/store.rs", "keeps the journal of a sweep"),
    ("crates/crash/src/", "makes the folders of a crash test"),
    ("crates/serve/src/", "keeps what clients write to a served drive, and its sockets"),
];

fn manifest(path: &str) -> toml::Table {
    toml::from_str(&read(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn dependencies(table: &toml::Table, section: &str) -> Vec<String> {
    table
        .get(section)
        .and_then(toml::Value::as_table)
        .map(|list| list.keys().cloned().collect())
        .unwrap_or_default()
}

#[test]
fn dependencies_point_one_way() {
    let mut breaches = Vec::new();
    for file in files("crates", "Cargo.toml") {
        let table = manifest(&file.path);
        let name = file.path.split('/').nth(1).unwrap_or_default();
        let Some((_, allowed)) = MAY_USE.iter().find(|(crate_name, _)| *crate_name == name) else {
            breaches.push(format!("{name}: give the new crate its place in MAY_USE"));
            continue;
        };
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for used in dependencies(&table, section) {
                let ours = MAY_USE.iter().any(|(crate_name, _)| *crate_name == used);
                if ours && !allowed.contains(&used.as_str()) {
                    breaches.push(format!("{name} must not use {used}"));
                }
                if IN_TESTS.contains(&used.as_str()) && section != "dev-dependencies" {
                    breaches.push(format!("{name}: only tests use {used}"));
                }
                let model = ["engine", "iopath", "stats"].contains(&name);
                if model && section == "dependencies" && NOT_IN_MODELS.contains(&used.as_str()) {
                    breaches.push(format!("{name} must not use {used}"));
                }
            }
        }
    }
    check("engine <- iopath <- library <- simulate <- lab <- review <- cli; stats below", breaches);
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = read("docs/decisions/0009-dependencies.md");
    let table = manifest("Cargo.toml");
    let shared = table.get("workspace").and_then(|w| w.get("dependencies"));
    let mut all: Vec<String> = shared
        .and_then(toml::Value::as_table)
        .map(|t| t.keys().cloned().collect())
        .unwrap_or_default();
    for file in files("crates", "Cargo.toml").iter().chain(&files("benches", "Cargo.toml")) {
        all.extend(dependencies(&manifest(&file.path), "dependencies"));
    }
    all.retain(|name| !MAY_USE.iter().any(|(ours, _)| ours == name));
    all.retain(|name| !IN_TESTS.contains(&name.as_str()));
    all.sort();
    all.dedup();
    let silent = all.into_iter().filter(|name| !reasons.contains(&format!("| `{name}`")));
    check("a dependency is one line in docs/decisions/0009-dependencies.md", silent.collect());
}

fn outside(allowed: &[(&str, &str)], words: &[&str]) -> Vec<String> {
    let sources = files("crates", ".rs").into_iter().chain(files("benches", ".rs"));
    let mut breaches = Vec::new();
    for file in sources.filter(|f| !f.is_test()) {
        if allowed.iter().any(|(path, _)| file.path.starts_with(path)) {
            continue;
        }
        for (number, line) in file.program() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                breaches.push(format!("{}:{number}: {word}", file.path));
            }
        }
    }
    breaches
}

#[test]
fn only_few_places_start_programs() {
    let words = ["process::Command", "process::{Command", "process::{Child"];
    check("only `real` starts fio, and never through a shell", outside(STARTS_PROGRAMS, &words));
}

#[test]
fn only_few_places_change_files() {
    let words = [
        "File::create",
        "OpenOptions",
        "fs::write",
        "fs::remove",
        "fs::rename",
        "fs::create_dir",
        "fs::copy",
        "set_len",
    ];
    check("a crate that computes changes no file", outside(CHANGES_FILES, &words));
}

#[test]
fn models_and_statistics_print_nothing() {
    let mut breaches = Vec::new();
    for name in ALL {
        for file in files(&format!("crates/{name}/src"), ".rs") {
            for (number, line) in file.program() {
                let prints = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!"];
                if let Some(word) = prints.iter().find(|word| line.contains(**word)) {
                    breaches.push(format!("{}:{number}: {word}", file.path));
                }
            }
        }
    }
    check("only `cli` talks to the user", breaches);
}

#[test]
fn nothing_is_global() {
    let words = ["static mut", "thread_local!", "OnceLock", "LazyLock", "OnceCell", "lazy_static"];
    let mut breaches = Vec::new();
    for name in ["engine", "iopath", "stats"] {
        for file in files(&format!("crates/{name}/src"), ".rs") {
            for (number, line) in file.program() {
                if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                    breaches.push(format!("{}:{number}: {word}", file.path));
                }
            }
        }
    }
    check("a simulation is one value; two run side by side", breaches);
}

#[test]
fn unsafe_code_stands_in_one_file() {
    let word = concat!("un", "safe");
    // The policy of a page has a word for scripts that stand in it, which is no code.
    let policy = format!("'{word}-inline'");
    let is_word = |line: &str| {
        let line = line.replace(&policy, "");
        line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|part| part == word)
    };
    let mut breaches = Vec::new();
    for file in files("", ".rs") {
        if file.path == "crates/iopath/src/device/flash/prefetch.rs" {
            continue;
        }
        for (number, _) in file.code().filter(|(_, line)| is_word(line)) {
            breaches.push(format!("{}:{number}", file.path));
        }
    }
    check(
        "the hint to the cache in iopath/src/device/flash/prefetch.rs is the only such code",
        breaches,
    );
}

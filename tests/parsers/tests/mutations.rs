//! Every check of this crate on its seeds, on arbitrary bytes and on mutated seeds.
//! `PROPTEST_CASES` is how many of each, and `CHECKS=nbd,vhost` names some: a long search needs no
//! fuzzer.

use parsers::Check;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Seeds of a check: its own, and shipped files of the same kind.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let mut folders = vec![root().join("fuzz/seeds").join(name)];
    match name {
        "job_file" => folders.push(root().join("examples")),
        "model" => folders.push(root().join("models/drive")),
        "health_log" => folders.push(root().join("crates/smart/tests/data")),
        "workload" => folders.push(root().join("methods/workloads")),
        "nand" => folders.push(root().join("models/nand")),
        _ => {}
    }
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().map(|e| e.path()))
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed can be read")).collect()
}

/// One change of a text.
#[derive(Clone, Debug)]
enum Edit {
    Replace(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
    Cut(prop::sample::Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..6),
        "[-+]?[0-9]{1,20}(\\.[0-9]{1,4})?( ?[A-Za-z%/]{1,5})?".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "=", "[", "]", "{", "}", "\"", ":", ",", "%", "\n", "\0", "\u{feff}"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(i, b)| Edit::Replace(i, b)),
        4 => (at(), piece).prop_map(|(i, p)| Edit::Insert(i, p)),
        3 => (at(), 1..20_usize).prop_map(|(i, n)| Edit::Remove(i, n)),
        1 => (at(), 1..200_usize).prop_map(|(i, n)| Edit::Repeat(i, n)),
        1 => at().prop_map(Edit::Cut),
    ]
}

fn apply(text: &mut Vec<u8>, edit: &Edit) {
    if text.is_empty() {
        return;
    }
    let span = |at: usize, len: usize, all: usize| at..(at + len).min(all);
    match edit {
        Edit::Replace(i, byte) => {
            let at = i.index(text.len());
            text[at] = *byte;
        }
        Edit::Insert(i, piece) => {
            let at = i.index(text.len());
            text.splice(at..at, piece.iter().copied());
        }
        Edit::Remove(i, n) => {
            let span = span(i.index(text.len()), *n, text.len());
            text.drain(span);
        }
        Edit::Repeat(i, n) => {
            let span = span(i.index(text.len()), *n, text.len());
            let piece = text[span.clone()].to_vec();
            text.splice(span.end..span.end, piece);
        }
        Edit::Cut(i) => text.truncate(i.index(text.len())),
    }
}

/// A check with its seeds.
struct Seeded {
    name: &'static str,
    check: Check,
    seeds: Vec<Vec<u8>>,
}

/// The checks that are run.
static CHECKS: LazyLock<Vec<Seeded>> = LazyLock::new(|| {
    let wanted = std::env::var("CHECKS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split(',').any(|one| one == name);
    let checks = parsers::CHECKS.iter().filter(|(name, _)| is_wanted(name));
    let seeded = |(name, check): &(&'static str, Check)| {
        let (name, check) = (*name, *check);
        Seeded { name, check, seeds: seeds(name) }
    };
    let checks: Vec<Seeded> = checks.map(seeded).collect();
    assert!(!checks.is_empty(), "CHECKS={wanted} names none");
    checks
});

/// So many cases, or as many as `PROPTEST_CASES` says.
fn config(usual: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    let cases = cases.unwrap_or(usual);
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

#[test]
fn every_seed_passes() {
    for one in &*CHECKS {
        assert!(!one.seeds.is_empty(), "{} has no seeds", one.name);
        one.seeds.iter().for_each(|seed| (one.check)(seed));
    }
}

/// Conversations are kept as seeds of both ends.
#[test]
fn recorded_conversations_are_seeds() {
    for (folder, name, bytes) in parsers::protocols::recorded() {
        let path = root().join("fuzz/seeds").join(folder).join(name);
        if std::env::var_os("SEEDS").is_some_and(|wish| wish == "overwrite") {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, &bytes).expect("written");
        }
        let kept = fs::read(&path).unwrap_or_default();
        assert!(kept == bytes, "{}: SEEDS=overwrite writes it anew", path.display());
    }
}

proptest! {
    #![proptest_config(config(2048))]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for one in &*CHECKS {
            (one.check)(&bytes);
        }
    }

    #[test]
    fn mutated_seeds(
        seed in any::<prop::sample::Index>(),
        edits in proptest::collection::vec(edit(), 1..10),
    ) {
        for one in &*CHECKS {
            let mut text = one.seeds[seed.index(one.seeds.len())].clone();
            edits.iter().for_each(|edit| apply(&mut text, edit));
            (one.check)(&text);
        }
    }
}

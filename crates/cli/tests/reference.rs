//! The reference that is kept says what the code says.
//!
//! `REFERENCE=overwrite cargo test -p cli --test all reference` (or `make reference`) writes it
//! anew.

use crate::common::drivelab;
use std::collections::BTreeMap;
use std::path::Path;

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    let page = |path: &Path| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("text"))
    };
    let paths = entries.map(|entry| entry.expect("read").path());
    paths.filter(|path| path.is_file()).map(|path| page(&path)).collect()
}

#[test]
fn the_reference_is_what_the_code_says() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let write = |to: &Path| {
        let output = drivelab(to, &["reference", "--dir", "."]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    if std::env::var("REFERENCE").is_ok_and(|value| value == "overwrite") {
        write(&kept);
    }
    let scratch = tempfile::tempdir().expect("made");
    write(scratch.path());
    same("docs/reference", &kept, scratch.path());
    same("docs/reference/schema", &kept.join("schema"), &scratch.path().join("schema"));
}

/// Fails where the files of a folder that is kept are not those that the code writes.
fn same(folder: &str, kept: &Path, said: &Path) {
    let (kept, said) = (pages(kept), pages(said));
    let names = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&kept), names(&said));
    for (name, said) in said {
        let first = kept[&name].lines().zip(said.lines()).find(|(kept, said)| kept != said);
        assert!(
            kept[&name] == said,
            "{folder}/{name} is not what the code says; `make reference` writes it anew\n\
             first difference: {first:?}"
        );
    }
}

/// The tables of the chapter on validation come from the results that are kept beside it.
#[test]
fn the_chapter_on_validation_tells_the_results_that_are_kept() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation");
    let write = |to: &Path| {
        let scratch = tempfile::tempdir().expect("made");
        let to = to.to_str().expect("text");
        let output = drivelab(scratch.path(), &["reference", "--dir", ".", "--validation", to]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    if std::env::var("REFERENCE").is_ok_and(|value| value == "overwrite") {
        write(&kept);
    }
    let scratch = tempfile::tempdir().expect("made");
    for (name, text) in pages(&kept) {
        std::fs::write(scratch.path().join(name), text).expect("written");
    }
    write(scratch.path());
    let chapter = |folder: &Path| std::fs::read_to_string(folder.join("README.md")).expect("text");
    assert!(
        chapter(&kept) == chapter(scratch.path()),
        "docs/validation/README.md is not what the JSON beside it says; \
         `REFERENCE=overwrite cargo test -p cli --test all reference` writes it anew"
    );
}

#[test]
fn manual_pages_have_what_the_help_has() {
    let scratch = tempfile::tempdir().expect("made");
    let output = drivelab(scratch.path(), &["man", "--dir", "man1"]);
    assert!(output.status.success());
    let pages = pages(&scratch.path().join("man1"));
    assert!(pages.len() > 12 && pages.contains_key("drivelab.1"), "{:?}", pages.keys());
    assert!(!pages.contains_key("drivelab-reference.1"), "what is hidden has no page");
    for (name, page) in &pages {
        for part in [".TH", ".SH NAME", ".SH SYNOPSIS", ".SH \"EXIT STATUS\""] {
            assert!(page.contains(part), "{name}: {part}");
        }
    }
    let run = &pages["drivelab-run.1"];
    assert!(run.contains(".SH EXAMPLES") && run.contains("examples/four\\-corners.fio"), "{run}");
    assert!(run.contains("\\-\\-budget"), "{run}");
    let one = drivelab(scratch.path(), &["man", "run"]);
    assert_eq!(String::from_utf8_lossy(&one.stdout), run.as_str());
    let none = drivelab(scratch.path(), &["man", "rum"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&none.stderr).contains("commands: run,"));
}

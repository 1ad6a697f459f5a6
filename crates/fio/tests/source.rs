//! The one reader of job files: what it makes of a text is what fio makes of it, or an error.

use std::fs;
use std::path::Path;

use fio::source::{Source, read, read_file};
use fio::{LoadOptions, jobfile};
use proptest::prelude::*;

/// The sections as a text without blanks, comments and includes.
fn plain(source: &Source) -> String {
    let mut text = String::new();
    for section in &source.sections {
        text += &format!("[{}]\n", section.name);
        for item in &section.items {
            let value = item.value.as_ref().map_or(String::new(), |value| format!("={value}"));
            text += &format!("{}{value}\n", item.name);
        }
    }
    text
}

/// What the text is read as, or the first line of the error.
fn outcome(text: &str) -> String {
    match read("j", text, Some(Path::new("/nonexistent"))) {
        Ok(source) => plain(&source),
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn lines_are_cut_as_fio_cuts_them() {
    for (text, expected) in [
        ("\n; c\n[global]\nbs = 4k ; four\ndirect\n", "[global]\nbs=4k\ndirect\n"),
        ("[a]b]\n  rw=read#x\n", "[a]b]\nrw=read\n"),
        (" [ a ] \r\n\x0b\tbs\t= 8k=x \x0c\r\n", "[ a ]\nbs=8k=x\n"),
        ("[a]\nrw=\ndescription=a\tb\n", "[a]\nrw=\ndescription=a\tb\n"),
        ("[a] ; c\n#[b]\n", "[a]\n"),
        ("[a]\nbs=${X\n${Y}=$pagesize\n", "[a]\nbs=${X\n${Y}=$pagesize\n"),
    ] {
        assert_eq!(outcome(text), expected, "{text:?}");
    }
}

/// fio 3.33 and 3.42 read each of these as something else than it seems to say, or not at all.
#[test]
fn what_fio_reads_otherwise_is_refused() {
    let (name, line) = ("n".repeat(251), "d".repeat(4096));
    for (text, expected) in [
        // fio: a job `a] x`.
        ("[a] xy\n", "j:1:1: `xy` follows the section's name"),
        // fio: a job `ab`.
        ("[abc\n", "j:1:1: the section has no `]`"),
        // fio: a job without a name.
        ("[a;b]\n", "j:1:1: the section has no `]`"),
        ("[]\n", "j:1:1: the section has no name"),
        ("[ ]\n", "j:1:1: the section has no name"),
        (&format!("[{name}]\n"), "j:1:1: the section's name is longer than 250 bytes"),
        // fio: two lines.
        (&format!("[a]\n;{line}rw=write\n"), "j:2:1: the line is longer than 4095 bytes"),
        // fio: no section.
        ("\u{feff}[a]\n", "j:1:1: j begins with a byte order mark, which fio refuses"),
        // fio: a part of the name, and of the value.
        ("[a]\n\u{a0}rw=read\n", "j:2:1: `\u{a0}rw`: the blank U+00A0 is not one to fio"),
        ("[a]\nsize=1g\u{a0}\n", "j:2:1: `size`: the blank U+00A0 is not one to fio"),
        // fio: a blank at the end, else a part of the value.
        ("[a]\n rw=read\x01\n", "j:2:2: the line has the control character U+0001"),
        ("[a]\nbs=8k\rrw=write\n", "j:2:1: the line has the control character U+000D"),
        ("[a]\n=read\n", "j:2:1: `=read` has no option before the `=`"),
        // fio: the files `x`, ` x`, `` and `${X}`.
        ("[a]\ninclude=x\n", "j:2:1: `include=x` names no file to include"),
        ("[a]\nincludeXx\n", "j:2:1: `includeXx` names no file to include"),
        ("[a]\ninclude  x\n", "j:2:1: `include  x` names no file to include"),
        ("[a]\ninclude\n", "j:2:1: `include` names no file to include"),
        (
            "[a]\ninclude ${X}\n",
            "j:2:1: `include ${X}`: fio expands no variable in the name of a file",
        ),
        ("include x\n[a]\n", "j:1:1: `include` is before the first section"),
        ("rw=read\n[a]\n", "j:1:1: option `rw` is before the first section"),
    ] {
        assert_eq!(outcome(text), expected, "{text:?}");
    }
}

#[test]
fn defaults_are_told_from_jobs_by_six_letters() {
    let source = read("j", "[global]\n[globalx]\n[Global]\n[ global]\n[globa]\n", None).unwrap();
    let globals: Vec<bool> = source.sections.iter().map(|section| section.is_global()).collect();
    assert_eq!(globals, [true, true, false, false, false]);
    let text = "[globals]\nrw=write\n[Global]\nrw=randread\n[a]\n";
    let file = jobfile::parse_str("j", text, &LoadOptions::default()).unwrap();
    let jobs: Vec<_> = file.jobs.iter().map(|job| (job.name.as_str(), job.rw.name())).collect();
    assert_eq!(jobs, [("Global", "randread"), ("a", "write")]);
    let warnings: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings[0].starts_with("j:1:1: `[globals]` has defaults and is no job"));
    assert!(warnings[1].starts_with("j:3:1: `[Global]` is a job"));
}

#[test]
fn places_count_characters() {
    let source = read("j", "[ä]\n  bs =\t4k\ndirect\n", None).unwrap();
    let [bs, direct] = source.sections[0].items.as_slice() else { panic!("two lines") };
    assert_eq!((bs.name_place.to_string(), bs.value_place.column), ("j:2:3".to_owned(), 8));
    assert_eq!((direct.value_place.line, direct.value_place.column), (3, 1));
}

/// A name is seen from the file that has it. A file of that name beside the outermost one would be
/// taken by a fio that is started there.
#[test]
fn included_names_mean_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    write("top.fio", "[a]\ninclude sub/one.inc\nrw=read\n");
    write("sub/one.inc", "iodepth=2\ninclude two.inc\n");
    write("sub/two.inc", "bs=16k\n");
    let top = folder.path().join("top.fio");
    let expected = "[a]\niodepth=2\nbs=16k\nrw=read\n";
    assert_eq!(plain(&read_file(&top).unwrap()), expected);
    let text = fs::read_to_string(&top).unwrap();
    assert_eq!(plain(&read("j", &text, Some(folder.path())).unwrap()), expected);
    write("two.inc", "bs=8k\n");
    let error = read_file(&top).unwrap_err();
    assert!(error.file.ends_with("sub/one.inc") && error.line == 2, "{error}");
    assert!(error.message.contains("to a fio started there"), "{error}");
    fs::remove_file(folder.path().join("sub/two.inc")).unwrap();
    assert!(read_file(&top).is_err(), "one of the two is not the other's stand-in");
    // An empty file is fine, and one that begins with a mark is not.
    fs::remove_file(folder.path().join("two.inc")).unwrap();
    write("sub/two.inc", "");
    assert_eq!(plain(&read_file(&top).unwrap()), "[a]\niodepth=2\nrw=read\n");
    write("sub/two.inc", "\u{feff}bs=8k\n");
    assert!(read_file(&top).unwrap_err().message.contains("byte order mark"));
}

/// Lines with what cuts lines in them.
fn lines() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            "[", "]", "global", "[a]", "include", "=", ";", "#", " ", "\t", "\r", "\x0b", "\u{a0}",
            "\u{feff}", "${X}", "\x01", "rw=write", "bs", "\n"
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| format!("[a]\n{}", pieces.concat()))
}

fn plain_and_the_same(source: &Source) {
    for item in source.sections.iter().flat_map(|section| &section.items) {
        let value = item.value.as_deref().unwrap_or_default();
        assert!(!item.name.is_empty() && !item.name.starts_with("include"));
        for part in [item.name.as_str(), value] {
            assert_eq!(part.trim(), part);
            assert!(!part.contains([';', '#', '\n', '\r', '\0']));
        }
    }
    let written = plain(source);
    let again = read("j", &written, None).map(|source| plain(&source));
    assert_eq!(again.as_ref(), Ok(&written));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_read_is_plain_and_reads_as_the_same(text in lines()) {
        if let Ok(source) = read("j", &text, None) {
            plain_and_the_same(&source);
        }
    }

    #[test]
    fn the_place_of_an_error_is_in_the_text(text in lines()) {
        if let Err(error) = read("j", &text, None) {
            let line = text.lines().nth(error.line as usize - 1).unwrap_or_default();
            prop_assert!(error.column as usize <= line.chars().count() + 1, "{error}");
        }
    }
}

//! What the shared reader makes of a job file: the same as the installed fio, and nothing that
//! reaches elsewhere.

use crate::common::Machine;
use fio::source::{Source, read};
use proptest::prelude::*;
use real::options::{Fate, fate};
use real::{InstalledFio, RealJob, Request, SourceOptions};
use std::fs;
use std::process::Command;

/// The command line that `fio --showcmd` makes of these sections.
fn command(source: &Source) -> String {
    let mut words = vec!["fio".to_owned()];
    for section in &source.sections {
        if !section.is_global() {
            words.push(format!("--name={}", section.name));
        }
        for item in &section.items {
            words.push(match &item.value {
                Some(value) => format!("--{}={value}", item.name),
                None => format!("--{}", item.name),
            });
        }
    }
    words.join(" ")
}

#[test]
fn sections_are_those_of_the_installed_fio() {
    if needs::found(needs::FIO, InstalledFio::find().ok()).is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("made");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    fs::create_dir(folder.path().join("sub")).expect("made");
    put("sub/one.inc", "include two.inc\n");
    put("sub/two.inc", "bs=16k ; c\n");
    put("empty.inc", "");
    for text in [
        "[globalx]\nrw=write\n[a]\nbs=8k\n",
        "[Global]\nrw=write\n[a]\nbs=8k\n",
        "[ global]\nrw=write\n[a]b]\nbs=8k\n",
        "; c\n  [a] # c\n\x0b bs=8k;c\r\n#c\n[global]\niodepth=2\n[b]\nrw=read#c\n",
        "[a]\ninclude sub/one.inc # c\n",
        "[a]\ninclude\tempty.inc\nbs=8k\n[b]\n",
    ] {
        let file = folder.path().join("j.fio");
        put("j.fio", text);
        let ours = command(&fio::source::read_file(&file).expect(text));
        let output = Command::new("fio").args(["--parse-only", "--showcmd"]).arg(&file).output();
        let output = String::from_utf8(output.expect("starts").stdout).expect("text");
        // fio breaks the line where options come from an included file.
        let output = output.replace('\n', "");
        assert_eq!(output.trim(), ours, "{text:?}");
    }
}

/// fio does not expand what a variable stands for, nor what stands in the name of a file.
#[test]
fn variables_must_have_values_and_stay_in_their_line() {
    let variables = [("BS", "8k"), ("LINE", "1\nexec_prerun=x")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let options = SourceOptions { variables: variables.into(), ..SourceOptions::default() };
    let parse = |text: &str| RealJob::parse(text, &options);
    assert!(parse("[a]\nbs=${BS},${BS}\n").is_ok());
    for line in ["bs=${NONE}", "bs=${BS", "bs=${}", "bs=${LINE}", "include ${BS}", "bs=${${BS}}"] {
        assert!(parse(&format!("[a]\n{line}\n")).is_err(), "{line}");
    }
}

fn lines() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "\n", "\n", "[global]\n", "[b]\n", "rw=write\n", "size=1m\n", "bs=${X}\n", "direct\n",
            "filename=/dev/sda\n", "exec_prerun=x\n", "write_bw_log=/etc/x\n", "unlink=1\n"
        ]).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "[", "]", "global", "include ", "=", ";", "#", " ", "\t", "\r", "\u{a0}", "${X}", "\x01"
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,2}",
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| format!("[a]\n{}", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever is handed to fio has listed options only, and no file but the permitted one.
    #[test]
    fn what_is_handed_over_reaches_nothing_else(text in lines(), value in "[ -~\\n]{0,6}") {
        let machine = Machine::new();
        let request = Request { path: machine.path("on"), writes: true, ..Request::default() };
        let permit = machine.system.examine(&request).expect("permitted");
        let variables = [("X".to_owned(), value)].into();
        let options = SourceOptions { name: "j".into(), variables, ..SourceOptions::default() };
        let redirected = RealJob::parse(&text, &options)
            .and_then(|job| job.redirect(&[permit], Some(1 << 20)))
            .map_or(String::new(), |redirected| redirected.text);
        let source = read("redirected", &redirected, None);
        let sections = source.map_or(Vec::new(), |source| source.sections);
        prop_assert!(redirected.is_empty() || !sections.is_empty(), "it is no job file");
        let on = machine.path("on").display().to_string();
        for item in sections.iter().flat_map(|section| &section.items) {
            let value = item.value.as_deref().unwrap_or_default();
            match fate(&item.name) {
                Fate::Files => {
                    prop_assert_eq!((item.name.as_str(), value), ("filename", on.as_str()));
                }
                Fate::Log => prop_assert!(value.starts_with("log") && !value.contains('/')),
                other => prop_assert!(other == Fate::Pass, "{}={value}", item.name),
            }
        }
        let named = read("j", &text, None).map_or(0, |source| source.sections.len());
        prop_assert!(sections.is_empty() || sections.len() == named);
    }
}

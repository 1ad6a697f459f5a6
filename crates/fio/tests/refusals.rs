//! What is refused, with exact place and help.

use std::fs;

use fio::LoadOptions;
use fio::jobfile::{load, parse_str};

fn refusal(text: &str) -> String {
    match parse_str("t.fio", text, &LoadOptions::default()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The error of one option, which is on line 3 after an indent.
fn option_refusal(option: &str) -> String {
    refusal(&format!("[a]\ndirect=1\n  {option}\n"))
}

/// Each option is refused with this place, message and help.
fn assert_refusals(cases: &[(&str, &str)]) {
    for (option, expected) in cases {
        assert_eq!(option_refusal(option), format!("t.fio:{expected}"), "{option}");
    }
}

#[test]
fn names_of_options_and_engines() {
    assert_refusals(&[
        ("iodpeth=4", "3:3: unknown option `iodpeth`\n  help: did you mean `iodepth`?"),
        (
            "qqqqqqqqq=1",
            "3:3: unknown option `qqqqqqqqq`\n  help: see the list of options that \
          are understood",
        ),
        (
            "rw=randrd",
            "3:6: `rw`: `randrd` is not a kind of I/O\n  help: write read, write, trim, \
          rw, trimwrite, or one of these behind `rand`",
        ),
        (
            "ioengine=net",
            "3:12: engine `net` has no meaning on a modelled drive: it talks to a \
          server over a network\n  help: use an engine for block devices, such as libaio or \
          io_uring",
        ),
        ("ioengine=libaoi", "3:12: engine `libaoi` is unknown\n  help: did you mean `libaio`?"),
        (
            "max_open_zones=4",
            "3:3: option `max_open_zones` is refused: zoned devices are not \
          modelled\n  help: remove it, or run the job on a real drive",
        ),
        (
            "zonemode=zbd",
            "3:12: `zonemode`: `zbd` needs a zoned device, and none is modelled\n  \
          help: use zonemode=strided, or remove the zone options",
        ),
        (
            "wait_for=a",
            "1:1: `wait_for`: there is no job `a` before job `a`\n  help: name an \
             earlier job of the file",
        ),
    ]);
}

#[test]
fn numbers_and_where_they_stand() {
    assert_refusals(&[
        (
            "rwmixread=101",
            "3:13: `rwmixread`: `101` is out of range\n  help: write a number from \
          0 to 100",
        ),
        (
            "rwmixread=-1",
            "3:13: `rwmixread`: `-1` is negative\n  help: write an integer with an \
          optional k, m, g, t or p, as in 4k",
        ),
        ("bs=0", "3:6: `bs`: `0` is out of range\n  help: write a number from 1 to 4294967295"),
        (
            "bs = 4x",
            "3:8: `bs`: `4x` is not a number: unexpected `x`\n  help: write an integer \
          with an optional k, m, g, t or p, as in 4k",
        ),
        ("bs", "3:3: `bs`: the value is missing\n  help: write bs=SIZE"),
        (
            "direct=yes",
            "3:10: `direct`: `yes` is neither 0 nor 1\n  help: write 1 for on, 0 for \
          off",
        ),
    ]);
}

#[test]
fn sizes_and_shares() {
    assert_refusals(&[
        (
            "bssplit=4k/60:8k/60",
            "3:11: `bssplit`: `4k/60:8k/60` adds up to 120 %\n  help: make \
          the shares add up to 100",
        ),
        (
            "percentile_list=50:101",
            "3:19: `percentile_list`: `101` is out of range\n  help: write \
          percentages above 0 and up to 100",
        ),
        (
            "size=8z",
            "3:8: `size`: `8z` counts zones, and zoned devices are not modelled\n  help: \
          write bytes or a percentage",
        ),
        (
            "size=${NOSUCH}",
            "3:8: `size`: the value is missing\n  help: set NOSUCH in the \
          environment",
        ),
        (
            "size=1k",
            "3:8: `size`: 1024 bytes are less than the least block of 4096 bytes\n  help: \
          make size at least one block",
        ),
    ]);
}

/// Blocks and their mix.
const BLOCKS: &[&str] = &[
    "blockalign=0",
    "bsrange=4k",
    "bsrange=",
    "bs=1,2,3,4",
    "bs=,",
    "bs=1.5k",
    "bs=99999999999999999999",
    "bssplit=:",
    "bssplit=0/9",
];

/// What is done, and where.
const PATTERNS: &[&str] = &[
    "rw=",
    "rw=randread:0",
    "rw=read:x",
    "rw=randreadwrite",
    "percentage_random=101",
    "random_distribution=zipf:1",
    "random_distribution=zipf:0",
    "random_distribution=zipf:nan",
    "random_distribution=pareto:1.2",
    "random_distribution=normal:101",
    "random_distribution=zoned:60/10:50/20",
    "random_distribution=zoned:60/10:30/20",
    "random_distribution=zoned:60/60:40/60",
    "random_distribution=zoned_abs:100/",
    "random_distribution=zipf:1.2:2",
    "random_distribution=zipf:1.2:0.1:3",
    "random_distribution=zopf",
    "random_distribution=zoned:",
    "random_distribution=sequence:1,x",
    "random_generator=foo",
];

/// Sizes, offsets, files and zones.
const EXTENTS: &[&str] = &[
    "nrfiles=0",
    "size=10.5%",
    "size=0%",
    "offset=101%",
    "offset_increment=200%",
    "zonemode=strided",
    "filename=:",
    "file_service_type=foo",
    "opendir=/x",
    "filesize=x",
    "file_service_type=zipf:x",
    "zonesize=8k\nzonerange=4k",
    "size=(1",
    "size=(1/0)",
];

/// Times, rates and flushes.
const TIMES: &[&str] = &[
    "runtime=-1",
    "runtime=1w",
    "rate_process=poissonx",
    "fsync",
    "fsync=-4",
    "sync_file_range=foo:8",
    "ramp_size=1g",
    "startdelay=x",
    "max_latency=1x",
    "rate=1m\nrate_iops=5",
    "rate=1k\nrate_min=2k",
    "rate_iops=1\nrate_iops_min=2",
];

/// What is reported, checked and replayed.
const REPORTS: &[&str] = &[
    "percentile_list=0",
    "percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21",
    "steadystate=iops",
    "steadystate=foo:1%",
    "steadystate=bw:x%",
    "ss_interval=0",
    "verify=foo",
    "unified_rw_reporting=3",
    "replay_skip=foo",
    "bwavgtime=0",
    "latency_percentile=101",
    "log_hist_coarseness=7",
];

/// Counts, engines and what no job has.
const NUMBERS: &[&str] = &[
    "iodepth=0",
    "numjobs=0",
    "loops=-2",
    "thread=yes",
    "name=",
    "sg_write_mode=verify",
    "profile=tiobench",
    "ioengine=",
    "ioengine=./x.so",
    "hostname=x",
];

#[test]
fn values_that_make_no_sense() {
    for option in [BLOCKS, PATTERNS, EXTENTS, TIMES, REPORTS, NUMBERS].concat() {
        let message = option_refusal(option);
        assert!(message.starts_with("t.fio:"), "{option}: {message}");
        assert!(message.contains('`'), "the option or engine is named: {message}");
    }
}

#[test]
fn files_that_are_no_job_files() {
    for (text, expected) in [
        ("", "t.fio:1:1: t.fio is empty\n  help: add a section such as [job]"),
        (" \n\n", "t.fio:1:1: t.fio is empty\n  help: add a section such as [job]"),
        ("# only\n", "t.fio:1:1: the file has no job section\n  help: add a section such as [job]"),
        (
            "[global]\nbs=4k\n",
            "t.fio:1:1: the file has no job: every section is [global]\n  help: \
          add a section such as [job], or name a job to run with these options",
        ),
        (
            "[a]\nbs=\0",
            "t.fio:1:1: t.fio is not text: it has NUL bytes\n  help: is this a job \
          file?",
        ),
        (
            "bs=4k\n",
            "t.fio:1:1: option `bs` is before the first section\n  help: begin with a \
          section such as [global] or [job]",
        ),
        ("[a\n", "t.fio:1:1: the section has no `]`\n  help: write [name]"),
        (
            "[]\n",
            "t.fio:1:1: the section has no name\n  help: give the section a name, as in \
          [job]",
        ),
        (
            "[a] bs=4k\n",
            "t.fio:1:1: `bs=4k` follows the section's name\n  help: put it on a line \
          of its own",
        ),
        ("[a]\ninclude x\n", "t.fio:2:1: `include x` in a text that has no directory"),
    ] {
        assert_eq!(refusal(text), expected);
    }
}

#[test]
fn unreadable_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let error = |name: &str| {
        let error = load(&at(name), &LoadOptions::default()).expect_err(name);
        error.to_string().replace(&folder.path().display().to_string(), "DIR")
    };
    assert!(error("none.fio").starts_with("DIR/none.fio:1:1: DIR/none.fio cannot be read: "));
    assert_eq!(error("."), "DIR/.:1:1: DIR/. is not a file");
    fs::write(at("binary.fio"), [0x5b, 0xff, 0xfe]).unwrap();
    assert!(error("binary.fio").contains("bytes that are not UTF-8"));
    fs::write(at("nul.fio"), "[a]\nbs=\0").unwrap();
    assert!(error("nul.fio").contains("NUL bytes"));
    fs::write(at("large.fio"), vec![b'#'; 5 << 20]).unwrap();
    assert!(error("large.fio").contains("5242880 bytes, more than"));
    fs::write(at("loop.fio"), "[a]\nrw=read\n  include loop2.inc\n").unwrap();
    fs::write(at("loop2.inc"), "include loop.fio\n").unwrap();
    assert_eq!(
        error("loop.fio"),
        "DIR/loop2.inc:1:1: `include loop.fio` includes a file that is being read\n  \
         help: break the cycle"
    );
    fs::write(at("sections.fio"), "[a]\ninclude sections.inc\n").unwrap();
    fs::write(at("sections.inc"), "bs=4k\n[b]\n").unwrap();
    assert!(error("sections.fio").starts_with("DIR/sections.inc:2:1: an included file may not"));
    fs::write(at("missing.fio"), "[a]\ninclude none.inc\n").unwrap();
    assert!(error("missing.fio").starts_with("DIR/missing.fio:2:1: DIR/none.inc cannot be read"));
}

#[test]
fn includes_cannot_multiply_without_end() {
    let folder = tempfile::tempdir().unwrap();
    for level in 0..12 {
        let line = format!("include {}.inc\n", level + 1);
        fs::write(folder.path().join(format!("{level}.inc")), line.repeat(8)).unwrap();
    }
    fs::write(folder.path().join("12.inc"), "bs=4k\n").unwrap();
    fs::write(folder.path().join("top.fio"), "[a]\ninclude 0.inc\n").unwrap();
    let error = load(&folder.path().join("top.fio"), &LoadOptions::default()).unwrap_err();
    assert!(error.message.contains("is one of over 1000 includes"), "{error}");
}

/// As fio 3.41 does, whose own tests have these cases.
#[test]
fn sprandom_needs_random_writes_of_one_size_and_its_own_generator() {
    let refused = |options: &str| refusal(&format!("[a]\ndirect=1\nsprandom=1\n{options}\n"));
    for (options, place, help) in [
        ("rw=randread", "4:4", "write rw=randwrite"),
        ("rw=write", "4:4", "write rw=randwrite"),
        ("rw=randwrite\nnorandommap=0", "5:13", "leave norandommap out, or set it to 1"),
        ("rw=randwrite\nrandom_generator=tausworthe", "5:18", "random_generator=lfsr"),
        ("rw=randwrite\nbssplit=4k/50:8k/50", "t.fio", "write bs=4k"),
        ("rw=randwrite\nbs=12k", "5:4", "write bs=4k"),
        ("rw=randwrite\nrandom_distribution=zipf:1.2", "3:10", "leave random_distribution"),
        ("rw=randwrite\nspr_op=0", "5:8", "write a number between 0 and 1, as in 0.15"),
        ("rw=randwrite\nspr_op=1", "5:8", "write a number between 0 and 1, as in 0.15"),
        ("rw=randwrite\nspr_num_regions=0", "5:17", "write a number from 1"),
    ] {
        let said = refused(options);
        assert!(said.contains(place) && said.contains(help), "{options}: {said}");
    }
}

//! A redirected job file names nothing but the permitted path.

use crate::common::Machine;
use fio::Diagnostic;
use real::{RealJob, Redirected, Request, SourceOptions};

fn redirect(text: &str) -> Result<Redirected, Diagnostic> {
    redirect_with(text, Some(1 << 20))
}

fn redirect_with(text: &str, size: Option<u64>) -> Result<Redirected, Diagnostic> {
    let machine = Machine::new();
    let request = Request { path: machine.path("on:e"), writes: true, ..Request::default() };
    let permit = machine.system.examine(&request).expect("permitted");
    let job = RealJob::parse(text, &SourceOptions { name: "j".into(), ..Default::default() })?;
    let mut redirected = job.redirect(std::slice::from_ref(&permit), size)?;
    redirected.text = redirected.text.replace(&machine.path("on").display().to_string(), "ON");
    Ok(redirected)
}

#[test]
fn every_file_name_is_replaced() {
    let text = "[global]\nbs=4k\ndirectory=/elsewhere\nexec_prerun=rm x\n[a]\nfilename=/dev/sda\n\
                rw=write\nnrfiles=4\n[b]\nfilename_format=x\nunlink=1\nsize=2m\nwrite_iolog=/x\n";
    let redirected = redirect(text).expect("redirected");
    let expected = "[global]\nbs=4k\n[a]\nrw=write\nfilename=ON\\:e\nsize=1048576\n\
                    [b]\nsize=2m\nfilename=ON\\:e\n";
    assert_eq!(redirected.text, expected);
    let concerns: Vec<_> = redirected.warnings.iter().map(|w| w.concerns.as_str()).collect();
    let all = [
        "directory",
        "exec_prerun",
        "filename",
        "filename_format",
        "nrfiles",
        "unlink",
        "write_iolog",
    ];
    assert_eq!(concerns, all);
}

#[test]
fn logs_go_to_the_scratch_directory() {
    let text = "[global]\nsize=1m\nwrite_bw_log=/etc/x\n[../../a]\nwrite_lat_log\n\
                log_hist_coarseness=2\nwrite_hist_log=h\n";
    let redirected = redirect(text).expect("redirected");
    let expected = "[global]\nsize=1m\nwrite_bw_log=log0\n[.._.._a]\nwrite_lat_log=log1\n\
                    log_hist_coarseness=2\nwrite_hist_log=log2\nfilename=ON\\:e\n";
    assert_eq!(redirected.text, expected);
    let names: Vec<_> = redirected.logs.iter().map(|log| log.name.as_str()).collect();
    assert_eq!(names, ["/etc/x", "../../a", "h"]);
    assert_eq!(redirected.logs[2].coarseness, 2);
}

#[test]
fn what_cannot_be_made_harmless_is_refused() {
    for line in [
        "ioengine=exec",
        "ioengine=external:/x.so",
        "ioengine=./x.so",
        "ioengine",
        "ioengine=filedelete",
        "iomem=mmaphuge:/dev/hugepages/x",
        "verify_pattern='/etc/passwd'",
        "fill_device=1",
        "profile=tiobench",
        "merge_blktrace_file=/x",
        "read_iolog=/nonexistent/trace",
        "donorname=/x",
        "nosuch=1",
    ] {
        let error = redirect(&format!("[a]\nsize=1m\n{line}\n")).expect_err(line);
        assert_eq!((&*error.file, error.line), ("j", 3), "{error}");
    }
}

#[test]
fn a_new_file_needs_a_size() {
    let error = redirect_with("[a]\nrw=write\nsize=50%\n", None).expect_err("no size");
    assert!(error.to_string().contains("--size"), "{error}");
    assert!(redirect_with("[global]\nsize=1g\n[a]\nrw=write\n", None).is_ok());
    // The last one counts, wherever it is.
    assert!(redirect_with("[global]\nsize=1g\n[a]\nsize=10%\n", None).is_err());
}

#[test]
fn only_what_clearly_reads_is_a_read() {
    let writes =
        |text: &str| RealJob::parse(text, &SourceOptions::default()).expect("parses").writes();
    assert!(!writes("[a]\n") && !writes("[a]\nrw=randread:8\n"));
    for value in ["write", "randrw", "trim", "readwrite", "", "READ", "read,write", "randtrim"] {
        assert!(writes(&format!("[a]\nrw={value}\n")), "{value}");
    }
    assert!(writes("[a]\nread_iolog=x\n") && writes("[a]\nrw\n"));
    assert!(writes("[global]\nreadwrite=write\n[a]\nrw=read\n"));
}

#[test]
fn a_read_permit_does_not_serve_a_writing_job() {
    let mut machine = Machine::new();
    let path = machine.device("sdb", (8, 16), None);
    let permit = machine.system.examine(&Request { path, ..Request::default() });
    let job = RealJob::parse("[a]\nrw=write\n", &SourceOptions::default()).expect("parses");
    assert!(job.redirect(&[permit.expect("permitted")], None).is_err());
}

/// Distinct devices of a job file are the permitted paths in order; the guard's consent is for
/// each of them alone.
#[test]
fn several_names_need_as_many_paths() {
    let text = "[global]\nrw=write\nsize=1m\n[a]\nfilename=/dev/nvme3n1\n\
                [b]\nfilename=/dev/nvme1n1\n[c]\nfilename=/dev/nvme3n1\n";
    let machine = Machine::new();
    let permit = |name: &str, writes: bool| {
        let request = Request { path: machine.path(name), writes, ..Request::default() };
        machine.system.examine(&request)
    };
    let job = RealJob::parse(text, &SourceOptions::default()).expect("parses");
    let (one, two) = (permit("one", true).expect("yes"), permit("two", true).expect("yes"));
    let error = job.redirect(std::slice::from_ref(&one), None).expect_err("one path only");
    assert!(error.message.contains("/dev/nvme1n1"), "{error}");
    let error = job.redirect(&[one.clone(), one.clone()], None).expect_err("twice the same");
    assert!(error.message.contains("named twice"), "{error}");
    assert!(job.redirect(&[], None).is_err());
    let redirected = job.redirect(&[one, two], None).expect("redirected");
    let names = redirected.text.lines().filter(|line| line.starts_with("filename="));
    let names: Vec<String> =
        names.map(|line| line.rsplit('/').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["one", "two", "one"]);
    assert!(!redirected.text.contains("/dev/"), "{}", redirected.text);
    let both = text.replace("filename=/dev/nvme1n1", "filename=/dev/nvme1n1:/dev/nvme3n1");
    let job = RealJob::parse(&both, &SourceOptions::default()).expect("parses");
    let permits = ["one", "two"].map(|name| permit(name, true).expect("yes"));
    assert!(job.redirect(&permits, None).is_err());
}

/// fio takes the colon of `replay_redirect` as it is: it would make a file of another name.
#[test]
fn a_trace_is_not_replayed_on_a_name_with_a_colon() {
    let folder = tempfile::tempdir().expect("made");
    let trace = folder.path().join("trace");
    std::fs::write(&trace, "fio version 2 iolog\n").expect("written");
    let job = format!("[a]\nread_iolog={}\n", trace.display());
    let error = redirect(&job).expect_err("the path is `on:e`").to_string();
    assert!(error.contains("colon"), "{error}");
}

/// The bytes that a file may grow to are known before it is laid out.
#[test]
fn the_length_of_the_file_is_the_greatest_of_all_jobs() {
    let length = |text: &str| redirect(text).expect("redirected").lengths.get(&0).copied();
    let two = "[global]\nsize=4m\n[a]\nrw=write\noffset=1m\n[b]\nrw=read\nfilesize=8m\n";
    assert_eq!(length(two), Some(8 << 20));
    assert_eq!(length("[a]\nrw=write\nsize=50%\n"), Some(1 << 20), "what --size says");
    assert_eq!(length("[a]\nrw=write\nsize=900g\nfallocate=none\n"), Some(900 << 30));
}

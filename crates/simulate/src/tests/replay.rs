//! Traces in fio's jobs: what was recorded is what is done, at its time, at its place.

use super::bench_config::*;
use crate::{RunOptions, Simulated};
use fio::Diagnostic;
use std::fmt::Write as _;
use trace::{Overflow, Prepared, Replays, TraceOptions};

/// A trace in a file.
struct Tape {
    folder: tempfile::TempDir,
}

impl Tape {
    fn new(text: &str) -> Tape {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("t"), text).expect("a file");
        Tape { folder }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("t")
    }

    fn job(&self, options: &str) -> String {
        format!(
            "[t]\nioengine=libaio\ndirect=1\niodepth=4096\nread_iolog={}\n{options}",
            self.path().display()
        )
    }

    /// Replays it as a job says.
    fn play(&self, options: &str) -> Simulated {
        run(&self.job(options))
    }

    /// The same with options that no job has.
    fn with(&self, job: &str, options: TraceOptions) -> Result<Simulated, Diagnostic> {
        let mut replays = Replays::default();
        let prepared = Prepared::read(&self.path(), options, |_, _| {}).expect("a trace");
        replays.insert(&self.path().display().to_string(), prepared);
        let mut options = RunOptions { replays, ..RunOptions::default() };
        filled().run(&jobs(&self.job(job)), &mut options)
    }
}

/// 200 requests of MQSim's format, one each ms: every third a write of 8 KiB, the others reads of
/// 4 KiB; on `devices` devices of 64 MiB.
fn mixed(devices: u64) -> String {
    let mut text = String::new();
    for i in 0..200_u64 {
        let (kind, sectors) = if i % 3 == 0 { (0, 16) } else { (1, 8) };
        let (device, sector) = (i % devices, i * 7919 % 8192 * 16);
        let _ = writeln!(text, "{} {device} {sector} {sectors} {kind}", 5_000 + i * 1_000_000);
    }
    text
}

fn near_s(seconds: f64, expected: f64) {
    assert!((seconds - expected).abs() < 1e-3, "{seconds} s, expected {expected} s");
}

#[test]
fn every_request_and_every_byte_is_replayed_once() {
    let simulated = Tape::new(&mixed(1)).play("");
    let job = &simulated.run.jobs[0];
    assert_eq!((job.write().total_ios, job.read().total_ios), (67, 133));
    assert_eq!((job.write().io_bytes, job.read().io_bytes), (67 * 8192, 133 * 4096));
    assert_eq!(simulated.ios, 200);
}

#[test]
fn a_fast_drive_takes_as_long_as_the_recording() {
    let tape = Tape::new(&mixed(1));
    near_s(tape.play("").measured_s, 0.199);
    near_s(tape.play("replay_time_scale=200\n").measured_s, 0.0995);
    near_s(tape.play("replay_time_scale=50\n").measured_s, 0.398);
    // Busy only while a request is in flight: the union of all latencies, here without overlap.
    let simulated = tape.play("");
    let job = &simulated.run.jobs[0];
    let ns = |side: &stats::DirectionResult| side.lat.mean_ns * side.total_ios as f64;
    let sum_s = (ns(job.read()) + ns(job.write())) / 1e9;
    assert!((simulated.busy_s - sum_s).abs() < 1e-6, "{} {sum_s}", simulated.busy_s);
}

#[test]
fn without_stalls_the_depth_alone_sets_the_pace() {
    let tape = Tape::new(&mixed(1));
    let run = |depth: u32| {
        let simulated = tape.play(&format!("replay_no_stall=1\niodepth={depth}\n"));
        assert_eq!(simulated.ios, 200);
        assert!(simulated.busy_s >= simulated.measured_s * 0.999);
        simulated.measured_s
    };
    let (one, eight) = (run(1), run(8));
    assert!(eight < one / 2.0 && one < 0.1, "{one} {eight}");
}

#[test]
fn devices_are_chosen_or_lie_side_by_side() {
    let tape = Tape::new(&mixed(4));
    assert_eq!(tape.play("").ios, 200);
    let only = TraceOptions { devices: vec!["2".to_owned()], ..TraceOptions::default() };
    let simulated = tape.with("", only).expect("it runs");
    assert_eq!(simulated.ios, 50);
    // From the first of its requests to the last.
    near_s(simulated.measured_s, 0.196);
    let unknown = TraceOptions { devices: vec!["9".to_owned()], ..TraceOptions::default() };
    let error = Prepared::read(&tape.path(), unknown, |_, _| {}).unwrap_err();
    assert!(error.help.is_some_and(|help| help.contains("0, 1, 2, 3")));
}

#[test]
fn a_trace_that_is_larger_than_the_drive_wraps_scales_or_is_refused() {
    // 16 devices of 64 MiB on a drive of 512 MiB.
    let tape = Tape::new(&mixed(16));
    let how = |overflow| TraceOptions { overflow, ..TraceOptions::default() };
    for overflow in [Overflow::Wrap, Overflow::Scale] {
        let simulated = tape.with("", how(overflow)).expect("it runs");
        assert_eq!(simulated.ios, 200);
        assert_eq!(simulated.checks.failures(), Vec::<String>::new());
        assert!(simulated.warnings.iter().any(|w| w.code == "trace-moved"), "{overflow:?}");
    }
    let error = tape.with("", how(Overflow::Refuse)).unwrap_err();
    assert!(error.message.contains("the target has") && error.help.is_some(), "{error}");
}

#[test]
fn a_job_skips_and_aligns_as_fio_does() {
    let tape = Tape::new(&mixed(1));
    let simulated = tape.play("replay_skip=write\n");
    assert_eq!((simulated.run.jobs[0].write().total_ios, simulated.ios), (0, 133));
    let simulated = tape.play("replay_align=64k\nwrite_lat_log=l\nlog_offset=1\n");
    let log = &simulated.run.jobs[0].logs[0];
    assert!(log.rows().all(|row| row.offset % 65536 == 0));
    assert!(log.rows().any(|row| row.offset > 0));
}

#[test]
fn a_dependent_replay_waits_for_each_request_and_then_for_its_pause() {
    // Gaps of 1 ms, of which 900 us were the recorded response.
    let mut text = String::new();
    for i in 0..100_u64 {
        let _ = writeln!(text, "{},h,0,Read,{},4096,9000", 10_000 * i, i * 4096 * 31);
    }
    let tape = Tape::new(&text);
    let options = TraceOptions { dependent: true, ..TraceOptions::default() };
    let simulated = tape.with("", options).expect("it runs");
    let latency_s = simulated.run.jobs[0].read().lat.mean_ns / 1e9;
    near(simulated.measured_s, 100.0 * latency_s + 99.0 * 100e-6, 1e-6);
}

#[test]
fn a_replay_repeats_byte_for_byte_beside_other_jobs() {
    let tape = Tape::new(&mixed(3));
    let text = format!(
        "{}[other]\nrw=randwrite\nbs=4k\nfilename=/dev/x\nnumber_ios=500\nnorandommap\n",
        tape.job("")
    );
    let result = || format!("{:?}", run(&text).run);
    assert_eq!(result(), result());
}

#[test]
fn a_time_limit_ends_a_replay() {
    let simulated = Tape::new(&mixed(1)).play("runtime=50ms\n");
    assert_eq!(simulated.ios, 50);
}

#[test]
fn what_no_replay_can_do_is_refused() {
    let tape = Tape::new(&mixed(1));
    for (option, name) in [("loops=2", "loops"), ("rate=1m", "rate"), ("thinktime=5", "thinktime")]
    {
        let error = refusal(&tape.job(&format!("{option}\n")));
        assert!(error.message.contains(name), "{error}");
    }
    let far = Tape::new("0 0 0 1048576 1\n1 0 0 1048577 1\n");
    assert!(refusal(&far.job("")).message.contains("does not fit"));
}

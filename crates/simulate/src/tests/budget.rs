//! A budget ends a run, says so, and does not bend its rates.

use super::bench_config::*;
use crate::RunOptions;

const TEXT: &str = "[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=16\nnorandommap\n\
 filename=/dev/x\n\
                    time_based\nruntime=20\n";

#[test]
fn a_budget_ends_a_run_and_says_so() {
    let whole = run(TEXT);
    assert!(!whole.ended_early);
    let mut options = RunOptions { budget_ios: Some(whole.ios / 10), ..RunOptions::default() };
    let cut = run_with(TEXT, &mut options);
    assert!(cut.ended_early);
    let warning = cut.warnings.iter().find(|w| w.code == "budget-ended").expect("it says so");
    assert!(warning.message.contains("20 s were asked for"), "{}", warning.message);
    assert!(cut.ios >= whole.ios / 10 && cut.ios < whole.ios / 10 * 107 / 100);
    let (a, b) = (whole.run.jobs[0].read(), cut.run.jobs[0].read());
    near(b.iops, a.iops, 0.01);
    near(b.clat.mean_ns, a.clat.mean_ns, 0.01);
    assert_eq!((b.runtime_ms as f64 / 1000.0).fract().abs(), cut.measured_s.fract().abs());
}

#[test]
fn phases_share_the_budget() {
    let text = format!(
        "{TEXT}[s]\nstonewall\nrw=randread\nbs=8k\ntime_based\nruntime=20\nfilename=/dev/x\n"
    );
    let mut options = RunOptions { budget_ios: Some(40_000), ..RunOptions::default() };
    let cut = run_with(&text, &mut options);
    assert_eq!(cut.checks.little.len(), 2);
    assert!(cut.run.jobs.iter().all(|job| job.read().total_ios > 1000));
    assert_eq!(cut.warnings.iter().filter(|w| w.code == "budget-ended").count(), 2);
}

#[test]
fn a_ramp_takes_half_at_most() {
    let text = format!("{TEXT}ramp_time=20\n");
    let mut options = RunOptions { budget_ios: Some(40_000), ..RunOptions::default() };
    let cut = run_with(&text, &mut options);
    assert!(cut.warnings.iter().any(|w| w.code == "ramp-cut"));
    assert!(cut.run.jobs[0].read().total_ios > 10_000);
}

#[test]
fn work_that_ends_by_bytes_is_cut_as_well() {
    let text = "[w]\nrw=randwrite\nbs=4k\nioengine=libaio\niodepth=16\nfilename=/dev/x\n";
    let mut options = RunOptions { budget_ios: Some(5_000), ..RunOptions::default() };
    let cut = run_with(text, &mut options);
    assert!(cut.ended_early && cut.run.jobs[0].write().io_bytes < 512 << 20);
}

#[test]
fn progress_is_reported() {
    let mut seen = Vec::new();
    let mut tell = |progress: &crate::Progress| seen.push(*progress);
    let mut options = RunOptions { progress: Some(&mut tell), ..RunOptions::default() };
    let simulated = run_with(TEXT, &mut options);
    assert!(seen.len() as u64 >= simulated.events / (1 << 20) - 1);
    assert!(seen.windows(2).all(|pair| pair[0].simulated_s < pair[1].simulated_s));
    assert_eq!(seen[0].asked_s, Some(20.0));
}

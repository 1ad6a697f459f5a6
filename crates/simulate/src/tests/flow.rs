//! Jobs that `flow` holds in proportion to each other.

use super::bench_config::*;

const HEAD: &str =
    "[global]\nrw=randread\nbs=4k\niodepth=16\nfilename=/dev/x\nruntime=1\ntime_based\n";

/// I/Os of each job.
fn ios(text: &str) -> Vec<u64> {
    let simulated = run(&format!("{HEAD}{text}"));
    simulated.run.jobs.iter().map(|job| job.read().total_ios).collect()
}

#[test]
fn jobs_share_by_weight_whatever_their_depths() {
    let shared = ios("[a]\nflow=1\niodepth=64\n[b]\nflow=8\niodepth=1\n");
    // Each may be an I/O ahead of its share when time ends, and what is in flight then is counted.
    near(shared[1] as f64 / shared[0] as f64, 8.0, 0.01);
    let three = ios("[a]\nflow=1\n[b]\nflow=5\n[c]\nflow=10\n");
    near(three[1] as f64 / three[0] as f64, 5.0, 0.01);
    near(three[2] as f64 / three[0] as f64, 10.0, 0.01);
    // The slower pulls the faster down to its own rate.
    let alone = ios("[b]\niodepth=1\n");
    near(shared[1] as f64, alone[0] as f64, 0.05);
}

#[test]
fn groups_know_nothing_of_each_other() {
    let apart = ios("[a]\nflow=1\niodepth=1\n[b]\nflow=8\nflow_id=1\niodepth=1\n");
    near(apart[1] as f64 / apart[0] as f64, 1.0, 0.02);
}

#[test]
fn a_job_that_has_ended_holds_nobody() {
    let ended = ios("[a]\nflow=1\nruntime=200ms\nnumber_ios=100\ntime_based=0\n[b]\nflow=1\n");
    assert_eq!(ended[0], 100);
    assert!(ended[1] > 1000, "{ended:?}");
}

#[test]
fn a_job_that_waits_ends_in_time() {
    // The other has nothing to do for long, and its share stays behind.
    let text = format!("{HEAD}[a]\nflow=1\n[b]\nflow=1\nthinktime=500ms\n");
    let simulated = run(&text);
    let ends: Vec<u64> = simulated.series.iter().map(|series| series.windows.end_ps).collect();
    assert!(ends.iter().all(|end| *end < 1_100_000_000_000), "{ends:?}");
    let few = simulated.run.jobs[0].read().total_ios;
    assert!(few <= 4, "{few}");
}

#[test]
fn a_pause_begins_when_nothing_is_in_flight() {
    let text = "[a]\nflow=1\nflow_sleep=10000\n[b]\nflow=1\niodepth=1\nrate_iops=1000\n";
    let paused = ios(text);
    // It pauses ten milliseconds each time it is ahead, and catches up by ten I/Os then.
    near(paused[0] as f64 / paused[1] as f64, 1.0, 0.02);
}

#[test]
fn negative_weights_keep_a_counter_near_zero() {
    let old = ios("[a]\nflow=-8\nflow_watermark=100\n[b]\nflow=1\nflow_watermark=100\n");
    near(old[1] as f64 / old[0] as f64, 8.0, 0.02);
}

//! Jobs that search for their queue depth by `latency_target`.

use super::bench_config::*;

const HEAD: &str =
    "[a]\nioengine=libaio\nrw=randread\nbs=4k\nfilename=/dev/x\niodepth=64\nlatency_window=20ms\n";

/// The greatest depth whose reads meet the limit, and what was measured at it.
fn found(more: &str) -> (u64, u64, u64) {
    let simulated = run(&format!("{HEAD}{more}"));
    let job = &simulated.run.jobs[0];
    (job.latency_depth, job.read().total_ios, job.read().lat.max_ns)
}

/// 99 % of the reads at that depth meet it, and at the next they do not.
#[test]
fn the_depth_is_the_greatest_that_meets_the_limit() {
    let (depth, ios, _) = found("latency_target=400\nlatency_percentile=99\n");
    assert!((2..64).contains(&depth) && ios > 0, "{depth}");
    let p99 = |depth: u64| {
        let text =
            HEAD.replace("iodepth=64\nlatency_window=20ms", &format!("iodepth={depth}\nruntime=1"));
        let simulated = run(&format!("{text}time_based\n"));
        let clat = simulated.run.jobs[0].read().clat.histogram.as_ref();
        clat.and_then(|clat| clat.percentile_ns(99.0)).expect("latencies")
    };
    // One window of 20 ms decides; a second at the same depth scatters by so much.
    let (at, beyond) = (p99(depth) as f64, p99(depth + 3) as f64);
    assert!(at < 1.05 * 400_000.0 && beyond > 0.95 * 400_000.0, "{depth}: {at} and {beyond}");
}

/// Only what was done at the depth that was found.
#[test]
fn the_result_is_that_of_the_last_window() {
    let (depth, _, longest) = found("latency_target=2000\nlatency_percentile=100\n");
    assert!(depth > 1 && longest <= 2_000_000, "{depth} {longest}");
    let (depth, ios, _) = found("latency_target=1s\n");
    assert_eq!(depth, 64);
    let all = run(&HEAD.replace("latency_window=20ms\n", "runtime=20ms\ntime_based\n"));
    near(ios as f64, all.run.jobs[0].read().total_ios as f64, 0.05);
}

#[test]
fn a_limit_that_cannot_be_met_is_said() {
    let simulated = run(&format!("{HEAD}latency_target=10\n"));
    let said: Vec<&str> = simulated.warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(said.iter().any(|said| said.contains("one I/O at a time")), "{said:?}");
    assert_eq!(simulated.run.jobs[0].latency_depth, 1);
}

#[test]
fn a_search_that_has_no_time_says_so_and_one_that_goes_on_counts_all() {
    let short = "latency_target=2000\nlatency_percentile=99\nruntime=50ms\ntime_based\n";
    let simulated = run(&format!("{HEAD}{short}"));
    let said: Vec<&str> = simulated.warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(said.iter().any(|said| said.contains("had not ended")), "{said:?}");
    assert_eq!(simulated.run.jobs[0].read().total_ios, 0);
    let (_, ios, _) = found(&format!("{short}latency_run=1\n"));
    assert!(ios > 100, "{ios}");
}

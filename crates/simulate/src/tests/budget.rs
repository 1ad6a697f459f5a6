//! A budget ends a run, says so, and does not bend its rates.

use super::bench_config::*;
use crate::{Enough, Rig, RunOptions, Simulated};
use engine::{Duration, Ratio};
use iopath::device::flash::config::BackgroundConfig;
use iopath::device::flash::drive::DriveState;

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

/// Between a phase that the budget ends and the next a drive is not left alone: one that collects
/// when it is does as much as one that never does.
#[test]
fn no_time_passes_behind_a_phase_that_is_cut() {
    let phase = "rw=randwrite\nbs=4k\nioengine=libaio\niodepth=16\nnorandommap\n\
                 time_based\nruntime=20\nfilename=/dev/x\n";
    let text = format!("[a]\n{phase}[b]\nstonewall\n{phase}");
    let rates = |background: Option<BackgroundConfig>| {
        let mut config = config();
        config.collection.background = background;
        let mut rig = Rig::new(config, 1.0, 1);
        rig.prepare(&DriveState::Steady(1.0));
        let mut options = RunOptions { budget_ios: Some(20_000), ..RunOptions::default() };
        let cut = rig.run(&jobs(&text), &mut options).expect("it runs");
        assert_eq!(cut.run.jobs.len(), 2);
        cut.run.jobs.iter().map(|job| job.write().iops).collect::<Vec<f64>>()
    };
    let (after, target) = (Duration::from_ms(100), Ratio::percent(100));
    let eager = BackgroundConfig { after, target, during_reads: false };
    assert_eq!(rates(Some(eager)), rates(None));
}

/// A thread that thinks when its phase is cut has ended with it, and is none of the next.
#[test]
fn who_waits_when_a_phase_is_cut_is_not_waited_for() {
    let job = "ioengine=sync\nbs=4k\nfilename=/dev/x\nrw=randread\nnorandommap\n";
    let thinks = "thinktime=50ms\nnumjobs=4\ngroup_reporting\nruntime=20\ntime_based\n";
    let counts = "stonewall\nthinktime=100us\nnumber_ios=300\n";
    let text = format!("[a]\n{job}{thinks}[b]\n{job}{counts}");
    let mut options = RunOptions { budget_ios: Some(800), ..RunOptions::default() };
    let cut = run_with(&text, &mut options);
    let [thinks, counts] = &cut.run.jobs[..] else { panic!("{}", cut.run.jobs.len()) };
    assert!(thinks.read().total_ios >= 400);
    assert_eq!(counts.read().total_ios, 300);
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

fn says_so(ran: &Simulated) -> bool {
    ran.warnings.iter().any(|warning| ["budget-ended", "ramp-cut"].contains(&&*warning.code))
}

/// Work that is asked for in I/Os is no work that was cut: the same rate, and no warning.
#[test]
fn so_many_ios_are_enough() {
    let whole = run(TEXT);
    let text = format!("{TEXT}ramp_time=20\n");
    let enough =
        Some(Enough { ramp_ios: 5_000, most_ramp_ios: 5_000, ios: 20_000, most_ios: 20_000 });
    let counted = run_with(&text, &mut RunOptions { enough, ..RunOptions::default() });
    assert!(!counted.ended_early && !says_so(&counted), "{:?}", counted.warnings);
    let read = counted.run.jobs[0].read();
    assert!((20_000..21_100).contains(&read.total_ios), "{}", read.total_ios);
    assert!((25_000..26_200).contains(&counted.ios), "{}", counted.ios);
    near(read.iops, whole.run.jobs[0].read().iops, 0.01);
    near(read.clat.mean_ns, whole.run.jobs[0].read().clat.mean_ns, 0.01);
}

/// Writes look as fast as the buffer takes them until it is full: the ramp lasts until then, and no
/// longer where it does not fill.
#[test]
fn a_counted_ramp_lasts_until_the_write_buffer_is_full() {
    let ran = |limit: &str, ramp_ios: u64, most_ramp_ios: u64| {
        let mut drive = config();
        drive.buffer.units = 8192;
        let mut rig = Rig::new(drive, 1.0, 1);
        rig.prepare(&DriveState::Fresh);
        let text = format!(
            "[w]\nrw=write\nbs=4k\nioengine=libaio\niodepth=32\nfilename=/dev/x\n\
             time_based\nruntime=4\nramp_time=4\n{limit}\n"
        );
        let enough = Some(Enough { ramp_ios, most_ramp_ios, ios: 4000, most_ios: 4000 });
        let mut options = RunOptions { enough, ..RunOptions::default() };
        let simulated = rig.run(&jobs(&text), &mut options).expect("it runs");
        assert_eq!(simulated.checks.failures(), Vec::<String>::new());
        let is_short = simulated.warnings.iter().any(|warning| warning.code == "brief-ramp");
        (simulated.run.jobs[0].write().iops, simulated.ios, is_short)
    };
    let (truth, _, is_short) = ran("", 40_000, 40_000);
    assert!(!is_short);
    let (short, _, is_short) = ran("", 1000, 1000);
    assert!(short > 1.3 * truth, "{short} {truth}: the buffer was filling");
    assert!(is_short, "which is said");
    let (full, ios, is_short) = ran("", 1000, 100_000);
    near(full, truth, 0.05);
    assert!((5_000..40_000).contains(&ios), "{ios}");
    assert!(!is_short);
    // Slower than the flash.
    let (_, ios, is_short) = ran("rate_iops=2000", 1000, 100_000);
    assert!(ios < 6_500, "{ios}");
    assert!(!is_short);
}

/// The times of the jobs end a ramp and a measurement that have not got their I/Os; those of a ramp
/// that was short are not made up for.
#[test]
fn times_end_what_does_not_get_its_ios() {
    let text = TEXT.replace("runtime=20", "runtime=1") + "ramp_time=1\n";
    let all = u64::MAX;
    let enough = Enough { ramp_ios: all, most_ramp_ios: all, ios: all, most_ios: all };
    let run_with_enough =
        |enough| run_with(&text, &mut RunOptions { enough: Some(enough), ..RunOptions::default() });
    let counted = run_with_enough(enough);
    assert!(!counted.ended_early && !says_so(&counted), "{:?}", counted.warnings);
    near(counted.measured_s, 1.0, 0.001);
    let of_one_second = counted.run.jobs[0].read().total_ios;
    let counted = run_with_enough(Enough { ios: of_one_second / 2, ..enough });
    near(counted.run.jobs[0].read().total_ios as f64, of_one_second as f64 / 2.0, 0.06);
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

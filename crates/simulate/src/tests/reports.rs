//! What the report shows, and what it warns of.

use super::bench_config::*;
use crate::{Rig, RunOptions};
use engine::Duration;
use iopath::device::flash::drive::DriveState;

#[test]
fn percentiles_are_those_asked_for() {
    let text = "[r]\nrw=randread\nbs=4k\nnumber_ios=2000\npercentile_list=50:99:99.99\n";
    let simulated = run(text);
    let clat = &simulated.run.jobs[0].read().clat;
    let percents: Vec<f64> = clat.percentiles.iter().map(|value| value.percent).collect();
    assert_eq!(percents, [50.0, 99.0, 99.99]);
    let few: Vec<_> = simulated.warnings.iter().filter(|w| w.code == "few-samples").collect();
    assert_eq!(few.len(), 1);
    assert!(few[0].message.contains("99.99") && few[0].message.contains("2000 reads"));
    assert!(!few[0].message.contains("percentiles 99,"), "{}", few[0].message);
}

#[test]
fn only_what_is_asked_for_has_a_distribution() {
    let job = first("[r]\nrw=randread\nbs=4k\nnumber_ios=100\nlat_percentiles=1\n");
    assert!(job.read().lat.histogram.is_some() && job.read().slat.histogram.is_none());
    let job = first("[r]\nrw=randread\nbs=4k\nnumber_ios=100\nunified_rw_reporting=1\n");
    assert_eq!(job.mixed.as_ref().map(|mixed| mixed.total_ios), Some(100));
    let job = first("[r]\nrw=randread\nbs=4k\nnumber_ios=100\ndisable_clat=1\n");
    assert_eq!((job.read().clat.n, job.read().total_ios), (0, 100));
}

#[test]
fn series_and_logs_by_the_second() {
    let simulated =
        run("[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=8\nruntime=3\ntime_based\n\
         write_iops_log=x\nwrite_hist_log=x\nlog_avg_msec=1000\nlog_hist_msec=1000\n");
    let job = &simulated.run.jobs[0];
    let iops = simulated.series[0].windows.iops(None);
    assert_eq!(iops.len(), 3);
    let log = &job.logs[0];
    assert_eq!(log.ms, [1000, 2000, 3000]);
    for (value, iops) in log.value.iter().zip(&iops) {
        near(*value as f64, *iops, 1e-3);
    }
    assert_eq!(job.hist_logs[0].rows.len(), 3);
    assert_eq!(job.read().iops_samples.samples, 6, "every 500 ms");
    near(job.read().iops_samples.mean, job.read().iops, 0.01);
    let mut odd = RunOptions { window: Duration::from_ms(300), ..RunOptions::default() };
    let simulated = run_with("[r]\nrw=randread\nbs=4k\nruntime=3\ntime_based\n", &mut odd);
    assert_eq!(simulated.series[0].windows.iops(None).len(), 10);
}

#[test]
fn unwritten_places_are_reported() {
    let mut rig = Rig::new(config(), 1.0, 1);
    let on_drive = jobs("[r]\nrw=randread\nbs=4k\nfilename=/dev/x\nnumber_ios=10\n");
    let simulated = rig.run(&on_drive, &mut RunOptions::default()).expect("runs");
    assert!(simulated.warnings.iter().any(|w| w.code == "reads-unwritten"));
    // A file is laid out before it is read.
    let file = jobs("[r]\nrw=randread\nbs=4k\nsize=1m\nnumber_ios=10\n");
    let simulated = rig.run(&file, &mut RunOptions::default()).expect("runs");
    assert!(!simulated.warnings.iter().any(|w| w.code == "reads-unwritten"));
    assert_eq!(simulated.run.jobs[0].read().clat.min_ns, read_chain_ns());
}

#[test]
fn a_scaled_drive_scales_what_is_large() {
    let scaled = |text: &str| {
        let mut rig = Rig::new(config(), 0.125, 1);
        assert_eq!(rig.real_bytes(), 4 << 30);
        rig.prepare(&DriveState::Filled);
        rig.run(&jobs(text), &mut RunOptions::default())
    };
    let small =
        scaled("[r]\nrw=read\nbs=64k\nfilename=/dev/x\nsize=64m\noffset=3g\n").expect("runs");
    assert_eq!(small.run.jobs[0].read().io_bytes, 64 << 20);
    assert!(small.warnings.iter().all(|w| w.code != "scaled"));
    let large = scaled("[w]\nrw=write\nbs=64k\nfilename=/dev/x\n").expect("runs");
    assert_eq!(large.run.jobs[0].write().io_bytes, 512 << 20);
    assert!(large.warnings.iter().any(|w| w.code == "scaled"));
    scaled("[w]\nrw=write\nbs=64k\nfilename=/dev/x\nsize=600m\n").expect("a log in order runs");
    let random = "[w]\nrw=randwrite\nbs=64k\nfilename=/dev/x\nsize=600m\n";
    let error = scaled(random).expect_err("refused");
    assert!(error.message.contains("write buffer"), "{error}");
    assert!(error.help.as_ref().is_some_and(|help| help.contains("--scale")));
}

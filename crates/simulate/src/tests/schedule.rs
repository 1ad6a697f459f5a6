//! Which jobs run together, and which after each other.

use super::bench_config::*;

#[test]
fn a_stonewall_orders_and_groups() {
    let simulated =
        run("[global]\nbs=4k\nnumber_ios=1000\nfilename=/dev/x\n[w]\nrw=write\n[r]\nstonewall\n\
         rw=randread\n");
    let jobs = &simulated.run.jobs;
    assert_eq!((jobs[0].groupid, jobs[1].groupid), (0, 1));
    assert_eq!(simulated.checks.little.len(), 2);
    // Alone on the drive, but for the last programs of the writes.
    near(jobs[1].read().clat.percentile_ns(50.0).unwrap_or(0) as f64, read_chain_ns() as f64, 0.01);
    let end = |i: usize| simulated.series[i].windows.end_ps;
    assert!(simulated.series[1].windows.origin_ps >= end(0));
}

#[test]
fn jobs_without_a_stonewall_run_together() {
    let simulated =
        run("[global]\nbs=4k\nruntime=1\ntime_based\nfilename=/dev/x\n[a]\nrw=randread\n[b]\n\
         rw=randread\n");
    assert_eq!(simulated.checks.little.len(), 1);
    near(simulated.checks.little[0].mean_outstanding(), 2.0, 0.001);
    assert_eq!(simulated.series[0].windows.origin_ps, simulated.series[1].windows.origin_ps);
}

#[test]
fn wait_for_waits() {
    let simulated = run(
        "[global]\nbs=4k\nnumber_ios=100\nfilename=/dev/x\n[a]\nrw=randread\n[b]\nwait_for=a\n\
         rw=randread\n",
    );
    assert!(simulated.series[1].windows.origin_ps >= simulated.series[0].windows.end_ps);
}

#[test]
fn copies_draw_their_own_numbers_and_are_merged_on_request() {
    let text = "[r]\nrw=randread\nbs=4k\nfilename=/dev/x\nnumber_ios=200\nnumjobs=4\n\
                write_lat_log=x\nlog_offset=1\n";
    let apart = run(text);
    assert_eq!(apart.run.jobs.len(), 4);
    let offsets: Vec<_> = apart.run.jobs.iter().map(|job| &job.logs[0].offset).collect();
    assert_ne!(offsets[0], offsets[1]);
    let merged = run(&format!("{text}group_reporting\n"));
    assert_eq!(merged.run.jobs.len(), 1);
    let job = &merged.run.jobs[0];
    assert_eq!((job.numjobs, job.read().total_ios), (4, 800));
    assert_eq!(job.read().clat.n, 800);
    let sum: f64 = apart.run.jobs.iter().map(|job| job.read().iops).sum();
    near(job.read().iops, sum, 0.02);
}

#[test]
fn the_end_of_one_ends_all() {
    let simulated =
        run("[global]\nbs=4k\nfilename=/dev/x\nrw=randread\n[short]\nexitall\nnumber_ios=1000\n\
         [long]\nruntime=100\ntime_based\n");
    let long = simulated.run.jobs[1].read();
    assert!(long.runtime_ms < 1000 && long.total_ios < 1300, "{}", long.total_ios);
}

#[test]
fn offsets_of_copies_step() {
    let simulated =
        run("[r]\nrw=read\nbs=64k\nfilename=/dev/x\noffset=1m\noffset_increment=16m\nsize=1m\n\
         numjobs=3\n\
         write_bw_log=x\nlog_offset=1\n");
    for (clone, job) in simulated.run.jobs.iter().enumerate() {
        let expected: Vec<u64> =
            (0..16).map(|i| (1 << 20) + clone as u64 * (16 << 20) + i * 65_536).collect();
        assert_eq!(job.logs[0].offset, expected);
    }
}

//! What ends a job, and what holds it back.

use super::bench_config::*;
use crate::{Rig, RunOptions};
use iopath::device::flash::config::Protection;
use iopath::device::flash::drive::DriveState;

const DEEP: &str = "bs=4k\nioengine=libaio\niodepth=32\n";

#[test]
fn runtime_and_ramp() {
    let text = format!("[r]\nrw=randread\n{DEEP}runtime=2\ntime_based\n");
    let read = first(&text).read().clone();
    assert_eq!(read.runtime_ms.abs_diff(2000), 1, "the last I/Os are waited for");
    let simulated = run(&format!("{text}ramp_time=1\n"));
    let ramped = simulated.run.jobs[0].read();
    near(ramped.total_ios as f64, read.total_ios as f64, 0.01);
    assert_eq!(simulated.run.jobs[0].elapsed_s, 4, "ramp, runtime and a little, rounded up");
    assert!(simulated.ios > ramped.total_ios * 14 / 10);
    near(simulated.measured_s, 2.0, 0.001);
}

#[test]
fn number_ios_io_size_loops_and_size() {
    let ios = |text: &str| first(&format!("[r]\nrw=randread\nbs=4k\n{text}\n")).read().total_ios;
    assert_eq!(ios("number_ios=100"), 100);
    assert_eq!(ios("size=1m"), 256);
    assert_eq!(ios("size=1m\nloops=3"), 768);
    assert_eq!(ios("size=1m\nio_size=512k"), 128);
    assert_eq!(ios("size=1m\nio_size=4m"), 1024);
    assert_eq!(ios("size=1m\nnumber_ios=50\nloops=2"), 100);
    assert_eq!(ios("filename=/dev/x\nsize=1%"), (512 << 20) / 100 / 4096);
    assert_eq!(ios("size=1m\nnumjobs=2"), 256, "of the first copy");
}

#[test]
fn rates_hold() {
    let rate = |text: &str| first(&format!("[r]\n{DEEP}runtime=2\ntime_based\n{text}\n"));
    let job = rate("rw=randread\nrate=10m");
    near(job.read().bw_bytes_s as f64, 10_485_760.0, 0.01);
    let job = rate("rw=randread\nrate_iops=700");
    near(job.read().iops, 700.0, 0.01);
    let job = rate("rw=randread\nrate_iops=2000\nrate_process=poisson");
    near(job.read().iops, 2000.0, 0.05);
    let job = rate("rw=randrw\nrate_iops=500,300");
    near(job.read().iops, 500.0, 0.02);
    near(job.write().iops, 300.0, 0.02);
}

/// A pause of 1 ms after each 10 I/Os costs a rate nothing, or what would have come meanwhile.
#[test]
fn a_rate_makes_up_for_pauses_unless_told_otherwise() {
    let iops = |options: &str| {
        let text = format!(
            "[r]\nrw=randread\n{DEEP}runtime=2\ntime_based\nrate_iops=2000\nthinktime=1000\n\
             thinktime_blocks=10\n{options}\n"
        );
        first(&text).read().iops
    };
    near(iops(""), 2000.0, 0.01);
    // Ten I/Os take 5 ms at the rate, and a pause 1 ms.
    near(iops("rate_ignore_thinktime=1"), 2000.0 * 5.0 / 6.0, 0.02);
}

/// What the other direction does is up to the drive then.
#[test]
fn a_rate_of_one_direction_leaves_the_other_alone() {
    let rate = |text: &str| first(&format!("[r]\n{DEEP}runtime=1\ntime_based\n{text}\n"));
    let alone = rate("rw=randread").read().iops;
    for mix in [50, 90] {
        let job = rate(&format!("rw=randrw\nrwmixread={mix}\nrate_iops=,300"));
        near(job.write().iops, 300.0, 0.02);
        near(job.read().iops, alone, 0.1);
    }
    let job = rate("rw=randrw\nrwmixread=100\nrate_iops=500,300");
    near(job.read().iops, 500.0, 0.01);
}

/// A write and the flush behind it are in flight then, and seldom more; trims go one by one.
#[test]
fn libaio_waits_for_a_flush_and_most_engines_for_a_trim() {
    // Its buffer loses power: a flush takes as long as a program.
    let mut volatile = config();
    volatile.buffer.protection = Protection::Volatile;
    let iops = |engine: &str, depth: u32, options: &str| {
        let text = format!("[w]\nbs=4k\nioengine={engine}\niodepth={depth}\nsize=4m\n{options}\n");
        let mut rig = Rig::new(volatile.clone(), 1.0, 1);
        rig.prepare(&DriveState::Filled);
        let simulated = rig.run(&jobs(&text), &mut RunOptions::default()).expect("it runs");
        let job = &simulated.run.jobs[0];
        job.write().iops + job.trim().iops
    };
    let flushed = "rw=randwrite\nfsync=1";
    let two = iops("libaio", 2, flushed);
    near(iops("libaio", 8, flushed), two, 0.01);
    assert!(iops("io_uring", 8, flushed) > two * 1.5);
    assert_eq!(iops("libaio", 8, "rw=randtrim"), iops("libaio", 1, "rw=randtrim"));
    assert_eq!(iops("io_uring", 8, "rw=randtrim"), iops("io_uring", 1, "rw=randtrim"));
    assert!(iops("spdk", 8, "rw=randtrim") > iops("spdk", 1, "rw=randtrim"));
}

#[test]
fn think_time_slows_a_job_down() {
    let text = "[r]\nrw=randread\nbs=4k\nruntime=1\ntime_based\nthinktime=1000\n";
    let pause_ns = 1e6;
    near(first(text).read().iops, 1e9 / (pause_ns + read_chain_ns() as f64), 0.002);
    // The queue runs dry before a pause.
    let text = format!(
        "[r]\nrw=randread\n{DEEP}runtime=1\ntime_based\nthinktime=1000\n\
     thinktime_blocks=10\n"
    );
    let job = first(&text);
    assert!(job.read().iops < 10_000.0 && job.read().iops > 8000.0, "{}", job.read().iops);
}

#[test]
fn a_start_delay_is_not_measured() {
    let simulated = run("[a]\nrw=randread\nbs=4k\nnumber_ios=1000\nstartdelay=3\n");
    let job = &simulated.run.jobs[0];
    near(job.read().iops, 1e9 / read_chain_ns() as f64, 0.001);
    assert_eq!(job.elapsed_s, 4);
}

#[test]
fn a_queue_is_filled_in_batches() {
    let job = first(
        "[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=16\niodepth_batch=8\n\
         iodepth_batch_complete_min=8\nnumber_ios=20000\n",
    );
    assert_eq!(job.iodepth_submit[2], 100.0, "eight at a time");
    let whole = first("[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=16\nnumber_ios=20000\n");
    assert!(job.read().iops < whole.read().iops);
    assert_eq!(whole.iodepth_level[4], whole.iodepth_level.iter().copied().fold(0.0, f64::max));
}

#[test]
fn a_synchronous_engine_has_one_outstanding() {
    let text = "[r]\nrw=randread\nbs=4k\nioengine=psync\niodepth=32\nnumber_ios=100\n";
    let job = first(text);
    assert_eq!(job.iodepth_level[0], 100.0);
    assert_eq!(job.read().clat.max_ns, read_chain_ns());
}

#[test]
fn flushes_are_counted_apart() {
    let job = first("[w]\nrw=randwrite\nbs=4k\nfsync=10\nend_fsync=1\nnumber_ios=100\n");
    assert_eq!(job.write().total_ios, 100);
    assert!((10..=11).contains(&job.sync.total_ios), "{}", job.sync.total_ios);
    assert!(job.sync.lat.mean_ns > 0.0);
}

#[test]
fn a_steady_job_ends_early() {
    let job = first(&format!(
        "[r]\nrw=randread\n{DEEP}norandommap\nruntime=60\ntime_based\n\
         steadystate=iops_slope:1%\nsteadystate_duration=3\n"
    ));
    let steady = job.steadystate.as_ref().expect("it was asked for");
    assert!(steady.attained, "{steady:?}");
    assert_eq!((steady.iops.len(), steady.duration_s), (3, 3));
    assert!(job.read().runtime_ms < 10_000, "{}", job.read().runtime_ms);
    near(steady.iops_mean as f64, job.read().iops, 0.05);
    assert!(steady.ss.starts_with("iops_slope:1.000000%"), "{}", steady.ss);
}

/// Blocks with holes between them end with the region.
#[test]
fn a_pass_with_holes_ends_at_the_end_of_its_region() {
    let ios = |rw: &str| {
        let text = format!("[a]\nrw={rw}\nbs=4k\nsize=1m\n");
        let run = run(&text).run;
        run.jobs[0].read().total_ios + run.jobs[0].write().total_ios
    };
    assert_eq!([ios("read"), ios("read:12k"), ios("write:4k")], [256, 64, 128]);
    // The last block of a pass may have no room for its hole.
    assert_eq!(ios("read:60k"), 16);
    assert_eq!(ios("read:61440"), 16);
}

//! Closed forms, Little's law, ledgers, and that equal inputs yield equal bytes.

use super::bench_config::*;
use crate::{HostCost, Rig, RunOptions};
use engine::Duration;
use iopath::device::flash::drive::DriveState;

#[test]
fn a_read_at_depth_one_takes_the_chain_of_the_configuration() {
    let job = first("[r]\nrw=randread\nbs=4k\nnumber_ios=500\n");
    let clat = &job.read().clat;
    assert_eq!((clat.min_ns, clat.max_ns), (read_chain_ns(), read_chain_ns()));
    assert_eq!(clat.n, 500);
    assert_eq!((job.read().slat.n, job.read().slat.max_ns), (500, 0));
    near(job.read().iops, 1e9 / read_chain_ns() as f64, 0.001);
}

#[test]
fn host_cost_is_submission_latency_and_bounds_a_thread() {
    let host = HostCost { submit: Duration::from_us(20) };
    let mut options = RunOptions { host, ..RunOptions::default() };
    let text = "[r]\nrw=randread\nioengine=libaio\niodepth=32\nruntime=1\ntime_based\nnumjobs=3\n";
    let simulated = run_with(text, &mut options);
    for job in &simulated.run.jobs {
        let read = job.read();
        assert_eq!((read.slat.min_ns, read.slat.max_ns), (20_000, 20_000));
        assert!(read.iops <= 50_000.0 * 1.001, "{}", read.iops);
        near(read.lat.mean_ns, read.clat.mean_ns + 20_000.0, 1e-6);
    }
}

#[test]
fn little_s_law_gives_the_depth() {
    let simulated =
        run("[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=16\nruntime=1\ntime_based\n\
         ramp_time=200ms\n");
    let check = simulated.checks.little[0];
    assert!(check.holds());
    near(check.mean_outstanding(), 16.0, 0.001);
    near(check.departures_per_s(), simulated.run.jobs[0].read().iops, 0.001);
}

#[test]
fn bytes_have_causes_and_amplification_is_seen() {
    let mut rig = Rig::new(config(), 1.0, 3);
    rig.prepare(&DriveState::Steady(1.0));
    let text = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nioengine=libaio\niodepth=32\nio_size=256m\n\
                size=100%\nfilename=/dev/x\nrandrepeat=0\n";
    let simulated = rig.run(&jobs(text), &mut RunOptions::default()).expect("runs");
    assert_eq!(simulated.checks.failures(), Vec::<String>::new());
    let wa = simulated.write_amplification.expect("writes");
    assert!(wa > 1.2 && wa < 10.0, "{wa}");
    assert!(simulated.mean_power_w > 1.0);
    assert_eq!(simulated.run.jobs[0].write().io_bytes, 256 << 20);
    // The state lasts: a second run on the same rig continues from there.
    let again = rig.run(&jobs(text), &mut RunOptions::default()).expect("runs");
    assert_eq!(again.checks.failures(), Vec::<String>::new());
    near(again.write_amplification.expect("writes"), wa, 0.15);
}

/// After one pass of fio's `sprandom`, told the drive's over-provisioning, random writes amplify as
/// they do in the long run. After a fill in order and as many random writes they do not yet.
#[test]
fn a_pass_of_sprandom_leaves_a_steady_state() {
    // Blocks are small against a region of sprandom. Seven of eight dies hold data.
    let mut config = config();
    (config.geometry.rows, config.geometry.groups_per_lane) = (16, 640);
    config.user_bytes = 448 << 20;
    let spare: f64 = 640.0 * 7.0 / 8.0 / 448.0 - 1.0;
    let random = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nioengine=libaio\n\
                  iodepth=32\nfilename=/dev/x\nsize=100%\nio_size=";
    let after = |state: &DriveState, before: &str| {
        let mut rig = Rig::new(config.clone(), 1.0, 5);
        rig.prepare(state);
        let wa = |rig: &mut Rig, text: &str| {
            let run = rig.run(&jobs(text), &mut RunOptions::default()).expect("runs");
            assert_eq!(run.checks.failures(), Vec::<String>::new());
            run.write_amplification.expect("writes")
        };
        if !before.is_empty() {
            wa(&mut rig, before);
        }
        wa(&mut rig, &format!("{random}5%\n"))
    };
    let sprandom = format!("{random}100%\nsprandom=1\nspr_op={spare}\n");
    let long = after(&DriveState::Steady(1.0), "");
    let pass = after(&DriveState::Fresh, &sprandom);
    let writes = format!("{random}{}%\n", (spare * 100.0).round());
    let filled = after(&DriveState::Filled, &writes);
    near(pass, long, 0.05);
    assert!((filled / long - 1.0).abs() > 0.1, "{filled} after a fill, {long} in the long run");
}

/// Collection is ahead of its reserve by less than a row of word lines where blocks are short, as
/// those of a scaled drive are. A drive at rest is so far already: its first writes cost what later
/// ones cost, however few there are.
#[test]
fn the_first_writes_of_a_steady_state_cost_what_later_ones_do() {
    let mut config = config();
    (config.geometry.pages_per_wl, config.geometry.rows) = (8, 16);
    config.geometry.groups_per_lane *= 4;
    let mut amplification = [0.0; 2];
    for seed in 0..16 {
        let mut rig = Rig::new(config.clone(), 1.0, seed);
        rig.prepare(&DriveState::Steady(1.0));
        for (writes, sum) in [200, 2000].into_iter().zip(&mut amplification) {
            let text = format!(
                "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nrate_iops=2000\n\
                 filename=/dev/x\nsize=100%\nnumber_ios={writes}\n"
            );
            let ran = rig.run(&jobs(&text), &mut RunOptions::default()).expect("runs");
            *sum += ran.write_amplification.expect("writes") / 16.0;
        }
    }
    let [first, later] = amplification;
    near(first, later, 0.05);
}

#[test]
fn writes_below_a_unit_and_flushes_keep_the_ledgers() {
    for text in [
        "[w]\nrw=randwrite\nbs=512\nfsync=8\nnumber_ios=3000\n",
        "[w]\nrw=randwrite\nbs=4k\nsync=1\nnumber_ios=3000\nend_fsync=1\n",
        "[w]\nrw=randtrimwrite\nbs=8k\nnumber_ios=2000\n",
        "[w]\nrw=randrw\nbsrange=512-64k\nnumber_ios=2000\nioengine=libaio\niodepth=8\n",
    ] {
        let mut options = RunOptions::default();
        for protection in [0, 1, 2] {
            use iopath::device::flash::config::Protection::*;
            let mut config = config();
            config.buffer.protection = [Protected, Volatile, Off][protection];
            let mut rig = Rig::new(config, 1.0, 1);
            rig.prepare(&DriveState::Filled);
            let simulated = rig.run(&jobs(text), &mut options).expect("runs");
            assert_eq!(simulated.checks.failures(), Vec::<String>::new(), "{text}");
        }
    }
}

#[test]
fn equal_inputs_yield_equal_bytes() {
    let text = "[m]\nrw=randrw\nbs=4k\nnorandommap\nrandrepeat=0\nioengine=libaio\niodepth=8\n\
                runtime=1\ntime_based\nwrite_lat_log=x\nlog_avg_msec=100\n";
    let bytes = |seed| {
        let mut rig = Rig::new(config(), 1.0, seed);
        rig.prepare(&DriveState::Steady(1.0));
        let simulated = rig.run(&jobs(text), &mut RunOptions::default()).expect("runs");
        (serde_json::to_string(&simulated.run).expect("JSON"), simulated.events)
    };
    assert_eq!(bytes(7), bytes(7));
    assert_ne!(bytes(7), bytes(8));
}

#[test]
fn repeated_runs_repeat_their_numbers_unless_told_otherwise() {
    let places = |option: &str| {
        let text = format!(
            "[r]\nrw=randread\nbs=4k\nnumber_ios=20\nwrite_lat_log=x\nlog_offset=1\n{option}\n"
        );
        let mut rig = filled();
        let mut offsets = || {
            let simulated = rig.run(&jobs(&text), &mut RunOptions::default()).expect("runs");
            simulated.run.jobs[0].logs[0].offset.clone()
        };
        (offsets(), offsets())
    };
    let (one, two) = places("randrepeat=1");
    assert_eq!(one, two);
    let (one, two) = places("randrepeat=0");
    assert_ne!(one, two);
    assert_ne!(places("randseed=1").0, places("randseed=2").0);
}

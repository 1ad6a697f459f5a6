//! What limits a run: drives of which one part is made so slow that it is certain.

use super::bench_config::*;
use crate::{HostCost, Rig, RunOptions, Simulated};
use engine::{Bandwidth, Duration, Power};
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::DriveState;
use stats::{Limit, LimitedBy};

const READS: &str = "[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=64\nruntime=100ms\n\
                     time_based\nramp_time=20ms\nrandrepeat=0\nnorandommap\n";
const WRITES: &str = "[w]\nrw=write\nbs=64k\nioengine=libaio\niodepth=16\nruntime=200ms\n\
                      time_based\nramp_time=50ms\n";

fn ran(text: &str, change: impl Fn(&mut DriveConfig), submit: Duration) -> Simulated {
    let mut config = config();
    change(&mut config);
    let mut rig = Rig::new(config, 1.0, 1);
    rig.prepare(&DriveState::Filled);
    let host = HostCost { submit };
    let mut options = RunOptions { host, ..RunOptions::default() };
    rig.run(&jobs(text), &mut options).expect("it runs")
}

fn limit(text: &str, change: impl Fn(&mut DriveConfig)) -> Limit {
    let simulated = ran(text, change, Duration::ZERO);
    assert_eq!(simulated.limits.len(), 1);
    simulated.limits[0].clone()
}

fn by(text: &str, change: impl Fn(&mut DriveConfig)) -> LimitedBy {
    let limit = limit(text, change);
    assert!(limit.share > 0.5 && limit.share <= 1.0, "{limit:?}");
    limit.by
}

#[test]
fn the_slowest_part_of_a_drive_is_named() {
    let rate = |mb: u64| Bandwidth::from_base(mb * 1_000_000);
    assert_eq!(by(READS, |c| c.link.up = rate(100)), LimitedBy::Link);
    assert_eq!(by(READS, |c| c.controller.read_path = Some(rate(50))), LimitedBy::Link);
    assert_eq!(by(READS, |c| c.controller.read_cost = Duration::from_us(20)), LimitedBy::Cores);
    assert_eq!(by(READS, |c| c.nand.bus = rate(20)), LimitedBy::Channels);
    assert_eq!(by(READS, |c| c.nand.sense = vec![Duration::from_us(800)]), LimitedBy::Dies);
    assert_eq!(by(WRITES, |c| c.link.down = rate(30)), LimitedBy::Link);
    assert_eq!(by(WRITES, |_| ()), LimitedBy::Dies);
}

#[test]
fn a_limit_on_programs_is_reported_with_its_number() {
    let two = limit(WRITES, |c| {
        c.programs.dies = 2;
        c.programs.dies_collecting = 2;
    });
    assert_eq!(two.by, LimitedBy::Programs);
    assert!(two.to_string().contains("of 2.0 dies programming"), "{two}");
}

/// Where collection has another limit, what counts is how long it ran.
#[test]
fn a_limit_that_changes_is_told_as_its_mean() {
    let random = WRITES.replace("rw=write\nbs=64k", "rw=randwrite\nbs=4k\nnorandommap");
    let both = limit(&random, |c| {
        c.programs.dies = 3;
        c.programs.dies_collecting = 1;
    });
    let (programming, rest) = both.detail.split_once(" of ").expect("so many of so many");
    let limit = rest.split_once(' ').expect("a number").0;
    let [programming, limit] =
        [programming, limit].map(|text| text.parse::<f64>().expect("a number"));
    assert!(programming <= limit && programming > 0.8 * limit, "{both}");
    assert!((1.0..=3.0).contains(&limit), "{both}");
}

#[test]
fn a_power_state_is_reported_with_its_watts() {
    let capped = limit(WRITES, |c| {
        c.power.cap = Some(Power::from_base(1_100_000));
        c.power.cap_window = Duration::from_us(500);
    });
    assert_eq!(capped.by, LimitedBy::Power);
    assert!(capped.to_string().contains("of 1.1 W"), "{capped}");
}

/// One I/O in flight leaves everything idle; so does a rate, and one thread that has to submit.
#[test]
fn a_low_offered_load_is_the_limit() {
    let one = limit(&READS.replace("iodepth=64", "iodepth=1"), |_| ());
    assert_eq!(one.by, LimitedBy::Host);
    assert!(one.detail.contains("queue depth") && one.detail.contains("of 1 I/O"), "{one}");
    let slow = limit(&format!("{READS}rate_iops=700\n"), |_| ());
    assert_eq!(slow.by, LimitedBy::Host);
    assert!(slow.detail.contains("rates"), "{slow}");
    let busy = ran(READS, |_| (), Duration::from_us(50)).limits[0].clone();
    assert_eq!(busy.by, LimitedBy::Host);
    assert!(busy.detail.contains("submit"), "{busy}");
}

/// A buffer of a few units is full although most dies have nothing to do.
#[test]
fn a_small_buffer_is_the_limit() {
    let small = limit(&WRITES.replace("bs=64k", "bs=4k"), |c| {
        c.buffer.units = 4;
        c.nand.program = vec![Duration::from_us(900)];
    });
    assert_eq!(small.by, LimitedBy::Buffer, "{small:?}");
}

#[test]
fn more_power_than_the_maker_states_is_reported() {
    let drawn = |watts: u64| {
        let rated = Some(Power::from_base(watts * 1000));
        let simulated = ran(WRITES, |c| c.power.rated = rated, Duration::ZERO);
        let told = simulated.warnings.into_iter().find(|told| told.code == "power");
        (simulated.mean_power_w, told.map(|told| told.message))
    };
    let (watts, told) = drawn(1100);
    let told = told.expect("more than 1.1 W");
    assert!(told.contains(&format!("{watts:.1} W")) && told.contains("1.1 W"), "{told}");
    assert_eq!(drawn(50_000).1, None);
}

/// Reads of 20 s are beyond the end of fio's histogram: the mean is above every percentile.
#[test]
fn a_percentile_at_the_end_of_the_histogram_says_so() {
    let text = "[r]\nrw=randread\nbs=4k\nnumber_ios=20\n";
    let told = |seconds: u64| {
        let sense = vec![Duration::from_s(seconds)];
        let simulated = ran(text, |c| c.nand.sense = sense.clone(), Duration::ZERO);
        let clat = simulated.run.jobs[0].read().clat.clone();
        let told = simulated.warnings.into_iter().find(|told| told.code == "clipped");
        (clat.mean_ns, told.map(|told| told.message))
    };
    let (mean_ns, clipped) = told(20);
    assert!(mean_ns > 20e9);
    let clipped = clipped.expect("it is told");
    assert!(
        clipped.contains("17.") && clipped.contains("99") && clipped.contains("20."),
        "{clipped}"
    );
    assert_eq!(told(10).1, None);
}

/// Units of a read that are on pages of their own are sensed one by one, and all of these senses
/// count against the limit.
#[test]
fn a_power_state_holds_reads_of_scattered_units() {
    let mut config = config();
    (config.geometry.page_bytes, config.geometry.rows) = (16_384, 16);
    config.power.cap = Some(Power::from_base(1_200_000));
    config.power.cap_window = Duration::from_us(500);
    let mut rig = Rig::new(config, 1.0, 1);
    rig.prepare(&DriveState::Steady(1.0));
    let text = READS.replace("bs=4k", "bs=16k");
    let simulated = rig.run(&jobs(&text), &mut RunOptions::default()).expect("it runs");
    let (watts, limit) = (simulated.mean_power_w, &simulated.limits[0]);
    assert!(watts > 1.15 && watts < 1.2 * 1.01, "{watts} W of 1.2 W");
    assert_eq!(limit.by, LimitedBy::Power, "{limit:?}");
    assert!(simulated.warnings.iter().all(|told| told.code != "power"));
}

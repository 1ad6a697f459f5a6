//! A drive that gets hot: its temperature follows its energy, limits act through the gate of the
//! power states, and as long as no limit is reached nothing else changes.
use iopath::kernel::Device;

use crate::common::heat::{heat, watts};
use crate::common::*;
use iopath::device::heat::network::{Network, Nodes};

/// Small capacities, so that minutes become a second: 20 K/W, 0.05 s and 0.9 s.
const NETWORK: Network =
    Network { package_j_k: 0.01, body_j_k: 0.05, spread_k_w: 5.0, air_k_w: 15.0 };

/// A die that reads 20,000 pages a second at 1 W and 100 uJ each: 3 W, which come to 85 C.
fn warm(levels: &[(f64, f64, f64)]) -> DriveConfig {
    let mut c = config(geometry(), 1.3);
    c.power.idle = watts(1.0);
    c.power.sense = Energy::from_base(100_000_000);
    c.power.cap_window = Duration::from_ms(1);
    c.heat = Some(heat(NETWORK, levels, Duration::from_ms(1)));
    c
}

/// The drive filled and read at random for this many seconds.
fn read_for(config: DriveConfig, seconds: u64) -> Machine<(), Times> {
    let span = config.user_bytes;
    let mut m = machine::<(), _>(config, Times::default());
    prepare(&mut m, DriveState::Filled);
    start(&mut m, vec![thread("reader", Directions::Read, 4096, span, 4)], 1);
    m.run_to(Instant::ZERO + Duration::from_s(seconds));
    m
}

fn celsius(m: &Machine<(), Times>) -> f64 {
    m.drive(0).heat(m.context.queue.now()).unwrap().celsius()
}

/// Mean power from one time to the end of a machine, W.
fn power_since(m: &Machine<(), Times>, (at, energy_pj): (Instant, u128)) -> f64 {
    let now = m.context.queue.now();
    (m.drive(0).energy_pj(now) - energy_pj) as f64 / 1e12 / now.since(at).as_s()
}

fn reading(m: &Machine<(), Times>) -> (Instant, u128) {
    let now = m.context.queue.now();
    (now, m.drive(0).energy_pj(now))
}

#[test]
fn a_steady_load_comes_to_ambient_plus_its_power_times_the_resistance() {
    let m = read_for(warm(&[]), 10);
    let power = power_since(&m, (Instant::ZERO, 0));
    assert!((power - 3.0).abs() < 0.01, "{power} W");
    assert!((celsius(&m) - (25.0 + 20.0 * power)).abs() < 0.1, "{} C", celsius(&m));
}

#[test]
fn on_the_way_there_it_follows_the_two_exponentials() {
    for ms in [20, 100, 700] {
        let span = warm(&[]).user_bytes;
        let mut m = machine::<(), _>(warm(&[]), Times::default());
        prepare(&mut m, DriveState::Filled);
        start(&mut m, vec![thread("reader", Directions::Read, 4096, span, 4)], 1);
        m.run_to(Instant::ZERO + Duration::from_ms(ms));
        let law = NETWORK.course(Nodes::even(25.0), 3.0, 25.0).at(ms as f64 / 1e3);
        assert!((celsius(&m) - law.package_c).abs() < 0.5, "{ms} ms: {} C", celsius(&m));
    }
}

#[test]
fn an_idle_drive_cools_in_closed_form_and_looking_does_not_disturb() {
    let mut m = read_for(warm(&[]), 10);
    m.drain();
    let hot = m.drive(0).heat(m.context.queue.now()).unwrap();
    let events = m.context.queue.events_done();
    m.idle(Duration::from_ms(300));
    assert!(m.context.queue.events_done() - events <= 1, "no timer runs");
    let law = NETWORK.course(hot.nodes(), 1.0, 25.0).at(0.3);
    assert!((celsius(&m) - law.package_c).abs() < 1e-6);
    assert_eq!(celsius(&m), celsius(&m));
    // The next command finds it so, too.
    m.issue(command(Op::Read, 0, 4096));
    m.drain();
    assert!((celsius(&m) - law.package_c).abs() < 0.05);
}

#[test]
fn a_throttled_drive_draws_its_cap_on_average() {
    // Once at 60 C it stays throttled: 1.8 W come to 61 C.
    let mut m = read_for(warm(&[(60.0, 30.0, 1.8)]), 5);
    let from = reading(&m);
    let heat = m.drive(0).heat(from.0).unwrap();
    assert_eq!((heat.level(), heat.log().transitions.clone()), (1, vec![1]));
    m.run_to(from.0 + Duration::from_s(2));
    let power = power_since(&m, from);
    // The regulator holds what is above idle at 98 %.
    assert!((power - (1.0 + 0.98 * 0.8)).abs() < 0.01, "{power} W");
}

#[test]
fn hysteresis_makes_it_swing_between_its_temperatures() {
    let mut m = read_for(warm(&[(70.0, 65.0, 1.8)]), 3);
    let (mut low, mut high) = (f64::MAX, f64::MIN);
    for _ in 0..2000 {
        m.run_to(m.context.queue.now() + Duration::from_ms(1));
        low = low.min(celsius(&m));
        high = high.max(celsius(&m));
    }
    // A reading of the sensor is a millisecond late at most, and 3 W warm by 0.3 K in it.
    assert!((64.7..=65.1).contains(&low) && (69.9..=70.4).contains(&high), "{low} to {high} C");
    let log = m.drive(0).heat(m.context.queue.now()).unwrap().log().clone();
    assert!(log.transitions[0] > 5, "{log:?}");
    assert!((log.seconds - 5.0).abs() < 1e-6 && log.throttled_s[0] > 0.5);
    assert!((log.peak_c - high).abs() < 0.05, "{log:?}");
}

#[test]
fn heat_that_reaches_no_limit_changes_no_completion() {
    let without = {
        let mut c = warm(&[]);
        c.heat = None;
        read_for(c, 1)
    };
    let with = read_for(warm(&[(200.0, 190.0, 1.8)]), 1);
    let times = |m: &Machine<(), Times>| {
        let ios = &m.context.probe.ios;
        ios.iter().map(|io| (io.start, io.completed)).collect::<Vec<_>>()
    };
    assert_eq!(times(&without), times(&with));
    assert_eq!(without.context.queue.events_done(), with.context.queue.events_done());
}

#[test]
fn a_hot_drive_is_still_throttled_after_a_power_cut_and_the_lower_limit_counts() {
    let mut m = read_for(warm(&[(60.0, 30.0, 1.8)]), 5);
    m.drain();
    m.power_cut(0);
    let span = warm(&[]).user_bytes;
    for (state, limit) in [(Some(1.4), 1.4), (Some(2.5), 1.8), (None, 1.8)] {
        m.drive_mut(0).set_power_cap(state.map(watts));
        let from = reading(&m);
        let load = vec![thread("again", Directions::Read, 4096, span, 4)];
        start(&mut m, load, 2);
        m.run_to(from.0 + Duration::from_ms(500));
        let power = power_since(&m, from);
        assert!((power - (1.0 + 0.98 * (limit - 1.0))).abs() < 0.02, "{state:?}: {power} W");
        m.drain();
    }
}

#[test]
fn a_held_temperature_stays_and_goes_on_from_where_it_is_put() {
    let mut m = read_for(warm(&[(70.0, 65.0, 1.8)]), 1);
    m.drain();
    let now = m.context.queue.now();
    let heat = m.drive(0).heat(now).unwrap();
    m.drive_mut(0).hold_heat(now);
    m.idle(Duration::from_s(5));
    assert_eq!(m.drive(0).heat(m.context.queue.now()).unwrap(), heat);
    let now = m.context.queue.now();
    m.drive_mut(0).set_heat(Some(heat.clone()), now);
    m.idle(Duration::from_s(50));
    assert!((celsius(&m) - 45.0).abs() < 1e-3, "1 W at rest: {} C", celsius(&m));
}

#[test]
fn a_level_that_lets_nothing_run_is_refused() {
    let error = warm(&[(70.0, 65.0, 1.0)]).check().unwrap_err();
    assert!(error.contains("below the idle power"), "{error}");
    assert_eq!(warm(&[(70.0, 65.0, 1.000001)]).check(), Ok(()));
}

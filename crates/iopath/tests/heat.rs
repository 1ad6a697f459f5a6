//! Laws of heat flow: steady states, time constants, energy, hysteresis, the order of coolers.

use crate::common::Duration;
use crate::common::heat::{BARE, BODY, OPEN, heat, watts};
use iopath::device::heat::cooling::{Body, Cooling, Plate};
use iopath::device::heat::network::{Network, Nodes};
use iopath::device::heat::{Heat, Throttle};
use proptest::prelude::*;

const NETWORK: Network =
    Network { package_j_k: 2.0, body_j_k: 5.0, spread_k_w: 5.0, air_k_w: 15.0 };

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs()).max(1e-9)
}

#[test]
fn the_steady_state_is_ambient_plus_power_times_resistance() {
    let end = NETWORK.course(Nodes::even(25.0), 3.0, 25.0).at(1e5);
    assert!(near(end.package_c, 25.0 + 3.0 * 20.0, 1e-12));
    assert!(near(end.body_c, 25.0 + 3.0 * 15.0, 1e-12));
    assert_eq!(end, NETWORK.steady(3.0, 25.0));
}

#[test]
fn with_one_capacity_the_time_constant_is_resistance_times_capacity() {
    // A package without capacity: the body alone decays.
    let one = Network { package_j_k: 1e-9, ..NETWORK };
    let (_, slow) = one.rates();
    assert!(near(1.0 / slow, 15.0 * 5.0, 1e-6), "{}", 1.0 / slow);
    let after = one.course(Nodes::even(25.0), 2.0, 25.0).at(75.0);
    assert!(near(after.body_c - 25.0, 30.0 * (1.0 - (-1.0f64).exp()), 1e-6));
}

#[test]
fn two_capacities_decay_by_the_roots_of_their_matrix() {
    // dT/dt = -M T with M = [[0.1, -0.1], [-0.04, 0.04 + 1/75]].
    let (fast, slow) = NETWORK.rates();
    let (sum, product) = (0.1 + 0.04 + 1.0 / 75.0, 0.1 / 75.0);
    assert!(near(fast + slow, sum, 1e-12) && near(fast * slow, product, 1e-12));
    // An own vector of M decays as one exponential: (0.1, 0.1 - x) for the rate x.
    for rate in [fast, slow] {
        let start = Nodes { package_c: 10.0, body_c: 10.0 * (0.1 - rate) / 0.1 };
        let later = NETWORK.course(start, 0.0, 0.0).at(30.0);
        let factor = (-rate * 30.0f64).exp();
        assert!(near(later.package_c, start.package_c * factor, 1e-9));
        assert!(near(later.body_c, start.body_c * factor, 1e-9));
    }
}

#[test]
fn no_energy_is_lost() {
    // What came in is in the capacities or has gone to the air; the latter by Simpson's rule.
    let (power, seconds, ambient, parts) = (4.0, 120.0, 20.0, 2000);
    let from = Nodes { package_c: 50.0, body_c: 30.0 };
    let course = NETWORK.course(from, power, ambient);
    let out = |t: f64| (course.at(t).body_c - ambient) / NETWORK.air_k_w;
    let step = seconds / parts as f64;
    let weight = |i: u32| if i == 0 || i == parts { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    let gone: f64 = (0..=parts).map(|i| weight(i) * out(i as f64 * step)).sum::<f64>() * step / 3.0;
    let end = course.at(seconds);
    let stored = NETWORK.package_j_k * (end.package_c - from.package_c)
        + NETWORK.body_j_k * (end.body_c - from.body_c);
    assert!(near(stored + gone, power * seconds, 1e-9), "{stored} + {gone}");
}

fn drive(levels: &[(f64, f64, f64)]) -> Heat {
    let config = heat(NETWORK, levels, Duration::from_ms(1000));
    config.check().unwrap();
    Heat::new(config)
}

#[test]
fn a_level_is_entered_and_left_at_its_temperatures_and_not_before() {
    let mut heat = drive(&[(80.0, 75.0, 2.0)]);
    // 20 K/W: 2.75 W - a little stays just below 80 C forever, 2.75 W + a little does not.
    heat.advance(2.7499, 1e6);
    assert_eq!((heat.level(), heat.log().transitions[0]), (0, 0));
    heat.advance(2.7501, 1e6);
    assert_eq!((heat.level(), heat.log().transitions[0]), (1, 1));
    assert_eq!(heat.cap(1), Some(watts(2.0)));
    // 2.5 W come to 75 C: a little more keeps the level, a little less leaves it.
    heat.advance(2.5001, 1e6);
    assert_eq!(heat.level(), 1);
    heat.advance(2.4999, 1e6);
    assert_eq!((heat.level(), heat.log().transitions[0]), (0, 1));
    assert_eq!(heat.cap(0), None);
}

#[test]
fn levels_change_at_the_instant_at_which_they_are_reached() {
    let mut heat = drive(&[(60.0, 55.0, 3.0), (80.0, 74.0, 2.0)]);
    let (first, level) = heat.next_change(6.0, 1e9).unwrap();
    assert_eq!(level, 1);
    heat.advance(6.0, first);
    assert!(near(heat.celsius(), 60.0, 1e-9) && heat.level() == 1);
    let (second, level) = heat.next_change(6.0, 1e9).unwrap();
    assert_eq!(level, 2);
    let mut whole = drive(&[(60.0, 55.0, 3.0), (80.0, 74.0, 2.0)]);
    whole.advance(6.0, first + second + 1.0);
    assert_eq!((whole.level(), whole.log().transitions.clone()), (2, vec![1, 1]));
    assert!(near(whole.log().throttled_s[0], second, 1e-9));
    assert!(near(whole.log().throttled_s[1], 1.0, 1e-9));
    assert!(near(whole.log().seconds, first + second + 1.0, 1e-12));
}

#[test]
fn time_above_a_limit_is_counted_on_the_way_up_and_down() {
    let mut heat = drive(&[]);
    heat.advance(3.0, 1e5);
    let up = heat.log().warning_s;
    heat.advance(0.0, 1e5);
    // Up: the last crossing of 70 C; 85 C falls below it after some seconds again.
    assert!(up > 9.9e4 && up < 1e5);
    let down = heat.log().warning_s - up;
    let course = NETWORK.course(NETWORK.steady(3.0, 25.0), 0.0, 25.0);
    assert!(near(course.at(down).package_c, 70.0, 1e-9), "{down} s");
    assert_eq!(heat.log().critical_s, 0.0);
    assert!(near(heat.log().peak_c, 85.0, 1e-9));
}

proptest! {
    #[test]
    fn one_long_step_is_many_short_ones(
        c1 in 0.1f64..50.0, c2 in 0.1f64..500.0, r12 in 0.05f64..50.0, r2a in 0.1f64..50.0,
        power in 0.0f64..30.0, hot in 0.0f64..120.0, body in 0.0f64..120.0,
        seconds in 0.1f64..600.0,
    ) {
        let network = Network { package_j_k: c1, body_j_k: c2, spread_k_w: r12, air_k_w: r2a };
        let from = Nodes { package_c: hot, body_c: body };
        let whole = network.course(from, power, 25.0).at(seconds);
        let mut nodes = from;
        for _ in 0..50 {
            nodes = network.course(nodes, power, 25.0).at(seconds / 50.0);
        }
        prop_assert!((nodes.package_c - whole.package_c).abs() < 1e-6, "{nodes:?} {whole:?}");
        prop_assert!((nodes.body_c - whole.body_c).abs() < 1e-6);
        // Nothing is cooler than the coolest, and the package no hotter than it was or than what
        // its own power puts on top of the hottest body.
        let body_most = network.steady(power, 25.0).body_c.max(body);
        prop_assert!(whole.package_c <= hot.max(body_most + power * r12) + 1e-6);
        prop_assert!(whole.package_c >= 25f64.min(hot).min(body) - 1e-6);
        prop_assert!(network.course(from, power, 25.0).peak_c(seconds) >= whole.package_c - 1e-9);
    }

    #[test]
    fn however_time_is_cut_the_levels_are_the_same(
        powers in prop::collection::vec((0.0f64..8.0, 1.0f64..100.0, 2u32..9), 1..12)
    ) {
        let levels = [(60.0, 55.0, 3.0), (80.0, 74.0, 2.0)];
        let (mut whole, mut parts) = (drive(&levels), drive(&levels));
        for (power, seconds, cuts) in powers {
            whole.advance(power, seconds);
            for _ in 0..cuts {
                parts.advance(power, seconds / f64::from(cuts));
            }
            prop_assert!((whole.celsius() - parts.celsius()).abs() < 1e-6);
        }
        prop_assert_eq!(&whole.log().transitions, &parts.log().transitions);
        prop_assert!((whole.log().all_throttled_s() - parts.log().all_throttled_s()).abs() < 1e-6);
        prop_assert!((whole.log().warning_s - parts.log().warning_s).abs() < 1e-6);
    }
}

#[test]
fn a_bare_board_has_one_over_area_times_coefficient() {
    let network = BARE.network(&BODY);
    assert!(near(network.air_k_w, 1.0 / (3520e-6 * 10.0), 1e-12));
    assert!(near(network.spread_k_w, 6.0, 1e-12));
    let mounted = BARE.network(&Body { mount_k_w: Some(30.0), ..BODY });
    assert!(near(1.0 / mounted.air_k_w, 3520e-6 * 10.0 + 1.0 / 30.0, 1e-12));
}

#[test]
fn a_fan_helps_by_the_power_of_its_speed_and_natural_flow_is_the_floor() {
    let at = |speed: f64| OPEN.coefficient(speed);
    assert_eq!(at(0.0), 10.0);
    assert!(at(0.005) >= 10.0 && at(0.005) < 10.01);
    assert!(near(at(1.0), (1000.0f64 + 35.0f64.powi(3)).cbrt(), 1e-12));
    // Where natural flow no longer counts, twice the speed is 2^0.65 times the coefficient.
    assert!(near(at(40.0) / at(20.0), 2f64.powf(0.65), 1e-4));
}

#[test]
fn thickness_conductivity_and_fins_of_a_plate_count_each() {
    let sheet = Plate {
        conductivity_w_mk: 390.0,
        thickness_m: 0.1e-3,
        length_m: 70e-3,
        width_m: 22e-3,
        fins_m2: 0.0,
        capacity_j_k: 0.5,
        pad: None,
        air: OPEN,
    };
    let with = |plate: Plate| Cooling { plate: Some(plate), ..BARE }.network(&BODY);
    let base = with(sheet);
    assert!(base.spread_k_w < BODY.spread_k_w && base.body_j_k > BODY.body_j_k);
    assert!(with(Plate { thickness_m: 0.2e-3, ..sheet }).spread_k_w < base.spread_k_w);
    assert!(with(Plate { conductivity_w_mk: 200.0, ..sheet }).spread_k_w > base.spread_k_w);
    assert!(with(Plate { fins_m2: 5e-3, ..sheet }).air_k_w < 0.5 * base.air_k_w);
    assert!(with(Plate { pad: Some((1e-3, 3.0)), ..sheet }).spread_k_w > base.spread_k_w);
}

#[test]
fn impossible_levels_are_found() {
    let mut config = drive(&[(60.0, 55.0, 3.0), (80.0, 74.0, 2.0)]).config().clone();
    config.throttle[1].leave_c = 80.0;
    assert!(config.check().unwrap_err().contains("at a lower temperature"));
    config.throttle[1] = Throttle { enter_c: 60.0, leave_c: 56.0, cap: watts(2.0) };
    assert!(config.check().unwrap_err().contains("heavier level"));
    config.throttle[1] = Throttle { enter_c: 80.0, leave_c: 74.0, cap: watts(4.0) };
    assert!(config.check().unwrap_err().contains("lower power limit"));
    config.throttle.clear();
    config.network.air_k_w = 0.0;
    assert!(config.check().is_err());
}

//! Heat of shipped drives: what cools how well, how loads and limits come out, and that a walk in
//! closed form is what a simulation second by second gives.

use iopath::device::heat::Heat;
use lab::{BenchOptions, ModelBench};
use library::{CoolingFile, Model, Overrides, Scale, Surroundings, coolings};
use metric::{Measurement, Params};

fn measure(method: &str, params: &[(&'static str, &'static str)]) -> Measurement {
    let params = Params::from_pairs(params.iter().copied()).unwrap();
    let options = BenchOptions { scale: Some(Scale::Units(4 << 20)), ..BenchOptions::default() };
    ModelBench::new(options).measure("sn850-1tb", method, &params).unwrap()
}

fn value(measured: &Measurement, name: &str) -> f64 {
    measured.metrics[name].value
}

#[test]
fn the_coolers_of_the_review_come_out_in_its_order() {
    let model = Model::named("sn850-1tb", &[]).unwrap();
    let resistance = |name: &str| {
        let surroundings = Surroundings { cooling: Some(name.to_owned()), ..Default::default() };
        let overrides = Overrides { surroundings, ..Overrides::default() };
        let resolved = model.resolve(Scale::Units(4 << 20), &overrides).unwrap();
        resolved.config.heat.unwrap().network.resistance()
    };
    let [bare, pad, copper, sink, fan, both] =
        ["bare", "thermal-pad", "copper-sheet", "finned-sink", "fan", "finned-sink-fan"]
            .map(resistance);
    assert!(bare > pad && (pad / copper - 1.0).abs() < 0.1, "{bare} {pad} {copper}");
    assert!(sink < 0.75 * copper && (sink / fan - 1.0).abs() < 0.1, "{copper} {sink} {fan}");
    assert!(both < 0.6 * fan, "{fan} {both}");
    assert_eq!(coolings().count(), 6);
}

#[test]
fn a_load_settles_at_the_air_plus_power_times_resistance() {
    let cool = [("rate", "3000 MB/s"), ("cooling", "fan"), ("ambient", "30 C")];
    let measured = measure("heat", &cool);
    let rise = value(&measured, "power") * value(&measured, "thermal_resistance");
    assert!((value(&measured, "temperature") - 30.0 - rise).abs() < 0.1, "{measured:?}");
    assert_eq!(value(&measured, "throttled_share"), 0.0);
    assert!((value(&measured, "bandwidth") / 3e9 - 1.0).abs() < 0.01);
    let series = &measured.series[0];
    assert!(series.celsius.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "it only warms");
    assert_eq!((series.celsius.len(), series.time_s.last()), (240, Some(&1800.0)));
}

#[test]
fn a_bare_drive_throttles_and_a_cooled_one_does_not() {
    let bare = measure("heat", &[]);
    let first = value(&bare, "first_throttle");
    assert!((10.0..600.0).contains(&first), "{first} s");
    assert!(value(&bare, "bandwidth_after") < 0.95 * value(&bare, "bandwidth_first"));
    assert!((value(&bare, "temperature") - 84.0).abs() < 0.01, "the light level is enough");
    // Throttled or not, the mean power is what keeps it between its limits.
    let mean = (84.0 - 25.0) / value(&bare, "thermal_resistance");
    let low = (80.0 - 25.0) / value(&bare, "thermal_resistance");
    assert!(value(&bare, "power") < mean + 0.05 && value(&bare, "power") > 0.8 * low, "{bare:?}");
    let cooled = measure("heat", &[("cooling", "finned-sink-fan")]);
    assert!(!cooled.metrics.contains_key("first_throttle"));
    // A mean over time adds the same rate many times: equal but for rounding.
    let (mean, first) = (value(&cooled, "bandwidth"), value(&cooled, "bandwidth_first"));
    assert!((mean / first - 1.0).abs() < 1e-12, "{mean} {first}");
    // A faster fan is a cooler drive.
    let faster = measure("heat", &[("cooling", "finned-sink-fan"), ("fan", "3000 rpm")]);
    assert!(value(&faster, "temperature") < value(&cooled, "temperature") - 0.5);
}

#[test]
fn the_same_again_is_the_same() {
    let params = [("duration", "10 min"), ("ambient", "35 C")];
    assert_eq!(measure("heat", &params), measure("heat", &params));
}

#[test]
fn what_cannot_be_is_refused_before_anything_runs() {
    let refused = |params: &[(&'static str, &'static str)]| {
        let params = Params::from_pairs(params.iter().copied()).unwrap();
        let bench = ModelBench::default();
        bench.measure("sn850-1tb", "heat", &params).unwrap_err().to_string()
    };
    assert!(refused(&[("cooling", "fann")]).contains("did you mean `fan`"));
    assert!(refused(&[("fan", "1500")]).contains("no unit"));
    assert!(refused(&[("ambient", "40 F")]).contains("C, K"));
    let text = include_str!("../../../models/cooling/finned-sink.toml");
    let broken = |from: &str, to: &str| {
        assert!(text.contains(from));
        CoolingFile::parse("mine.toml", &text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert!(broken("1500 rpm", "0 rpm").contains("is 0"));
    assert!(broken("200 W/mK", "200").contains("no unit"));
    assert!(broken("assumed: no fan", "no fan").contains("a source begins with"));
    assert!(broken("[plate]", "[plates]").contains("did you mean `plate`"));
    let set = |key: &str, value: &str| {
        let pair = (format!("thermal.{key}"), value.to_owned());
        Model::named("sn850-1tb", &[pair]).map(|_| ()).unwrap_err()
    };
    assert!(set("light.leave", "84 C").contains("at a lower temperature"));
    assert!(set("light.cap", "0.9 W").contains("below the idle power"));
    assert!(set("heavy.cap", "5 W").contains("lower power limit"));
    assert!(set("cooling", "ice").contains("no cooling is called `ice`"));
    let bad = set("warning", "90 C");
    assert!(bad.contains("warning temperature is above"), "{bad}");
}

#[test]
fn a_fresh_drive_is_as_cool_as_the_air() {
    let model = Model::named("micron-3400-512gb", &[]).unwrap();
    let surroundings =
        Surroundings { ambient: Some("35 C".parse().unwrap()), ..Default::default() };
    let overrides = Overrides { surroundings, ..Overrides::default() };
    let resolved = model.resolve(Scale::Units(4 << 20), &overrides).unwrap();
    assert_eq!(Heat::new(resolved.config.heat.unwrap()).celsius(), 35.0);
}

/// A part of a drive is written in a part of the time; it gets as hot as the whole one.
#[test]
fn writing_all_of_a_part_heats_as_writing_all_of_the_drive() {
    let at = |units: u64| {
        let options = BenchOptions { scale: Some(Scale::Units(units)), ..BenchOptions::default() };
        let params = Params::default();
        ModelBench::new(options).measure("sn850-1tb", "sustained-write", &params).unwrap()
    };
    let (small, large) = (at(4 << 20), at(16 << 20));
    for (name, within) in [("bandwidth_first", 0.02), ("bandwidth_steady", 0.01)] {
        let ratio = value(&small, name) / value(&large, name);
        assert!((ratio - 1.0).abs() < within, "{name}: {ratio}");
    }
    // Throttled, it keeps up less than its flash could.
    assert!(value(&small, "bandwidth_steady") < 0.9e9, "{:?}", value(&small, "bandwidth_steady"));
    let knee = value(&small, "last_knee") / value(&large, "last_knee");
    assert!((knee - 1.0).abs() < 0.02, "{knee}");
}

//! The law of labels on figures that are formulae.

use super::steps::steps;
use super::*;
use crate::Derived;
use answer::reproduction::Basis;
use fit::Quantity;
use library::System;
use prior::{Value, of_system};
use std::cell::RefCell;
use std::collections::BTreeMap;

fn value(key: &str, text: &str, source: &str) -> Value {
    let (key, text, source) = (key.to_owned(), text.to_owned(), source.to_owned());
    Value { of: key.clone(), key, text, source, range: None, correlated: None, whole: false }
}

/// Figures as a formula of the numbers of the values and the seed.
struct Formula<'v, F> {
    values: &'v [Value],
    figure: F,
    asked: RefCell<Vec<usize>>,
}

impl<F: Fn(&BTreeMap<&str, f64>, u64) -> f64> Measure for Formula<'_, F> {
    type Error = ();

    fn measure(&self, moved: &[Moved], seed: u64) -> Result<Vec<Option<f64>>, ()> {
        fn number<'v>(value: &'v Value, moved: &[Moved]) -> (&'v str, f64) {
            let own = moved.iter().find(|moved| moved.key == value.key);
            let text = own.map_or(&value.text, |moved| &moved.text);
            // Of a link the lanes count.
            let lanes = text.rsplit_once('x').and_then(|(_, lanes)| lanes.parse().ok());
            let number = Quantity::parse(text).map(|quantity| quantity.number);
            (value.key.as_str(), number.or(lanes).unwrap())
        }
        self.asked.borrow_mut().push(moved.len());
        Ok(vec![Some((self.figure)(
            &self.values.iter().map(|value| number(value, moved)).collect(),
            seed,
        ))])
    }
}

fn label(values: &[Value], figure: impl Fn(&BTreeMap<&str, f64>, u64) -> f64) -> Derived {
    let formula = Formula { values, figure, asked: RefCell::default() };
    derive(&formula, values, 1).unwrap().remove(0)
}

#[test]
fn what_one_known_value_carries_is_an_input() {
    let values = [value("cost", "1.56 us", "data sheet"), value("dies", "128 dies", "derived")];
    let found = label(&values, |v, _| 1e6 / v["cost"]);
    let held = found.strongest.as_ref().unwrap();
    assert_eq!((found.label(), held.value.as_str()), (Basis::Input, "cost"));
    assert_eq!((held.elasticity, held.source.as_str()), (-1.0, "data sheet"));
    assert_eq!((found.moved, found.unmoved.len()), (2, 0));
}

#[test]
fn what_several_values_share_is_a_prediction() {
    let values = [value("sense", "60 us", "published"), value("bus", "40 us", "derived")];
    let found = label(&values, |v, _| v["sense"] + v["bus"]);
    assert_eq!(found.label(), Basis::Predicted);
    assert_eq!(found.strongest.unwrap().elasticity, 0.61);
}

/// A figure that no known value moves costs two measurements, however many values there are.
#[test]
fn values_that_do_nothing_are_moved_together() {
    let values: Vec<Value> =
        (0..40).map(|n| value(&format!("v{n}"), "7 us", "published")).collect();
    let figure = |v: &BTreeMap<&str, f64>, _| 100.0 + v["v1"] / 100.0;
    let formula = Formula { values: &values, figure, asked: RefCell::default() };
    let found = derive(&formula, &values, 1).unwrap().remove(0);
    assert_eq!((found.label(), found.moved, found.strongest), (Basis::Predicted, 40, None));
    assert_eq!(*formula.asked.borrow(), [0, 40]);
}

#[test]
fn one_carrier_is_found_among_many() {
    let values: Vec<Value> =
        (0..40).map(|n| value(&format!("v{n}"), "7 us", "published")).collect();
    let found = label(&values, |v, _| v["v33"] + v["v2"] / 100.0);
    assert_eq!(found.strongest.unwrap().value, "v33");
}

#[test]
fn what_is_assumed_or_fitted_makes_no_input() {
    let values = [value("a", "60 us", "assumed"), value("b", "60 us", "fitted")];
    let found = label(&values, |v, _| v["a"] * v["b"]);
    assert_eq!((found.label(), found.moved, found.strongest), (Basis::Predicted, 0, None));
}

/// A limit that is raised may run into the next one, so that it is lowered.
#[test]
fn the_lower_of_two_near_limits_carries_the_figure() {
    let values = [value("link", "1010 MB/s", "published"), value("die", "1000 MB/s", "published")];
    let found = label(&values, |v, _| v["link"].min(v["die"]));
    assert_eq!((found.label(), found.strongest.unwrap().value.as_str()), (Basis::Input, "die"));
}

#[test]
fn half_a_link_that_binds_does_not_make_the_whole_one_carry() {
    let values = [value("link", "PCIe 4.0 x4", "data sheet")];
    let bound_by = |rate: f64| move |v: &BTreeMap<&str, f64>, _| (v["link"] * 1.75).min(rate);
    assert_eq!(label(&values, bound_by(6.9)).label(), Basis::Predicted);
    assert_eq!(label(&values, bound_by(9.0)).label(), Basis::Input);
}

#[test]
fn scatter_is_not_taken_for_the_effect_of_a_value() {
    let values = [value("a", "60 us", "derived")];
    // A percentile of few samples: each run is another one, and moves by a fifth.
    let noise = |moved: f64, seed: u64| if (moved == 60.0) == (seed == 0) { 1.0 } else { 1.2 };
    let found = label(&values, |v, seed| 100.0 * noise(v["a"], seed));
    assert_eq!(found.label(), Basis::Predicted, "{found:?}");
}

#[test]
fn a_value_is_moved_to_the_side_that_slows_first() {
    let first = |text: &str| steps(&value("a", text, "derived"))[0].text.clone();
    assert_eq!(first("100 us"), "105 us");
    assert_eq!(first("105 MB/s"), "100 MB/s");
    assert_eq!(first("45 us, 60 us"), "47.25 us, 63 us");
    assert_eq!(first("16 channels"), "15 channels");
    assert_eq!(first("1 core"), "2 core");
    assert_eq!(first("PCIe 4.0 x4"), "PCIe 4.0 x2");
    assert!(steps(&value("a", "greedy", "derived")).is_empty());
}

#[test]
fn the_values_of_a_system_are_those_of_its_drives_and_its_own() {
    let system = System::named("raid0-2x-pm981a", &[]).unwrap();
    let values = of_system(&system);
    let key = |part: &str| values.iter().find(|value| value.key.ends_with(part)).unwrap();
    for part in [".model.link.interface", ".model.nand.page", ".raid.level", ".model.nand.sense"] {
        let found = key(part);
        assert!(found.key.split('.').count() >= 3, "{}", found.key);
    }
    // Each can be set under its key, to what it is.
    for value in values.iter().filter(|value| !steps(value).is_empty()) {
        let set = [(value.key.clone(), value.text.clone())];
        System::named("raid0-2x-pm981a", &set).unwrap_or_else(|e| panic!("{}: {e}", value.key));
    }
}

/// Remarks are no part of what a label was derived from; values and where they come from are.
#[test]
fn a_label_is_of_the_values_not_of_the_words_about_them() {
    let read = |text: &str| System::parse("mine", "mine.toml", text, None, &[]).unwrap();
    let of = |text: &str| inputs(&[&read(text)], &[]);
    let text = library::source_text("optane-memory-16gb").unwrap();
    let other = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        of(&text.replace(from, to))
    };
    assert_eq!(of(text), of(&format!("# said\n{text}")));
    assert_eq!(of(text), other("data sheet: 190 thousand", "data sheet: 190,000"));
    assert_ne!(of(text), other("\"5.26 us\"", "\"5.27 us\""));
    assert_ne!(of(text), other("data sheet: 190 thousand", "assumed: 190 thousand"));
}

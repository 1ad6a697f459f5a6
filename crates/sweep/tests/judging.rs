//! From points to what they mean.

use answer::comparison::Tendency;
use sweep::{Estimate, Factor, Objective, Point, Space, Standing, effects, judge, requirement};

fn space() -> Space {
    Space::new(vec![
        Factor::parse("drive", "a,b").unwrap(),
        Factor::parse("give_up", "0..20% in 3").unwrap(),
    ])
    .unwrap()
}

fn point(drive: &str, give_up: &str, values: &[(&str, f64)]) -> Point {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), Estimate::exact(*value)));
    let at = vec![drive.to_owned(), give_up.to_owned()];
    Point { at, values: values.collect(), ..Point::default() }
}

#[test]
fn the_cheapest_point_that_holds_is_best_and_the_limit_binds() {
    let points = [
        point("a", "0 %", &[("cost", 100.0), ("read_lat_p99.9", 2e-3)]),
        point("a", "10 %", &[("cost", 110.0), ("read_lat_p99.9", 0.9e-3)]),
        point("b", "0 %", &[("cost", 200.0), ("read_lat_p99.9", 0.3e-3)]),
        point("b", "10 %", &[("cost", 220.0), ("read_lat_p99.9", 0.4e-3)]),
        Point { failure: Some("it broke".to_owned()), ..point("b", "20 %", &[]) },
    ];
    let requirements = [requirement("read_lat_p99.9 < 1 ms", "").unwrap()];
    let objectives = [
        Objective::new("cost", Tendency::Lower).unwrap(),
        Objective::usual("read_lat_p99.9").unwrap(),
    ];
    let judged = judge(&space(), &points, &[0; 5], &requirements, &objectives);
    assert_eq!(judged.best, [1]);
    assert_eq!(judged.pareto, [1, 2]);
    assert_eq!(judged.standings[0], Standing::Failed);
    assert_eq!(judged.standings[4], Standing::Failed, "what failed is in no answer");
    let binding = &judged.bindings[0];
    assert_eq!((binding.failed, binding.alone, binding.open), (1, 1, 0));
    assert!((binding.margin.unwrap() - 0.1).abs() < 1e-9);
}

/// Of those that are equal in what is asked first, the one that the others do not beat.
#[test]
fn among_equals_the_best_is_one_of_the_set() {
    let of = |drive, iops| point(drive, "0 %", &[("cost", 100.0), ("iops", iops)]);
    let objectives =
        [Objective::new("cost", Tendency::Lower).unwrap(), Objective::usual("iops").unwrap()];
    for iops in [[3.0, 5.0], [5.0, 3.0]] {
        let points = [of("a", iops[0]), of("b", iops[1])];
        let judged = judge(&space(), &points, &[0; 2], &[], &objectives);
        assert_eq!((judged.best.len(), &judged.best), (1, &judged.pareto), "{iops:?}");
    }
}

#[test]
fn where_the_interval_holds_the_limit_the_point_stays_open() {
    let mut near = point("a", "0 %", &[("cost", 1.0)]);
    let value = Estimate { value: 0.95e-3, low: 0.9e-3, high: 1.05e-3, samples: Some(1000) };
    near.values.insert("read_lat_p99.9".to_owned(), value);
    let requirements = [requirement("read_lat_p99.9 < 1 ms", "").unwrap()];
    let objectives = [Objective::new("cost", Tendency::Lower).unwrap()];
    let dear = point("b", "0 %", &[("cost", 2.0), ("read_lat_p99.9", 0.5e-3)]);
    let judged = judge(&space(), &[near.clone()], &[0], &requirements, &objectives);
    assert_eq!((judged.standings[0], judged.best.as_slice()), (Standing::Open, &[0][..]));
    // One that is sure of its limits is the better advice, also at a higher price.
    let judged = judge(&space(), &[near, dear], &[0; 2], &requirements, &objectives);
    assert_eq!((judged.best, judged.pareto), (vec![1], vec![0, 1]));
}

/// What one load gives is no better than what another gives: each has a Pareto set and a best
/// point, and the margin is that of the best one that is nearer to the limit.
#[test]
fn points_of_different_classes_are_not_held_against_each_other() {
    let of = |drive, give_up, iops| point(drive, give_up, &[("iops", iops)]);
    let points =
        [of("a", "0 %", 9.0), of("a", "10 %", 2.0), of("b", "0 %", 8.0), of("b", "10 %", 3.0)];
    let requirements = [requirement("iops > 1 IOPS", "").unwrap()];
    let objectives = [Objective::usual("iops").unwrap()];
    let together = judge(&space(), &points, &[0; 4], &requirements, &objectives);
    assert_eq!((together.best, together.pareto), (vec![0], vec![0]));
    let apart = judge(&space(), &points, &[1, 0, 1, 0], &requirements, &objectives);
    assert_eq!((apart.best, apart.pareto), (vec![3, 0], vec![3, 0]));
    assert!((apart.bindings[0].margin.unwrap() - 2.0).abs() < 1e-9, "{:?}", apart.bindings);
    assert_eq!(apart.effects, together.effects);
}

/// An additive law: y = 10 for drive b, plus 1 for every step of the give-up. The shares of the
/// variance are known: 25 against 2/3.
#[test]
fn effects_of_an_additive_law_are_its_terms() {
    let mut points = Vec::new();
    for (drive, of_drive) in [("a", 0.0), ("b", 10.0)] {
        for (step, give_up) in ["0 %", "10 %", "20 %"].into_iter().enumerate() {
            points.push(point(drive, give_up, &[("iops", of_drive + step as f64)]));
        }
    }
    let all = effects(&space(), &points, &["iops".to_owned()]);
    assert_eq!(all[0].lowest, ("a".to_owned(), 1.0));
    assert_eq!(all[0].highest, ("b".to_owned(), 11.0));
    assert!((all[0].share - 0.968).abs() < 0.01, "{}", all[0].share);
    assert_eq!(all[1].lowest, ("0 %".to_owned(), 5.0));
    assert_eq!(all[1].highest, ("20 %".to_owned(), 7.0));
    assert_eq!(all[1].share, 0.0, "no more than chance gives of six points");
}

/// Where each value of a factor has one point, its values by themselves would explain anything.
#[test]
fn a_factor_that_does_nothing_explains_nothing() {
    let points: Vec<Point> = [3, 1, 4, 2, 2, 4, 1, 3]
        .into_iter()
        .enumerate()
        .map(|(i, iops)| point("a", &format!("{i} %"), &[("iops", f64::from(iops))]))
        .collect();
    let all = effects(&space(), &points, &["iops".to_owned()]);
    assert_eq!((all.len(), all[0].share), (1, 0.0), "{all:?}");
}

#[test]
fn many_values_of_a_factor_are_put_into_classes() {
    let points: Vec<Point> = (0..40)
        .map(|i| point("a", &format!("{i} %"), &[("iops", f64::from(i) * f64::from(i))]))
        .collect();
    let all = effects(&space(), &points, &["iops".to_owned()]);
    let of_give_up = all.iter().find(|effect| effect.factor == "give_up").unwrap();
    assert_eq!(of_give_up.lowest.0, "0 % .. 9 %");
    assert_eq!(of_give_up.highest.0, "30 % .. 39 %");
    assert!(of_give_up.share > 0.8);
    assert_eq!(all.len(), 1, "a factor with one value has no effect");
}

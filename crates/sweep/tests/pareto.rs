//! The Pareto set against its definition, spelled out.

use proptest::prelude::*;
use sweep::{Span, front};

/// A point is out if another is at least as good everywhere and better somewhere, for sure.
fn by_definition(points: &[Vec<Span>]) -> Vec<bool> {
    let beats = |a: &Vec<Span>, b: &Vec<Span>| {
        a.iter().zip(b).all(|(a, b)| a.worst <= b.best)
            && a.iter().zip(b).any(|(a, b)| a.worst < b.best)
    };
    points.iter().map(|point| !points.iter().any(|other| beats(other, point))).collect()
}

/// Coarse numbers, so that many are equal.
fn span() -> impl Strategy<Value = Span> {
    (0_u8..12, 0_u8..4)
        .prop_map(|(best, width)| Span { best: f64::from(best), worst: f64::from(best + width) })
}

fn points() -> impl Strategy<Value = Vec<Vec<Span>>> {
    (1_usize..5)
        .prop_flat_map(|goals| prop::collection::vec(prop::collection::vec(span(), goals), 0..60))
}

proptest! {
    #[test]
    fn the_set_is_that_of_the_definition(points in points()) {
        prop_assert_eq!(front(&points), by_definition(&points));
    }

    /// Wider intervals never take a point out.
    #[test]
    fn less_certainty_keeps_more(points in points()) {
        let exact: Vec<Vec<Span>> = points
            .iter()
            .map(|point| point.iter().map(|s| Span { best: s.best, worst: s.best }).collect())
            .collect();
        let wider = front(&points);
        for (exact, wider) in front(&exact).into_iter().zip(wider) {
            prop_assert!(!exact || wider);
        }
    }
}

#[test]
fn points_within_noise_of_each_other_both_stay() {
    let point = |cost: f64, low: f64, high: f64| {
        vec![Span { best: cost, worst: cost }, Span { best: low, worst: high }]
    };
    let all = [point(1.0, 0.9, 1.1), point(1.0, 1.0, 1.2), point(1.0, 1.2, 1.4)];
    assert_eq!(front(&all), [true, true, false]);
}

//! Successive halving: all points with little work, the better part of them with more, and so on.

use crate::goal::{Objective, Standing};
use crate::pareto::{Span, front};
use crate::point::Point;
use metric::Requirement;

/// Of so many points one goes on to the next rung.
const OF: usize = 3;
/// Fewest I/Os of a run: fewer say nothing.
const IOS_MIN: u64 = 1000;

/// The I/Os of a run on each of so many rungs, of which the last has them all.
pub fn rungs(ios: u64, count: u32) -> Vec<u64> {
    let share = |left: u32| ios / (OF as u64).saturating_pow(left);
    (0..count).rev().map(|left| share(left).max(IOS_MIN.min(ios))).collect()
}

/// How many of so many points go on.
pub fn kept(points: usize) -> usize {
    points.div_ceil(OF)
}

/// The numbers of the points that go on to the next rung, in ascending order.
///
/// Ranks of short runs hold where their values do not, so points go on by rank. Those that fail a
/// requirement with their whole interval come after all others, the least violation first; the
/// others by the Pareto layers of what is sought, and within a layer those that are alone in their
/// neighbourhood first (Deb and others 2002). What failed to run never goes on.
pub fn promoted(
    points: &[Point],
    requirements: &[Requirement],
    objectives: &[Objective],
) -> Vec<usize> {
    let wanted = kept(points.len());
    let measured: Vec<usize> = (0..points.len()).filter(|i| points[*i].is_ok()).collect();
    let (keeps, fails): (Vec<usize>, Vec<usize>) =
        measured.into_iter().partition(|i| !is_failed(&points[*i], requirements));
    let mut chosen = Vec::new();
    let mut left = keeps;
    while chosen.len() < wanted && !left.is_empty() {
        let places: Vec<Vec<f64>> = left.iter().map(|i| place(&points[*i], objectives)).collect();
        let (layer, rest) = layer(&left, &places);
        let room = wanted - chosen.len();
        match layer.len() <= room {
            true => chosen.extend(layer),
            false => {
                let of = |i: &usize| place(&points[*i], objectives);
                let alone = distances(&layer.iter().map(of).collect::<Vec<_>>());
                let mut order: Vec<usize> = (0..layer.len()).collect();
                order.sort_by(|a, b| alone[*b].total_cmp(&alone[*a]).then(a.cmp(b)));
                chosen.extend(order.into_iter().take(room).map(|at| layer[at]));
            }
        }
        left = rest;
    }
    let mut fails: Vec<(f64, usize)> =
        fails.into_iter().map(|i| (violation(&points[i], requirements), i)).collect();
    fails.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let room = wanted.saturating_sub(chosen.len());
    chosen.extend(fails.into_iter().take(room).map(|(_, i)| i));
    chosen.sort_unstable();
    chosen
}

fn is_failed(point: &Point, requirements: &[Requirement]) -> bool {
    let standing = |one: &Requirement| Standing::of(one, point.values.get(&one.metric));
    requirements.iter().any(|one| standing(one) == Standing::Failed)
}

/// How far a point is beyond its limits, as shares of them together.
pub(crate) fn violation(point: &Point, requirements: &[Requirement]) -> f64 {
    let beyond = |one: &Requirement| match point.values.get(&one.metric) {
        Some(value) => (-one.margin(value.value)).max(0.0),
        None => f64::INFINITY,
    };
    requirements.iter().map(beyond).sum()
}

/// What is sought of a point, turned so that lower is better.
pub(crate) fn place(point: &Point, objectives: &[Objective]) -> Vec<f64> {
    let of = |goal: &Objective| match point.values.get(&goal.metric) {
        Some(value) => goal.turned(value.value),
        None => f64::INFINITY,
    };
    objectives.iter().map(of).collect()
}

/// The points that none of the others is better than, and the others.
pub(crate) fn layer(numbers: &[usize], places: &[Vec<f64>]) -> (Vec<usize>, Vec<usize>) {
    let exact = |place: &Vec<f64>| {
        place.iter().map(|value| Span { best: *value, worst: *value }).collect::<Vec<Span>>()
    };
    let spans: Vec<Vec<Span>> = places.iter().map(exact).collect();
    let both = numbers.iter().copied().zip(front(&spans));
    let (first, rest): (Vec<_>, Vec<_>) = both.partition(|(_, is_first)| *is_first);
    let plain = |list: Vec<(usize, bool)>| list.into_iter().map(|(number, _)| number).collect();
    (plain(first), plain(rest))
}

/// How far the neighbours of each place are from each other, over all objectives; those at an end
/// have no neighbour there and are infinitely alone.
pub(crate) fn distances(places: &[Vec<f64>]) -> Vec<f64> {
    let mut all = vec![0.0; places.len()];
    for goal in 0..places.first().map_or(0, Vec::len) {
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by(|a, b| places[*a][goal].total_cmp(&places[*b][goal]).then(a.cmp(b)));
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else { continue };
        let width = places[last][goal] - places[first][goal];
        all[first] = f64::INFINITY;
        all[last] = f64::INFINITY;
        for three in order.windows(3) {
            let gap = places[three[2]][goal] - places[three[0]][goal];
            if width > 0.0 && width.is_finite() {
                all[three[1]] += gap / width;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Estimate;
    use answer::comparison::Tendency;

    fn point(cost: f64, latency: f64) -> Point {
        let values = [("cost", cost), ("read_lat_p99", latency)];
        let values = values.map(|(name, value)| (name.to_owned(), Estimate::exact(value)));
        Point { values: values.into_iter().collect(), ..Point::default() }
    }

    #[test]
    fn rungs_end_with_all_of_the_budget() {
        assert_eq!(rungs(90_000, 3), [10_000, 30_000, 90_000]);
        assert_eq!(rungs(2000, 3), [1000, 1000, 2000], "a run has some I/Os");
        assert_eq!((kept(81), kept(4), kept(1)), (27, 2, 1));
    }

    #[test]
    fn the_better_third_goes_on_and_what_failed_does_not() {
        let cost = [Objective::new("cost", Tendency::Lower).unwrap()];
        let mut points: Vec<Point> = (0..9).map(|i| point(f64::from(9 - i), 1.0)).collect();
        points[8].failure = Some("it broke".to_owned());
        assert_eq!(promoted(&points, &[], &cost), [5, 6, 7]);
    }

    #[test]
    fn those_that_keep_the_limit_go_before_those_that_nearly_do() {
        let cost = [Objective::new("cost", Tendency::Lower).unwrap()];
        let limit = [crate::goal::requirement("read_lat_p99 < 1 ms", "").unwrap()];
        let points: Vec<Point> =
            [(1.0, 9e-3), (2.0, 1.1e-3), (3.0, 2e-3), (4.0, 0.9e-3), (5.0, 5e-3), (6.0, 6e-3)]
                .map(|(cost, latency)| point(cost, latency))
                .to_vec();
        // The dear one that keeps it, and of the others the one with the least violation.
        assert_eq!(promoted(&points, &limit, &cost), [1, 3]);
    }

    #[test]
    fn of_a_layer_the_ends_and_the_lonely_go_on() {
        let both = [
            Objective::new("cost", Tendency::Lower).unwrap(),
            Objective::new("read_lat_p99", Tendency::Lower).unwrap(),
        ];
        let at = [0.0, 0.1, 0.2, 0.6, 0.95, 1.0, 0.15, 0.05, 0.12];
        let points: Vec<Point> = at.map(|at| point(at, 1.0 - at)).to_vec();
        assert_eq!(promoted(&points, &[], &both), [0, 3, 5]);
    }
}

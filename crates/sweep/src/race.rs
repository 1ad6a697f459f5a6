//! A race: run after run of all points, and without those that others surely beat.
//!
//! After each round of runs, all with one seed, points are held against each other by the
//! differences of runs that share a seed: what Maron and Moore (1997) do with bounds and Birattari
//! and others (2002) with ranks. There are as many looks as rounds, and at each as many limits
//! and rivals of each point as there are; the chance of a mistake is divided by all of these
//! (Bonferroni), so that with 95 % no point leaves that belongs to the set.

use crate::goal::{Objective, Standing};
use crate::paired::{beats, confidence, misses};
use crate::point::Point;
use metric::Requirement;

/// Runs of each point before the first look.
pub const FIRST: usize = 3;

/// The numbers of the points that stay, in ascending order, after one of `looks` looks.
pub fn survivors(
    points: &[Point],
    requirements: &[Requirement],
    objectives: &[Objective],
    looks: usize,
) -> Vec<usize> {
    // Each point against each limit and each other point.
    let comparisons = looks * points.len() * (requirements.len() + points.len().saturating_sub(1));
    let confidence = confidence(comparisons);
    let keeps = |point: &Point| {
        point.is_ok() && !requirements.iter().any(|limit| misses(point, limit, confidence))
    };
    let left: Vec<usize> = (0..points.len()).filter(|i| keeps(&points[*i])).collect();
    // What may miss a limit drives out nothing.
    let sure = |i: &usize| requirements.iter().all(|limit| met(&points[*i], limit));
    let rivals: Vec<usize> = left.iter().copied().filter(sure).collect();
    let beaten = |i: &usize| {
        let ahead = |rival: &usize| beats(&points[*rival], &points[*i], objectives, confidence);
        rivals.iter().any(|rival| rival != i && ahead(rival))
    };
    left.iter().copied().filter(|i| !beaten(i)).collect()
}

fn met(point: &Point, limit: &Requirement) -> bool {
    Standing::of(limit, point.values.get(&limit.metric)) == Standing::Met
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::requirement;
    use crate::point::Estimate;
    use answer::comparison::Tendency;
    use engine::Stream;
    use metric::MetricValue;

    /// A point with runs of a latency and a power.
    fn point(latencies: &[f64], powers: &[f64]) -> Point {
        let mut point = Point::default();
        for (name, runs) in [("read_lat_mean", latencies), ("power", powers)] {
            let values: Vec<MetricValue> =
                runs.iter().map(|run| MetricValue::exact(*run)).collect();
            let all: Vec<&MetricValue> = values.iter().collect();
            point.values.insert(name.to_owned(), Estimate::of_runs(name, &all).unwrap());
            point.runs.insert(name.to_owned(), runs.to_vec());
        }
        point
    }

    fn goals() -> [Objective; 2] {
        ["read_lat_mean", "power"].map(|name| Objective::new(name, Tendency::Lower).unwrap())
    }

    #[test]
    fn what_all_seeds_say_alike_is_sure_though_the_means_scatter() {
        // Seeds move both by a tenth; one is always a hundredth behind.
        let seeds = [1.0, 1.1, 0.9, 1.05, 0.95];
        let fast: Vec<f64> = seeds.iter().map(|s| s * 1e-3).collect();
        let slow: Vec<f64> = seeds.iter().map(|s| s * 1.01e-3).collect();
        let points = [point(&fast, &[9.0; 5]), point(&slow, &[9.0; 5])];
        assert_eq!(survivors(&points, &[], &goals(), 1), [0]);
        let ends = |point: &Point| point.values["read_lat_mean"];
        assert!(ends(&points[0]).high > ends(&points[1]).low, "by their means nobody could tell");
    }

    #[test]
    fn better_in_one_and_worse_in_another_stays() {
        let points = [point(&[1e-3; 3], &[9.0; 3]), point(&[2e-3; 3], &[8.0; 3])];
        assert_eq!(survivors(&points, &[], &goals(), 1), [0, 1]);
    }

    #[test]
    fn what_surely_misses_a_limit_leaves_and_what_may_miss_it_drives_out_nothing() {
        let limit = [requirement("read_lat_mean < 1 ms", "").unwrap()];
        let points = [
            point(&[2e-3, 2.01e-3, 1.99e-3], &[5.0; 3]),
            point(&[0.9e-3, 1.0e-3, 1.09e-3], &[6.0; 3]),
            point(&[0.99e-3, 0.98e-3, 0.985e-3], &[7.0; 3]),
        ];
        let power = [Objective::new("power", Tendency::Lower).unwrap()];
        // The first misses it; the second may, so that the third, which does not, stays beside it.
        assert_eq!(survivors(&points, &limit, &power, 1), [1, 2]);
    }

    #[test]
    fn what_failed_to_run_leaves() {
        let failed = Point { failure: Some("it broke".to_owned()), ..Point::default() };
        assert_eq!(survivors(&[failed, point(&[1.0; 3], &[1.0; 3])], &[], &goals(), 1), [1]);
    }

    /// Races of eight points of which none is better: how many lose one, over all their looks.
    #[test]
    fn of_equal_points_none_leaves_but_in_five_of_a_hundred_races() {
        const RACES: usize = 400;
        const RUNS: usize = 10;
        let mut random = Stream::new(7, "race");
        // The sum of twelve uniform numbers is nearly normal.
        let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let power = [Objective::new("power", Tendency::Lower).unwrap()];
        let mut lost = 0;
        for _ in 0..RACES {
            let runs: Vec<Vec<f64>> =
                (0..8).map(|_| (0..RUNS).map(|_| 10.0 + normal()).collect()).collect();
            let looks = RUNS - FIRST;
            let all_stay = (FIRST..RUNS).all(|many| {
                let point = |runs: &Vec<f64>| point(&[1e-3; RUNS][..many], &runs[..many]);
                let points: Vec<Point> = runs.iter().map(point).collect();
                survivors(&points, &[], &power, looks).len() == points.len()
            });
            lost += usize::from(!all_stay);
        }
        // 5 % and two standard deviations; Bonferroni's correction is on the safe side of it.
        assert!(lost <= RACES * 7 / 100, "{lost} of {RACES} races lost a point");
    }
}

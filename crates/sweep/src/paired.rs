//! Which of two points is better by runs that share their seeds.
//!
//! Run i of every point has the same seed. What a seed does to all points alike is no reason to
//! doubt their order: it falls out of the differences of run i here and there. How much that is
//! depends on the load. Of a closed loop it is little: over the plan `cheapest.toml` with ten runs
//! a point the differences scatter, in the median, 0 to 7 % less than those of unlike seeds.

use crate::goal::{Objective, Standing};
use crate::point::Point;
use metric::Requirement;
use stats::difference::{Difference, Pairing, half_width_of_mean, mean_and_variance};

/// The chance that any of several comparisons is mistaken.
const MISTAKE: f64 = 0.05;

/// The confidence of each of so many comparisons, with which all of them together hold with 95 %
/// (Bonferroni).
pub fn confidence(comparisons: usize) -> f64 {
    1.0 - MISTAKE / comparisons.max(1) as f64
}

/// Whether `rival` is surely at least as good as `point` in everything that is sought, and surely
/// better in something; each difference with this confidence.
pub fn beats(rival: &Point, point: &Point, objectives: &[Objective], confidence: f64) -> bool {
    let mut better = false;
    for goal in objectives {
        let Some(ahead) = surely_ahead(goal, rival, point, confidence) else { return false };
        if ahead < 0.0 {
            return false;
        }
        better |= ahead > 0.0;
    }
    better
}

/// How far `rival` is ahead at least; below 0 where it may be behind. `None` if nothing is known.
fn surely_ahead(goal: &Objective, rival: &Point, point: &Point, confidence: f64) -> Option<f64> {
    if let (Some(theirs), Some(own)) = (rival.runs.get(&goal.metric), point.runs.get(&goal.metric))
    {
        let both = theirs.len().min(own.len());
        let (theirs, own) = (&theirs[..both], &own[..both]);
        let difference = Difference::new(theirs, own, Pairing::Paired, confidence)?;
        let resolved = |runs: &[f64]| {
            let (mean, _) = mean_and_variance(runs)?;
            Some(metric::resolution(&goal.metric, mean))
        };
        let half = difference.half_width.max(resolved(theirs)? + resolved(own)?);
        return Some(goal.turned(difference.difference) - half);
    }
    let (theirs, own) = (rival.values.get(&goal.metric)?, point.values.get(&goal.metric)?);
    let exact = !theirs.is_interval() && !own.is_interval();
    exact.then(|| goal.turned(own.value) - goal.turned(theirs.value))
}

/// Whether the mean of a point's runs surely misses a limit, with this confidence.
pub fn misses(point: &Point, requirement: &Requirement, confidence: f64) -> bool {
    let runs = point.runs.get(&requirement.metric);
    let Some((runs, (mean, _))) = runs.and_then(|runs| Some((runs, mean_and_variance(runs)?)))
    else {
        let value = point.values.get(&requirement.metric);
        return Standing::of(requirement, value) == Standing::Failed;
    };
    let half = half_width_of_mean(runs, confidence);
    let half = half.max(metric::resolution(&requirement.metric, mean));
    [mean - half, mean + half].iter().all(|end| requirement.margin(*end) < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::requirement;
    use answer::comparison::Tendency;

    fn point(metric: &str, run: f64) -> Point {
        Point { runs: [(metric.to_owned(), vec![run; 3])].into(), ..Point::default() }
    }

    /// Percentiles of equal runs lie in one bucket each: how far apart they are is known to half of
    /// both.
    #[test]
    fn percentiles_in_neighbouring_buckets_do_not_beat_each_other() {
        let beats = |metric: &str, rival: f64, own: f64| {
            let goal = [Objective::new(metric, Tendency::Lower).unwrap()];
            beats(&point(metric, rival), &point(metric, own), &goal, 0.95)
        };
        assert!(beats("read_lat_mean", 128.0, 129.0));
        assert!(!beats("read_lat_p99", 128.0, 130.0), "half a bucket is 1 us and a little more");
        assert!(beats("read_lat_p99", 128.0, 130.1));
    }

    #[test]
    fn a_percentile_surely_misses_a_limit_that_is_outside_its_bucket() {
        let limit = requirement("read_lat_p99 < 100 us", "").unwrap();
        let missed = |us: f64| misses(&point("read_lat_p99", us * 1e-6), &limit, 0.95);
        assert_eq!([missed(99.0), missed(100.7), missed(100.9)], [false, false, true]);
    }
}

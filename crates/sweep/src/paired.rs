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
        return Some(goal.turned(difference.difference) - difference.half_width);
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
    [mean - half, mean + half].iter().all(|end| requirement.margin(*end) < 0.0)
}

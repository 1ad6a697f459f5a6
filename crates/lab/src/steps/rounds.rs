//! Rounds until a number is steady, as SNIA's test specification asks for.

use super::{Action, Step};
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use metric::{MetricValue, Point};
use schemars::JsonSchema;
use serde::Deserialize;
use stats::{SniaCriterion, SniaVerdict};

/// Repeats steps until a number is steady by both criteria of SNIA's specification (over five
/// rounds a range of at most 20 % and an excursion of the line of at most 10 % of the mean), or
/// 25 rounds are done. Its numbers and the points of its sweeps are means over the last five; where
/// nothing is swept, the rounds themselves are its points.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The number that is followed, written `STEP.NAME`.
    pub track: String,
    /// Most rounds; 25 if it is not said.
    pub max: Option<String>,
    /// What is done in each round.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

impl Action for Rounds {
    fn said(&self) -> String {
        format!("rounds_until_steady `{}`: follows {}", self.name, self.track)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let mut criterion = SniaCriterion::default();
        if let Some(written) = &self.max {
            let most = session.count(written)?.unwrap_or(criterion.rounds_max as u64);
            criterion.rounds_max = usize::try_from(most).unwrap_or(1).max(1);
        }
        let first = session.points.len();
        let (mut tracked, mut rounds) = (Vec::new(), Vec::new());
        let (from, to) = session.part;
        while tracked.len() < criterion.rounds_max {
            let done = tracked.len() as f64 / criterion.rounds_max as f64;
            session.part.0 = from + (to - from) * done;
            session.tell(&format!("round {}", tracked.len() + 1), 0.0);
            session.steps(&self.steps)?;
            let value = session.value(&self.track).ok_or_else(|| {
                Failure::failed(format!("no step gives `{}`, which is followed", self.track))
            })?;
            tracked.push(value.value);
            rounds.push(session.points.split_off(first));
            if criterion.judge(&tracked).is_some_and(|verdict| verdict.steady) {
                break;
            }
        }
        session.part = (from, to);
        let verdict = criterion.judge(&tracked);
        let window = rounds.len().saturating_sub(criterion.window);
        match rounds.iter().all(Vec::is_empty) {
            true => session.points.extend(by_round(&self.track, &tracked)),
            false => session.points.extend(means(&rounds[window..])),
        }
        let mut values = Values::new();
        let mut put = |name: &str, value: f64| {
            values.insert(name.to_owned(), MetricValue::exact(value));
        };
        put("rounds", tracked.len() as f64);
        put("steady", if verdict.is_some_and(|verdict| verdict.steady) { 1.0 } else { 0.0 });
        put("first", tracked.first().copied().unwrap_or(0.0));
        if let Some(verdict) = verdict {
            put("mean", verdict.mean);
            put("range", verdict.range_percent / 100.0);
        }
        if !verdict.is_some_and(|verdict| verdict.steady) {
            session.warn(unsteady(&self.track, tracked.len(), &criterion, verdict));
        }
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

/// By how much a number is not steady.
fn unsteady(
    track: &str,
    rounds: usize,
    criterion: &SniaCriterion,
    verdict: Option<SniaVerdict>,
) -> String {
    let window = criterion.window;
    let how = match verdict {
        None => format!("{window} are judged"),
        Some(seen) => format!(
            "over the last {window} it ranges over {:.1} % of its mean ({} % may be) and its line \
             moves by {:.1} % ({} % may be)",
            seen.range_percent,
            criterion.range_percent,
            seen.excursion_percent,
            criterion.excursion_percent
        ),
    };
    format!("`{track}` is not steady after {rounds} rounds: {how}; the last ones are reported")
}

/// What was followed, a point a round.
fn by_round(track: &str, tracked: &[f64]) -> Vec<Point> {
    let metric = track.split_once('.').map_or(track, |(_, metric)| metric);
    let point = |(i, value): (usize, &f64)| Point {
        at: vec![("round".to_owned(), (i + 1).to_string())],
        metrics: [(metric.to_owned(), MetricValue::exact(*value))].into(),
    };
    tracked.iter().enumerate().map(point).collect()
}

/// The mean of each number of each point over rounds that went over the same points.
fn means(rounds: &[Vec<Point>]) -> Vec<Point> {
    let Some(first) = rounds.first() else { return Vec::new() };
    let mean = |(i, point): (usize, &Point)| {
        let mut point = point.clone();
        for (name, value) in &mut point.metrics {
            let same = rounds.iter().filter_map(|round| round.get(i)?.metrics.get(name));
            let values: Vec<f64> = same.map(|value| value.value).collect();
            *value = MetricValue::exact(values.iter().sum::<f64>() / values.len().max(1) as f64);
        }
        point
    };
    first.iter().enumerate().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_steady_says_by_how_much() {
        let criterion = SniaCriterion::default();
        let rounds = [100.0, 90.0, 80.0, 70.0, 60.0];
        assert_eq!(
            unsteady("load.iops", 5, &criterion, criterion.judge(&rounds)),
            "`load.iops` is not steady after 5 rounds: over the last 5 it ranges over 50.0 % of \
             its mean (20 % may be) and its line moves by 50.0 % (10 % may be); the last ones are \
             reported"
        );
        let few = unsteady("load.iops", 3, &criterion, criterion.judge(&rounds[..3]));
        assert!(few.contains("after 3 rounds: 5 are judged"), "{few}");
    }

    #[test]
    fn rounds_are_points() {
        let points = by_round("load.iops", &[5.0, 4.0]);
        assert_eq!(points[1].at, [("round".to_owned(), "2".to_owned())]);
        assert_eq!(points[1].metrics["iops"].value, 4.0);
    }
}

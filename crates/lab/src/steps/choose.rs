//! One of the points of a sweep, chosen by what was measured there.

use super::{Action, Step};
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use metric::{MetricValue, Params, Point};
use schemars::JsonSchema;
use serde::Deserialize;

/// Chooses a point of a sweep and does steps with its values. Only points count at which the mean
/// latency of all I/Os is below a limit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choose {
    /// Name of its numbers: the values of what was swept, and the rate there.
    #[serde(rename = "as")]
    pub name: String,
    /// The parameters that were swept.
    pub over: Vec<String>,
    /// Which point.
    pub pick: Which,
    /// The limit of the mean latency, a time or a parameter.
    pub below: String,
    /// What is done there.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// Which of the points that count.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The one with the most I/Os a second.
    Most,
    /// The one whose rate is nearest to the middle between the highest and the lowest.
    Middle,
    /// The one with the fewest I/Os a second.
    Least,
}

impl Which {
    fn said(self) -> &'static str {
        match self {
            Which::Most => "most I/Os a second",
            Which::Middle => "a rate in the middle",
            Which::Least => "fewest I/Os a second",
        }
    }
}

impl Action for Choose {
    fn said(&self) -> String {
        let (over, which) = (self.over.join(", "), self.pick.said());
        format!("choose `{}`: {over} with {which} below {}", self.name, self.below)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    /// Its steps are known at the chosen point only.
    fn check(&self, _: &Session<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let limit = session.seconds(&self.below)?.unwrap_or(f64::MAX);
        let points = session.points.iter().filter(|point| self.is_of(point));
        let Some(chosen) = chosen(points, self.pick, limit).cloned() else {
            let below = session.text(&self.below).unwrap_or_default();
            let name = &self.name;
            session.warn(format!("no load has a mean latency below {below}: `{name}` is left out"));
            return Ok(());
        };
        let mut own = Params::default();
        let mut values = Values::new();
        for (name, value) in chosen.at.iter().filter(|(name, _)| self.over.contains(name)) {
            own.give(name, value).map_err(Failure::failed)?;
            let number = own.get(name).and_then(metric::ParamValue::base);
            values.extend(number.map(|number| (name.clone(), MetricValue::exact(number))));
        }
        values.extend(chosen.metrics.get("iops").map(|iops| ("iops".to_owned(), *iops)));
        session.results.insert(self.name.clone(), values);
        let before = session.params.clone();
        session.params = own.over(&before);
        session.at.push(("load".to_owned(), self.name.clone()));
        let done = session.steps(&self.steps);
        session.at.pop();
        session.params = before;
        done
    }
}

impl Choose {
    /// Whether a point is one of this sweep.
    fn is_of(&self, point: &Point) -> bool {
        self.over.iter().all(|name| point.at.iter().any(|(over, _)| over == name))
    }
}

fn number(point: &Point, name: &str) -> f64 {
    point.metrics.get(name).map_or(0.0, |value| value.value)
}

/// Mean latency of all I/Os of a point, s.
fn latency(point: &Point) -> f64 {
    let sides = ["read", "write"].map(|side| {
        let rate = number(point, &format!("{side}_iops"));
        (rate, rate * number(point, &format!("{side}_lat_mean")))
    });
    let all: f64 = sides.iter().map(|(rate, _)| rate).sum();
    if all > 0.0 { sides.iter().map(|(_, sum)| sum).sum::<f64>() / all } else { f64::MAX }
}

/// The point that is meant, of those with a mean latency below a limit in seconds.
fn chosen<'p>(
    points: impl Iterator<Item = &'p Point>,
    which: Which,
    limit: f64,
) -> Option<&'p Point> {
    let rate = |point: &&Point| number(point, "iops");
    let mut counted: Vec<&Point> = points.filter(|point| latency(point) < limit).collect();
    counted.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
    let (least, most) = (counted.first()?, counted.last()?);
    let middle = (rate(least) + rate(most)) / 2.0;
    let off = |point: &&Point| (rate(point) - middle).abs();
    match which {
        Which::Most => Some(most),
        Which::Least => Some(least),
        Which::Middle => counted.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, iops: f64, latency: f64) -> Point {
        let metrics = [("iops", iops), ("write_iops", iops), ("write_lat_mean", latency)]
            .map(|(name, value)| (name.to_owned(), MetricValue::exact(value)));
        Point { at: vec![("threads".to_owned(), name.to_owned())], metrics: metrics.into() }
    }

    /// MAX, MID and MIN of SNIA's demand tests: the fastest load is too slow to answer.
    #[test]
    fn the_limit_leaves_the_fastest_out() {
        let points = [point("1", 10.0, 1e-4), point("8", 52.0, 1e-3), point("16", 90.0, 4.9e-3)];
        let over = point("32", 100.0, 5e-3);
        let all: Vec<&Point> = points.iter().chain([&over]).collect();
        let pick =
            |which| chosen(all.iter().copied(), which, 5e-3).map(|point| point.at[0].1.as_str());
        assert_eq!(pick(Which::Most), Some("16"));
        assert_eq!(pick(Which::Middle), Some("8"));
        assert_eq!(pick(Which::Least), Some("1"));
        assert!(chosen(all.into_iter(), Which::Most, 1e-5).is_none());
    }

    #[test]
    fn the_latency_of_a_mix_is_that_of_all_its_ios() {
        let mut mix = point("1", 4.0, 1e-3);
        for (name, value) in [("write_iops", 1.0), ("read_iops", 3.0), ("read_lat_mean", 5e-3)] {
            mix.metrics.insert(name.to_owned(), MetricValue::exact(value));
        }
        assert!((latency(&mix) - 4e-3).abs() < 1e-12);
    }
}

//! The same several times over, of which benchmark programs keep the best.

use super::Action;
use super::Step;
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use engine::whole;
use metric::{MetricValue, Point};
use schemars::JsonSchema;
use serde::Deserialize;
use stats::PhaseKind;

/// Does steps several times. Each number is its mean under its own name, and beside it
/// `max.`, `min.` (each the extreme by itself, from whichever turn) and `spread.`, which is the
/// highest less the lowest over the mean.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// How often, without those that are discarded.
    pub times: String,
    /// How many turns before these are done and not counted.
    #[serde(default)]
    pub discard: u32,
    /// Time without I/O after the last turn.
    pub pause: Option<String>,
    /// Conditions of which one has to hold, as those of `only`; none: it is always done.
    #[serde(default)]
    pub when: Vec<String>,
    /// Time of the load of a turn. On a part of a drive it is a part of that time, in which the
    /// load would fit into the write buffer: as many turns become one, of as much longer times, as
    /// make it a tenth of a second.
    pub merge: Option<String>,
    /// Numbers, written `STEP.NAME`, that each turn leaves as a point.
    #[serde(default)]
    pub points: Vec<String>,
    /// What is done in each turn.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// I/Os of a turn that are asked for at least.
const LEAST_IOS: u64 = 50_000;

impl Action for Repeat {
    fn said(&self) -> String {
        let mut said = format!("repeat `{}`: {} times", self.name, self.times);
        if self.discard > 0 {
            said += &format!(" after {} not counted", self.discard);
        }
        if !self.when.is_empty() {
            said += &format!(", if {}", self.when.join(" or "));
        }
        said
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        if !session.holds(&self.when) {
            return Ok(());
        }
        let times = session.count(&self.times)?.unwrap_or(1).max(1);
        let merged = self.merged(session, times)?;
        let times = times / merged;
        let before = session.stretched;
        session.stretched *= merged as f64;
        let all = u64::from(self.discard) + times;
        let (from, to) = session.part;
        let ios = session.options.ios;
        session.options.ios = (ios / all).max(LEAST_IOS.min(ios));
        let mut turns = Vec::new();
        for turn in 0..all {
            let share = |turn: u64| from + (to - from) * turn as f64 / all as f64;
            session.part = (share(turn), share(turn + 1));
            session.at.push((self.name.clone(), turn.to_string()));
            let done = session.steps(&self.steps);
            session.at.pop();
            done?;
            if turn >= u64::from(self.discard) {
                turns.push(session.numbers_of(&self.steps));
                self.leave_point(session, (turn + 1 - u64::from(self.discard)) * merged);
            }
        }
        session.part = (from, to);
        session.options.ios = ios;
        session.stretched = before;
        session.results.insert(self.name.clone(), summary(&turns));
        if let Some(pause) = &self.pause {
            session.target.idle(session.seconds(pause)?.unwrap_or(0.0))?;
            session.follow_as("idle", Some(PhaseKind::Idle), None, true);
        }
        Ok(())
    }
}

/// Time that the load of a turn takes on a model at least, s.
const LEAST_TURN_S: f64 = 0.1;

impl Repeat {
    /// How many turns become one.
    fn merged(&self, session: &Session<'_>, times: u64) -> Result<u64, Failure> {
        let Some(written) = &self.merge else { return Ok(1) };
        let load = session.seconds(written)?.unwrap_or(0.0) * session.target.scale();
        if !session.target.modelled() || load <= 0.0 {
            return Ok(1);
        }
        Ok(whole((LEAST_TURN_S / load).ceil()).clamp(1, times))
    }

    /// Leaves a point with the numbers that the method wants of a turn, from 1.
    fn leave_point(&self, session: &mut Session<'_>, turn: u64) {
        let number = |path: &String| {
            let name = path.split_once('.').map_or(path.as_str(), |(_, name)| name);
            Some((name.to_owned(), session.value(path)?))
        };
        let metrics: Values = self.points.iter().filter_map(number).collect();
        if !metrics.is_empty() {
            let mut at = session.at.clone();
            at.push((self.name.clone(), turn.to_string()));
            session.points.push(Point { at, metrics });
        }
    }
}

/// Mean, extremes and spread of each number that every turn gave.
fn summary(turns: &[Values]) -> Values {
    let mut all = Values::new();
    let Some(first) = turns.first() else { return all };
    for name in first.keys() {
        let values: Vec<f64> =
            turns.iter().filter_map(|turn| turn.get(name)).map(|value| value.value).collect();
        if values.len() < turns.len() {
            continue;
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let high = values.iter().copied().fold(f64::MIN, f64::max);
        let low = values.iter().copied().fold(f64::MAX, f64::min);
        let samples = turns.iter().map(|turn| turn[name].samples).sum::<Option<u64>>();
        all.insert(name.clone(), MetricValue { value: mean, samples, interval95: None });
        all.insert(format!("max.{name}"), MetricValue::exact(high));
        all.insert(format!("min.{name}"), MetricValue::exact(low));
        if mean != 0.0 {
            all.insert(format!("spread.{name}"), MetricValue::exact((high - low) / mean));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best rate and the best latency may come from different turns, as CrystalDiskMark has it.
    #[test]
    fn the_best_of_each_number_stands_beside_its_mean() {
        let turn = |rate: f64, lat: f64| -> Values {
            [("rate", rate), ("lat", lat)]
                .map(|(name, value)| (name.to_owned(), MetricValue::exact(value)))
                .into()
        };
        let all = summary(&[turn(100.0, 3.0), turn(140.0, 2.0), turn(120.0, 1.0)]);
        let value = |name: &str| all[name].value;
        assert_eq!((value("rate"), value("max.rate"), value("min.rate")), (120.0, 140.0, 100.0));
        assert_eq!((value("lat"), value("min.lat")), (2.0, 1.0));
        assert!((value("spread.rate") - 1.0 / 3.0).abs() < 1e-12);
        assert!(summary(&[]).is_empty());
    }
}

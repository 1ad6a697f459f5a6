//! When repeated measurements first reach a level.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use metric::{MetricValue, Point};
use schemars::JsonSchema;
use serde::Deserialize;

/// Says after how long the turns of a `repeat` first reach a level: `time`, that of the turns up
/// to the first that does. It gives nothing if none does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// Name of its number.
    #[serde(rename = "as")]
    pub name: String,
    /// The `repeat` step, which leaves points.
    pub turns: String,
    /// The metric of its points.
    pub metric: String,
    /// The level, written `STEP.NAME`.
    pub level: String,
    /// Time of a turn.
    pub each: String,
}

impl Action for Reach {
    fn said(&self) -> String {
        format!("reach `{}`: {} of {} up to {}", self.name, self.metric, self.turns, self.level)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let each = session.seconds(&self.each)?.unwrap_or(0.0);
        let missing = || Failure::failed(format!("no step gives `{}`", self.level));
        let level = session.value(&self.level).ok_or_else(missing)?.value;
        let turns = session.points.iter().filter(|point| is_turn(point, &self.turns));
        let value = |point: &Point| point.metrics.get(&self.metric).map_or(0.0, |v| v.value);
        let seconds = first_at(turns.map(value), level).map(|turn| turn as f64 * each);
        if seconds.is_none() {
            let (turns, level) = (&self.turns, &self.level);
            session.warn(format!("`{turns}` never reaches `{level}`"));
        }
        let time = seconds.map(|seconds| ("time".to_owned(), MetricValue::exact(seconds)));
        session.results.insert(self.name.clone(), time.into_iter().collect::<Values>());
        Ok(())
    }
}

fn is_turn(point: &Point, name: &str) -> bool {
    point.at.last().is_some_and(|(over, _)| over == name)
}

/// Number, from 1, of the first value at a level or above.
fn first_at(mut values: impl Iterator<Item = f64>, level: f64) -> Option<usize> {
    values.position(|value| value >= level).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_reached_when_it_is_equalled() {
        let values = [1.0, 1.9, 2.0, 3.0];
        assert_eq!(first_at(values.into_iter(), 2.0), Some(3));
        assert_eq!(first_at(values.into_iter(), 0.5), Some(1));
        assert_eq!(first_at(values.into_iter(), 3.1), None);
    }
}

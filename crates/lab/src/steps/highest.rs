//! The highest value of a parameter at which a limit holds: the highest rate within a latency.

use super::{Action, Step};
use crate::failure::Failure;
use crate::metrics;
use crate::session::Session;
use crate::values::Values;
use engine::whole;
use metric::{MetricValue, Params, Point, Requirement};
use schemars::JsonSchema;
use serde::Deserialize;

/// Does steps with values of a parameter between zero and one that is too high, halving the
/// distance between the highest that keeps a limit and the lowest that does not. It takes for
/// granted that what is kept at a value is kept below. Its numbers are those at the highest value
/// that kept the limit, and that value; none if no value did. Each value is a point, in ascending
/// order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Highest {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The parameter, a whole number.
    pub over: String,
    /// Name of the highest value among the numbers, a metric.
    pub value: String,
    /// The value above which nothing is tried, a number of an earlier step, written `STEP.NAME`. If
    /// the limit holds of that step, its numbers are the answer.
    pub up_to: String,
    /// What has to hold.
    pub limit: String,
    /// Distance between the two values at the end, as a share of the lower one.
    pub within: f64,
    /// What is done with each value.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// Below this share of the highest value nothing is tried: if the limit does not hold there, it
/// holds nowhere.
const LEAST: f64 = 1e-3;
/// Values that are tried, about: the work of a measurement is shared out.
const TRIED: u64 = 4;

impl Action for Highest {
    fn said(&self) -> String {
        format!("highest `{}`: {} with {}", self.name, self.over, self.limit)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    /// Its steps are known at each of its values only.
    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        self.limit(session).map(drop)
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let limit = self.limit(session)?;
        let missing = || Failure::failed(format!("no step gives `{}`", self.up_to));
        let top = session.value(&self.up_to).ok_or_else(missing)?.value;
        let (step, _) = self.up_to.split_once('.').ok_or_else(missing)?;
        let mut best = session.results.get(step).cloned().unwrap_or_default();
        let Some(freely) = best.get(&limit.metric) else {
            let metric = &limit.metric;
            return Err(Failure::left_out(format!("this load gives no `{metric}` here to limit")));
        };
        if limit.keeps(freely.value) {
            session.warn(format!(
                "{} holds without a rate limit: more I/Os in flight may reach a higher rate \
                 within it",
                limit.text
            ));
            best.insert(self.value.clone(), MetricValue::exact(top));
            session.results.insert(self.name.clone(), best);
            return Ok(());
        }
        let before = (session.params.clone(), session.options.ios, session.part);
        session.options.ios = (before.1 / TRIED).max(1);
        let first = session.points.len();
        session.trying = true;
        let found = self.search(session, &limit, top);
        session.trying = false;
        session.points[first..].sort_by_key(|point| self.tried(point));
        (session.params, session.options.ios, session.part) = before;
        match found? {
            Some(values) => drop(session.results.insert(self.name.clone(), values)),
            None => session.warn(format!(
                "{} holds nowhere: not at {} = {} either",
                limit.text,
                self.over,
                session.points[first..].first().map_or(0, |point| self.tried(point))
            )),
        }
        Ok(())
    }
}

impl Highest {
    /// What has to hold.
    fn limit(&self, session: &Session<'_>) -> Result<Requirement, Failure> {
        let text = session.text(&self.limit).unwrap_or_default();
        let limit = Requirement::parse(&text).map_err(Failure::left_out)?;
        if !metrics::gives(&limit.metric) {
            let metric = &limit.metric;
            return Err(Failure::left_out(format!(
                "`{metric}` is nothing that a load gives; latencies are read_lat_ and write_lat_ \
                 with mean, max or a percentile such as p99.9"
            )));
        }
        Ok(limit)
    }

    /// The value of a point.
    fn tried(&self, point: &Point) -> u64 {
        let own = point.at.iter().find(|(name, _)| *name == self.over);
        own.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    }

    /// The numbers at the highest value that keeps the limit.
    fn search(
        &self,
        session: &mut Session<'_>,
        limit: &Requirement,
        top: f64,
    ) -> Result<Option<Values>, Failure> {
        let (mut low, mut high, mut best) = (0.0, top, None);
        let (from, to) = session.part;
        while high - low > self.within * low {
            let value = ((low + high) / 2.0).round().max(1.0);
            if value >= high || value <= low || best.is_none() && high <= top * LEAST {
                break;
            }
            // Each try halves what is left to do.
            session.part = (session.part.0, (session.part.0 + to) / 2.0);
            let values = self.at(session, value)?;
            session.part = (session.part.1, to);
            match values.get(&limit.metric) {
                Some(found) if limit.keeps(found.value) => (low, best) = (value, Some(values)),
                _ => high = value,
            }
        }
        session.part = (from, to);
        if let Some(values) = &mut best {
            values.insert(self.value.clone(), MetricValue::exact(low));
        }
        Ok(best)
    }

    /// Does the steps with a value.
    fn at(&self, session: &mut Session<'_>, value: f64) -> Result<Values, Failure> {
        let (mut one, text) = (Params::default(), whole(value).to_string());
        one.give(&self.over, &text).map_err(Failure::failed)?;
        session.params = one.over(&session.params);
        session.steps_at(&self.over, text, &self.steps)?;
        Ok(session.numbers_of(&self.steps))
    }
}

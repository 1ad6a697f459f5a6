//! Steps for each value of a parameter.

use super::{Action, Step};
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use metric::{MetricValue, ParamValue, Params, Point};
use schemars::JsonSchema;
use serde::Deserialize;

/// Does steps for each value of a parameter. Where the user gives the parameter, that is the only
/// value; `qd_min` and the like leave lower ones out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The parameter.
    pub over: String,
    /// Its values.
    pub values: Vec<String>,
    /// What is done for each.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// I/Os of a point that are asked for at least.
const LEAST_IOS: u64 = 50_000;

impl Action for Sweep {
    fn said(&self) -> String {
        format!("sweep `{}`: {} over {}", self.name, self.over, self.values.join(", "))
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    /// It leaves out what cannot be, and its steps are known at each of its values only.
    fn check(&self, _: &Session<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let before = session.params.clone();
        let values = self.values(&before)?;
        let mut left_out = None;
        let (first, (from, to)) = (session.points.len(), session.part);
        let width = (to - from) / values.len().max(1) as f64;
        // The work of a measurement is shared out, with enough left for a mean.
        let ios = session.options.ios;
        session.options.ios = (ios / values.len().max(1) as u64).max(LEAST_IOS.min(ios));
        for (i, value) in values.iter().enumerate() {
            let mut one = Params::default();
            one.give(&self.over, value).map_err(Failure::failed)?;
            let bytes = one.block().filter(|_| self.over == "block");
            if bytes.is_some_and(|bytes| bytes < session.target.sector()) {
                let sector = session.target.sector();
                session.warn(format!("{value} is below the drive's {sector} bytes: left out"));
                continue;
            }
            let text = one.get(&self.over).map(ToString::to_string).unwrap_or_default();
            session.params = one.over(&before);
            session.part = (from + width * i as f64, from + width * (i + 1) as f64);
            match session.steps_at(&self.over, text, &self.steps) {
                // What this drive cannot run at this scale; other points may be possible.
                Err(Failure::Job(why)) => {
                    session.warn(format!("{} = {value} is left out: {}", self.over, why.message));
                    left_out.get_or_insert(Failure::Job(why));
                }
                done => done?,
            }
        }
        session.params = before;
        session.options.ios = ios;
        session.part = (from, to);
        if let (Some(why), true) = (left_out, session.points.len() == first) {
            return Err(why);
        }
        let values = summary(&session.points[first..]);
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

impl Sweep {
    fn values(&self, params: &Params) -> Result<Vec<String>, Failure> {
        if let Some(given) = params.get(&self.over) {
            return Ok(vec![given.to_string()]);
        }
        let number = |value: &ParamValue| match value {
            ParamValue::Count(n) | ParamValue::Bytes(n) => Some(*n),
            _ => None,
        };
        let least = params.get(&format!("{}_min", self.over)).and_then(number);
        let mut kept = Vec::new();
        for value in &self.values {
            let mut one = Params::default();
            one.give(&self.over, value).map_err(Failure::failed)?;
            let size = one.get(&self.over).and_then(number);
            if size.zip(least).is_none_or(|(size, least)| size >= least) {
                kept.push(value.clone());
            }
        }
        Ok(kept)
    }
}

/// Of each number the highest value under its own name, and `first.`, `last.` and `low.`; and the
/// latency at the point with the highest rate.
fn summary(points: &[Point]) -> Values {
    let mut all = Values::new();
    for point in points {
        for (name, value) in &point.metrics {
            let keep = |all: &mut Values, key: String, better: &dyn Fn(f64, f64) -> bool| {
                let known = all.get(&key).map(|known: &MetricValue| known.value);
                if known.is_none_or(|known| better(value.value, known)) {
                    all.insert(key, *value);
                }
            };
            keep(&mut all, name.clone(), &|new, old| new > old);
            keep(&mut all, format!("low.{name}"), &|new, old| new < old);
            keep(&mut all, format!("first.{name}"), &|_, _| false);
            keep(&mut all, format!("last.{name}"), &|_, _| true);
        }
    }
    let iops = |point: &&Point| point.metrics.get("iops").map_or(0.0, |value| value.value);
    let peak = points.iter().max_by(|a, b| iops(a).total_cmp(&iops(b)));
    for name in ["read_lat_mean", "write_lat_mean"] {
        if let Some(value) = peak.and_then(|point| point.metrics.get(name)) {
            all.insert(format!("peak.{name}"), *value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_holds_the_ends_and_the_extremes() {
        let point = |iops: f64, lat: f64| Point {
            at: Vec::new(),
            metrics: [("iops", iops), ("read_lat_mean", lat)]
                .map(|(name, value)| (name.to_owned(), MetricValue::exact(value)))
                .into(),
        };
        let all = summary(&[point(5.0, 1.0), point(9.0, 2.0), point(8.0, 4.0)]);
        let value = |name: &str| all[name].value;
        assert_eq!((value("iops"), value("low.iops")), (9.0, 5.0));
        assert_eq!((value("first.iops"), value("last.iops")), (5.0, 8.0));
        assert_eq!(value("peak.read_lat_mean"), 2.0);
    }
}

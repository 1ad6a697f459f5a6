//! A load that warms a drive up.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use crate::soak::{SoakAsked, Soaked};
use crate::surroundings;
use crate::values::Values;
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;
use stats::Timeline;
use std::collections::BTreeMap;

/// Keeps a load up for a time and follows temperature and throttling. On a model, short timed
/// windows say what it draws, and temperatures follow in closed form.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Soak {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The job; the uniform one if it is not said.
    pub job: Option<String>,
    /// Parameters put over those of the run.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// How long.
    pub time: String,
}

/// Time of a load where none is given, s: longer than any drive needs to settle.
const TIME_S: f64 = 1800.0;

impl Action for Soak {
    fn said(&self) -> String {
        format!("soak `{}`: {}", self.name, self.time)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let params = session.with(&self.with)?;
        let load = session.load(self.job.as_deref(), &params)?;
        let seconds = session.seconds(&self.time)?.unwrap_or(TIME_S).max(1.0);
        session.tell(&format!("{:.0} s of load", seconds), 0.0);
        let around = surroundings::of(&params).map_err(Failure::left_out)?;
        let soaked = session.target.soak(&SoakAsked { load: &load, seconds, around })?;
        session.written |= load.read < 1.0;
        let line = line(&self.name, &soaked);
        session.series.push(line.series(&self.name));
        session.follow_line(&self.name, None, &line);
        session.results.insert(self.name.clone(), values(&soaked, seconds));
        Ok(())
    }
}

fn values(soaked: &Soaked, seconds: f64) -> Values {
    let mut values = Values::new();
    let mut put = |name: &str, value: f64| {
        values.insert(name.to_owned(), MetricValue::exact(value));
    };
    put("temperature", soaked.peak_c);
    put("bandwidth_first", soaked.full_bytes_per_s);
    put("throttled_share", soaked.throttled_share);
    put("throttle_events", soaked.transitions as f64);
    put("power", soaked.power_w);
    put("thermal_resistance", soaked.resistance_k_w);
    let Some(last) = soaked.moments.last() else { return values };
    put("temperature_last", last.celsius);
    put("bandwidth", last.bytes / seconds);
    if let Some((time_s, bytes)) = soaked.first {
        put("first_throttle", time_s);
        if seconds > time_s {
            put("bandwidth_after", (last.bytes - bytes) / (seconds - time_s));
        }
    }
    values
}

/// The line of a time of load.
fn line(name: &str, soaked: &Soaked) -> Timeline {
    let mut line = Timeline::new();
    line.begin(name, None);
    soaked.moments.iter().for_each(|moment| line.push(moment.stretch));
    line
}

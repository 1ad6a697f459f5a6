//! Counters of a drive's life, and the life that they promise.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use crate::target::Counters;
use crate::values::Values;
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;

/// Reads the counters; with `since`, computes from two readings what the drive will live through.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadCounters {
    /// Name of the reading and of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// Name of an earlier reading.
    pub since: Option<String>,
}

impl Action for ReadCounters {
    fn said(&self) -> String {
        match &self.since {
            None => format!("counters `{}`", self.name),
            Some(since) => format!("counters `{}`: since `{since}`", self.name),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        session.tell("reading counters", 0.0);
        let now = session.target.counters()?;
        session.counters.insert(self.name.clone(), now);
        let Some(earlier) = &self.since else { return Ok(()) };
        let before =
            session.counters.get(earlier).copied().ok_or_else(|| {
                Failure::failed(format!("there is no earlier reading `{earlier}`"))
            })?;
        let raw = session.target.raw_bytes();
        let (mut values, mut warnings) = life(&before, &now, raw);
        if let (Some(rated), true) = (session.target.rated_writes(), now.wear.is_none()) {
            // A medium that wears with what the host writes, whatever the drive makes of it.
            warnings.clear();
            values.insert("tbw".to_owned(), MetricValue::exact(rated));
            if let Some(rate) = values.get("gb_per_day").filter(|rate| rate.value > 0.0) {
                let lifetime = MetricValue::exact(rated / rate.value);
                values.insert("lifetime".to_owned(), lifetime);
            }
        }
        for warning in warnings {
            session.warn(warning);
        }
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

/// The life by the review's method: what the host wrote over the share of the rated cycles that it
/// cost is all that can be written; that over the rate is the time.
fn life(before: &Counters, now: &Counters, raw: Option<f64>) -> (Values, Vec<String>) {
    let (mut values, mut warnings) = (Values::new(), Vec::new());
    let mut put = |name: &str, value: f64| {
        values.insert(name.to_owned(), MetricValue::exact(value));
    };
    let host = now.host_write_bytes - before.host_write_bytes;
    let seconds = now.seconds - before.seconds;
    put("host_writes", host);
    put("host_reads", now.host_read_bytes - before.host_read_bytes);
    if seconds > 0.0 {
        put("gb_per_day", host / seconds);
        put("tb_per_day", host / seconds);
    }
    let flash = now.flash_write_bytes.zip(before.flash_write_bytes).map(|(to, from)| to - from);
    if let Some(flash) = flash {
        put("flash_writes", flash);
        if host > 0.0 {
            put("write_amplification", flash / host);
        }
        if let Some(raw) = raw {
            put("pe_used", flash / raw);
        }
    }
    let wear = now.wear.zip(before.wear).map(|(to, from)| to - from);
    let Some(wear) = wear else {
        warnings.push("no rated cycles are known: a life cannot be computed".to_owned());
        return (values, warnings);
    };
    put("media_wear", wear);
    if wear <= 0.0 {
        warnings.push("the wear counter did not move: write for longer".to_owned());
        return (values, warnings);
    }
    if now.wear_step > 0.0 {
        // A difference of two readings is off by at most one step.
        put("wear_resolution", now.wear_step / wear);
    }
    put("tbw", host / wear);
    put("lifetime", seconds / wear);
    if let Some((flash, raw)) = flash.zip(raw) {
        put("pe_cycles", flash / raw / wear);
    }
    (values, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400.0;

    /// The example of the review: 880 GB a day at 0.02 % a quarter of a day.
    #[test]
    fn life_follows_from_two_readings() {
        let before = Counters { flash_write_bytes: Some(0.0), wear: Some(0.1), ..zero() };
        let now = Counters {
            host_write_bytes: 220e9,
            flash_write_bytes: Some(880e9),
            wear: Some(0.1002),
            wear_step: 1e-5,
            seconds: DAY / 4.0,
            ..zero()
        };
        let (values, warnings) = life(&before, &now, Some(400e9));
        assert!(warnings.is_empty());
        let near = |name: &str, wanted: f64| {
            assert!((values[name].value / wanted - 1.0).abs() < 1e-9, "{name}");
        };
        near("write_amplification", 4.0);
        near("gb_per_day", 880e9 / DAY);
        near("tbw", 220e9 / 0.0002);
        near("lifetime", 0.25 * DAY / 0.0002);
        near("pe_used", 2.2);
        near("pe_cycles", 11_000.0);
        near("wear_resolution", 0.05);
    }

    #[test]
    fn a_counter_that_stands_still_promises_nothing() {
        let (values, warnings) = life(&zero(), &Counters { wear: Some(0.0), ..zero() }, None);
        assert!(!values.contains_key("tbw") && warnings[0].contains("no rated"), "{warnings:?}");
        let zero_wear = Counters { wear: Some(0.0), ..zero() };
        let (values, warnings) = life(&zero_wear, &zero_wear, None);
        assert!(!values.contains_key("tbw") && warnings[0].contains("did not move"));
    }

    fn zero() -> Counters {
        Counters::default()
    }
}

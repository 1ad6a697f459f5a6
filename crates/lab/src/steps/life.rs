//! A drive worn to its end.

use super::Action;
use crate::failure::Failure;
use crate::life::Phase;
use crate::session::Session;
use crate::target::{LifeAsked, Lived};
use crate::values::Values;
use metric::{MetricValue, Point};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Timed windows over a life where nothing is said.
const WINDOWS: u64 = 5;

/// Keeps up a load until the drive is worn out. Only modelled drives: timed windows show what the
/// load does to the drive, arithmetic leads from one to the next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WearOut {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The job; the uniform one if it is not said.
    pub job: Option<String>,
    /// Parameters put over those of the run.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Timed windows over the life.
    pub windows: Option<String>,
    /// Time between two readings of the counters, before the drive is worn out; what they promise
    /// is held against what it lives through.
    pub reading: Option<String>,
}

impl Action for WearOut {
    fn said(&self) -> String {
        match &self.reading {
            None => format!("life `{}`", self.name),
            Some(time) => format!("life `{}`: counters read over {time} first", self.name),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let params = session.with(&self.with)?;
        let load = session.load(self.job.as_deref(), &params)?;
        let windows = match &self.windows {
            Some(written) => session.count(written)?.unwrap_or(WINDOWS),
            None => WINDOWS,
        };
        let reading_s = match &self.reading {
            Some(written) => session.seconds(written)?,
            None => None,
        };
        let (ios, seed) = (session.options.ios, session.options.seed);
        let (watch, (from, to)) = (session.watch, session.part);
        let told = |what: &str, share: f64| {
            if let Some(watch) = watch {
                watch(what, from + (to - from) * share);
            }
        };
        let windows = u32::try_from(windows).unwrap_or(u32::MAX);
        let asked = LifeAsked { load: &load, windows, ios, reading_s, seed, watch: &told };
        let lived = session.target.live(&asked)?;
        session.written = true;
        session.warn(format!("why the life ended: {}", lived.life.end.text()));
        if let Some(Err(why)) = &lived.told {
            session.warn(format!("the counters promise nothing: {why}"));
        }
        let mut written = 0.0;
        for phase in &lived.life.phases {
            written += phase.host_bytes;
            session.points.push(point(phase, written));
        }
        session.results.insert(self.name.clone(), values(&lived));
        Ok(())
    }
}

/// A stretch of the life, named by the share of the rated cycles that is used at its end;
/// `written`: bytes that the host had written by then.
fn point(phase: &Phase, written: f64) -> Point {
    let used = format!("{:.1} %", phase.used * 100.0);
    let values = [
        ("lifetime", Some(phase.seconds)),
        ("host_writes", Some(phase.host_bytes)),
        ("write_amplification", Some(phase.write_amplification)),
        ("erase_spread", Some(phase.spread)),
        ("tbw", Some(written)),
        ("media_wear", Some(phase.used)),
        ("pe_used", Some(phase.cycles)),
        ("spare_left", phase.spare_left),
    ];
    let known = |(name, value): (&str, Option<f64>)| {
        value.map(|value| (name.to_owned(), MetricValue::exact(value)))
    };
    let metrics = values.into_iter().filter_map(known).collect();
    Point { at: vec![("used".to_owned(), used)], metrics }
}

fn values(lived: &Lived) -> Values {
    let life = &lived.life;
    let mut all = Values::new();
    let mut put = |name: &str, value: f64| {
        all.insert(name.to_owned(), MetricValue::exact(value));
    };
    let (Some(first), Some(last)) = (life.phases.first(), life.phases.last()) else {
        return all;
    };
    put("lifetime", life.seconds);
    put("tbw", life.host_bytes);
    if life.seconds > 0.0 {
        put("rate", life.host_bytes / life.seconds);
    }
    put("write_amplification", life.write_amplification());
    put("write_amplification_first", first.write_amplification);
    put("write_amplification_last", last.write_amplification);
    put("erase_spread", last.spread);
    if let Some(share) = life.first_group_worn {
        put("first_group_worn", share);
    }
    if let Some(Ok(told)) = &lived.told {
        put("tbw_told", told.value);
        put("tbw_told_least", told.low);
        put("tbw_told_most", told.high);
        if life.host_bytes > 0.0 {
            put("told_over_lived", told.value / life.host_bytes);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::{End, Life};

    #[test]
    fn the_numbers_of_a_life_are_those_of_its_phases() {
        let phase = |amplification: f64| Phase {
            used: 0.5,
            seconds: 50.0,
            host_bytes: 100.0,
            write_amplification: amplification,
            spread: 1.25,
            cycles: 500.0,
            spare_left: None,
        };
        let life = Life {
            seconds: 100.0,
            host_bytes: 200.0,
            phases: vec![phase(2.0), phase(4.0)],
            first_group_worn: None,
            end: End::RatedCycles,
        };
        let told = Some(Ok(smart::Interval { low: 240.0, value: 250.0, high: 260.0 }));
        let all = values(&Lived { life, told });
        let value = |name: &str| all[name].value;
        assert_eq!((value("lifetime"), value("tbw"), value("rate")), (100.0, 200.0, 2.0));
        assert_eq!(value("write_amplification"), 3.0);
        assert_eq!((value("write_amplification_first"), value("erase_spread")), (2.0, 1.25));
        assert_eq!((value("told_over_lived"), value("tbw_told_least")), (1.25, 240.0));
        assert!(!all.contains_key("first_group_worn"));
    }

    /// What a curve of wear over what was written is drawn from.
    #[test]
    fn a_point_of_a_life_tells_its_wear_and_what_was_written_by_then() {
        let phase = Phase {
            used: 0.25,
            seconds: 50.0,
            host_bytes: 100.0,
            write_amplification: 3.0,
            spread: 1.25,
            cycles: 750.0,
            spare_left: Some(0.5),
        };
        let point = point(&phase, 400.0);
        let value = |name: &str| point.metrics[name].value;
        assert_eq!((value("tbw"), value("host_writes")), (400.0, 100.0));
        assert_eq!((value("media_wear"), value("pe_used")), (0.25, 750.0));
        assert_eq!((value("spare_left"), point.at[0].1.as_str()), (0.5, "25.0 %"));
    }
}

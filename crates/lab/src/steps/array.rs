//! What happens to arrays: drives fail and are replaced, power is lost.

use super::Action;
use crate::failure::Failure;
use crate::metrics;
use crate::session::Session;
use crate::target::Work;
use crate::values::Values;
use engine::{Duration, whole};
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;
use stats::PhaseKind;
use std::collections::BTreeMap;

/// A rebuild so near to its lower limit keeps it: windows are whole.
const NEAR: f64 = 0.02;

/// Counts the drives that the target is made of.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Members {
    /// Name of its number, `count`.
    #[serde(rename = "as")]
    pub name: String,
}

impl Action for Members {
    fn said(&self) -> String {
        format!("members `{}`", self.name)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let count = MetricValue::exact(f64::from(session.target.members()));
        session.results.insert(self.name.clone(), Values::from([("count".to_owned(), count)]));
        Ok(())
    }
}

/// Takes a drive out of an array.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailMember {
    /// Which, from 0.
    pub member: String,
}

impl Action for FailMember {
    fn said(&self) -> String {
        format!("fail_member: {}", self.member)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let member = member(session, &self.member)?;
        session.tell("a drive fails", 0.0);
        session.target.fail_member(member)
    }
}

fn member(session: &Session<'_>, written: &str) -> Result<u32, Failure> {
    let member = session.count(written)?.unwrap_or(0);
    let members = session.target.members();
    match u32::try_from(member) {
        Ok(member) if member < members => Ok(member),
        _ => Err(Failure::left_out(format!(
            "there is no member {member}: the target has {members}, counted from 0"
        ))),
    }
}

/// Replaces a drive that failed and makes the array whole again under a load.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rebuild {
    /// Name of its numbers: those of the load, and `rebuild_time` and `rebuild_rate`.
    #[serde(rename = "as")]
    pub name: String,
    /// Which drive, from 0.
    pub member: String,
    /// The job of the load; the uniform one if it is not said.
    pub job: Option<String>,
    /// Parameters put over those of the run.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Whether there is no load.
    #[serde(default)]
    pub quiet: bool,
}

impl Action for Rebuild {
    fn said(&self) -> String {
        format!("rebuild `{}`: member {}", self.name, self.member)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        session.target.check_rebuild()
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let member = member(session, &self.member)?;
        let params = session.with(&self.with)?;
        let load = session.load(self.job.as_deref(), &params)?;
        session.tell("rebuilding", 0.0);
        let work = work(&load, 0);
        let rebuilt = session.target.rebuild(member, (!self.quiet).then_some(&work))?;
        session.follow_as("rebuild", Some(PhaseKind::Rebuild), rebuilt.load.as_ref(), true);
        let mut values = rebuilt.load.as_ref().map(metrics::of).unwrap_or_default();
        let mut put = |name: &str, value: f64| {
            values.insert(name.to_owned(), MetricValue::exact(value));
        };
        let rate = rebuilt.bytes / rebuilt.seconds.max(1e-12);
        put("rebuild_time", rebuilt.seconds);
        put("rebuild_rate", rate);
        if let Some(floor) = rebuilt.floor.filter(|floor| rate < (1.0 - NEAR) * floor) {
            session.warn(format!(
                "the rebuild ran at {} MB/s, below the {} MB/s that the array's own lower limit \
                 promises: its members or its own work give no more under this load",
                short(rate / 1e6),
                short(floor / 1e6)
            ));
        }
        for warning in rebuilt.load.iter().flat_map(|ran| &ran.warnings) {
            session.warn(warning.clone());
        }
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

/// A rate, for a message.
fn short(value: f64) -> String {
    let digits = if value < 10.0 { 3 } else { 0 };
    format!("{value:.digits$}")
}

/// Loses power in the middle of a load.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerCut {
    /// Name of its numbers: `lost_bytes`, `resync_bytes`, `resync_time`.
    #[serde(rename = "as")]
    pub name: String,
    /// Time under the load before.
    pub time: String,
    /// Parameters put over those of the run.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
}

impl Action for PowerCut {
    fn said(&self) -> String {
        format!("power_cut `{}`: after {}", self.name, self.time)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let params = session.with(&self.with)?;
        let load = session.load(None, &params)?;
        let seconds = session.seconds(&self.time)?.unwrap_or(1.0);
        session.tell("losing power", 0.0);
        let loss = session.target.power_cut(&work(&load, whole(seconds * 1e6)))?;
        let values = [
            ("lost_bytes", loss.lost_bytes),
            ("resync_bytes", loss.resync_bytes),
            ("resync_time", loss.resync_s),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), MetricValue::exact(value)));
        session.results.insert(self.name.clone(), values.into());
        Ok(())
    }
}

fn work(load: &crate::load::Load, runtime_us: u64) -> Work<'_> {
    Work { runtime_us, ..Work::pass(load, Duration::from_ms(100)) }
}

/// Switches the target off and on. A real one is left on, which is said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restart {}

impl Action for Restart {
    fn said(&self) -> String {
        "restart: off and on".to_owned()
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        if session.target.modelled() {
            session.tell("switching off and on", 0.0);
            return session.target.restart();
        }
        session.warn("a real target is not switched off: what its caches hold, they keep");
        Ok(())
    }
}

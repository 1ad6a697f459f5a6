//! One pass over the whole drive in order, followed over time and position.

use super::Action;
use crate::curve::Curve;
use crate::failure::Failure;
use crate::knee;
use crate::load::{Load, percent};
use crate::metrics;
use crate::session::Session;
use crate::target::{Ran, Work};
use crate::timeline::with_state;
use engine::Duration;
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;

/// Goes over the whole drive in order, from the first byte to the last.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// Name of its numbers and of its curve.
    #[serde(rename = "as")]
    pub name: String,
    /// `read` or `write`.
    pub op: String,
    /// Transfer size.
    pub block: Option<String>,
    /// I/Os in flight.
    pub qd: Option<String>,
    /// The rate that has recovered at 90 %: a number of an earlier step, as `fresh.bandwidth`.
    pub fresh: Option<String>,
    /// A parameter that says whether it is done at all.
    pub when: Option<String>,
    /// Rate to which the pass is held; how long it is kept up is measured then.
    pub rate: Option<String>,
    /// Look for the knees of the curve.
    #[serde(default)]
    pub knees: bool,
}

/// Share of the fresh rate at which a drive counts as recovered.
const RECOVERED: f64 = 0.9;
/// Share of an asked rate at which it counts as kept up.
const KEPT_UP: f64 = 0.98;
/// Window of the curve on a model, ms of simulated time.
const WINDOW_MS: u64 = 10;

/// Numbers by name, in base units.
type Numbers = Vec<(&'static str, f64)>;

impl Action for Scan {
    fn said(&self) -> String {
        format!("scan `{}`: {}", self.name, self.op)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        if !self.is_wanted(session) {
            return Ok(());
        }
        let op = session.text(&self.op).unwrap_or_default();
        let read = match op.as_str() {
            "read" => true,
            "write" => false,
            other => return Err(Failure::failed(format!("a scan reads or writes, not `{other}`"))),
        };
        let mut load = self.load(read, session)?;
        session.tell(&format!("{op} scan"), 0.0);
        let asked = match &self.rate {
            Some(written) => session.rate(written)?,
            None => None,
        };
        if let Some(rate) = asked {
            load.hold_to(rate);
        }
        let window = Duration::from_ms(WINDOW_MS);
        let work = Work { volume: true, ..Work::pass(&load, window) };
        let ran = session.measure(&work)?;
        let scale = session.target.scale();
        let line = session.follow(&self.name, Some(&ran), true);
        let modelled = session.target.modelled();
        let curve = ran.windows.as_ref().map(|windows| Curve::of(windows, scale, modelled));
        let mut numbers = of_pass(&ran, scale);
        if let Some(curve) = curve {
            numbers.extend(self.of_curve(&curve, asked, session));
            session.series.push(with_state(curve.series(&self.name), &line));
        }
        session.state = metric::State::Filled;
        session.written = !read || session.written;
        let values = numbers.into_iter().map(|(name, n)| (name.to_owned(), MetricValue::exact(n)));
        session.results.insert(self.name.clone(), values.collect());
        Ok(())
    }
}

impl Scan {
    /// Whether it is done at all.
    fn is_wanted(&self, session: &Session<'_>) -> bool {
        let wanted = self.when.as_ref().map(|written| session.text(written));
        wanted.is_none_or(|wanted| wanted.as_deref() == Some("true"))
    }

    /// The pass as a load, at no set rate.
    fn load(&self, read: bool, session: &Session<'_>) -> Result<Load, Failure> {
        let block = match &self.block {
            Some(written) => session.bytes(written)?.unwrap_or(128 << 10),
            None => 128 << 10,
        };
        let depth = match &self.qd {
            Some(written) => session.count(written)?.unwrap_or(32),
            None => 32,
        };
        let compress = session.params.share("compress").unwrap_or(0.0);
        Ok(Load::pass(read, block, depth, percent(compress).min(99)))
    }

    /// What the curve shows: its ends, how long an asked rate was kept up, recovery and knees.
    fn of_curve(&self, curve: &Curve, asked: Option<u64>, session: &mut Session<'_>) -> Numbers {
        let mut numbers = vec![
            ("low", curve.low()),
            ("high", curve.high()),
            ("early", curve.between(0.0, 0.1)),
            ("late", curve.between(0.9, 1.0)),
        ];
        if let Some(rate) = asked {
            let (held, bytes) = curve.held(KEPT_UP * rate as f64);
            numbers.extend([("held", held), ("held_bytes", bytes)]);
        }
        if let Some(fresh) = self.fresh.as_ref().and_then(|path| session.value(path)) {
            match curve.recovery(RECOVERED * fresh.value) {
                Some(after) => numbers.push(("recovery_time", after)),
                None => session.warn(format!(
                    "{}: the rate did not come back to 90 % of the fresh one",
                    self.name
                )),
            }
        }
        if self.knees {
            numbers.extend(of_knees(curve));
        }
        numbers
    }
}

/// Rate, time and means of the whole pass.
fn of_pass(ran: &Ran, scale: f64) -> Numbers {
    let seconds = ran.measured_s / scale;
    let moved = ran.run.jobs.first().map_or(0, |j| j.read().io_bytes + j.write().io_bytes);
    let mut numbers =
        vec![("bandwidth", moved as f64 / scale / seconds.max(1e-12)), ("time", seconds)];
    let of_run = metrics::of(ran);
    for name in ["write_amplification", "power", "temperature"] {
        numbers.extend(of_run.get(name).map(|value| (name, value.value)));
    }
    numbers
}

/// The plateaus of a curve, and where they end.
fn of_knees(curve: &Curve) -> Numbers {
    let found = knee::plateaus(curve);
    let mut numbers = vec![("plateaus", found.len() as f64)];
    if let (Some(first), Some(last)) = (found.first(), found.last()) {
        numbers.push(("first_plateau", first.bytes_per_s));
        numbers.push(("last_plateau", last.bytes_per_s));
    }
    if let [_, second, ..] = &found[..] {
        numbers.push(("first_knee", second.from_bytes));
    }
    if let ([_, _, ..], Some(last)) = (&found[..], found.last()) {
        numbers.push(("last_knee", last.from_bytes));
    }
    numbers
}

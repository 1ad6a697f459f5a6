//! One pass over the whole drive in order, followed over time and position.

use crate::curve::Curve;
use crate::failure::Failure;
use crate::knee;
use crate::load::Load;
use crate::metrics;
use crate::session::Session;
use crate::target::Work;
use crate::timeline::with_state;
use crate::values::Values;
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

impl Scan {
    pub(super) fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let wanted = self.when.as_ref().map(|written| session.text(written));
        if wanted.is_some_and(|wanted| wanted.as_deref() != Some("true")) {
            return Ok(());
        }
        let op = session.text(&self.op).unwrap_or_default();
        let read = match op.as_str() {
            "read" => true,
            "write" => false,
            other => return Err(Failure::failed(format!("a scan reads or writes, not `{other}`"))),
        };
        let block = match &self.block {
            Some(written) => session.bytes(written)?.unwrap_or(128 << 10),
            None => 128 << 10,
        };
        let depth = match &self.qd {
            Some(written) => session.count(written)?.unwrap_or(32),
            None => 32,
        };
        session.tell(&format!("{op} scan"), 0.0);
        let compress = session.params.share("compress").unwrap_or(0.0);
        let mut load = Load::pass(read, block, depth, ((compress * 100.0) as u64).min(99));
        let asked = match &self.rate {
            Some(written) => session.rate(written)?,
            None => None,
        };
        if let Some(rate) = asked {
            load.hold_to(rate);
        }
        let window = Duration::from_ms(WINDOW_MS);
        let work =
            Work { load: &load, ramp_us: 0, runtime_us: 0, window, pilot: false, keep_size: false };
        let ran = session.measure(&work)?;
        let scale = session.target.scale();
        let line = session.follow(&self.name, Some(&ran), true);
        let modelled = session.target.modelled();
        let curve = ran.windows.as_ref().map(|windows| Curve::of(windows, scale, modelled));
        let seconds = ran.measured_s / scale;
        let moved = ran.run.jobs.first().map_or(0, |j| j.read().io_bytes + j.write().io_bytes);
        let mut values = Values::new();
        let mut put = |name: &str, value: f64| {
            values.insert(name.to_owned(), MetricValue::exact(value));
        };
        put("bandwidth", moved as f64 / scale / seconds.max(1e-12));
        put("time", seconds);
        let of_run = metrics::of(&ran);
        for name in ["write_amplification", "power", "temperature"] {
            if let Some(value) = of_run.get(name) {
                put(name, value.value);
            }
        }
        if let Some(curve) = curve {
            put("low", curve.low());
            put("high", curve.high());
            put("early", curve.between(0.0, 0.1));
            put("late", curve.between(0.9, 1.0));
            if let Some(rate) = asked {
                let (held, bytes) = curve.held(KEPT_UP * rate as f64);
                put("held", held);
                put("held_bytes", bytes);
            }
            if let Some(fresh) = self.fresh.as_ref().and_then(|path| session.value(path)) {
                match curve.recovery(RECOVERED * fresh.value) {
                    Some(after) => put("recovery_time", after),
                    None => session.warn(format!(
                        "{}: the rate did not come back to 90 % of the fresh one",
                        self.name
                    )),
                }
            }
            if self.knees {
                let found = knee::plateaus(&curve);
                put("plateaus", found.len() as f64);
                if let (Some(first), Some(last)) = (found.first(), found.last()) {
                    put("first_plateau", first.bytes_per_s);
                    put("last_plateau", last.bytes_per_s);
                }
                if let [_, second, ..] = &found[..] {
                    put("first_knee", second.from_bytes);
                }
                if let ([_, _, ..], Some(last)) = (&found[..], found.last()) {
                    put("last_knee", last.from_bytes);
                }
            }
            session.series.push(with_state(curve.series(&self.name), &line));
        }
        session.state = metric::State::Filled;
        session.written = !read || session.written;
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

//! Reads beside writes at a set rate: what they wait, and how much writing the drive holds.

use super::Action;
use crate::apart;
use crate::failure::Failure;
use crate::load::Load;
use crate::options::BenchOptions;
use crate::session::Session;
use crate::target::{Ran, Work};
use crate::values::Values;
use engine::index;
use metric::{MetricValue, Point};
use schemars::JsonSchema;
use serde::Deserialize;
use stats::percentile::samples_for;

/// Random writes at a rate beside random reads of the same size, on each device. Without a rate
/// given it goes through those of the list until the drive holds one no more.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WritePressure {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// Rates that are gone through, ascending.
    pub rates: Vec<String>,
}

/// A rate is held if the writes get at least this share of it.
const HELD: f64 = 0.99;
/// Commands of the writing job that may be in flight: enough that the rate is the limit.
const WRITE_DEPTH: &str = "32";
/// Measured time where none is given, s: what is suggested for a point of such a test.
const TIME_S: f64 = 60.0;
/// Shortest measured time on a model, s.
const LEAST_S: f64 = 0.5;
/// Time before anything is measured, s: the buffer fills, collection finds its pace.
const RAMP_S: f64 = 1.0;
/// The deepest percentile of the review.
const DEEPEST: f64 = 99.99;
/// Reads a second of a drive at depth 1, about; it only sets how long a model is measured.
const READS_PER_S: f64 = 8_000.0;
/// A rate that is so many times what the flash can program is a slip.
const BEYOND: f64 = 10.0;

impl Action for WritePressure {
    fn said(&self) -> String {
        format!("write_pressure `{}`: at the rate, or {}", self.name, self.rates.join(", "))
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        let Some(rate) = session.params.bandwidth("rate") else { return Ok(()) };
        let block = session.params.block().unwrap_or(4096);
        if rate < block {
            return Err(Failure::left_out(format!(
                "a rate of {rate} B/s is less than one write of {block} bytes a second; rates have \
                 a unit, as in rate = \"350 MB/s\""
            )));
        }
        let Some(limits) = session.target.write_limits() else { return Ok(()) };
        let (rated, link) = (BEYOND * limits.flash, limits.link);
        let (what, most) = match link <= rated {
            true => ("the link carries", link),
            false => ("ten times what the flash can program are", rated),
        };
        if rate as f64 > most {
            return Err(Failure::left_out(format!(
                "no drive of this kind reaches {}: {what} {}; ask for less",
                mb(rate as f64),
                mb(most)
            )));
        }
        Ok(())
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let given = session.params.bandwidth("rate");
        let rates = match given {
            Some(rate) => vec![rate],
            None => {
                let rates = self.rates.iter().map(|text| session.rate(text));
                rates.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
            }
        };
        let (from, to) = session.part;
        let width = (to - from) / rates.len().max(1) as f64;
        let (mut most, mut held_all) = (None::<MetricValue>, true);
        for (i, &rate) in rates.iter().enumerate() {
            session.part = (from + width * i as f64, from + width * (i + 1) as f64);
            session.tell(&format!("writes at {}", mb(rate as f64)), 0.0);
            let values = point(session, rate, rates.len())?;
            let got = values.get("write_bandwidth").map_or(0.0, |value| value.value);
            held_all = got >= HELD * rate as f64;
            let here = MetricValue::exact(if held_all { rate as f64 } else { got });
            if most.is_none_or(|most| most.value < here.value) {
                most = Some(here);
            }
            let at = vec![("rate".to_owned(), mb(rate as f64))];
            match given {
                Some(_) => drop(session.results.insert(self.name.clone(), values)),
                None => session.points.push(Point { at, metrics: values }),
            }
            if !held_all {
                let name = session.target.name();
                session.warn(format!(
                    "{name} does not hold {}: its writes stop at {}",
                    mb(rate as f64),
                    mb(got)
                ));
                break;
            }
        }
        session.part = (from, to);
        // One rate that is held says nothing of the highest.
        if let Some(most) = most.filter(|_| given.is_none() || !held_all) {
            let values = session.results.entry(self.name.clone()).or_default();
            values.insert("max_rate".to_owned(), most);
        }
        Ok(())
    }
}

/// Measures one rate.
fn point(session: &mut Session<'_>, rate: u64, points: usize) -> Result<Values, Failure> {
    let block = session.params.block().unwrap_or(8192);
    let depth = session.params.queue_depth().unwrap_or(1).max(1);
    let devices = session.target.devices().len().max(1);
    let reported = session.params.count("reported_drives").unwrap_or(1).clamp(1, devices as u64);
    let env = [
        ("BLOCK_BYTES", block.to_string()),
        ("DEPTH", depth.to_string()),
        ("WRITE_DEPTH", WRITE_DEPTH.to_owned()),
        ("RATE", rate.to_string()),
    ];
    let mut load = Load::plain(&job(devices), &env, None);
    (load.block, load.read) = (block, 0.5);
    let seconds = runtime(session, rate, block, devices, points)?;
    let ran = session.measure(&Work::timed(&load, RAMP_S, seconds))?;
    let reads = apart::named(&ran.run.jobs, "reads");
    let reads = &reads[..reads.len().min(index(reported))];
    if let Some(few) = apart::too_few(reads, &[99.0, 99.9, DEEPEST]) {
        session.warn(format!("at {}: {few}", mb(rate as f64)));
    }
    let all: Vec<&stats::JobResult> =
        reads.iter().copied().chain(apart::named(&ran.run.jobs, "writes")).collect();
    let prefix = if points > 1 { format!("rate={}", mb(rate as f64)) } else { String::new() };
    session.keep_histograms(&prefix, &all);
    Ok(values(&ran, reads, devices))
}

/// Numbers of a rate; those of writes are of one device.
fn values(ran: &Ran, reads: &[&stats::JobResult], devices: usize) -> Values {
    let writes = apart::named(&ran.run.jobs, "writes");
    let mut all = apart::beside(ran, (reads, reads.len()), (&writes, devices));
    if let Some(power) = ran.mean_power_w {
        let value = power / devices as f64;
        all.insert("power".to_owned(), MetricValue::exact(value));
    }
    all
}

/// The time that a rate is measured for.
const DURATION: &str = "${duration}";

/// Seconds that one rate is measured. On a model as many as a point's share of the I/Os takes, and
/// at least those that the deepest percentile needs unless somebody set the work.
fn runtime(
    session: &mut Session<'_>,
    rate: u64,
    block: u64,
    devices: usize,
    points: usize,
) -> Result<f64, Failure> {
    let longest = session.seconds(DURATION)?.unwrap_or(TIME_S);
    if !session.target.modelled() {
        return Ok(longest);
    }
    let ios = session.options.ios;
    let a_second = devices as f64 * (rate as f64 / block as f64 + READS_PER_S);
    let share = ios as f64 / points as f64 / a_second;
    let needed = samples_for(DEEPEST).unwrap_or(0) as f64 * 1.25 / READS_PER_S;
    let unset = ios == BenchOptions::default().ios;
    let seconds = share.max(if unset { needed } else { 0.0 });
    let seconds = seconds.max(LEAST_S).min(longest.max(LEAST_S));
    session.cut_short(DURATION, longest, seconds);
    Ok(seconds)
}

/// One reading and one writing section for each device.
fn job(devices: usize) -> String {
    let mut text = apart::HEAD.to_owned();
    for device in 0..devices {
        text.push_str(&format!(
            "\n[reads{device}]\nfilename=/dev/target{device}\nrw=randread\niodepth=${{DEPTH}}\n\
             \n[writes{device}]\nfilename=/dev/target{device}\nrw=randwrite\n\
             iodepth=${{WRITE_DEPTH}}\nrate=,${{RATE}}\n"
        ));
    }
    text
}

/// A rate for people.
fn mb(rate: f64) -> String {
    format!("{:.0} MB/s", rate / 1e6)
}

//! The simulations behind a fleet: write amplification at some fill levels of each drive, and whole
//! lives of some of its drives.

use super::bench_of;
use super::plan::{Plan, Purchase};
use crate::compare::loads::{self, Load};
use crate::console::Console;
use crate::laboratory::{Job, Measuring, OUTPUT, Partial, key, run_key_of, threads};
use crate::render::Failure;
use ::fleet::{Written, stratified};
use metric::Measurement;
use std::collections::BTreeMap;

/// Where the curve has its points, as shares of the way from the least to the most fill: it rises
/// most where a drive is nearly full.
const POINTS: [f64; 7] = [0.0, 0.25, 0.5, 0.7, 0.85, 0.95, 1.0];
/// How a warning begins that a part of a drive was simulated.
const SCALED: &str = "simulated at";
/// A drive is not simulated with less data than this share of it.
const LEAST_FILL: f64 = 0.05;
/// Size of writes in order, bytes.
const IN_ORDER_BLOCK: f64 = 131_072.0;
/// Fill levels nearer to each other are one.
const SAME: f64 = 0.005;

/// Write amplification of a purchase, as simulated.
#[derive(Clone, Debug, Default)]
pub struct Amplification {
    /// Of random writes of each size, by fill, rising.
    pub random: Vec<Vec<(f64, f64)>>,
    /// Of writes in order.
    pub in_order: Option<f64>,
    /// Drives of its fleet that were simulated in full.
    pub sample: Vec<Worn>,
    /// What the drive takes of such writes, B/s: the least and the most of all runs.
    pub takes: Option<(f64, f64)>,
    /// What the runs warn of.
    pub warnings: Vec<String>,
}

/// A drive that was worn to its end under its own use.
#[derive(Clone, Copy, Debug)]
pub struct Worn {
    /// What it is written with.
    pub written: Written,
    /// Size of its writes, bytes.
    pub block: f64,
    /// What the host had written at the end, bytes.
    pub host_writes: f64,
    /// Write amplification over its life.
    pub amplification: f64,
}

/// What a simulation is of.
#[derive(Clone, Copy, PartialEq)]
enum What {
    /// A fill level of random writes of one size, by its position.
    Point(usize, f64),
    InOrder,
    /// The whole life of a drive.
    Life(Written),
}

impl What {
    /// How full the drive is, behind a load.
    fn words(self) -> String {
        match self {
            What::Point(_, fill) | What::Life(Written { fill, .. }) => {
                format!(", {:.0} % full", 100.0 * fill)
            }
            What::InOrder => String::new(),
        }
    }
}

/// What of a purchase is simulated to know its write amplification, with so many sizes of random
/// writes.
fn amplifications(purchase: &Purchase, blocks: usize) -> Vec<What> {
    let (low, high) = purchase.usage.fill.ends();
    let (low, high) = (low.max(LEAST_FILL), high.min(1.0));
    let mut all = Vec::new();
    if purchase.usage.in_order < 1.0 {
        let mut levels: Vec<f64> = POINTS.iter().map(|share| low + share * (high - low)).collect();
        levels.dedup_by(|b, a| (*b - *a).abs() < SAME);
        for block in 0..blocks {
            all.extend(levels.iter().map(|fill| What::Point(block, *fill)));
        }
    }
    if purchase.usage.in_order > 0.0 {
        all.push(What::InOrder);
    }
    all
}

impl Amplification {
    /// A run in which the drive took so much.
    fn took(&mut self, rate: f64) {
        let (least, most) = self.takes.unwrap_or((rate, rate));
        self.takes = Some((least.min(rate), most.max(rate)));
    }
}

impl Plan<'_> {
    fn load(&self, purchase: &Purchase, what: What) -> Result<Load, Failure> {
        let span = |fill: f64| {
            let mib = 1024.0 * 1024.0;
            let bytes = ((purchase.usable * fill) / mib).floor().max(1.0);
            format!("{bytes} MiB")
        };
        let text = match what {
            What::Point(block, fill) => {
                let (block, span) = (format!("{} B", self.blocks[block]), span(fill));
                format!("corner@op=write,pattern=rand,block={block},span={span}")
            }
            What::InOrder => format!("corner@op=write,pattern=seq,block={IN_ORDER_BLOCK} B"),
            What::Life(written) => {
                let pattern = if written.in_order { "seq" } else { "rand" };
                let span = span(written.fill.max(LEAST_FILL));
                format!("life@pattern={pattern},block={} B,span={span}", self.block_of(&written))
            }
        };
        loads::named(&text, &[], false)
    }

    /// Size of what a drive is written with, bytes.
    fn block_of(&self, written: &Written) -> f64 {
        match written.in_order {
            true => IN_ORDER_BLOCK,
            false => self.blocks[written.block as usize],
        }
    }

    /// All that is simulated of a purchase.
    fn asked(&self, purchase: &Purchase) -> Vec<What> {
        let (seed, count) = (self.bench.options().seed, self.args.sample);
        let Purchase { usage, drives, .. } = purchase;
        let sample = stratified(usage, self.groups, *drives, seed, count);
        let lives = sample.into_iter().map(What::Life);
        amplifications(purchase, self.blocks.len()).into_iter().chain(lives).collect()
    }

    /// Makes the simulations that are not known yet; by purchase.
    ///
    /// # Errors
    /// If one fails, or cannot be kept.
    pub fn measure(&self, console: &mut Console) -> Result<(Vec<Amplification>, Partial), Failure> {
        let head = key(&self.bench.options());
        let asked: Vec<(usize, What)> = self
            .purchases
            .iter()
            .enumerate()
            .flat_map(|(place, one)| self.asked(one).into_iter().map(move |what| (place, what)))
            .collect();
        let loads: Result<Vec<Load>, Failure> =
            asked.iter().map(|(place, what)| self.load(&self.purchases[*place], *what)).collect();
        let loads = loads?;
        let key_of = |((place, _), load): (&(usize, What), &Load)| {
            let variant = &self.purchases[*place].variant;
            let subject = &variant.subject;
            let run = run_key_of(&load.on(&subject.target), &variant.texts);
            format!("{} | give up {} | {run}", subject.label, subject.give_up)
        };
        let keys: Vec<String> = asked.iter().zip(&loads).map(key_of).collect();
        // Drives that are used alike are simulated once: by key, which of all it is.
        let once: BTreeMap<&String, usize> =
            keys.iter().enumerate().map(|(number, key)| (key, number)).collect();
        let wanted: Vec<String> = once.keys().map(|key| (*key).clone()).collect();
        let file = (self.args.output.as_deref(), OUTPUT);
        let partial = Partial::open(file, &head, Some(&wanted), console)?;
        let pool = threads(&self.args.bench)?;
        let measuring = Measuring::new("simulating", &partial, &pool, console);
        let jobs = once.iter().map(|(key, &number)| {
            let ((place, what), load) = (asked[number], &loads[number]);
            let variant = &self.purchases[place].variant;
            let (run, bench) = (load.on(&variant.subject.target), bench_of(&self.bench, variant));
            let label = format!("{}: {}{}", variant.subject.label, load.label(), what.words());
            Job::modelled((*key).clone(), label, move |watch| {
                bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
            })
        });
        let jobs: Vec<Job<'_>> = jobs.collect();
        let made = measuring.make(&jobs)?;
        drop((jobs, measuring));
        let name = |place: usize| &self.purchases[place].variant.subject.label;
        let made = once.iter().zip(made).map(|((key, number), made)| {
            let measured = made.map_err(|error| {
                let (failure, name) = (Failure::from(error), name(asked[*number].0));
                Failure { message: format!("{name}: {}", failure.message), ..failure }
            });
            Ok((*key, measured?))
        });
        let made: BTreeMap<&String, Measurement> = made.collect::<Result<_, Failure>>()?;
        let none = Amplification {
            random: vec![Vec::new(); self.blocks.len()],
            ..Amplification::default()
        };
        let mut all = vec![none; self.purchases.len()];
        for ((place, what), key) in asked.iter().zip(&keys) {
            self.take(*what, name(*place), &made[key], &mut all[*place])?;
        }
        let at = |failure: Failure| failure.at(self.args.plan.display().to_string());
        let mut both = self.purchases.iter().zip(&all);
        both.try_for_each(|(one, of)| can_take(one, of)).map_err(at)?;
        Ok((all, partial))
    }

    /// Takes note of a simulation of the drive of that name.
    fn take(
        &self,
        what: What,
        name: &str,
        measured: &Measurement,
        of: &mut Amplification,
    ) -> Result<(), Failure> {
        let known = |metric: &str| {
            let value = measured.metrics.get(metric).map(|value| value.value);
            value
                .filter(|value| value.is_finite() && *value > 0.0)
                .ok_or_else(|| Failure::failed(format!("{name}: no `{metric}` was measured")))
        };
        let amplification = known("write_amplification")?;
        match what {
            What::Point(block, fill) => of.random[block].push((fill, amplification)),
            What::InOrder => of.in_order = Some(amplification),
            What::Life(written) => of.sample.push(Worn {
                written,
                block: self.block_of(&written),
                host_writes: known("tbw")?,
                amplification,
            }),
        }
        let rate = measured.metrics.get("write_bandwidth");
        rate.iter().for_each(|rate| of.took(rate.value));
        // Rates and power are those of a drive at full speed, which nobody asks for.
        let scaled = measured.warnings.iter().filter(|text| text.starts_with(SCALED));
        of.warnings.extend(scaled.map(|text| format!("{name}: {text}")));
        Ok(())
    }
}

/// Whether some drive of a purchase can take what the host writes to it.
fn can_take(purchase: &Purchase, measured: &Amplification) -> Result<(), Failure> {
    let (least, _) = purchase.usage.writes.core();
    let Some((_, most)) = measured.takes.filter(|(_, most)| least > *most) else { return Ok(()) };
    let message = format!(
        "purchase `{}`: its drives are to write {} at least, and {} takes {} of such writes",
        purchase.name,
        a_day(least),
        purchase.variant.subject.label,
        a_day(most)
    );
    Err(Failure::wrong(message).with_help("let `writes` in [use] be less"))
}

/// A rate in B/s as what is written in a day.
pub fn a_day(rate: f64) -> String {
    format!("{}/day", metric::show(metric::Dimension::Bytes, rate * 86_400.0))
}

//! The values of a twin: structure first, then fits of few values to the numbers that tell them,
//! then all of them at once.

use super::bench::{Bench, Draft, MODEL_ERROR};
use super::plan::{Number, Numbers, Planned};
use super::structure;
use crate::render::Failure;
use answer::twin::{TwinKnown, TwinValue};
use fit::Judged;
use metric::Measurement;
use std::collections::BTreeMap;

/// A fit of few values to the numbers of some tests.
struct Stage {
    keys: &'static [&'static str],
    tests: &'static [&'static str],
}

/// In this order: what a later one needs, an earlier one has found.
const STAGES: [Stage; 7] = [
    Stage { keys: &["controller.write_ack"], tests: &["sync.write_lat_p50"] },
    Stage {
        keys: &["controller.read_path", "controller.write_path"],
        tests: &["stream-read", "stream-write"],
    },
    Stage { keys: &["nand.program"], tests: &["stream-write"] },
    Stage {
        keys: &["nand.program", "flash.program_limit", "suspend.latency", "suspend.closed_window"],
        tests: &["stream-write", "beside-"],
    },
    Stage {
        keys: &["ftl.alpha", "flash.program_limit_collecting"],
        tests: &["random-4k", "spare-20"],
    },
    Stage { keys: &["buffer.size", "controller.write_cost"], tests: &["burst"] },
    Stage { keys: &["slc.dynamic", "nand.slc_program"], tests: &["fill"] },
];

/// What is fitted besides before the stages.
const BUS: &[&str] = &["flash.bus"];
const CORES: &[&str] = &["controller.read_cost"];
const FRONT: &[&str] = &["controller.read_front_end"];

/// Iterations of a stage, and of the last fit of all.
const STAGE_ITERATIONS: usize = 5;
const LAST_ITERATIONS: usize = 1;

/// Tests that tell the mapping unit alone.
const UNIT_ONLY: [&str; 2] = ["random-16k", "random-64k"];

/// A deviation times this holds nine of ten of a normal distribution.
const NINE_OF_TEN: f64 = 1.645;

/// How well the time of a read outside its sense is known: assumed parts of a class.
const REST_KNOWN: f64 = 0.12;

/// Links and what a packet holds, by what they carry.
const LINKS: [(&str, &str); 15] = [
    ("SATA 3 Gbit/s", "8 KiB"),
    ("SATA 6 Gbit/s", "8 KiB"),
    ("PCIe 3.0 x2", "128 B"),
    ("PCIe 3.0 x2", "256 B"),
    ("PCIe 3.0 x2", "512 B"),
    ("PCIe 3.0 x4", "128 B"),
    ("PCIe 3.0 x4", "256 B"),
    ("PCIe 3.0 x4", "512 B"),
    ("PCIe 4.0 x4", "128 B"),
    ("PCIe 4.0 x4", "256 B"),
    ("PCIe 4.0 x4", "512 B"),
    ("PCIe 5.0 x4", "128 B"),
    ("PCIe 5.0 x4", "256 B"),
    ("PCIe 5.0 x4", "512 B"),
    ("PCIe 6.0 x4", "512 B"),
];

/// A link is taken to carry what it is short of by less than this share.
const LINK_OFF: f64 = 0.015;

/// A value whose interval reaches further than this factor to either side is not told by the
/// tests.
const FURTHEST: f64 = 2.0;

/// What was measured of a target.
pub struct Measured<'a> {
    /// The tests.
    pub planned: &'a [Planned],
    /// Their results by the name of the test.
    pub made: &'a BTreeMap<String, Measurement>,
    /// Their numbers.
    pub numbers: &'a Numbers,
    /// User capacity, bytes.
    pub capacity: f64,
}

/// A twin under way.
pub struct Made {
    /// The model.
    pub draft: Draft,
    /// What is said of its values.
    pub values: Vec<TwinValue>,
    /// What its tests give.
    pub judged: Option<Judged>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// Makes a twin from a sibling.
///
/// # Errors
/// An interruption.
pub fn make(bench: &Bench<'_>, of: &Measured<'_>, sibling: &str) -> Result<Made, Failure> {
    let mut made =
        Made { draft: Draft::of(sibling), values: Vec::new(), judged: None, notes: Vec::new() };
    made.words(of);
    made.link(bench, of)?;
    made.single_reads(bench, of)?;
    made.dies(bench, of)?;
    made.senses(bench, of)?;
    made.program(of);
    for stage in &STAGES {
        let numbers = of.of(stage.tests);
        if let Some((draft, _)) =
            bench.search(&made.draft, stage.keys, &numbers, STAGE_ITERATIONS)?
        {
            made.draft = draft;
        }
    }
    made.all(bench, of)?;
    Ok(made)
}

/// A draft with the sense times and the rate of the bus that single reads show; each needs the
/// other. `None` if they do not show any.
fn senses(bench: &Bench<'_>, of: &Measured<'_>, draft: Draft) -> Result<Option<Draft>, Failure> {
    let planned = of.planned.iter().find(|planned| planned.id == "read-4k");
    let (Some(planned), Some(made)) = (planned, of.made.get("read-4k")) else { return Ok(None) };
    let reads = of.of(&["read-"]);
    let mut draft = draft;
    for _ in 0..2 {
        if let Some((with, _)) = bench.search(&draft, BUS, &reads, STAGE_ITERATIONS)? {
            draft = with;
        }
        let Some(senses) = structure::senses(&draft) else { return Ok(None) };
        let seen = bench.measure(&[(&draft, &planned.run)], "sense times")?;
        let Some(Ok(seen)) = seen.first() else { return Ok(None) };
        let kinds = |made| structure::kinds(made, senses.len());
        let (Some(seen), Some(wanted)) = (kinds(seen), kinds(made)) else { return Ok(None) };
        let senses = structure::corrected(&senses, &seen, &wanted);
        let with = draft.with(&[("nand.sense", structure::sense_text(&senses))]);
        if with.system().is_none() {
            return Ok(None);
        }
        draft = with;
    }
    Ok(Some(draft))
}

impl Measured<'_> {
    /// The numbers of tests whose names begin so.
    fn of(&self, tests: &[&str]) -> Vec<&Number> {
        let is_of = |number: &&Number| tests.iter().any(|test| number.id.starts_with(test));
        self.numbers.values().filter(is_of).collect()
    }
}

impl Made {
    fn say(&mut self, key: &str, value: String, known: TwinKnown, why: &str) {
        self.values.retain(|value| value.key != key);
        let why = why.to_owned();
        self.values.push(TwinValue { key: key.to_owned(), value, interval90: None, known, why });
    }

    /// Values that are one of few words or sizes.
    fn words(&mut self, of: &Measured<'_>) {
        if let Some(kib) = structure::unit_kib(of.numbers) {
            let text = format!("{kib} KiB");
            let with = self.draft.with(&[("ftl.unit", text.clone())]);
            match with.system().is_some() {
                true => {
                    self.draft = with;
                    let why = "random writes of 4, 16 and 64 KiB";
                    self.say("ftl.unit", text, TwinKnown::Chosen, why);
                }
                false => {
                    self.notes.push(format!("a mapping unit of {text} does not fit the sibling"))
                }
            }
        }
        if let Some(protected) = structure::is_protected(of.numbers) {
            let word = if protected { "protected" } else { "volatile" };
            let with = self.draft.with(&[("buffer.protection", word.to_owned())]);
            if with.system().is_some() {
                self.draft = with;
                let why = "single writes with and without flushes";
                self.say("buffer.protection", word.to_owned(), TwinKnown::Chosen, why);
            }
        }
    }

    /// The slowest link that carries what the drive reads in order, and the rate of the drive's own
    /// path where that is slower.
    fn link(&mut self, bench: &Bench<'_>, of: &Measured<'_>) -> Result<(), Failure> {
        let planned = of.planned.iter().find(|planned| planned.id == "stream-read");
        let wanted = of.numbers.get("stream-read.read_bandwidth");
        let (Some(planned), Some(wanted)) = (planned, wanted) else { return Ok(()) };
        let with = |(link, payload): &(&str, &str)| {
            let set =
                [("link.interface", (*link).to_owned()), ("link.payload", (*payload).to_owned())];
            self.draft.with(&set)
        };
        let drafts: Vec<Draft> = LINKS.iter().map(with).filter(|d| d.system().is_some()).collect();
        let asked: Vec<(&Draft, &lab::Run)> =
            drafts.iter().map(|draft| (draft, &planned.run)).collect();
        let seen = bench.measure(&asked, "the link")?;
        let rates = seen.iter().map(|seen| {
            let number = seen.as_ref().ok().and_then(|seen| planned.number(&wanted.metric, seen));
            number.map_or(0.0, |number| number.value)
        });
        let carries = |rate: f64| rate >= wanted.value * (1.0 - LINK_OFF);
        let Some((draft, rate)) = drafts.iter().zip(rates).find(|(_, rate)| carries(*rate)) else {
            self.notes.push("no link of the sibling carries what was read in order".to_owned());
            return Ok(());
        };
        self.draft = draft.clone();
        let link = self.draft.set.iter().find(|(key, _)| key == "link.interface").cloned();
        if let Some((key, link)) = link {
            self.say(&key, link, TwinKnown::Agreeing, "the slowest that carries stream-read");
        }
        if rate > wanted.value * (1.0 + LINK_OFF) {
            let path = format!("{} MB/s", (wanted.value / 1e6).round());
            let with = self.draft.with(&[("controller.read_path", path)]);
            if with.system().is_some() {
                self.draft = with;
            }
        }
        Ok(())
    }

    /// Number of planes, sense times and rate of the bus: what single reads tell.
    fn single_reads(&mut self, bench: &Bench<'_>, of: &Measured<'_>) -> Result<(), Failure> {
        let empty = of.of(&["empty"]);
        if let Some((draft, _)) = bench.search(&self.draft, FRONT, &empty, STAGE_ITERATIONS)? {
            self.draft = draft;
        }
        let mut found = Vec::new();
        for draft in structure::with_planes(&self.draft) {
            found.extend(senses(bench, of, draft)?);
        }
        let drafts: Vec<Draft> = found.clone();
        let misses = bench.squares(&drafts, of.planned, &of.of(&["read-"]))?;
        let best = misses.into_iter().zip(found).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, draft)) = best {
            self.draft = draft;
            self.say_of_draft("nand.planes", TwinKnown::Agreeing, "single reads by their size");
        }
        Ok(())
    }

    /// The program time with which as many dies as program at a time write as fast as the drive
    /// does in order: a search from where the link is the limit would see nothing move.
    fn program(&mut self, of: &Measured<'_>) {
        let Some(rate) = of.numbers.get("stream-write.write_bandwidth") else { return };
        let values = self.draft.values();
        let number = |key: &str| {
            let value = values.iter().find(|value| value.key == key)?;
            let bytes = fit::Quantity { number: 1.0, unit: "B".to_owned() };
            Some(value.quantity.in_unit_of(&bytes).unwrap_or(value.quantity.number))
        };
        let parts = ["flash.program_limit", "nand.planes", "nand.page", "nand.pages_per_program"];
        let Some(bytes) = parts.iter().map(|key| number(key)).product::<Option<f64>>() else {
            return;
        };
        let ms = fit::significant((1e3 * bytes / rate.value).clamp(0.15, 10.0));
        let with = self.draft.with(&[("nand.program", format!("{ms} ms"))]);
        if with.values().iter().any(|value| value.key == "nand.program") {
            self.draft = with;
        }
    }

    /// Once more the sense times, with what else was found since.
    fn senses(&mut self, bench: &Bench<'_>, of: &Measured<'_>) -> Result<(), Failure> {
        if let Some(draft) = senses(bench, of, self.draft.clone())? {
            self.draft = draft;
            let why = "kinds of latency of single reads";
            self.say_of_draft("nand.sense", TwinKnown::Measured, why);
            self.sense_interval(of);
        }
        Ok(())
    }

    /// Says a value as the draft has it.
    fn say_of_draft(&mut self, key: &str, known: TwinKnown, why: &str) {
        if let Some((_, value)) = self.draft.set.iter().find(|(set, _)| set == key).cloned() {
            self.say(key, value, known, why);
        }
    }

    /// The interval of the sense times: what is left of a read is assumed, and fio's buckets.
    fn sense_interval(&mut self, of: &Measured<'_>) {
        let Some(senses) = structure::senses(&self.draft) else { return };
        let made = of.made.get("read-4k");
        let Some(latencies) = made.and_then(|made| structure::kinds(made, senses.len())) else {
            return;
        };
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let (sense, latency) = (mean(&senses), mean(&latencies) * 1e6);
        let off = (REST_KNOWN * (latency - sense)).hypot(MODEL_ERROR * latency) * NINE_OF_TEN;
        let moved = |by: f64| {
            let senses: Vec<f64> = senses.iter().map(|sense| (sense + by).max(1.0)).collect();
            structure::sense_text(&senses)
        };
        if let Some(value) = self.values.iter_mut().find(|value| value.key == "nand.sense") {
            value.interval90 = Some((moved(-off), moved(off)));
        }
    }

    fn dies(&mut self, bench: &Bench<'_>, of: &Measured<'_>) -> Result<(), Failure> {
        let found = structure::dies(bench, &self.draft, (of.planned, of.numbers), of.capacity)?;
        let Some(structure::Dies { draft, alike }) = found else {
            self.notes.push("no number of dies agrees with the reads and the capacity".to_owned());
            return Ok(());
        };
        self.draft = draft;
        let text = |key: &str| self.draft.set.iter().find(|(set, _)| set == key).cloned();
        let known = if alike.len() == 1 { TwinKnown::Chosen } else { TwinKnown::Agreeing };
        if let Some((key, value)) = text("flash.dies") {
            self.say(&key, value, known, "reads over the queue depth, and the capacity");
            let (least, most) = (alike.iter().min(), alike.iter().max());
            if let (Some(least), Some(most), Some(said)) = (least, most, self.values.last_mut()) {
                said.interval90 = Some((format!("{least} dies"), format!("{most} dies")));
            }
        }
        Ok(())
    }

    /// All values to all numbers at once.
    fn all(&mut self, bench: &Bench<'_>, of: &Measured<'_>) -> Result<(), Failure> {
        let mut keys: Vec<&str> = STAGES.iter().flat_map(|stage| stage.keys).copied().collect();
        keys.extend(BUS.iter().chain(CORES).chain(FRONT));
        keys.sort_unstable();
        keys.dedup();
        let tells = |number: &&Number| !UNIT_ONLY.iter().any(|test| number.is_of(test));
        let numbers: Vec<&Number> = of.numbers.values().filter(tells).collect();
        if let Some((draft, _)) = bench.search(&self.draft, &keys, &numbers, LAST_ITERATIONS)? {
            self.draft = draft;
        }
        let Some(judged) = bench.judge(&self.draft, &keys, &numbers)? else {
            self.notes.push("the numbers do not say how sure the values are".to_owned());
            return Ok(());
        };
        for (j, parameter) in judged.problem.parameters.iter().enumerate() {
            let sigma = judged.certainty.as_ref().map(|sure| sure.sigma[j]);
            let sigma = sigma.filter(|sigma| sigma.is_finite());
            let far = |sigma: f64| NINE_OF_TEN * sigma > FURTHEST.ln();
            let known = match sigma.is_none_or(far) {
                true => TwinKnown::Agreeing,
                false => TwinKnown::Measured,
            };
            let value = parameter.text(judged.point[j]);
            self.say(&parameter.key, value, known, &told_by(&judged, j));
            let around = sigma.map(|sigma| {
                let at = parameter.coordinate(judged.point[j]);
                let end =
                    |side: f64| parameter.text(parameter.value(at + side * NINE_OF_TEN * sigma));
                (end(-1.0), end(1.0))
            });
            if let Some(said) = self.values.last_mut() {
                said.interval90 = around;
            }
        }
        for dropped in &judged.dropped {
            let now = self.draft.set.iter().find(|(key, _)| *key == dropped.key).cloned();
            // What was never moved is the sibling's, and needs no word.
            if let Some((key, value)) = now {
                self.say(&key, value, TwinKnown::Agreeing, &dropped.why);
            }
        }
        self.judged = Some(judged);
        Ok(())
    }
}

/// Shares of what is known of a value below this are not named.
const NAMED: f64 = 0.1;

/// The numbers that tell most of a value.
fn told_by(judged: &Judged, j: usize) -> String {
    let Some(sure) = &judged.certainty else { return "a fit to all numbers".to_owned() };
    let mut shares: Vec<(f64, &str)> = sure.information[j]
        .iter()
        .zip(&judged.problem.figures)
        .map(|(share, figure)| (*share, figure.id.as_str()))
        .filter(|(share, _)| *share >= NAMED)
        .collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    shares.iter().take(3).map(|(_, id)| *id).collect::<Vec<_>>().join(", ")
}

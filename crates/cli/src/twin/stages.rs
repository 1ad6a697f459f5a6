//! The values of a twin: structure first, then fits of few values to the numbers that tell them,
//! then all of them at once.

use super::bench::{Bench, Draft, MODEL_ERROR};
use super::plan::Number;
use super::structure;
use super::tested::Tested;
use crate::render::Failure;
use answer::twin::{TwinKnown, TwinValue};
use fit::Judged;

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
pub fn make(bench: &Bench, of: &Tested, sibling: &str) -> Result<Made, Failure> {
    let mut made =
        Made { draft: Draft::of(sibling), values: Vec::new(), judged: None, notes: Vec::new() };
    made.words(of);
    made.link(bench, of)?;
    made.single_reads(bench, of)?;
    made.dies(bench, of)?;
    made.senses(bench, of)?;
    made.program(of);
    for stage in &STAGES {
        let numbers = of.numbers_of(stage.tests);
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
fn senses(bench: &Bench, of: &Tested, draft: Draft) -> Result<Option<Draft>, Failure> {
    let planned = of.planned("read-4k");
    let (Some(planned), Some(made)) = (planned, of.made.get("read-4k")) else { return Ok(None) };
    let reads = of.numbers_of(&["read-"]);
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
        let Some(with) = draft.possible(&[("nand.sense", structure::sense_text(&senses))]) else {
            return Ok(None);
        };
        draft = with;
    }
    Ok(Some(draft))
}

impl Made {
    fn say(&mut self, key: &str, value: String, known: TwinKnown, why: &str) {
        self.values.retain(|value| value.key != key);
        let why = why.to_owned();
        self.values.push(TwinValue { key: key.to_owned(), value, interval90: None, known, why });
    }

    /// Says where a value lies with a probability of 90 %.
    fn say_interval(&mut self, key: &str, interval: Option<(String, String)>) {
        if let Some(said) = self.values.iter_mut().find(|value| value.key == key) {
            said.interval90 = interval;
        }
    }

    /// Values that are one of few words or sizes.
    fn words(&mut self, of: &Tested) {
        if let Some(kib) = structure::unit_kib(&of.numbers) {
            let text = format!("{kib} KiB");
            match self.draft.possible(&[("ftl.unit", text.clone())]) {
                Some(with) => {
                    self.draft = with;
                    let why = "random writes of 4, 16 and 64 KiB";
                    self.say("ftl.unit", text, TwinKnown::Chosen, why);
                }
                None => {
                    self.notes.push(format!("a mapping unit of {text} does not fit the sibling"))
                }
            }
        }
        if let Some(protected) = structure::is_protected(&of.numbers) {
            let word = if protected { "protected" } else { "volatile" };
            if let Some(with) = self.draft.possible(&[("buffer.protection", word.to_owned())]) {
                self.draft = with;
                let why = "single writes with and without flushes";
                self.say("buffer.protection", word.to_owned(), TwinKnown::Chosen, why);
            }
        }
    }

    /// The slowest link that carries what the drive reads in order, and the rate of the drive's own
    /// path where that is slower.
    fn link(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let planned = of.planned("stream-read");
        let wanted = of.numbers.get("stream-read.read_bandwidth");
        let (Some(planned), Some(wanted)) = (planned, wanted) else { return Ok(()) };
        let with = |(link, payload): &(&str, &str)| {
            let set =
                [("link.interface", (*link).to_owned()), ("link.payload", (*payload).to_owned())];
            self.draft.possible(&set)
        };
        let drafts: Vec<Draft> = LINKS.iter().filter_map(with).collect();
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
        let why = "the slowest that carries stream-read";
        self.say_of_draft("link.interface", TwinKnown::Agreeing, why);
        if rate > wanted.value * (1.0 + LINK_OFF) {
            let path = format!("{} MB/s", (wanted.value / 1e6).round());
            if let Some(with) = self.draft.possible(&[("controller.read_path", path)]) {
                self.draft = with;
            }
        }
        Ok(())
    }

    /// Number of planes, sense times and rate of the bus: what single reads tell.
    fn single_reads(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let empty = of.numbers_of(&["empty"]);
        if let Some((draft, _)) = bench.search(&self.draft, FRONT, &empty, STAGE_ITERATIONS)? {
            self.draft = draft;
        }
        let mut found = Vec::new();
        for draft in structure::with_planes(&self.draft) {
            found.extend(senses(bench, of, draft)?);
        }
        let misses = bench.squares(&found, &of.planned, &of.numbers_of(&["read-"]))?;
        let best = misses.into_iter().zip(found).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, draft)) = best {
            self.draft = draft;
            self.say_of_draft("nand.planes", TwinKnown::Agreeing, "single reads by their size");
        }
        Ok(())
    }

    /// The program time with which as many dies as program at a time write as fast as the drive
    /// does in order: a search from where the link is the limit would see nothing move.
    fn program(&mut self, of: &Tested) {
        let Some(rate) = of.numbers.get("stream-write.write_bandwidth") else { return };
        let number = |key: &str| {
            let quantity = self.draft.quantity(key)?;
            Some(quantity.in_unit("B").unwrap_or(quantity.number))
        };
        let parts = ["flash.program_limit", "nand.planes", "nand.page", "nand.pages_per_program"];
        let Some(bytes) = parts.iter().map(|key| number(key)).product::<Option<f64>>() else {
            return;
        };
        let ms = fit::significant((1e3 * bytes / rate.value).clamp(0.15, 10.0));
        if let Some(with) = self.draft.possible(&[("nand.program", format!("{ms} ms"))]) {
            self.draft = with;
        }
    }

    /// Once more the sense times, with what else was found since.
    fn senses(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
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
        if let Some(value) = self.draft.get(key).map(str::to_owned) {
            self.say(key, value, known, why);
        }
    }

    /// The interval of the sense times: what is left of a read is assumed, and fio's buckets.
    fn sense_interval(&mut self, of: &Tested) {
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
        self.say_interval("nand.sense", Some((moved(-off), moved(off))));
    }

    fn dies(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let found = structure::dies(bench, of, &self.draft)?;
        let Some(structure::Dies { draft, alike }) = found else {
            self.notes.push("no number of dies agrees with the reads and the capacity".to_owned());
            return Ok(());
        };
        self.draft = draft;
        let known = if alike.len() == 1 { TwinKnown::Chosen } else { TwinKnown::Agreeing };
        let why = "reads over the queue depth, and the capacity";
        self.say_of_draft("flash.dies", known, why);
        let text = |dies: &u32| format!("{dies} dies");
        let range = alike.first().map(text).zip(alike.last().map(text));
        self.say_interval("flash.dies", range);
        Ok(())
    }

    /// All values to all numbers at once.
    fn all(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
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
                let (low, high) = parameter.around(judged.point[j], NINE_OF_TEN * sigma);
                (parameter.text(low), parameter.text(high))
            });
            self.say_interval(&parameter.key, around);
        }
        for dropped in &judged.dropped {
            // What was never moved is the sibling's, and needs no word.
            self.say_of_draft(&dropped.key, TwinKnown::Agreeing, &dropped.why);
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

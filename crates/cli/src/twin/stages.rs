//! The values of a twin: structure first, then fits of few values to the numbers that tell them,
//! then all of them at once.

use super::bench::{Bench, Draft, MODEL_ERROR, WRITE_PATH};
use super::dies::{self, Candidate};
use super::median_of;
use super::pages;
use super::plan::Number;
use super::stage::{IN_ORDER, LATER, Stage};
use super::structure;
use super::tested::Tested;
use super::usual::{self, Usual};
use crate::render::Failure;
use answer::twin::{TwinKnown, TwinValue};
use fit::Judged;
use std::ops::RangeInclusive;

/// Numbers of channels that drives have, and the tests that tell how crowded they are.
const CHANNELS: [u32; 9] = [2, 4, 8, 10, 12, 16, 18, 24, 32];
const CROWDING: &[&str] = &["read-", "depth-", "stream-", "beside-"];

/// Tests that write in order, and weigh numbers of dies.
const IN_ORDER_TESTS: &[&str] = &["fill", "stream-write", "sync", "burst-empty"];

/// Single reads by their size, which tell the bus.
const SINGLE: &[&str] = &["read-"];

/// Numbers of channels that are less likely than this, as a chi square, are not tried.
const LIKELY: f64 = 2.0 * dies::ALIKE;

/// The key that drives with an SLC cache have.
const SLC_CACHE: &str = "slc.dynamic";

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
pub const NINE_OF_TEN: f64 = 1.645;

/// How well the time of a read outside its sense is known: assumed parts of a class.
const REST_KNOWN: f64 = 0.12;

/// Program times that flash has, s.
const PROGRAMS: RangeInclusive<f64> = 150e-6..=10e-3;

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
pub fn make(bench: &Bench, of: &Tested, sibling: &str, usual: &Usual) -> Result<Made, Failure> {
    let mut made =
        Made { draft: Draft::of(sibling), values: Vec::new(), judged: None, notes: Vec::new() };
    made.words(of);
    made.write_cost(of);
    made.link(bench, of)?;
    made.single_reads(bench, of)?;
    made.dies(bench, of, usual)?;
    made.read_path(bench, of)?;
    made.senses(bench, of)?;
    made.stages(bench, of)?;
    if made.channels(bench, of, usual)? {
        made.read_path(bench, of)?;
        made.stages(bench, of)?;
    }
    made.all(bench, of)?;
    Ok(made)
}

/// A draft with the sense times and the rate of the bus that single reads show; each needs the
/// other, and a bus that is to make up for senses of another drive ends far from its own. `None` if
/// they do not show any.
fn senses(bench: &Bench, of: &Tested, draft: Draft) -> Result<Option<Draft>, Failure> {
    let reads = of.numbers_of(SINGLE);
    let Some(mut draft) = with_senses(bench, of, &draft)? else { return Ok(None) };
    for _ in 0..2 {
        if let Some((with, _)) = bench.search(&draft, BUS, &reads, STAGE_ITERATIONS)? {
            draft = with;
        }
        let Some(with) = with_senses(bench, of, &draft)? else { return Ok(None) };
        draft = with;
    }
    Ok(Some(draft))
}

/// A draft with the sense times with which each kind of single read takes as long as it was
/// measured.
fn with_senses(bench: &Bench, of: &Tested, draft: &Draft) -> Result<Option<Draft>, Failure> {
    let (Some(planned), Some(made)) = (of.planned("read-4k"), of.made.get("read-4k")) else {
        return Ok(None);
    };
    let Some(senses) = pages::senses(draft) else { return Ok(None) };
    let seen = bench.measure(&[(draft, &planned.run)], "sense times")?;
    let Some(Ok(seen)) = seen.first() else { return Ok(None) };
    let kinds = |made| pages::kinds(made, senses.len());
    let (Some(seen), Some(wanted)) = (kinds(seen), kinds(made)) else { return Ok(None) };
    let senses = pages::corrected(&senses, &seen, &wanted);
    Ok(draft.possible(&[("nand.sense", pages::sense_text(&senses))]))
}

/// The draft with the program time and the programs at a time with which it writes in order as fast
/// as the drive does: a search from where the link is the limit would see nothing move. The rate
/// tells their product alone. On a drive without capacitors a flush waits for one program; else a
/// program takes as long as in the sibling, since flash of one kind is much alike and limits are
/// not. Where an SLC cache is emptied meanwhile, the limit is the sibling's. Where nothing is taken
/// faster than the end of a fill, the flash is not what limits it.
fn with_program(draft: Draft, of: &Tested) -> Draft {
    let moved = || {
        let rate = structure::own_rate(&of.numbers)?;
        let taken = structure::taken_rate(&of.numbers).unwrap_or(rate);
        if taken < rate * (1.0 + structure::ALIKE) && draft.quantity(WRITE_PATH).is_some() {
            return None;
        }
        let number = |key: &str| {
            let quantity = draft.quantity(key)?;
            Some(quantity.in_unit("B").unwrap_or(quantity.number))
        };
        let parts = ["nand.planes", "nand.page", "nand.pages_per_program"];
        let bytes = parts.iter().map(|key| number(key)).product::<Option<f64>>()?;
        let (limit, dies) = (number("flash.program_limit")?, number(usual::DIES)?);
        let protected = draft.get("buffer.protection") == Some("protected");
        let one = structure::flush_time(&of.numbers).filter(|_| !protected);
        let one = one.filter(|time| PROGRAMS.contains(time));
        let limit = match draft.quantity(SLC_CACHE) {
            Some(_) => limit,
            None => {
                let time = one.or_else(|| draft.quantity("nand.program")?.in_unit("s"))?;
                (rate * time / bytes).round().clamp(1.0, dies)
            }
        };
        let time = one.unwrap_or(limit * bytes / rate).clamp(*PROGRAMS.start(), *PROGRAMS.end());
        draft.possible(&[
            ("nand.program", format!("{} ms", fit::significant(1e3 * time))),
            ("flash.program_limit", format!("{limit} dies")),
        ])
    };
    moved().unwrap_or(draft)
}

/// A draft with few values each fitted to the numbers of few tests.
fn fitted(
    bench: &Bench,
    of: &Tested,
    mut draft: Draft,
    stages: &[Stage],
) -> Result<Draft, Failure> {
    for stage in stages {
        if stage.keys.first().is_none_or(|key| draft.quantity(key).is_none()) {
            continue;
        }
        let numbers = of.numbers_of(stage.tests);
        draft = tried_out(bench, of, draft, stage)?;
        if let Some((found, _)) = bench.search(&draft, stage.keys, &numbers, STAGE_ITERATIONS)? {
            draft = found;
        }
    }
    Ok(draft)
}

/// A draft with the best of the values that a stage tries before its search.
fn tried_out(bench: &Bench, of: &Tested, draft: Draft, stage: &Stage) -> Result<Draft, Failure> {
    if stage.tries.is_empty() {
        return Ok(draft);
    }
    let mut drafts = vec![draft.clone()];
    for (key, factors) in stage.tries {
        let each = |draft: &Draft| {
            let times = |factor: &f64| draft.times(key, *factor);
            factors.iter().filter_map(times).collect::<Vec<_>>()
        };
        drafts = drafts.iter().flat_map(each).collect();
    }
    Ok(bench.best(drafts, of, &of.numbers_of(stage.tests))?.unwrap_or(draft))
}

/// Candidates fitted to writes in order, with what they miss of these besides.
fn weighed(
    bench: &Bench,
    of: &Tested,
    candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>, Failure> {
    let writes = of.numbers_of(IN_ORDER_TESTS);
    let mut found = Vec::new();
    for candidate in candidates {
        let draft = with_program(candidate.draft.clone(), of);
        let draft = fitted(bench, of, draft, &IN_ORDER)?;
        found.push((bench.square(&draft, of, &writes)?, Candidate { draft, ..candidate }));
    }
    let factor = dies::scatter(found.iter().map(|found| found.0), writes.len());
    let both = |(writes, of_reads): (f64, Candidate)| Candidate {
        misses: of_reads.misses + writes / factor,
        ..of_reads
    };
    Ok(found.into_iter().map(both).collect())
}

impl Made {
    pub(super) fn say(&mut self, key: &str, value: String, known: TwinKnown, why: &str) {
        self.values.retain(|value| value.key != key);
        let why = why.to_owned();
        self.values.push(TwinValue { key: key.to_owned(), value, interval90: None, known, why });
    }

    /// Says where a value lies with a probability of 90 %.
    pub(super) fn say_interval(&mut self, key: &str, interval: Option<(String, String)>) {
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

    /// The controller's time for a write, where nothing else holds random writes up.
    fn write_cost(&mut self, of: &Tested) {
        let Some(iops) = structure::controller_iops(&of.numbers) else { return };
        let cost = format!("{} us", fit::significant(1e6 / iops));
        if let Some(with) = self.draft.possible(&[("controller.write_cost", cost)]) {
            self.draft = with;
        }
    }

    /// Number of planes, sense times and rate of the bus, and whether the drive's own read path
    /// takes time of each read: what single reads tell.
    fn single_reads(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let empty = of.numbers_of(&["empty"]);
        if let Some((draft, _)) = bench.search(&self.draft, FRONT, &empty, STAGE_ITERATIONS)? {
            self.draft = draft;
        }
        let mut found = Vec::new();
        for draft in pages::with_read_paths(&self.draft).iter().flat_map(pages::with_planes) {
            found.extend(senses(bench, of, draft)?);
        }
        if let Some(draft) = bench.best(found, of, &of.numbers_of(SINGLE))? {
            self.draft = draft;
            self.say_of_draft("nand.planes", TwinKnown::Agreeing, "single reads by their size");
        }
        Ok(())
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
    pub(super) fn say_of_draft(&mut self, key: &str, known: TwinKnown, why: &str) {
        if let Some(value) = self.draft.get(key).map(str::to_owned) {
            self.say(key, value, known, why);
        }
    }

    /// The interval of the sense times: what is left of a read is assumed, and fio's buckets.
    fn sense_interval(&mut self, of: &Tested) {
        let Some(senses) = pages::senses(&self.draft) else { return };
        let made = of.made.get("read-4k");
        let Some(latencies) = made.and_then(|made| pages::kinds(made, senses.len())) else {
            return;
        };
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let (sense, latency) = (mean(&senses), mean(&latencies) * 1e6);
        let off = (REST_KNOWN * (latency - sense)).hypot(MODEL_ERROR * latency) * NINE_OF_TEN;
        let moved = |by: f64| {
            let senses: Vec<f64> = senses.iter().map(|sense| (sense + by).max(1.0)).collect();
            pages::sense_text(&senses)
        };
        self.say_interval("nand.sense", Some((moved(-off), moved(off))));
    }

    /// How many dies: reads over the queue depth name candidates. Where an SLC cache is, writes in
    /// order weigh them too: what it takes and what the flash behind it takes differ by the dies
    /// alone, whatever their planes read. Without one they tell the dies that program times how
    /// long they do, and neither.
    fn dies(&mut self, bench: &Bench, of: &Tested, usual: &Usual) -> Result<(), Failure> {
        let mut found = dies::candidates(bench, of, &self.draft, usual)?;
        let mut why = "reads over the queue depth, and the capacity";
        if self.draft.quantity(SLC_CACHE).is_some() {
            found = weighed(bench, of, found)?;
            why = "reads over the queue depth, writes in order, and the capacity";
        }
        found.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        let Some(best) = found.first() else {
            self.notes.push("no number of dies agrees with the reads and the capacity".to_owned());
            return Ok(());
        };
        self.draft = best.draft.clone();
        // What is usual takes one, and does not tell it from others.
        let most = best.misses + dies::ALIKE;
        let as_well = found.iter().filter(|candidate| candidate.misses <= most);
        let mut alike: Vec<u32> = as_well.map(|candidate| candidate.dies).collect();
        alike.sort_unstable();
        alike.dedup();
        let known = if alike.len() == 1 { TwinKnown::Chosen } else { TwinKnown::Agreeing };
        self.say_of_draft(usual::DIES, known, why);
        let text = |dies: &u32| format!("{dies} dies");
        self.say_interval(usual::DIES, alike.first().map(text).zip(alike.last().map(text)));
        Ok(())
    }

    /// The fits of few values each.
    fn stages(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let draft = fitted(bench, of, with_program(self.draft.clone(), of), &IN_ORDER)?;
        self.draft = fitted(bench, of, draft, &LATER)?;
        Ok(())
    }

    /// How many channels the dies share: whether it is another number than before. With each the
    /// bus is searched anew, since fewer channels with a faster bus read nearly alike; the
    /// sibling's number is likelier than twice or half of it by as much as one standard deviation.
    fn channels(&mut self, bench: &Bench, of: &Tested, usual: &Usual) -> Result<bool, Failure> {
        let key = usual::CHANNELS;
        let (reads, numbers) = (of.numbers_of(SINGLE), of.numbers_of(CROWDING));
        let (now, dies) = (self.draft.count(key), self.draft.count(usual::DIES));
        let (Some(now), Some(dies)) = (now, dies) else { return Ok(false) };
        let mut found = Vec::new();
        for count in CHANNELS {
            let far = (f64::from(count) / f64::from(now)).log2().powi(2);
            let rarity = usual.rarity_of_channels(count, dies) + far;
            if rarity > LIKELY {
                continue;
            }
            let Some(with) = self.draft.possible(&[(key, format!("{count} channels"))]) else {
                continue;
            };
            if let Some((draft, _)) = bench.search(&with, BUS, &reads, 2)? {
                found.push((bench.square(&draft, of, &numbers)?, rarity, draft));
            }
        }
        let factor = dies::scatter(found.iter().map(|found| found.0), numbers.len());
        let cost = |found: &(f64, f64, Draft)| found.0 / factor + found.1;
        let Some((_, _, best)) = found.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))
        else {
            return Ok(false);
        };
        self.draft = best;
        // What else crowds a channel is not known well enough to call it chosen.
        self.say_of_draft(key, TwinKnown::Agreeing, "reads beside writes, and at depth");
        Ok(self.draft.count(key) != Some(now))
    }

    /// All values to all numbers at once.
    fn all(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let mut keys: Vec<&str> =
            IN_ORDER.iter().chain(&LATER).flat_map(|stage| stage.keys).copied().collect();
        keys.extend(BUS.iter().chain(CORES).chain(FRONT));
        keys.sort_unstable();
        keys.dedup();
        let tells = |number: &&Number| !UNIT_ONLY.iter().any(|test| number.is_of(test));
        let numbers: Vec<&Number> = of.numbers.values().filter(tells).collect();
        if let Some((draft, _)) = bench.search(&self.draft, &keys, &numbers, LAST_ITERATIONS)? {
            let (before, after) = (self.draft.clone(), draft);
            let off = bench.distances(&[before, after.clone()], &of.planned, &numbers)?;
            let median = |off: &Vec<f64>| median_of(off.iter().copied());
            // A sum of squares is lowered most by what the model cannot meet at all.
            if median(&off[1]) < median(&off[0]) {
                self.draft = after;
            }
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

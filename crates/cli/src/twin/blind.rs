//! Drives that are hidden and found again: how far a twin is to be trusted.

use super::bench::{ALPHA, Bench, Draft, Pairs};
use super::plan::Number;
use super::stages::{self, Made};
use super::tested::Tested;
use super::usual::Usual;
use super::{TwinArgs, answer, median_of, on_target, plan, show, sibling, test};
use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use crate::values::Pair;
use answer::twin::{Blind, BlindDrive, BlindValue, Truth, TwinKnown, TwinTest, TwinValue};
use engine::Stream;
use fit::Quantity;
use library::System;
use prior::{Ensemble, of_system};
use std::collections::BTreeMap;

/// Of each class one: data centre drives of four makers, QLC with a small and a large mapping
/// unit, client drives with an SLC cache, SATA drives of two kinds of flash.
const PARENTS: [&str; 12] = [
    "p4510-8tb",
    "d7-p5520-7.68tb",
    "pm9a3-7.68tb",
    "cd6-7.68tb",
    "7400-pro-7.68tb",
    "d5-p5430-15.36tb",
    "d5-p5316-15.36tb",
    "sn850-1tb",
    "micron-3400-512gb",
    "pm981a-256gb",
    "intel-320-300gb",
    "x25-e-64gb",
];

/// The QLC drive that is hidden with this mapping unit.
const COARSE: (&str, &str) = ("d5-p5430-15.36tb", "16 KiB");

/// Values whose truth is compared: those that a twin can tell.
const COMPARED: [&str; 18] = [
    "flash.dies",
    "flash.channels",
    "ftl.unit",
    "buffer.protection",
    "nand.sense",
    "nand.program",
    "nand.slc_program",
    "flash.bus",
    "controller.read_cost",
    "controller.write_ack",
    "controller.write_path",
    "flash.program_limit",
    "suspend.latency",
    "suspend.closed_window",
    "suspend.erase_segment",
    "buffer.size",
    "ftl.alpha",
    "slc.dynamic",
];

/// Runs `drivelab twin --blind`. With `--output` the answer is kept after each drive, and a file
/// with the same draws is gone on with.
pub fn command(args: &TwinArgs, drives: u16, console: &mut Console) -> Result<(), Failure> {
    let only = only(args, drives)?;
    let mut blind = begun(args, drives, console)?;
    for number in 1..=drives {
        let known = blind.drives.iter().any(|drive| drive.number == number);
        if known || !(only.is_empty() || only.iter().any(|slug| slug == parent(number))) {
            continue;
        }
        let hidden = hidden(args, number, drives)?;
        console.note(&format!("hidden drive {number} of {drives}: from {}", hidden.draft.slug));
        let found = match find(args, &hidden, console) {
            Err(why) if interrupt::happened() => return Err(why),
            Err(why) => lost(&hidden, &why),
            Ok(found) => found,
        };
        blind.drives.push(found);
        blind.drives.sort_by_key(|drive| drive.number);
        sum_up(&mut blind);
        if let Some(output) = &args.output {
            files::write(output, &files::json_text(&blind)?)?;
        }
    }
    match args.json {
        true => files::print(&files::json_text(&blind)?),
        false => files::print(&show::blind(&blind)),
    }
}

/// A drive that is to be found.
struct Hidden {
    /// Which of those drawn, from 1.
    number: u16,
    draft: Draft,
}

/// The drive of the library from which a hidden one is drawn; they are counted from 1.
fn parent(number: u16) -> &'static str {
    PARENTS[usize::from(number - 1) % PARENTS.len()]
}

/// The parents to which the drives are restricted; none if they are not.
fn only(args: &TwinArgs, drives: u16) -> Result<Vec<String>, Failure> {
    let drawn: Vec<&str> = (1..=drives).map(parent).take(PARENTS.len()).collect();
    let one = |name: &String| {
        let slug = target::model(name, &[])?.slug;
        match drawn.contains(&slug.as_str()) {
            true => Ok(slug),
            false => Err(Failure::wrong(format!("--only: none is drawn from {slug}"))
                .with_help(format!("of {drives} there are those from {}", drawn.join(", ")))),
        }
    };
    args.only.iter().map(one).collect()
}

/// What a file of the same draws holds already.
fn begun(args: &TwinArgs, drives: u16, console: &mut Console) -> Result<Blind, Failure> {
    let seed = args.bench.seed.unwrap_or(1);
    let new = Blind {
        schema: Blind::SCHEMA.to_owned(),
        seed,
        draws: drives,
        drives: vec![],
        values: vec![],
        unseen_off: 0.0,
    };
    let Some(output) = &args.output else { return Ok(new) };
    if output.extension().is_none_or(|ending| ending != "json") {
        let message = format!("{}: the answer of a blind test ends in .json", output.display());
        return Err(Failure::wrong(message).with_help("name it NAME.json"));
    }
    if !output.exists() {
        return Ok(new);
    }
    let help = "remove it, or name another file";
    let text = files::text(output, "the answer of a blind test", help)?;
    let known: Option<Blind> = serde_json::from_str(&text).ok();
    match known {
        Some(known) if known.seed == seed && known.draws == drives => {
            let (shown, have) = (output.display(), known.drives.len());
            console.note(&format!("{have} of {drives} drives taken from {shown}"));
            Ok(known)
        }
        _ => {
            let message = format!("{} is not the answer of this blind test", output.display());
            Err(Failure::wrong(message).with_help(help))
        }
    }
}

/// A drive of which no twin could be made.
fn lost(hidden: &Hidden, why: &Failure) -> BlindDrive {
    BlindDrive {
        number: hidden.number,
        parent: hidden.draft.slug.clone(),
        sibling: None,
        truths: Vec::new(),
        unseen: Vec::new(),
        seen: Vec::new(),
        seen_off: 0.0,
        notes: vec![format!("no twin: {}", why.message)],
    }
}

/// What is said over all drives.
fn sum_up(blind: &mut Blind) {
    blind.values = COMPARED.iter().filter_map(|key| over_all(key, &blind.drives)).collect();
    let unseen = blind.drives.iter().flat_map(|drive| &drive.unseen);
    blind.unseen_off = median_of(unseen.map(|test| test.off().abs()));
}

/// A drive of the library drawn anew: its dies and capacity, buffer and cache by factors of their
/// own, all that is not known exactly within its bounds.
fn hidden(args: &TwinArgs, number: u16, drives: u16) -> Result<Hidden, Failure> {
    let seed = args.bench.seed.unwrap_or(1);
    let (parent, draw) = (parent(number), number - 1);
    let system = System::named(parent, &[])
        .map_err(|_| Failure::failed(format!("{parent} is not in the library")))?;
    let given = structure(parent, &mut Stream::new(seed, &format!("hidden/{draw}")));
    let can_be = |set: &[(String, String)]| System::named(parent, set).is_ok();
    let ensemble = Ensemble::new(drives.max(12), seed);
    let set = ensemble.draw(&of_system(&system), &given, draw, can_be);
    Ok(Hidden { number, draft: Draft { slug: parent.to_owned(), set } })
}

/// What a draw does not change by itself: sizes and numbers.
fn structure(parent: &str, stream: &mut Stream) -> Pairs {
    let mut draft = Draft::of(parent);
    let mut factor = |of: [f64; 3]| {
        let part = usize::try_from(stream.below(3)).unwrap_or(1);
        of[part.min(2)]
    };
    let times = [factor([0.5, 1.0, 2.0]), factor([0.5, 1.0, 2.0]), factor([0.7, 1.0, 1.3])];
    let values = draft.values();
    let of = |key: &str| values.iter().find(|value| value.key == key).map(|value| &value.quantity);
    let text = |quantity: &Quantity, by: f64| format!("{} {}", quantity.number * by, quantity.unit);
    let mut set: Vec<(&str, String)> = Vec::new();
    if let (Some(dies), Some(capacity)) = (of("flash.dies"), of("body.capacity")) {
        let whole = text(dies, times[0]);
        let limit = |key: &'static str| {
            let limit = of(key)?;
            let most = dies.number * times[0];
            (limit.number > most).then(|| (key, format!("{most} {}", limit.unit)))
        };
        let limits = ["flash.program_limit", "flash.program_limit_collecting"];
        set.extend(limits.into_iter().filter_map(limit));
        set.push(("flash.dies", whole));
        set.push(("body.capacity", text(capacity, times[0])));
    }
    for key in ["buffer.size", "buffer.copies"] {
        set.extend(of(key).map(|size| (key, text(size, times[1]))));
    }
    set.extend(of("slc.dynamic").map(|size| ("slc.dynamic", text(size, times[2] * times[0]))));
    if parent == COARSE.0 {
        set.push(("ftl.unit", COARSE.1.to_owned()));
    }
    if let Some(all) = draft.possible(&set) {
        return all.set;
    }
    // What cannot be together stays as the parent has it.
    for value in set {
        draft = draft.possible(&[value]).unwrap_or(draft);
    }
    draft.set
}

/// Makes the twin of a hidden drive, and compares.
fn find(args: &TwinArgs, hidden: &Hidden, console: &mut Console) -> Result<BlindDrive, Failure> {
    let draft = &hidden.draft;
    let broken = || Failure::failed(format!("{} cannot be drawn so", draft.slug));
    let system = draft.system().ok_or_else(broken)?;
    let capacity = system.lone().map_or(0.0, |medium| medium.capacity() as f64);
    let pair = |(key, value): &(String, String)| Pair { key: key.clone(), value: value.clone() };
    let set = draft.set.iter().map(pair).collect();
    let subject = Subject { set, ..Subject::parse(&draft.slug)? };
    let bench = Bench::new(&args.bench)?;
    let tests = on_target(args, &subject, None, bench.options_of(&system));
    let (tested, _) = Tested::of(&tests, capacity, &bench.pool, console)?;
    let series = series_of(&draft.slug);
    let sibling = sibling::nearest(&bench, &tested, &series)?;
    let made = stages::make(&bench, &tested, &sibling, &Usual::in_library(&series))?;
    let unseen = unseen(&bench, draft, &made, &tested)?;
    let truths = COMPARED.iter().filter_map(|key| truth(key, draft, &made)).collect();
    let twin = answer("hidden", &tested, made);
    Ok(BlindDrive {
        number: hidden.number,
        parent: hidden.draft.slug.clone(),
        sibling: Some(sibling),
        truths,
        unseen,
        seen: twin.tests,
        seen_off: twin.median_off,
        notes: twin.notes,
    })
}

/// The drives of the library whose names differ from this one's in the capacity alone: none of them
/// is a sibling, since they are made of the same parts.
fn series_of(slug: &str) -> Vec<String> {
    let series = |slug: &str| slug.rsplit_once('-').map(|(series, _)| series.to_owned());
    let mine = |other: &&str| *other == slug || series(other) == series(slug);
    library::flash_drives().filter(mine).map(str::to_owned).collect()
}

/// Tests that no twin is made from: the four corners at the depths of reviews, the tails of a mix,
/// and reads beside random writes at half the rate that the drive keeps up.
fn unseen(
    bench: &Bench,
    hidden: &Draft,
    made: &Made,
    tested: &Tested,
) -> Result<Vec<TwinTest>, Failure> {
    let random = tested.numbers.get("random-4k.write_iops").map_or(0.0, |iops| iops.value);
    let planned = plan::unseen(&hidden.slug, 0.5 * 4096.0 * random);
    let ask = |draft: &Draft| -> Result<Vec<Vec<Number>>, Failure> {
        let asked: Vec<(&Draft, &lab::Run)> =
            planned.iter().map(|planned| (draft, &planned.run)).collect();
        let made = bench.measure(&asked, "tests that were never seen")?;
        let numbers = planned.iter().zip(made);
        let of = |(planned, made): (&plan::Planned, crate::laboratory::Made)| {
            made.map_or_else(|_| Vec::new(), |made| planned.numbers(&made))
        };
        Ok(numbers.map(of).collect())
    };
    let (truth, twin) = (ask(hidden)?, ask(&made.draft)?);
    let twin: BTreeMap<String, f64> =
        twin.into_iter().flatten().map(|number| (number.id, number.value)).collect();
    let one = |number: &Number| Some(test(number, *twin.get(&number.id)?));
    Ok(truth.iter().flatten().filter_map(one).collect())
}

/// A value of the hidden drive beside that of its twin.
fn truth(key: &str, hidden: &Draft, made: &Made) -> Option<Truth> {
    let said = made.values.iter().find(|value| value.key == key)?;
    let truth = text_of(hidden, key)?;
    let (off, covered) = match (numbers(&truth), numbers(&said.value)) {
        (Some(wanted), Some(found)) if wanted.len() == found.len() => {
            let (wanted, found) = (in_order(key, wanted), in_order(key, found));
            let off =
                wanted.iter().zip(&found).map(|(a, b)| excess(key, *b) / excess(key, *a) - 1.0);
            let worst =
                off.fold(0.0_f64, |worst, off| if off.abs() > worst.abs() { off } else { worst });
            (Some(worst), covers(said, &wanted))
        }
        _ => (None, None),
    };
    Some(Truth {
        key: key.to_owned(),
        found: said.value.clone(),
        off,
        known: said.known,
        covered,
        truth,
    })
}

/// Single reads tell how long each kind of page takes, and not which page it is.
fn in_order(key: &str, mut numbers: Vec<f64>) -> Vec<f64> {
    if key == "nand.sense" {
        numbers.sort_by(f64::total_cmp);
    }
    numbers
}

/// Of flash over capacity only what is spare counts.
fn excess(key: &str, number: f64) -> f64 {
    if key == ALPHA { number - 1.0 } else { number }
}

fn covers(said: &TwinValue, wanted: &[f64]) -> Option<bool> {
    let (low, high) = said.interval90.as_ref()?;
    let ends = |text: &str| numbers(text).map(|ends| in_order(&said.key, ends));
    let (low, high) = (ends(low)?, ends(high)?);
    let inside = |(number, (low, high)): (&f64, (&f64, &f64))| low <= number && number <= high;
    Some(wanted.iter().zip(low.iter().zip(&high)).all(inside))
}

/// A value as the model has it; of a list all.
fn text_of(draft: &Draft, key: &str) -> Option<String> {
    if let Some(value) = draft.get(key) {
        return Some(value.to_owned());
    }
    let system = draft.system()?;
    let known = prior::of_system(&system);
    known.into_iter().find(|value| value.key == key).map(|value| value.text)
}

/// The numbers of a value in the base unit of what it measures; `None` of a word.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let one = |text: &str| {
        let quantity = Quantity::parse(text)?;
        let in_base = ["ps", "B", "B/s"].iter().find_map(|unit| quantity.in_unit(unit));
        Some(in_base.unwrap_or(quantity.number))
    };
    text.split(", ").map(one).collect()
}

/// A value over all drives; `None` if no drive has it.
fn over_all(key: &str, found: &[BlindDrive]) -> Option<BlindValue> {
    let all: Vec<&Truth> =
        found.iter().flat_map(|drive| &drive.truths).filter(|truth| truth.key == key).collect();
    let told: Vec<&Truth> =
        all.iter().copied().filter(|truth| truth.known != TwinKnown::Agreeing).collect();
    let off = told.iter().filter_map(|truth| truth.off).map(f64::abs);
    let right = |truth: &&&Truth| match truth.off {
        Some(off) => off.abs() <= 0.1,
        None => truth.truth == truth.found,
    };
    (!all.is_empty()).then(|| BlindValue {
        key: key.to_owned(),
        told: told.len(),
        agreeing: all.len() - told.len(),
        median_off: median_of(off),
        within_tenth: told.iter().filter(right).count(),
        covered: all.iter().filter(|truth| truth.covered == Some(true)).count(),
        intervals: all.iter().filter(|truth| truth.covered.is_some()).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_drive_has_no_sibling_of_its_own_series() {
        let series = series_of("d7-p5520-7.68tb");
        assert!(series.iter().any(|slug| slug == "d7-p5520-15.36tb"), "{series:?}");
        assert!(series.iter().all(|slug| slug.starts_with("d7-p5520-")), "{series:?}");
        for parent in PARENTS {
            assert!(series_of(parent).iter().any(|slug| slug == parent), "{parent}");
        }
    }

    #[test]
    fn kinds_of_pages_are_compared_by_their_times_and_not_by_their_places() {
        let (one, other) = (vec![40.0, 62.0, 41.0], vec![41.0, 40.0, 62.0]);
        assert_eq!(in_order("nand.sense", one.clone()), in_order("nand.sense", other.clone()));
        assert_ne!(in_order("nand.program", one), in_order("nand.program", other));
    }
}

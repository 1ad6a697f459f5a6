//! `drivelab twin`: a model of a drive from tests of it.

mod args;
mod bench;
mod blind;
mod model;
mod plan;
mod show;
mod sibling;
mod stages;
mod structure;

use crate::console::Console;
use crate::files;
use crate::laboratory::{Partial, bench_options_of, threads};
use crate::on_real;
use crate::on_target::{OnTarget, Saved};
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use crate::values::Budget;
use answer::Twin;
use answer::twin::TwinTest;
pub use args::TwinArgs;
use bench::Bench;
use lab::{BenchOptions, Run};
use library::{Medium, Scale};
use metric::{Measurement, Metric};
use plan::{Number, Numbers, Of, Planned};
use stages::{Made, Measured};
use std::collections::BTreeMap;
use std::path::Path;

/// Work of one measurement of a model: twins take thousands.
const BUDGET: Budget = Budget { seconds: 0.1 };
/// The part of a model that is simulated.
const UNITS: u64 = 4 << 20;

/// Runs the command.
pub fn command(args: &TwinArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.bench.quiet);
    if let Some(drives) = args.blind {
        return blind::command(args, drives, &mut console);
    }
    let (Some(on), Some(output)) = (&args.on, &args.output) else {
        return Err(Failure::wrong("a twin is of a target and has a file"));
    };
    check_output(args, output)?;
    for name in args.like.iter().chain(&args.not) {
        slug(name)?;
    }
    let subject = Subject::changed(on, &[], None)?;
    let capacity = capacity(args, &subject)?;
    let tests = OnTarget {
        title: "twin",
        subject: &subject,
        real: &args.real,
        output: Some(output),
        options: options(args),
    };
    let (tested, saved) = put_through(args, &tests, &mut console)?;
    let of = Measured {
        planned: &tested.planned,
        made: &tested.made,
        numbers: &tested.numbers,
        capacity,
    };
    let pool = threads(&args.bench)?;
    let partial = Partial::open(None, "", None, &mut console)?;
    let quiet = Console::new(args.bench.quiet);
    let bench = Bench { options: options(args), pool: &pool, console: &quiet, partial: &partial };
    let sibling = sibling(args, &bench, &of)?;
    let made = stages::make(&bench, &of, &sibling)?;
    let name = name_of(&subject);
    model::write(&made, &name, output)?;
    let mut twin = answer(&name, &of, made);
    twin.notes.extend(tested.notes);
    match args.json {
        true => files::print(&files::json_text(&twin)?)?,
        false => {
            files::print(&format!("{}\nThe model: {}\n", show::shown(&twin), output.display()))?
        }
    }
    saved.into_iter().rev().for_each(Saved::forget);
    Ok(())
}

/// How models are measured, those that stand for the target too.
fn options(args: &TwinArgs) -> BenchOptions {
    let mut options = bench_options_of(&args.bench, BUDGET);
    if args.bench.scale.is_none() {
        options.scale = Scale::Units(UNITS);
    }
    options
}

fn check_output(args: &TwinArgs, output: &Path) -> Result<(), Failure> {
    if output.extension().is_none_or(|ending| ending != "toml") {
        return Err(Failure::wrong(format!("{}: a model file ends in .toml", output.display()))
            .with_help("name it NAME.toml"));
    }
    let flash = model::nand_file(output);
    files::check_places([output.to_owned(), flash].iter(), args.real.consent.overwrite)
}

/// The user capacity of the target, bytes.
fn capacity(args: &TwinArgs, subject: &Subject) -> Result<f64, Failure> {
    if let Some(bytes) = args.capacity {
        return Ok(bytes.base() as f64);
    }
    if !subject.real {
        let model = target::model(&subject.target, &subject.set)?;
        let lone = model.lone().map(Medium::capacity);
        let message = "a twin is of one drive, and this is a system";
        return lone.map(|bytes| bytes as f64).ok_or_else(|| Failure::wrong(message));
    }
    on_real::check_options(&args.bench)?;
    let looked = args.real.consent.look(&subject.target)?;
    match looked.as_slice() {
        [(identity, _)] if identity.kind == "device" || identity.kind == "served drive" => {
            Ok(identity.size_bytes as f64)
        }
        [_] => Err(Failure::wrong("a file does not say what its drive holds")
            .with_help("state it with --capacity '1 TB'")),
        _ => Err(Failure::wrong("a twin is of one drive").with_help("name one path")),
    }
}

/// What a target is called in its twin.
fn name_of(subject: &Subject) -> String {
    subject.label.clone()
}

/// What tests gave.
struct Tested {
    planned: Vec<Planned>,
    made: BTreeMap<String, Measurement>,
    numbers: Numbers,
    notes: Vec<String>,
}

impl Tested {
    fn add(&mut self, planned: Vec<Planned>, made: Vec<crate::laboratory::Made>) {
        for (planned, made) in planned.into_iter().zip(made) {
            match made {
                Ok(made) => {
                    let numbers = planned.numbers(&made).into_iter();
                    self.numbers.extend(numbers.map(|number| (number.id.clone(), number)));
                    self.made.insert(planned.id.clone(), made);
                }
                Err(why) => self.notes.push(format!("{} could not be made: {why}", planned.id)),
            }
            self.planned.push(planned);
        }
    }
}

/// Puts a target through the tests: first those that stand for themselves, then reads beside
/// writes at shares of the rate that it was found to write at.
fn put_through(
    args: &TwinArgs,
    on: &OnTarget<'_>,
    console: &mut Console,
) -> Result<(Tested, Vec<Saved>), Failure> {
    let subject = on.subject;
    let device = !subject.real || target::is_device(&subject.target);
    let of = Of { target: &subject.target, real: subject.real, device };
    let empty = Vec::new();
    let mut tested = Tested {
        planned: empty,
        made: BTreeMap::new(),
        numbers: Numbers::new(),
        notes: Vec::new(),
    };
    let mut saved = Vec::new();
    let first = plan::first(of);
    let runs: Vec<&Run> = first.iter().map(|planned| &planned.measured).collect();
    let (made, kept) = on.measure(&runs, threads(&args.bench)?, console)?;
    saved.push(kept);
    tested.add(first, made);
    if let Some(rate) = tested.numbers.get("stream-write.write_bandwidth").map(|rate| rate.value) {
        let beside = plan::beside(of, rate);
        let runs: Vec<&Run> = beside.iter().map(|planned| &planned.measured).collect();
        let (made, kept) = on.measure(&runs, threads(&args.bench)?, console)?;
        saved.push(kept);
        tested.add(beside, made);
    }
    Ok((tested, saved))
}

/// A drive of the library by one of its names.
fn slug(name: &str) -> Result<String, Failure> {
    target::model(name, &[]).map(|model| model.slug)
}

/// The drive to begin with: as the user says, or the nearest.
fn sibling(args: &TwinArgs, bench: &Bench<'_>, of: &Measured<'_>) -> Result<String, Failure> {
    if let Some(like) = &args.like {
        return slug(like);
    }
    let not: Vec<String> = args.not.iter().map(|name| slug(name)).collect::<Result<_, _>>()?;
    nearest(bench, of, &not)
}

fn nearest(bench: &Bench<'_>, of: &Measured<'_>, not: &[String]) -> Result<String, Failure> {
    let order = sibling::nearest(bench, of, not)?;
    order.into_iter().next().ok_or_else(|| Failure::wrong("no drive of the library is left"))
}

/// What is said of a twin.
fn answer(name: &str, of: &Measured<'_>, made: Made) -> Twin {
    let tests = made.judged.as_ref().map(|judged| {
        let figures = judged.problem.figures.iter().zip(&judged.seen);
        let one = |(figure, seen): (&fit::Wanted, &fit::Seen)| {
            let number = of.numbers.get(&figure.id)?;
            Some(test(number, seen.value))
        };
        figures.filter_map(one).collect::<Vec<TwinTest>>()
    });
    let tests = tests.unwrap_or_default();
    Twin {
        target: name.to_owned(),
        sibling: made.draft.slug,
        values: made.values,
        median_off: median(tests.iter().map(|test| test.off().abs()).collect()),
        tests,
        notes: made.notes,
    }
}

fn test(number: &Number, twin: f64) -> TwinTest {
    let unit = Metric::parse(&number.metric).map_or("", |(metric, _)| metric.dimension().base());
    TwinTest {
        id: number.id.clone(),
        test: number.run.label(),
        metric: number.metric.clone(),
        unit: unit.to_owned(),
        measured: number.value,
        twin,
    }
}

/// The middle of values; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[count / 2],
        count => 0.5 * (values[count / 2 - 1] + values[count / 2]),
    }
}

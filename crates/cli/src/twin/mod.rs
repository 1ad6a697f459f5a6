//! `drivelab twin`: a model of a drive from tests of it.

mod args;
mod bench;
mod blind;
mod dies;
mod link;
mod model;
mod pages;
mod plan;
mod show;
mod sibling;
mod stage;
mod stages;
mod structure;
mod tested;
mod usual;

use crate::console::Console;
use crate::files;
use crate::fit;
use crate::on_real;
use crate::on_target::{OnTarget, Saved};
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use answer::Twin;
use answer::twin::TwinTest;
pub use args::TwinArgs;
use bench::Bench;
use lab::BenchOptions;
use library::Medium;
use plan::Number;
use stages::Made;
use std::path::Path;
use tested::Tested;
use usual::Usual;

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
    let slug = |name: &String| target::model(name, &[]).map(|model| model.slug);
    let like = args.like.as_ref().map(slug).transpose()?;
    let not: Vec<String> = args.not.iter().map(slug).collect::<Result<_, _>>()?;
    let subject = Subject::changed(on, &[], None)?;
    let capacity = capacity(args, &subject)?;
    let bench = Bench::new(&args.bench)?;
    let options = match subject.real {
        true => bench.options,
        false => bench.options_of(&target::model(&subject.target, &subject.set)?),
    };
    let tests = on_target(args, &subject, Some(output), options);
    let usual = Usual::in_library(&not);
    let (tested, saved) = Tested::of(&tests, capacity, &bench.pool, &mut console)?;
    let sibling = match like {
        Some(like) => like,
        None => sibling::nearest(&bench, &tested, &not)?,
    };
    let made = stages::make(&bench, &tested, &sibling, &usual)?;
    model::write(&made, &subject.label, output)?;
    let twin = answer(&subject.label, &tested, made);
    match args.json {
        true => files::print(&files::json_text(&twin)?)?,
        false => {
            files::print(&format!("{}\nThe model: {}\n", show::shown(&twin), output.display()))?
        }
    }
    saved.into_iter().rev().for_each(Saved::forget);
    Ok(())
}

/// How a target is put through the tests; a model is measured as those that it is compared with.
fn on_target<'a>(
    args: &'a TwinArgs,
    subject: &'a Subject,
    output: Option<&'a Path>,
    options: BenchOptions,
) -> OnTarget<'a> {
    OnTarget::new("twin", (subject, &args.real), output, options)
}

fn check_output(args: &TwinArgs, output: &Path) -> Result<(), Failure> {
    fit::check_ending(output)?;
    let flash = fit::nand_file(output);
    files::check_places([output.to_owned(), flash].iter(), args.real.consent.overwrite)
}

/// The user capacity of the target, bytes.
fn capacity(args: &TwinArgs, subject: &Subject) -> Result<f64, Failure> {
    let given = args.capacity.map(|bytes| bytes.base() as f64);
    if !subject.real {
        let model = target::model(&subject.target, &subject.set)?;
        let own = match model.lone() {
            Some(medium @ Medium::Flash(_)) => medium.capacity() as f64,
            Some(_) => return Err(no_twin("a twin is of a flash drive, and this is none")),
            None => return Err(no_twin("a twin is of one drive, and this is a system")),
        };
        return Ok(given.unwrap_or(own));
    }
    if let Some(given) = given {
        return Ok(given);
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

fn no_twin(message: &str) -> Failure {
    Failure::wrong(message).with_help("`drivelab list drives` names the flash drives")
}

/// A twin that is further off its own tests than this, in the median, is no model of its drive.
const NO_TWIN: f64 = 0.1;

/// What is said of a twin.
fn answer(name: &str, of: &Tested, made: Made) -> Twin {
    let judged = made.judged.iter();
    let figures = judged.flat_map(|judged| judged.problem.figures.iter().zip(&judged.seen));
    let one = |(figure, seen): (&::fit::Wanted, &::fit::Seen)| {
        Some(test(of.numbers.get(&figure.id)?, seen.value))
    };
    let tests: Vec<TwinTest> = figures.filter_map(one).collect();
    let median_off = median_of(tests.iter().map(|test| test.off().abs()));
    let doubt = (median_off > NO_TWIN).then(|| {
        "half of the tests are missed by more than a tenth: this is not a drive such as those of \
         the library, or something disturbed its tests; the twin is of little use"
            .to_owned()
    });
    Twin {
        schema: Twin::SCHEMA.to_owned(),
        target: name.to_owned(),
        sibling: made.draft.slug,
        values: made.values,
        median_off,
        tests,
        notes: doubt.into_iter().chain(made.notes).chain(of.notes.iter().cloned()).collect(),
    }
}

fn test(number: &Number, twin: f64) -> TwinTest {
    TwinTest {
        id: number.id.clone(),
        test: number.run.label(),
        metric: number.metric.clone(),
        unit: number.unit().to_owned(),
        measured: number.value,
        twin,
    }
}

/// The middle of values; 0 of none.
fn median_of(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    stats::median(&values).unwrap_or(0.0)
}

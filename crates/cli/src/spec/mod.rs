//! `drivelab spec`: a target against the data sheet of a drive.

mod args;
mod causes;
mod judge;
mod rows;

use crate::console::Console;
use crate::files;
use crate::laboratory::{bench_options, run_key_of, threads};
use crate::on_real;
use crate::on_target::{Asked, OnTarget};
use crate::render::Failure;
use crate::subject::Subject;
use answer::Spec;
use answer::spec::{SpecRow, SpecVerdict};
pub use args::SpecArgs;
use lab::Run;
use metric::{MeasureError, Measurement, Metric, show_metric};
use report::{Column, Table};
use rows::Row;
use std::collections::BTreeMap;

/// What runs gave, by their names.
type Made = BTreeMap<String, Result<Measurement, MeasureError>>;

/// Runs the command.
pub fn command(args: &SpecArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.bench.quiet);
    files::check_places(args.output.iter(), args.real.consent.overwrite)?;
    let subject = Subject::changed(&args.on, &[], None)?;
    if subject.real {
        on_real::check_options(&args.bench)?;
    }
    let (drive, rows) = rows::rows(&args.drive, &subject.target, subject.real)?;
    let looked = match subject.real {
        true => args.real.consent.look(&subject.target)?,
        false => Vec::new(),
    };
    // What disturbs the measurement is seen before it: it is a load itself.
    let looked: Vec<causes::Looked> = looked.into_iter().map(causes::Looked::now).collect();
    let made = measure(args, &subject, &rows, &mut console)?;
    let answer = judged(&drive, &subject, &rows, &made, &looked);
    let text = match args.json {
        true => files::json_text(&answer)?,
        false => shown(&answer),
    };
    files::deliver(&text, args.output.as_deref())?;
    match answer.is_short() {
        false => Ok(()),
        true => Err(Failure::failed(format!("{} is short of the sheet of {drive}", subject.label))),
    }
}

/// Makes each run once.
fn measure(
    args: &SpecArgs,
    subject: &Subject,
    rows: &[Row],
    console: &mut Console,
) -> Result<Made, Failure> {
    let (of, options) = ((subject, &args.real), bench_options(&args.bench));
    let on = OnTarget::new("spec", of, args.output.as_deref(), options);
    let runs = rows.iter().filter_map(|row| row.run.as_ref().ok());
    let asked: Vec<Asked<'_>> = runs.map(|run| Asked { run, follows: false }).collect();
    let (made, saved) = on.measure(&asked, &threads(&args.bench)?, console)?;
    saved.forget();
    Ok(asked.into_iter().map(|asked| name_of(asked.run)).zip(made).collect())
}

/// A run among those of a sheet: all are of one target.
fn name_of(run: &Run) -> String {
    run_key_of(run, "")
}

fn judged(
    drive: &str,
    subject: &Subject,
    rows: &[Row],
    made: &Made,
    looked: &[causes::Looked],
) -> Spec {
    let of = |row: &Row| {
        let run = row.run.as_ref().ok()?;
        made.get(&name_of(run))
    };
    let judged: Vec<SpecRow> = rows.iter().map(|row| judge::judged(row, of(row))).collect();
    let states = rows.iter().filter_map(|row| row.run.as_ref().ok()?.params.state());
    let target = causes::Target {
        drive,
        looked,
        measured: made.values().filter_map(|made| made.as_ref().ok()).collect(),
        states: states.collect(),
    };
    let causes = causes::causes(&target, &judged);
    Spec { drive: drive.to_owned(), target: subject.label.clone(), rows: judged, causes }
}

fn shown(answer: &Spec) -> String {
    let columns = vec![
        Column::left("Row"),
        Column::left("Test"),
        Column::left("Metric"),
        Column::right("Rated"),
        Column::right("Measured"),
        Column::right("Of rated"),
        Column::left("Verdict"),
    ];
    let mut table = Table::new(columns);
    for row in &answer.rows {
        let text = |value: f64| match Metric::parse(&row.metric) {
            Ok((metric, _)) => show_metric(&row.metric, metric.dimension(), value),
            Err(_) => value.to_string(),
        };
        let share = |value: f64| format!("{:.1} %", 100.0 * value / row.rated);
        let none = || "-".to_owned();
        table.row(vec![
            row.id.clone(),
            row.test.clone(),
            row.metric.clone(),
            text(row.rated),
            row.measured.map_or_else(none, text),
            row.measured.map_or_else(none, share),
            match (row.verdict, &row.why) {
                (SpecVerdict::NotMeasured, Some(why)) => format!("not measured: {why}"),
                (verdict, _) => verdict.word().to_owned(),
            },
        ]);
    }
    let mut text = format!("{} against the sheet of {}\n\n", answer.target, answer.drive);
    text += &table.to_text();
    if answer.is_short() {
        text += match answer.causes.is_empty() {
            true => "\nNothing was seen that would make it slower than it is rated.\n",
            false => "\nWhat likely keeps it short:\n",
        };
    }
    for cause in &answer.causes {
        text += &format!("- {cause}\n");
    }
    text
}

//! `drivelab shelf`: results of earlier campaigns, and what has changed since.

mod args;
mod compare;
mod store;

use crate::files;
use crate::render::Failure;
use answer::shelf::{ShelfComparison, ShelfRow, Shelved, Side};
pub use args::ShelfArgs;
use args::{AddArgs, CompareArgs, ListArgs, ShelfCommand};
use metric::{Metric, show_metric, tail};
use report::{Column, Table};
use store::Kept;

/// Runs the command.
pub fn command(args: &ShelfArgs) -> Result<(), Failure> {
    match &args.command {
        ShelfCommand::Add(args) => add(args),
        ShelfCommand::List(args) => list(args),
        ShelfCommand::Compare(args) => compare(args),
    }
}

fn add(args: &AddArgs) -> Result<(), Failure> {
    store::check_name(&args.name)?;
    let shelf = store::directory(&args.place)?;
    let mut text = String::new();
    for record in &args.records {
        let shown = record.display();
        text += &match store::add(&shelf, &args.name, record)? {
            Some(place) => format!("{shown}: kept as {}\n", place.display()),
            None => format!("{shown}: is there already\n"),
        };
    }
    files::print(&text)
}

fn list(args: &ListArgs) -> Result<(), Failure> {
    let kept = store::all(&store::directory(&args.place)?)?;
    let all: Vec<&Shelved> = kept.iter().map(|kept| &kept.about).collect();
    if args.json {
        return files::print(&files::json_text(&all)?);
    }
    if all.is_empty() {
        return files::print("Nothing is kept yet; `drivelab shelf add RECORD --as NAME`.\n");
    }
    let columns = ["Name", "Method", "Target", "Drive", "Date"].map(Column::left);
    let mut table = Table::new(columns.into());
    for about in all {
        table.row(vec![
            about.name.clone(),
            about.method.clone(),
            about.target.clone(),
            about.drive.clone().unwrap_or_else(|| "-".to_owned()),
            about.date.clone(),
        ]);
    }
    files::print(&table.to_text())
}

fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let kept = store::all(&store::directory(&args.place)?)?;
    for name in [&args.first, &args.second] {
        if !kept.iter().any(|kept| kept.about.name == *name) {
            return Err(unknown(name, &kept));
        }
    }
    for metric in &args.metric {
        Metric::parse(metric).map_err(|hint| Failure::wrong(format!("`{metric}`: {hint}")))?;
    }
    let names = [args.first.as_str(), args.second.as_str()];
    let comparison = compare::comparison(&kept, names, &args.metric, args.points);
    match args.json {
        true => files::print(&files::json_text(&comparison)?),
        false => files::print(&shown(&comparison)),
    }
}

fn unknown(name: &str, kept: &[Kept]) -> Failure {
    let mut names: Vec<&str> = kept.iter().map(|kept| kept.about.name.as_str()).collect();
    names.dedup();
    let help = match names.is_empty() {
        true => "nothing is kept yet: `drivelab shelf add RECORD --as NAME`".to_owned(),
        false => format!("kept are {}", names.join(", ")),
    };
    Failure::wrong(format!("nothing is kept as `{name}`")).with_help(help)
}

fn shown(comparison: &ShelfComparison) -> String {
    let mut text = side(&comparison.first) + &side(&comparison.second) + "\n";
    let columns = vec![
        Column::left("Test"),
        Column::left("Metric"),
        Column::right(&comparison.first.name),
        Column::right(&comparison.second.name),
        Column::left("Difference"),
    ];
    let mut table = Table::new(columns);
    for row in &comparison.rows {
        let test = match row.point.is_empty() {
            true => row.test.clone(),
            false => format!("{}: {}", row.test, row.point),
        };
        let cells = [&row.first, &row.second].map(|values| cell(row, values));
        let [first, second] = cells;
        table.row(vec![test, row.metric.clone(), first, second, difference(row)]);
    }
    match comparison.rows.is_empty() {
        true => text += "No test is of both.\n",
        false => text += &table.to_text(),
    }
    if comparison.rows.iter().any(|row| row.verdict.is_none()) {
        text += "\nOne run says nothing about chance: keep two or more of each test.\n";
    }
    if !comparison.alone.is_empty() {
        text += "\nOf one only:\n";
        text += &comparison.alone.iter().map(|test| format!("- {test}\n")).collect::<String>();
    }
    text
}

fn side(side: &Side) -> String {
    let drives = match side.drives.is_empty() {
        true => "a model, or a drive that tells nothing of itself".to_owned(),
        false => side.drives.join("; "),
    };
    let span = match (side.dates.first(), side.dates.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(only), _) => only.clone(),
        (None, _) => String::new(),
    };
    format!("{}: {drives} ({span})\n", side.name)
}

fn cell(row: &ShelfRow, values: &[f64]) -> String {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let text = match Metric::parse(tail(&row.metric)) {
        Ok((metric, _)) => show_metric(metric.name(), metric.dimension(), mean),
        Err(_) => mean.to_string(),
    };
    match values.len() {
        1 => text,
        runs => format!("{text} (of {runs})"),
    }
}

fn difference(row: &ShelfRow) -> String {
    let Some(relative) = row.relative else { return "-".to_owned() };
    let relative = format!("{:+.1}", 100.0 * relative);
    match (row.relative_half_width, row.verdict) {
        (Some(half), Some(verdict)) => {
            format!("{relative} +-{:.1} % {}", 100.0 * half, verdict.word())
        }
        _ => format!("{relative} %"),
    }
}

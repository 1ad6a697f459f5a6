//! The figures of a fit: which rows of which files count, and how sure each is.

use super::record;
use crate::files;
use crate::render::Failure;
use answer::reproduction::Basis;
use lab::Run;
use library::System;
use metric::{Metric, nearest};
use review::{Figure, Kind, Library, Named, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A figure to be met.
#[derive(Clone, Debug)]
pub struct Row {
    /// The figure, about the model that is fitted.
    pub figure: Figure,
    /// Its relative standard uncertainty as published.
    pub sigma: f64,
}

/// Relative standard uncertainty of a value from a histogram, 0 of others: it is anywhere in its
/// bucket (the standard deviation of a uniform distribution is its half width over the root of 3).
pub fn bucket(metric: &Metric) -> f64 {
    metric.resolution(1.0) / 3f64.sqrt()
}

/// Rows and what is to be said of those that were left out.
pub struct Rows {
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
}

/// The figures of the files that are about the model.
pub fn read(sources: &[String], only: &[String], model: &System) -> Result<Rows, Failure> {
    let mut library = Library::shipped()?;
    let mut reviews = Vec::new();
    let mut sampled: BTreeMap<String, f64> = BTreeMap::new();
    let mut brought = false;
    let mut notes = Vec::new();
    let names = names_of(model);
    for source in sources {
        let path = Path::new(source);
        let is_file = source.contains('/') || source.ends_with(".toml") || path.is_file();
        if !is_file {
            reviews.push(source.clone());
            continue;
        }
        brought = true;
        let text = files::text(path, "the figures", "a reviews file is TOML, a Record JSON")?;
        if text.trim_start().starts_with('{') {
            let rows = record::rows(path, &text, &names, &model.slug)?;
            sampled.extend(rows.sigma);
            notes.extend(rows.notes);
            library.add(source, &rows.text)?;
        } else {
            library.add(source, &text)?;
        }
    }
    let mut figures = Vec::new();
    if brought {
        figures.extend(library.select(&[]).map_err(Failure::wrong)?.figures);
    }
    if !reviews.is_empty() {
        let help = "name a review (`drivelab list reviews`), or a file with a `/` or .toml in it";
        let wrong = |why| Failure::wrong(why).with_help(help);
        figures.extend(library.select(&reviews).map_err(wrong)?.figures);
    }
    let mut seen = BTreeSet::new();
    figures.retain(|figure| seen.insert(figure.id.clone()));
    let all = figures.clone();
    figures.retain(|figure| is_about(figure, &names));
    if figures.is_empty() {
        return Err(none_of(&all, model, sources));
    }
    choose_only(&mut figures, only)?;
    let mut left_out: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut rows = Vec::new();
    for figure in figures {
        match reason(&figure, !only.is_empty()) {
            Some(why) => left_out.entry(why).or_default().push(figure.id.clone()),
            None => {
                let sampling = sampled.get(&figure.id).copied();
                rows.push(Row { sigma: uncertainty(&figure, sampling), figure });
            }
        }
    }
    for (why, ids) in &left_out {
        notes.push(format!("left out, {why}: {}", listed(ids)));
    }
    if rows.is_empty() {
        let help = left_out.iter().map(|(why, ids)| format!("{why}: {}", listed(ids)));
        let help: Vec<String> = help.collect();
        let message = format!("no figure of `{}` can be fitted to", model.slug);
        return Err(Failure::wrong(message).with_help(help.join("\n")));
    }
    rows.iter_mut().for_each(|row| row.figure = about(&row.figure, &names, &model.slug));
    Ok(Rows { rows, notes })
}

/// The names under which rows speak of the model: itself, and the drive of the library whose name
/// its file bears.
fn names_of(model: &System) -> BTreeSet<String> {
    let known = library::find(model.name()).ok().map(str::to_owned);
    known.into_iter().chain([model.slug.clone()]).collect()
}

fn is_about(figure: &Figure, names: &BTreeSet<String>) -> bool {
    match &figure.subject {
        Subject::Runs { target, .. } => names.contains(&target.name),
        Subject::NotModelled(_) => {
            library::find(&figure.device).is_ok_and(|slug| names.contains(slug))
        }
    }
}

/// The figure with the model's own name in all its runs.
fn about(figure: &Figure, names: &BTreeSet<String>, slug: &str) -> Figure {
    let mut figure = figure.clone();
    if let Subject::Runs { target, runs, .. } = &mut figure.subject {
        *target = Named { name: slug.to_owned(), ..target.clone() };
        for run in runs {
            *run = Run { target: slug.to_owned(), ..run.clone() };
        }
    }
    if figure.relative_to.as_ref().is_some_and(|name| names.contains(name)) {
        figure.relative_to = Some(slug.to_owned());
    }
    figure
}

/// Why a figure is no value to fit to.
fn reason(figure: &Figure, chosen: bool) -> Option<&'static str> {
    let runs = figure.subject.runs();
    match figure.kind {
        _ if figure.basis == Basis::NotModelled || runs.is_empty() => Some("not modelled"),
        _ if figure.metric.is_carried() => Some("no method measures it"),
        _ if runs.iter().all(Run::is_fact) => Some("the model states it"),
        _ if figure.bound.is_some() => Some("a bound, no value"),
        _ if figure.value_to.is_some() => Some("a range, no value"),
        _ if figure.standing.refuted.is_some() => Some("refuted by its own review"),
        _ if figure.value == 0.0 => Some("nothing compares with zero"),
        Kind::Measured | Kind::Spec => None,
        _ if chosen => None,
        _ => Some("neither measured nor specified"),
    }
}

/// Relative standard uncertainty as published: the last digit, the bucket, the samples.
fn uncertainty(figure: &Figure, sampling: Option<f64>) -> f64 {
    let bucket = bucket(&figure.metric);
    let rounding = match sampling {
        // A Record has all digits.
        Some(sampling) => sampling,
        None => figure.rounding / figure.value.abs() / 3f64.sqrt(),
    };
    rounding.hypot(bucket)
}

fn choose_only(figures: &mut Vec<Figure>, only: &[String]) -> Result<(), Failure> {
    if only.is_empty() {
        return Ok(());
    }
    let fits = |pattern: &str, id: &str| match pattern.strip_suffix('*') {
        Some(beginning) => id.starts_with(beginning),
        None => id == pattern,
    };
    for pattern in only {
        if !figures.iter().any(|figure| fits(pattern, &figure.id)) {
            let ids: Vec<String> = figures.iter().map(|figure| figure.id.clone()).collect();
            let help = match nearest(pattern, ids.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its figures: {}", listed(&ids)),
            };
            let message = format!("no figure of the drive is called `{pattern}`");
            return Err(Failure::wrong(message).with_help(help));
        }
    }
    figures.retain(|figure| only.iter().any(|pattern| fits(pattern, &figure.id)));
    Ok(())
}

fn none_of(all: &[Figure], model: &System, sources: &[String]) -> Failure {
    let drives: BTreeSet<&str> = all
        .iter()
        .filter_map(|figure| match &figure.subject {
            Subject::Runs { target, .. } => Some(target.name.as_str()),
            Subject::NotModelled(_) => None,
        })
        .collect();
    let drives: Vec<String> = drives.into_iter().map(str::to_owned).collect();
    let message = format!("{} has no figure of `{}`", sources.join(" and "), model.slug);
    Failure::wrong(message).with_help(match drives.is_empty() {
        true => "none of its rows is modelled".to_owned(),
        false => format!("it has figures of {}", listed(&drives)),
    })
}

/// At most eight names; more are a number.
pub fn listed(names: &[String]) -> String {
    match names.len() {
        0..=8 => names.join(", "),
        more => format!("{} and {} more", names[..7].join(", "), more - 7),
    }
}

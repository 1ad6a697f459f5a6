//! The answer of `drivelab sweep` as text.

use crate::number::percent;
use crate::table::{Column, Table};
use answer::comparison::Tendency;
use answer::sweep::{Kept, SweepPoint, SweepValue};
use answer::{Pairs, Sweep};
use metric::{Dimension, Metric, Shown, counted, plain, tail};

/// What a point holds for its user, which is no metric of a run.
const CAPACITY: &str = "usable_capacity";

/// Points of the Pareto set that are shown.
const POINTS: usize = 20;

/// The Pareto set, what binds, and what each factor does.
pub fn sweep_table(sweep: &Sweep) -> String {
    let mut text = head(sweep);
    if !sweep.pareto.is_empty() {
        text.push_str(&pareto(sweep));
    }
    text.push_str(&binding(sweep));
    text.push_str(&effects(sweep));
    text.push_str(&failures(sweep));
    text
}

fn head(sweep: &Sweep) -> String {
    let failed = match sweep.failed {
        0 => String::new(),
        count => format!(", {count} failed"),
    };
    let runs = match (sweep.seeds.len(), sweep.runs) {
        (1, _) => String::new(),
        (most, Some(all)) => format!(", a race of up to {most} runs each, {all} in all"),
        (runs, None) => format!(", {runs} runs each"),
    };
    let rungs = sweep.rungs.iter().skip(1).map(|rung| {
        let times = rung.ios as f64 / sweep.rungs[0].ios.max(1) as f64;
        format!(
            ", {} of them with {} x the I/Os",
            rung.points,
            plain((times * 10.0).round() / 10.0)
        )
    });
    let rungs: String = rungs.collect();
    let (points, sampler, load) = (sweep.points, &sweep.sampler, &sweep.load);
    let points = counted(points, "point");
    format!("{points} ({sampler}){rungs}{runs}{failed}: {load}\n\n")
}

/// Metrics with columns: what is sought, then what is required.
pub(crate) fn columns(sweep: &Sweep) -> Vec<&str> {
    let mut all: Vec<&str> = sweep.objectives.iter().map(|goal| goal.metric.as_str()).collect();
    let points = sweep.pareto.iter().chain(&sweep.all);
    for (name, _) in points.flat_map(|point| point.values.iter()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// A point by the values of its factors.
pub(crate) fn placed(at: &Pairs<String>, between: &str) -> String {
    at.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(between)
}

/// The base unit of a value of a sweep; of a cost the user's currency.
pub(crate) fn base_unit(sweep: &Sweep, metric: &str) -> String {
    match sweep.objectives.iter().find(|goal| goal.metric == metric) {
        _ if metric == CAPACITY => "B".to_owned(),
        Some(goal) => goal.unit.clone(),
        None => Metric::parse(tail(metric))
            .map_or_else(|_| "1".to_owned(), |(metric, _)| metric.dimension().base().to_owned()),
    }
}

fn pareto(sweep: &Sweep) -> String {
    let metrics = columns(sweep);
    let mut columns: Vec<Column> = sweep.factors.iter().map(|name| Column::left(name)).collect();
    columns.extend(metrics.iter().map(|name| Column::right(&title(sweep, name))));
    columns.push(Column::left("Limited by"));
    let mut table = Table::new(columns);
    for point in sweep.pareto.iter().take(POINTS) {
        let mut cells: Vec<String> = sweep
            .factors
            .iter()
            .map(|name| point.at.get(name).cloned().unwrap_or_default())
            .collect();
        cells.extend(metrics.iter().map(|name| cell(sweep, point, name)));
        let open = if point.verdict == Kept::Open { " (open)" } else { "" };
        cells.push(format!("{}{open}", point.limited_by.join(", ")));
        table.row(cells);
    }
    let beyond = sweep.pareto.len().saturating_sub(POINTS);
    if beyond > 0 {
        table.notes.push(format!("and {beyond} more: --json, points.parquet"));
    }
    if sweep.pareto.iter().any(|point| point.verdict == Kept::Open) {
        table.notes.push("(open): a limit is within the interval of a value".to_owned());
    }
    let text = table.to_text();
    format!("{}\n\n{text}{}", of_set(sweep), best(sweep))
}

/// What the points of the Pareto set are.
pub(crate) fn of_set(sweep: &Sweep) -> &'static str {
    match sweep.best_by_load.is_empty() {
        true => "Points that no other is surely better than",
        false => "Points that no other under the same load is surely better than",
    }
}

/// The answer in a line, or in one a load.
fn best(sweep: &Sweep) -> String {
    let Some(goal) = sweep.objectives.first() else { return String::new() };
    let line = |best: &SweepPoint| {
        let at = placed(&best.at, ", ");
        format!("Best {}{}: {at}\n", goal.metric, sureness(sweep, best.verdict))
    };
    let lines: String = sweep.bests().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// How sure the best is of what is required, as it is said behind it.
pub(crate) fn sureness(sweep: &Sweep, verdict: Kept) -> &'static str {
    match (sweep.requirements.is_empty(), verdict) {
        (true, _) => "",
        (false, Kept::Met) if sweep.seeds.len() < 2 => ", which keeps every limit in its one run",
        (false, Kept::Met) => ", sure of every limit",
        (false, _) => ", but not sure of every limit",
    }
}

/// The heading of a metric, with its direction.
fn title(sweep: &Sweep, name: &str) -> String {
    let currency = sweep.currency.as_deref().filter(|text| name == "cost" && !text.is_empty());
    let currency = currency.map(|text| format!(" {text}")).unwrap_or_default();
    format!("{name}{currency}{}", direction(sweep, name))
}

/// Which values of a metric are sought, as its heading says it; nothing if none are.
pub(crate) fn direction(sweep: &Sweep, name: &str) -> &'static str {
    let goal = sweep.objectives.iter().find(|goal| goal.metric == name);
    match goal.map(|goal| goal.better) {
        Some(Tendency::Lower) => " (low)",
        Some(Tendency::Higher) => " (high)",
        None => "",
    }
}

fn cell(sweep: &Sweep, point: &SweepPoint, name: &str) -> String {
    let Some(value) = point.values.get(name) else { return "-".to_owned() };
    let all = sweep.pareto.iter().filter_map(|point| point.values.get(name));
    let largest = all.map(|value| value.value.abs()).fold(0.0, f64::max);
    let unit = unit(name, largest);
    match value {
        SweepValue { value, low95: Some(low), high95: Some(high), .. } => {
            let (low, high) = (unit.number(*low), unit.number(*high));
            format!("{} [{low}, {high}]", unit.text(*value))
        }
        _ => unit.text(value.value),
    }
}

/// The unit in which values of about a size are read.
fn unit(name: &str, size: f64) -> Shown {
    match Metric::parse(tail(name)) {
        Ok((metric, _)) => Shown::of_metric(metric.name(), metric.dimension(), size),
        Err(_) if name == CAPACITY => Shown::of_volume(size),
        Err(_) => Shown::of(Dimension::Number, size),
    }
}

fn binding(sweep: &Sweep) -> String {
    if sweep.requirements.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::left("Required"),
        Column::right("Fail it"),
        Column::right("Fail it alone"),
        Column::right("Open"),
        Column::right("Margin of the best"),
    ]);
    for one in &sweep.requirements {
        let margin = one.margin.map_or_else(|| "-".to_owned(), percent);
        table.row(vec![
            one.text.clone(),
            one.failed.to_string(),
            one.failed_alone.to_string(),
            one.open.to_string(),
            margin,
        ]);
    }
    let none = match sweep.bests().next() {
        None if !sweep.objectives.is_empty() => "No point keeps all requirements.\n",
        _ => "",
    };
    format!("\n{}{none}", table.to_text())
}

fn effects(sweep: &Sweep) -> String {
    if sweep.effects.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::left("Metric"),
        Column::left("Factor"),
        Column::right("Alone explains"),
        Column::left("Lowest mean"),
        Column::left("Highest mean"),
    ]);
    let mut last = "";
    for effect in &sweep.effects {
        let unit = unit(&effect.metric, effect.highest.abs());
        let name = if effect.metric == last { "" } else { &effect.metric };
        last = &effect.metric;
        table.row(vec![
            name.to_owned(),
            effect.factor.clone(),
            percent(effect.share),
            format!("{} at {}", unit.text(effect.lowest), effect.lowest_at),
            format!("{} at {}", unit.text(effect.highest), effect.highest_at),
        ]);
    }
    format!("\n{}", table.to_text())
}

fn failures(sweep: &Sweep) -> String {
    if sweep.failures.is_empty() {
        return String::new();
    }
    let mut text = "\nFailed\n".to_owned();
    for failed in &sweep.failures {
        let at = placed(&failed.at, " ");
        let others = match failed.points {
            1 => String::new(),
            count => format!(" and {} more", plain((count - 1) as f64)),
        };
        text.push_str(&format!("  {at}{others}: {}\n", failed.message));
    }
    text
}

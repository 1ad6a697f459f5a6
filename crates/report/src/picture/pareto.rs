//! A sweep: the points that no other is surely better than, what binds, what each factor does.

use super::{Options, parallel};
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::number::percent;
use crate::quantity::{Shown, short};
use crate::source::Source;
use crate::sweep::{base_unit, columns, of_set, placed, sureness};
use answer::comparison::Tendency;
use answer::sweep::{Kept, Required, Sought, SweepPoint};
use answer::{Answer, Sweep};
use metric::{counted, tail};

/// A section for every sweep.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let sweep = |source: &Source| match &source.answer {
        Answer::Sweep(sweep) => Some(section(sweep)),
        _ => None,
    };
    sources.iter().filter_map(sweep).collect()
}

fn section(sweep: &Sweep) -> Section {
    let mut section = Section::new(format!("Sweep: {}", sweep.load), "sweep");
    section.blocks.push(Block::Answer(comes_to(sweep)));
    section.blocks.extend(front(sweep).map(Block::chart));
    if !sweep.pareto.is_empty() {
        section.blocks.push(Block::Table(pareto(sweep)));
    }
    section.blocks.extend(parallel::chart(sweep).map(Block::chart));
    if !sweep.requirements.is_empty() {
        section.blocks.push(Block::Table(required(&sweep.requirements)));
    }
    if !sweep.effects.is_empty() {
        section.blocks.push(Block::chart(effects(sweep)));
        section.blocks.push(Block::Table(means(sweep)));
    }
    let warning = |text: &String| Block::Note(Tone::Warning, text.clone());
    section.blocks.extend(sweep.warnings.iter().map(warning));
    let failed = |failed: &answer::sweep::FailedPoint| {
        let at = placed(&failed.at, ", ");
        Block::Note(
            Tone::Problem,
            format!("{} failed ({at}): {}", counted(failed.points, "point"), failed.message),
        )
    };
    section.blocks.extend(sweep.failures.iter().map(failed));
    section
}

/// What was looked at, and the best of it.
fn comes_to(sweep: &Sweep) -> String {
    let head = format!("{} ({})", counted(sweep.points, "point"), sweep.sampler);
    let Some(goal) = sweep.objectives.first() else { return format!("{head}.") };
    let told = |best: &SweepPoint| {
        let value = best.values.get(&goal.metric);
        let value = value.map(|value| unit(sweep, &goal.metric, value.value).text(value.value));
        let value = value.map_or_else(String::new, |value| format!(" of {value}"));
        let (at, kept) = (placed(&best.at, ", "), sureness(sweep, best.verdict));
        format!(" The best {}{value}{kept}: {at}.", goal.metric)
    };
    let best: String = sweep.bests().map(told).collect();
    match (best.is_empty(), sweep.requirements.is_empty()) {
        (true, false) => format!("{head}: none keeps all requirements."),
        _ => format!("{head}.{best}"),
    }
}

/// The unit in which values of a metric about a size are read.
fn unit(sweep: &Sweep, metric: &str, size: f64) -> Shown {
    let base = base_unit(sweep, metric);
    Shown::of(&base, tail(metric), size.abs())
}

fn title(goal: &Sought) -> String {
    let direction = match goal.better {
        Tendency::Lower => "lower",
        Tendency::Higher => "higher",
    };
    format!("{} ({direction} is better)", goal.metric)
}

/// The first two goals against each other.
fn front(sweep: &Sweep) -> Option<Chart> {
    let [across, upwards, ..] = sweep.objectives.as_slice() else { return None };
    let of = |point: &SweepPoint, goal: &Sought| point.values.get(&goal.metric).copied();
    let largest = |goal: &Sought| {
        let all = sweep.pareto.iter().filter_map(|point| of(point, goal));
        all.map(|value| value.value.abs()).fold(0.0, f64::max)
    };
    let x = unit(sweep, &across.metric, largest(across));
    let y = unit(sweep, &upwards.metric, largest(upwards));
    let mut lines = Vec::new();
    for (name, verdict, style) in
        [("sure of every limit", Kept::Met, Style::Dots), ("open", Kept::Open, Style::Rings)]
    {
        let mut line = Line::new(name, style, Vec::new());
        for point in sweep.pareto.iter().filter(|point| point.verdict == verdict) {
            let (Some(at), Some(value)) = (of(point, across), of(point, upwards)) else { continue };
            line.points.push(vec![short(at.value * x.factor), short(value.value * y.factor)]);
            let ends = value.low95.zip(value.high95);
            let ends = ends.map(|(low, high)| (short(low * y.factor), short(high * y.factor)));
            line.intervals.push(ends);
            line.labels.push(placed(&point.at, ", "));
        }
        if !line.points.is_empty() {
            lines.push(line);
        }
    }
    (!lines.is_empty()).then(|| Chart {
        title: of_set(sweep).to_owned(),
        about: "Whiskers are 95 % intervals of the runs.".to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::new(title(across), x.unit, Scale::Linear),
        y: Axis::new(title(upwards), y.unit, Scale::Linear),
        lines,
        ..Chart::default()
    })
}

fn pareto(sweep: &Sweep) -> DataTable {
    let metrics = columns(sweep);
    let mut titles: Vec<String> = sweep.factors.clone();
    titles.extend(metrics.iter().map(|metric| format!("#{metric}")));
    titles.push("limited by".to_owned());
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let caption = format!("{}, with 95 % intervals", of_set(sweep));
    let mut table = DataTable::new(caption, &titles);
    for point in &sweep.pareto {
        let factor = |name: &String| Cell::text(point.at.get(name).cloned().unwrap_or_default());
        let mut row: Vec<Cell> = sweep.factors.iter().map(factor).collect();
        row.extend(metrics.iter().map(|metric| match point.values.get(metric) {
            Some(value) => {
                let unit = unit(sweep, metric, value.value);
                let ends = value.low95.zip(value.high95).filter(|(low, high)| low < high);
                let ends = ends.map_or_else(String::new, |(low, high)| {
                    format!(" [{}, {}]", unit.number(low), unit.number(high))
                });
                let text = format!("{}{ends}", unit.text(value.value));
                Cell::number(text, short(value.value))
            }
            None => Cell::text("-"),
        }));
        let open = if point.verdict == Kept::Open { " (open)" } else { "" };
        row.push(Cell::text(format!("{}{open}", point.limited_by.join(", "))));
        table.rows.push(row);
    }
    table
}

fn required(requirements: &[Required]) -> DataTable {
    let titles = ["Required", "#Fail it", "#Fail it alone", "#Open", "#Margin of the best"];
    let mut table = DataTable::new("What binds", &titles);
    for one in requirements {
        let count = |count: usize| Cell::number(count.to_string(), count as f64);
        let margin = one.margin.map(|margin| Cell::number(percent(margin), short(margin)));
        table.rows.push(vec![
            Cell::text(&one.text),
            count(one.failed),
            count(one.failed_alone),
            count(one.open),
            margin.unwrap_or_else(|| Cell::text("-")),
        ]);
    }
    table
}

/// Of each metric the share of its variance that each factor explains by itself.
fn effects(sweep: &Sweep) -> Chart {
    let mut metrics: Vec<&str> = Vec::new();
    for effect in &sweep.effects {
        if !metrics.contains(&effect.metric.as_str()) {
            metrics.push(&effect.metric);
        }
    }
    let line = |factor: &String| {
        let share = |(at, metric): (usize, &&str)| {
            let found = sweep.effects.iter().find(|e| e.factor == *factor && e.metric == **metric);
            [at as f64, short(found.map_or(f64::NAN, |effect| effect.share * 100.0))]
        };
        Line::new(factor, Style::Line, metrics.iter().enumerate().map(share).collect())
    };
    Chart {
        kind: ChartKind::Bars,
        title: "What each factor does by itself".to_owned(),
        about: "What is missing to 100 % is what factors do together, and chance.".to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::names("", metrics.iter().map(|metric| (*metric).to_owned()).collect()),
        y: Axis {
            from: Some(0.0),
            to: Some(100.0),
            ..Axis::new("of the variance", "%", Scale::Linear)
        },
        lines: sweep.factors.iter().map(line).collect(),
        ..Chart::default()
    }
}

fn means(sweep: &Sweep) -> DataTable {
    let titles = ["Metric", "Factor", "#Alone explains", "Lowest mean", "Highest mean"];
    let mut table = DataTable::new("Means over all points at both ends of a factor", &titles);
    for effect in &sweep.effects {
        let unit = unit(sweep, &effect.metric, effect.highest);
        let mean = |mean: f64, at: &str| Cell::text(format!("{} at {at}", unit.text(mean)));
        table.rows.push(vec![
            Cell::text(&effect.metric),
            Cell::text(&effect.factor),
            Cell::number(percent(effect.share), short(effect.share)),
            mean(effect.lowest, &effect.lowest_at),
            mean(effect.highest, &effect.highest_at),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(value: f64, low: f64, high: f64) -> serde_json::Value {
        json!({ "value": value, "low95": low, "high95": high })
    }

    fn sweep() -> Sweep {
        let point = |drive: &str, verdict: &str, cost: f64, p99: f64| {
            json!({
                "ids": ["1"], "at": { "drive": drive }, "verdict": verdict,
                "values": {
                    "cost": value(cost, cost, cost),
                    "read_lat_p99": value(p99, p99 * 0.9, p99 * 1.1),
                    "usable_capacity": value(12e12, 12e12, 12e12),
                },
                "limited_by": ["dies"],
            })
        };
        let goal =
            |metric: &str, unit: &str| json!({ "metric": metric, "unit": unit, "better": "lower" });
        let all = json!({
            "schema": Sweep::SCHEMA, "load": "mixed", "method": "mixed", "params": {},
            "factors": ["drive"], "sampler": "grid", "points": 9, "rungs": [], "failed": 0,
            "seeds": [1, 2],
            "budget": { "seconds_each": 1.0, "ios_each": 1000, "scale": "4Mi units" },
            "objectives": [goal("cost", "USD"), goal("read_lat_p99", "s")],
            "requirements": [{
                "text": "read_lat_p99 < 1 ms", "failed": 2, "failed_alone": 1, "open": 0,
                "margin": 0.2,
            }],
            "best": point("a", "met", 100.0, 8e-4),
            "pareto": [point("a", "met", 100.0, 8e-4), point("b", "open", 90.0, 9e-4)],
            "effects": [{
                "factor": "drive", "metric": "read_lat_p99", "lowest_at": "a", "lowest": 8e-4,
                "highest_at": "b", "highest": 2e-3, "share": 0.9,
            }],
            "failures": [{ "at": { "drive": "c" }, "message": "too small", "points": 3 }],
            "warnings": ["a is assumed"],
        });
        answer::read(&all).unwrap()
    }

    #[test]
    fn a_sweep_shows_its_best_point_its_front_and_what_failed() {
        let section = section(&sweep());
        let Block::Answer(answer) = &section.blocks[0] else { panic!("no answer") };
        let best = "9 points (grid). The best cost of 100 USD, sure of every limit: drive=a.";
        assert_eq!(answer, best);
        let Block::Chart(front) = &section.blocks[1] else { panic!("no chart") };
        assert_eq!((front.x.unit.as_str(), front.y.unit.as_str()), ("USD", "us"));
        assert_eq!(front.lines.len(), 2, "what is sure, and what is open");
        assert_eq!(front.lines[1].points, [[90.0, 900.0]]);
        assert_eq!(front.lines[1].labels, ["drive=b"]);
        let Block::Table(points) = &section.blocks[2] else { panic!("no table") };
        let texts: Vec<&str> = points.rows[1].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["b", "90 USD", "900 us [810, 990]", "12 TB", "dies (open)"]);
        let failed = "3 points failed (drive=c): too small".to_owned();
        assert_eq!(section.blocks.last(), Some(&Block::Note(Tone::Problem, failed)));
    }

    #[test]
    fn one_run_is_sure_of_nothing_beyond_itself() {
        let one = Sweep { seeds: vec![1], ..sweep() };
        let told = comes_to(&one);
        assert!(told.contains("which keeps every limit in its one run"), "{told}");
    }

    #[test]
    fn a_sweep_of_which_nothing_keeps_the_limits_says_so() {
        let none = Sweep { best: None, pareto: vec![], ..sweep() };
        assert_eq!(comes_to(&none), "9 points (grid): none keeps all requirements.");
        assert!(front(&none).is_none());
    }

    #[test]
    fn where_the_load_is_varied_each_has_its_best_point() {
        let one = sweep();
        let best_by_load = vec![one.pareto[0].clone(), one.pareto[1].clone()];
        let several = Sweep { best: None, best_by_load, ..one };
        let told = "9 points (grid). The best cost of 100 USD, sure of every limit: drive=a. The \
                    best cost of 90 USD, but not sure of every limit: drive=b.";
        assert_eq!(comes_to(&several), told);
        assert_eq!(pareto(&several).caption, format!("{}, with 95 % intervals", of_set(&several)));
        assert!(of_set(&several).contains("under the same load"));
    }
}

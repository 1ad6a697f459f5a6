//! The answer of `drivelab choose` as text.

use crate::number::percent;
use crate::table::{Column, Table};
use answer::Choice;
use answer::choice::{Candidate, Condition, Limit, Verdict};
use answer::comparison::Tendency;
use answer::sweep::SweepValue;
use metric::{Dimension, Metric, Shown, YEAR_S, show, show_metric, tail};

/// What a candidate holds, and what it keeps of the rate: no metrics of a run.
const CAPACITY: &str = "usable_capacity";
const RATE_KEPT: &str = Limit::RATE_KEPT;

/// Which candidate to take and why, all of them, and each limit.
pub fn choice_table(choice: &Choice) -> String {
    let held = choice.candidates.iter().any(|one| !one.conditions.is_empty());
    let limits = if held { format!("\n{}", limits(choice)) } else { String::new() };
    format!("{}\n\n{}{limits}", decision(choice), candidates(choice))
}

/// The answer in a sentence or two.
pub(crate) fn decision(choice: &Choice) -> String {
    let metric = &choice.objective.metric;
    let least = match choice.objective.better {
        Tendency::Lower => "lowest",
        Tendency::Higher => "highest",
    };
    let Some(best) = choice.candidates.first() else { return "No candidate was named.".to_owned() };
    let value = best.objective.map(|value| format!(" ({})", sought(choice, &value)));
    let value = value.unwrap_or_default();
    let name = &best.name;
    match best.verdict {
        Verdict::Keeps => {
            let mut others = choice.candidates.iter().skip(1);
            match others.find(|one| one.verdict == Verdict::Keeps) {
                None => {
                    format!(
                        "Take {name}: it keeps every limit, and is the only one that does{value}."
                    )
                }
                Some(next) => format!(
                    "Take {name}: it keeps every limit, with the {least} {metric}{value} of those \
                     that do.{}",
                    not_surely(best, next)
                ),
            }
        }
        Verdict::Open => format!(
            "Perhaps {name}: it fails no limit for sure, and no candidate surely keeps all. What \
             is open{}.",
            nearest(best)
        ),
        Verdict::Fails if best.failure.is_some() => "No candidate could be measured.".to_owned(),
        Verdict::Fails => {
            format!(
                "None of them: every candidate fails a limit. The nearest is {name}{}.",
                nearest(best)
            )
        }
    }
}

/// That the next candidate may be as good in what decides.
fn not_surely(best: &Candidate, next: &Candidate) -> String {
    let ends = |one: &Candidate| {
        let value = one.objective?;
        Some((value.low95.unwrap_or(value.value), value.high95.unwrap_or(value.value)))
    };
    match ends(best).zip(ends(next)) {
        Some(((low, high), (other_low, other_high))) if low <= other_high && other_low <= high => {
            format!(" By chance {} may be as good.", next.name)
        }
        _ => String::new(),
    }
}

/// The limit that decides for a candidate.
fn nearest(one: &Candidate) -> String {
    let Some((condition, limit)) = one.tightest() else { return String::new() };
    format!(": {}{}, {}", limit.text, while_in(one, condition), margin(limit))
}

/// The condition, where there are several.
fn while_in(one: &Candidate, condition: &Condition) -> String {
    match one.conditions.len() {
        0 | 1 => String::new(),
        _ => format!(" while {}", condition.name),
    }
}

/// How far a value is from its limit.
pub(crate) fn margin(limit: &Limit) -> String {
    match limit.margin {
        None => "not known".to_owned(),
        Some(_) if limit.is_rate() && limit.verdict == Verdict::Keeps => "all of it".to_owned(),
        Some(margin) if margin < 0.0 => format!("{} beyond", percent(-margin)),
        Some(margin) => format!("{} to spare", percent(margin)),
    }
}

/// The limit that decides for a candidate and how far it is, or why there is nothing to decide.
pub(crate) fn decided(one: &Candidate) -> String {
    match (&one.failure, one.tightest()) {
        (Some(why), _) => format!("not measured: {why}"),
        (None, Some((condition, limit))) => {
            format!("{}{}: {}", limit.text, while_in(one, condition), margin(limit))
        }
        (None, None) => String::new(),
    }
}

/// A value of the objective.
pub(crate) fn sought(choice: &Choice, value: &SweepValue) -> String {
    let text = with_interval(&choice.objective.metric, value);
    match choice.objective.metric.as_str() {
        "cost" if !choice.objective.unit.is_empty() => format!("{text} {}", choice.objective.unit),
        _ => text,
    }
}

/// A value with its interval, in a unit that fits.
pub(crate) fn with_interval(metric: &str, value: &SweepValue) -> String {
    let text = |number: f64| plain(metric, number);
    match value.low95.zip(value.high95) {
        Some((low, high)) => {
            let ends = match unit(metric, value.value) {
                Some(unit) => [unit.number(low), unit.number(high)],
                None => [low, high].map(|end| without_unit(&text(end))),
            };
            // What cannot be told apart in so many digits needs no interval.
            match ends[0] == ends[1] {
                true => text(value.value),
                false => format!("{} [{}]", text(value.value), ends.join(", ")),
            }
        }
        None => text(value.value),
    }
}

/// The number of a value with a unit.
fn without_unit(text: &str) -> String {
    text.split(' ').next().unwrap_or(text).to_owned()
}

fn unit(metric: &str, size: f64) -> Option<Shown> {
    match Metric::parse(tail(metric)) {
        _ if ["lifetime", "rated_life", RATE_KEPT].contains(&metric) => None,
        Ok((metric, _)) => Some(Shown::of_metric(metric.name(), metric.dimension(), size)),
        Err(_) if metric == CAPACITY => Some(Shown::of_volume(size)),
        Err(_) => Some(Shown::of(Dimension::Number, size)),
    }
}

/// A value of a metric for people.
pub(crate) fn plain(metric: &str, value: f64) -> String {
    match (metric, Metric::parse(tail(metric))) {
        ("lifetime" | "rated_life", _) => format!("{:.1} years", value / YEAR_S),
        (RATE_KEPT, _) => format!("{:.1} %", 100.0 * value),
        (CAPACITY, _) => show(Dimension::Bytes, value),
        (_, Ok((metric, _))) => show_metric(metric.name(), metric.dimension(), value),
        _ => metric::plain(value),
    }
}

fn candidates(choice: &Choice) -> String {
    let arrays = choice.candidates.iter().flat_map(|one| &one.conditions);
    let rebuilds = arrays.clone().any(|condition| condition.rebuild_time.is_some());
    let mut columns = vec![
        Column::left("Candidate"),
        Column::left("Limits"),
        Column::right(&choice.objective.metric),
        Column::right("Drives"),
        Column::right("Usable"),
        Column::left("Decided by"),
    ];
    if rebuilds {
        columns.push(Column::right("Rebuild"));
    }
    let mut table = Table::new(columns);
    for one in &choice.candidates {
        let value = one.objective.map_or_else(|| "-".to_owned(), |v| sought(choice, &v));
        let mut row = vec![
            one.name.clone(),
            one.verdict.word().to_owned(),
            value,
            one.drives.to_string(),
            one.usable_capacity.map_or_else(|| "-".to_owned(), |b| show(Dimension::Bytes, b)),
            decided(one),
        ];
        if rebuilds {
            let time = one.conditions.iter().find_map(|condition| condition.rebuild_time);
            row.push(time.map_or_else(|| "-".to_owned(), |s| plain("rebuild_time", s)));
        }
        table.row(row);
    }
    table.to_text()
}

fn limits(choice: &Choice) -> String {
    let conditions = choice.candidates.iter().any(|one| one.conditions.len() > 1);
    let mut columns = vec![Column::left("Candidate")];
    if conditions {
        columns.push(Column::left("Array"));
    }
    columns.extend([
        Column::left("Limit"),
        Column::right("Value"),
        Column::left("Verdict"),
        Column::left("Limited by"),
    ]);
    let mut table = Table::new(columns);
    for one in &choice.candidates {
        for condition in &one.conditions {
            for limit in &condition.limits {
                let mut row = vec![one.name.clone()];
                if conditions {
                    let is_array = one.conditions.len() > 1;
                    row.push(if is_array { condition.name.clone() } else { "-".to_owned() });
                }
                let value = limit.value.map(|value| with_interval(&limit.metric, &value));
                row.extend([
                    limit.text.clone(),
                    value.unwrap_or_else(|| "-".to_owned()),
                    format!("{}, {}", limit.verdict.word(), margin(limit)),
                    condition.limited_by.join(", "),
                ]);
                table.row(row);
            }
        }
    }
    let of = match choice.draws {
        None => format!("95 % intervals of {} runs", choice.seeds.len()),
        Some(draws) => format!("90 % intervals of the real drives, by {draws} drawn models"),
    };
    table.notes.push(of);
    table.to_text()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn limit(text: &str, metric: &str, value: Value, margin: f64, verdict: &str) -> Value {
        json!({
            "text": text, "metric": metric, "limit": 1e-3,
            "value": { "value": value, "low95": null, "high95": null, "samples": null },
            "margin": margin, "verdict": verdict,
        })
    }

    fn candidate(name: &str, verdict: &str, power: f64, margin: f64) -> Value {
        let late = limit("read_lat_p99 < 1 ms", "read_lat_p99", json!(0.5e-3), margin, verdict);
        let rate = limit("keeps the rate asked for", "rate_kept", json!(0.998), 0.008, "keeps");
        let condition = json!({
            "name": "healthy", "limits": [late, rate], "limited_by": ["host"], "rebuild_time": null,
        });
        json!({
            "name": name, "drives": 1, "usable_capacity": 8e12, "verdict": verdict,
            "objective": { "value": power, "low95": null, "high95": null, "samples": null },
            "conditions": [condition], "failure": null,
        })
    }

    /// A choice among candidates: name, verdict, power, margin of the latency.
    pub(crate) fn choice(candidates: &[(&str, &str, f64, f64)]) -> Choice {
        let all = candidates
            .iter()
            .map(|(name, verdict, power, margin)| candidate(name, verdict, *power, *margin));
        let choice = json!({
            "schema": Choice::SCHEMA, "load": "oltp.fio", "method": "oltp", "params": {},
            "offered_iops": 1e5, "endurance": null, "seeds": [1, 2, 3], "draws": null,
            "budget": { "seconds_each": 1.0, "ios_each": 1, "scale": "16Mi units", "seeds": 3,
                        "precision": null },
            "objective": { "metric": "power", "unit": "W", "better": "lower" },
            "confidence": 0.95, "chosen": null, "candidates": all.collect::<Vec<Value>>(),
            "warnings": [],
        });
        answer::read(&choice).expect("a choice")
    }

    #[test]
    fn the_first_line_is_the_decision() {
        let both = choice(&[("a", "keeps", 6.0, 0.5), ("b", "keeps", 9.0, 0.2)]);
        let said = decision(&both);
        assert!(
            said.starts_with("Take a: it keeps every limit, with the lowest power (6 W"),
            "{said}"
        );
        let only = choice(&[("a", "keeps", 6.0, 0.5), ("b", "fails", 3.0, -0.2)]);
        assert!(decision(&only).contains("the only one"), "{}", decision(&only));
        let open = choice(&[("a", "open", 6.0, 0.01), ("b", "fails", 3.0, -0.2)]);
        let said = decision(&open);
        assert!(said.starts_with("Perhaps a") && said.contains("read_lat_p99 < 1 ms"), "{said}");
        let none = choice(&[("a", "fails", 6.0, -0.25)]);
        let said = decision(&none);
        assert!(said.starts_with("None of them") && said.contains("25.0 % beyond"), "{said}");
    }

    /// A rate cannot be kept by more than all of it: it never decides while it is kept.
    #[test]
    fn a_rate_that_is_kept_decides_nothing() {
        let one = choice(&[("a", "keeps", 6.0, 0.5)]);
        assert_eq!(decided(&one.candidates[0]), "read_lat_p99 < 1 ms: 50.0 % to spare");
        let table = choice_table(&one);
        assert!(table.contains("keeps, all of it") && table.contains("99.8 %"), "{table}");
    }
}

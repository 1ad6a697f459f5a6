//! A choice: which candidate to take, and how far each is from every limit.

use super::Options;
use crate::choice::{decided, decision, margin, sought, with_interval};
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::quantity::short;
use crate::source::Source;
use answer::choice::{Candidate, Condition, Verdict};
use answer::{Answer, Choice};
use metric::{Dimension, show};

/// Margins beyond this are drawn at it, %: what is so far off needs no scale.
const FARTHEST: f64 = 100.0;

/// A section for every choice.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let choice = |source: &Source| match &source.answer {
        Answer::Choice(choice) => Some(section(choice)),
        _ => None,
    };
    sources.iter().filter_map(choice).collect()
}

fn section(choice: &Choice) -> Section {
    let mut section = Section::new(format!("Choice: {}", choice.load), "choice");
    section.blocks.push(Block::Answer(decision(choice)));
    section.blocks.extend(margins(choice).map(Block::chart));
    section.blocks.push(Block::Table(candidates(choice)));
    section.blocks.push(Block::Table(limits(choice)));
    let warning = |text: &String| Block::Note(Tone::Warning, text.clone());
    section.blocks.extend(choice.warnings.iter().map(warning));
    section
}

/// A candidate in a condition, in words.
fn named(one: &Candidate, condition: &Condition) -> String {
    match one.conditions.len() {
        0 | 1 => one.name.clone(),
        _ => format!("{}, {}", one.name, condition.name),
    }
}

/// How far each candidate is from every limit.
fn margins(choice: &Choice) -> Option<Chart> {
    let measured =
        || choice.candidates.iter().flat_map(|one| one.conditions.iter().map(move |c| (one, c)));
    let names: Vec<String> = measured().map(|(one, condition)| named(one, condition)).collect();
    let line = |text: &str| {
        let of = |(at, (_, condition)): (usize, (&Candidate, &Condition))| {
            let limit = condition.limits.iter().find(|limit| limit.text == text)?;
            Some([at as f64, short((limit.margin? * 100.0).clamp(-FARTHEST, FARTHEST))])
        };
        Line::new(text, Style::Line, measured().enumerate().filter_map(of).collect())
    };
    // A rate that all keep has nothing to spare, and is no bar.
    let is_bar = |text: &&str| {
        let all = measured().flat_map(|(_, condition)| &condition.limits);
        all.filter(|limit| limit.text == **text)
            .any(|limit| !limit.is_rate() || limit.verdict != Verdict::Keeps)
    };
    // Not every limit counts in every condition.
    let mut texts: Vec<&str> = Vec::new();
    for limit in measured().flat_map(|(_, condition)| &condition.limits) {
        if !texts.contains(&limit.text.as_str()) {
            texts.push(&limit.text);
        }
    }
    let lines: Vec<Line> = texts.into_iter().filter(is_bar).map(line).collect();
    (!lines.is_empty()).then(|| Chart {
        kind: ChartKind::Bars,
        title: "How far each candidate is from its limits".to_owned(),
        about: "Above 0 a limit is kept with so much of it to spare; below it is failed. What is \
                farther than 100 % is drawn at 100 %."
            .to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::names("", names),
        y: Axis::new("to spare", "%", Scale::Linear),
        lines,
        ..Chart::default()
    })
}

fn candidates(choice: &Choice) -> DataTable {
    let metric = format!("#{}", choice.objective.metric);
    let titles = ["Candidate", "Limits", &metric, "#Drives", "#Usable", "Decided by", "#Rebuild"];
    let mut table = DataTable::new("The candidates, the best first", &titles);
    for one in &choice.candidates {
        let objective = one.objective.map(|v| Cell::number(sought(choice, &v), short(v.value)));
        let usable = one.usable_capacity;
        let usable = usable.map(|bytes| Cell::number(show(Dimension::Bytes, bytes), short(bytes)));
        let rebuild = one.conditions.iter().find_map(|condition| condition.rebuild_time);
        let rebuild =
            rebuild.map(|s| Cell::number(crate::choice::plain("rebuild_time", s), short(s)));
        let none = || Cell::text("-");
        table.rows.push(vec![
            Cell::text(&one.name),
            Cell::text(one.verdict.word()),
            objective.unwrap_or_else(none),
            Cell::number(one.drives.to_string(), f64::from(one.drives)),
            usable.unwrap_or_else(none),
            Cell::text(decided(one)),
            rebuild.unwrap_or_else(none),
        ]);
    }
    table
}

fn limits(choice: &Choice) -> DataTable {
    let titles = ["Candidate", "Limit", "#Value", "Verdict", "Margin", "Limited by"];
    let caption = match choice.draws {
        None => "Every limit, with 95 % intervals of the runs",
        Some(_) => "Every limit, with 90 % intervals of the real drives",
    };
    let mut table = DataTable::new(caption, &titles);
    for one in &choice.candidates {
        for condition in &one.conditions {
            for limit in &condition.limits {
                let value = limit.value.map(|value| {
                    Cell::number(with_interval(&limit.metric, &value), short(value.value))
                });
                table.rows.push(vec![
                    Cell::text(named(one, condition)),
                    Cell::text(&limit.text),
                    value.unwrap_or_else(|| Cell::text("-")),
                    Cell::text(limit.verdict.word()),
                    Cell::text(margin(limit)),
                    Cell::text(condition.limited_by.join(", ")),
                ]);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::tests::choice;

    #[test]
    fn the_page_begins_with_the_decision_and_draws_every_margin() {
        let section = section(&choice(&[("a", "keeps", 6.0, 0.5), ("b", "fails", 9.0, -4.0)]));
        assert!(matches!(&section.blocks[0], Block::Answer(text) if text.starts_with("Take a")));
        let chart = margins(&choice(&[("a", "keeps", 6.0, 0.5), ("b", "fails", 9.0, -4.0)]));
        let chart = chart.expect("a chart");
        // The rate that both keep is no bar; what is four limits beyond is drawn at one.
        assert_eq!(chart.lines.len(), 1);
        assert_eq!(chart.lines[0].points, [vec![0.0, 50.0], vec![1.0, -100.0]]);
    }

    /// With `--while rebuilding` no limit counts for the healthy array, which comes first.
    #[test]
    fn a_limit_of_a_later_condition_is_drawn() {
        let mut choice = choice(&[("a", "keeps", 6.0, 0.5)]);
        let conditions = &mut choice.candidates[0].conditions;
        conditions.insert(0, Condition { limits: Vec::new(), ..conditions[0].clone() });
        let chart = margins(&choice).expect("a chart");
        assert_eq!(chart.lines[0].points, [vec![1.0, 50.0]]);
    }
}

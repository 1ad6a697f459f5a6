//! Where the numbers come from: a line a source, and behind it all that is needed to run it again.

use super::Options;
use crate::document::{Block, Careful, Cell, DataTable, Section, Tone};
use crate::source::Source;
use answer::Answer;
use answer::Origin;
use answer::comparison::Compared;
use answer::origin::of_all;
use metric::plain;
use serde_json::Value;
use stats::Warning;

/// The last section of every report.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let mut section = Section::new("Where the numbers come from", "origin");
    let titles =
        ["File", "Kind", "Origin", "Targets", "#Scale", "State", "#Seed", "Budget", "Version"];
    let mut table = DataTable::new("Sources", &titles);
    for source in sources {
        table.rows.push(row(source));
    }
    section.blocks.push(Block::Table(table));
    for source in sources {
        let outcome = &source.outcome;
        for warning in &outcome.warnings {
            let concerns = vec![source.name.clone()];
            let job = warning.concerns.as_str();
            let own = warning.message.strip_prefix(&format!("job `{job}`: "));
            let said = own.map_or_else(|| said(warning), str::to_owned);
            section.blocks.push(Block::Careful(Careful { said, concerns }));
        }
        for failure in outcome.checks.failures() {
            let text = format!("{}: broken law: {failure}", source.name);
            section.blocks.push(Block::Note(Tone::Problem, text));
        }
    }
    vec![section]
}

/// A warning of a source with what it concerns.
pub fn said(warning: &Warning) -> String {
    match warning.concerns.as_str() {
        "" => warning.message.clone(),
        concerns => format!("{concerns}: {}", warning.message),
    }
}

fn row(source: &Source) -> Vec<Cell> {
    let outcome = &source.outcome;
    let mut names: Vec<&str> = outcome.targets.iter().map(|target| target.name.as_str()).collect();
    names.dedup();
    let shown = match names.len() {
        0..=4 => names.join(", "),
        n => format!("{n} targets"),
    };
    let scales: Vec<f64> = outcome.targets.iter().map(|target| target.scale).collect();
    let least = scales.iter().copied().fold(1.0, f64::min);
    let scale = match scales.as_slice() {
        [] => Cell::text("-"),
        _ if least == 1.0 => Cell::number("whole", 1.0),
        [one] => Cell::number(format!("1/{}", plain(1.0 / one)), *one),
        _ => Cell::number(format!("down to 1/{}", plain(1.0 / least)), least),
    };
    let state = match source.is_fio() {
        // fio does not know what was done to the drive before.
        true => "not told".to_owned(),
        false => outcome.targets.first().map(|target| state(&target.state)).unwrap_or_default(),
    };
    let hash = match &source.hash {
        Some(hash) => format!("SHA-256 of the result: {hash}"),
        None => "no hash proves the numbers".to_owned(),
    };
    vec![
        Cell::text(source.name.clone()),
        Cell::text(kind(source)),
        Cell::text(of_all(origins(source))),
        Cell::text(shown).noted((names.len() > 4).then(|| names.join(", "))),
        scale,
        Cell::text(state),
        outcome.seed.map_or_else(|| Cell::text("-"), |s| Cell::number(s.to_string(), s as f64)),
        Cell::text(budget(&outcome.budget)),
        Cell::text(outcome.version.clone()).noted(Some(hash)),
    ]
}

/// What the targets of a source are.
fn origins(source: &Source) -> Vec<Origin> {
    match &source.answer {
        Answer::Run(_) | Answer::Endurance(_) => vec![source.run_origin()],
        Answer::Choice(_) | Answer::Sweep(_) | Answer::Blind(_) => vec![source.run_origin()],
        Answer::Fleet(_) => vec![source.run_origin()],
        Answer::Twin(_) => vec![source.run_origin(), Origin::Modelled],
        Answer::Tested(tested) => {
            tested.targets.iter().map(|t| source.origin(&t.target, t.origin)).collect()
        }
        Answer::Comparison(comparison) => {
            let of =
                |target: &Compared| source.origin(&target.target, target.real.map(Origin::of_real));
            comparison.targets.iter().map(of).collect()
        }
        Answer::Reproduction(_) | Answer::Fitted(_) => vec![Origin::Modelled],
    }
}

/// What a source is.
pub fn kind(source: &Source) -> &'static str {
    match &source.answer {
        Answer::Endurance(_) => "endurance",
        Answer::Run(_) if source.is_fio() => "fio's own result",
        Answer::Run(_) => "job file",
        Answer::Tested(_) => "method",
        Answer::Reproduction(_) => "reproduction",
        Answer::Comparison(_) => "comparison",
        Answer::Fitted(_) => "fit",
        Answer::Choice(_) => "choice",
        Answer::Fleet(_) => "fleet",
        Answer::Sweep(_) => "sweep",
        Answer::Twin(_) => "twin",
        Answer::Blind(_) => "hidden drives",
    }
}

/// A state in a few words: a word, or the values of a table.
fn state(value: &Value) -> String {
    match value {
        Value::Null => "by the method".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            let known = map.iter().filter(|(_, value)| !value.is_null());
            let part = |(name, value): (&String, &Value)| match value {
                Value::String(text) => format!("{name} {text}"),
                other => format!("{name} {other}"),
            };
            known.take(4).map(part).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// A budget in a few words.
fn budget(value: &Value) -> String {
    match (value["seconds_each"].as_f64(), value["ios_each"].as_u64()) {
        (Some(seconds), Some(ios)) => format!("{} s ({ios} I/Os) a run", plain(seconds)),
        _ => match value {
            Value::Null => "-".to_owned(),
            Value::Object(map) => {
                let part = |(name, value): (&String, &Value)| format!("{name} {value}");
                map.iter().map(part).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        },
    }
}

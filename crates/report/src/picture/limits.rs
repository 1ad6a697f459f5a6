//! What limits runs: the part of the target, or the host, that is most in use.

use super::label::{labels, varying};
use super::measured::Measured;
use crate::document::{Block, Cell, DataTable};
use crate::source::Source;
use answer::comparison::Limited;
use answer::{Answer, Comparison, Origin};
use stats::Limit;

/// What limits the runs of a method; nothing if it is not known of any.
pub fn of_runs(runs: &[&Measured]) -> Option<Block> {
    let names = labels(runs, &varying(runs));
    let of = |run: &Measured| run.origin.word();
    let named =
        names.iter().zip(runs).map(|(name, run)| (name.as_str(), of(run), &run.limited_by[..]));
    table("Run", named)
}

/// What limits the phases of a run of a job file.
pub fn of_source(source: &Source) -> Option<Block> {
    let limits = of_run(source);
    let targets: Vec<&str> = source.outcome.targets.iter().map(|t| t.name.as_str()).collect();
    let origin = source.run_origin().word();
    table("Target", std::iter::once((targets.join(", ").as_str(), origin, limits)))
}

/// What limits the targets of a comparison under each load; nothing if it is not known of any.
pub fn of_comparison(result: &Comparison) -> Option<Block> {
    let origin = |name: &str| {
        let target = result.targets.iter().find(|target| target.name == name);
        target.map_or(Origin::Modelled, |target| target.origin()).word()
    };
    let named: Vec<(String, &Limited)> =
        result.limits.iter().map(|one| (format!("{}, {}", one.target, one.load), one)).collect();
    let rows =
        named.iter().map(|(name, one)| (name.as_str(), origin(&one.target), &one.limited_by[..]));
    table("Target and load", rows)
}

/// What limits the phases of a run of a job file; nothing of a real drive.
pub fn of_run(source: &Source) -> &[Limit] {
    match &source.answer {
        Answer::Run(run) => run.simulated.as_ref().map_or(&[], |simulated| &simulated.limited_by),
        _ => &[],
    }
}

/// One row for each stretch of points or phases that the same thing limits.
fn table<'a>(
    of: &str,
    named: impl Iterator<Item = (&'a str, &'a str, &'a [Limit])>,
) -> Option<Block> {
    let mut table =
        DataTable::new("What limits", &[of, "Origin", "Part", "Limited by", "#In use", "Details"]);
    for (name, origin, limits) in named {
        for (part, limit) in stats::stretches(limits) {
            let share = format!("{:.0} %", 100.0 * limit.share);
            table.rows.push(vec![
                Cell::text(name),
                Cell::text(origin),
                Cell::text(part),
                Cell::text(limit.by.word()),
                Cell::number(share, limit.share),
                Cell::text(&limit.detail),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::LimitedBy;

    fn limit(of: &str, by: LimitedBy) -> Limit {
        Limit { of: of.to_owned(), by, share: 0.97, detail: "97 % of its time".to_owned() }
    }

    #[test]
    fn points_that_the_same_thing_limits_are_one_row() {
        let limited_by = vec![
            limit("qd=1", LimitedBy::Host),
            limit("qd=2", LimitedBy::Host),
            limit("qd=4", LimitedBy::Link),
        ];
        let run = Measured { target: "a".to_owned(), limited_by, ..Measured::default() };
        let Some(Block::Table(table)) = of_runs(&[&run]) else { panic!("no table") };
        let rows: Vec<[&str; 3]> = table
            .rows
            .iter()
            .map(|row| [row[2].text.as_str(), row[3].text.as_str(), row[4].text.as_str()])
            .collect();
        assert_eq!(rows, [["qd=1 to qd=2", "host", "97 %"], ["qd=4", "link", "97 %"]]);
        assert_eq!(of_runs(&[&Measured::default()]), None, "nothing is known of a real drive");
    }
}

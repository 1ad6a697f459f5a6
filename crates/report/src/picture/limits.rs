//! What limits runs: the part of the target, or the host, that is most in use.

use super::label::{labels, varying};
use super::measured::Measured;
use crate::document::{Block, Cell, DataTable};
use crate::source::Source;
use serde::Deserialize;
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
    let limits = Vec::<Limit>::deserialize(&source.outcome.data["limited_by"]).unwrap_or_default();
    let targets: Vec<&str> = source.outcome.targets.iter().map(|t| t.name.as_str()).collect();
    let origin = source.run_origin().word();
    table("Target", std::iter::once((targets.join(", ").as_str(), origin, &limits[..])))
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

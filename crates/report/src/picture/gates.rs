//! Whether the runs on real drives count: the gates of a test, and how its runs passed them.

use crate::document::{Cell, DataTable};
use crate::source::Source;
use answer::Answer;
use metric::counted;
use stats::{Gate, GateTotal, Target};

/// The gates of the tests of a method, a column a test; `None` if all of them ran on models.
pub fn table(method: &str, sources: &[Source]) -> Option<DataTable> {
    let of_method = sources.iter().filter(
        |source| matches!(&source.answer, Answer::Tested(tested) if tested.method == method),
    );
    let tests: Vec<(String, Vec<GateTotal>)> = of_method.flat_map(gates).collect();
    if tests.is_empty() {
        return None;
    }
    let mut titles = vec!["Gate"];
    titles.extend(tests.iter().map(|(name, _)| name.as_str()));
    let mut table = DataTable::new("Whether the runs count", &titles);
    for gate in Gate::ALL {
        let mut row = vec![Cell::text(name(gate))];
        row.extend(tests.iter().map(|(_, totals)| {
            let total = totals.iter().find(|total| total.gate == gate);
            Cell::text(total.map_or_else(|| NOT_TOLD.to_owned(), said))
        }));
        table.rows.push(row);
    }
    Some(table)
}

const NOT_TOLD: &str = "cannot be told";

/// What a Record keeps of the gates of its tests.
fn gates(source: &Source) -> Vec<(String, Vec<GateTotal>)> {
    let known = source.outcome.targets.iter();
    let gates = |target: &Target| GateTotal::kept(&target.configuration);
    known.filter_map(|target| Some((target.name.clone(), gates(target)?))).collect()
}

fn name(gate: Gate) -> &'static str {
    match gate {
        Gate::OthersIo => "others leave it alone",
        Gate::Temperature => "away from its limit of temperature",
        Gate::Link => "the link stays",
        Gate::Errors => "no errors in its health log",
        Gate::Rate => "rates that are asked for are reached",
        Gate::Steadiness => "even where it is taken to be",
        Gate::Sleep => "the machine stays awake",
    }
}

/// How the runs passed, and the worst of them.
fn said(total: &GateTotal) -> String {
    let Some(worst) = total.worst else { return NOT_TOLD.to_owned() };
    let worst = match total.gate {
        Gate::OthersIo => Some(format!("{} % of its bytes", tenths(100.0 * worst))),
        Gate::Rate => Some(format!("{} % short", tenths(100.0 * worst))),
        Gate::Steadiness => Some(format!("{} % of deviation", tenths(100.0 * worst))),
        Gate::Temperature => Some(format!("{} C", tenths(worst))),
        Gate::Errors => Some(format!("{worst:.0}")),
        Gate::Sleep => Some(format!("{} s", tenths(worst))),
        // Which link it became stands in the Record.
        Gate::Link => None,
    };
    let runs = counted(usize::try_from(total.runs).unwrap_or(usize::MAX), "run");
    let passed = match total.failed {
        0 => format!("{runs} passed"),
        failed => format!("{failed} of {runs} failed"),
    };
    worst.map_or_else(|| passed.clone(), |worst| format!("{passed}; at worst {worst}"))
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use stats::{Kind, Outcome};

    fn source(configuration: Value) -> Source {
        let data = json!({ "method": "corner", "params": {}, "targets": [] });
        let target = Target { name: "/dev/sdx".to_owned(), configuration, ..Target::default() };
        let outcome =
            Outcome { kind: Kind::Method, targets: vec![target], data, ..Outcome::default() };
        Source::of_outcome("a.json", outcome).unwrap()
    }

    fn row(table: &DataTable, name: &str) -> String {
        let row = table.rows.iter().find(|row| row[0].text == name).unwrap();
        row[1].text.clone()
    }

    fn total(gate: &str, runs: u64, failed: u64, worst: Option<f64>) -> Value {
        json!({ "gate": gate, "runs": runs, "failed": failed, "worst": worst })
    }

    #[test]
    fn what_failed_what_passed_and_what_nobody_can_tell() {
        let gates = json!([
            total("others_io", 8, 1, Some(0.0312)),
            total("temperature", 8, 0, Some(54.0)),
            total("link", 8, 0, Some(0.0)),
            total("errors", 0, 0, None),
        ]);
        let table = table("corner", &[source(json!({ "gates": gates }))]).unwrap();
        assert_eq!(table.rows.len(), Gate::ALL.len());
        let said = |name| row(&table, name);
        assert_eq!(
            said("others leave it alone"),
            "1 of 8 runs failed; at worst 3.1 % of its bytes"
        );
        assert_eq!(said("away from its limit of temperature"), "8 runs passed; at worst 54.0 C");
        assert_eq!(said("the link stays"), "8 runs passed");
        assert_eq!(said("no errors in its health log"), "cannot be told");
        assert_eq!(said("the machine stays awake"), "cannot be told");
    }

    #[test]
    fn models_have_none() {
        assert!(table("corner", &[source(json!({ "model": {} }))]).is_none());
        assert!(table("mixed", &[source(json!({ "gates": [] }))]).is_none(), "another method");
    }
}

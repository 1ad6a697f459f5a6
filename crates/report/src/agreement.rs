//! Whether two results of one review say the same: less work may leave a verdict open, it must not
//! turn it round.

use answer::Reproduction;
use std::collections::BTreeMap;

/// A figure or claim that two results judge differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Its id.
    pub id: String,
    /// The verdict of the first result.
    pub first: &'static str,
    /// The verdict of the second.
    pub second: &'static str,
}

/// Verdicts of two results side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Figures and claims with the same verdict in both.
    pub same: usize,
    /// Those that only one of the two leaves open.
    pub opened: Vec<Apart>,
    /// Those that both decide, otherwise.
    pub apart: Vec<Apart>,
}

impl Agreement {
    /// What two results say of the figures and claims in both.
    pub fn of(first: &Reproduction, second: &Reproduction) -> Self {
        let (first, second) = (verdicts(first), verdicts(second));
        let mut agreement = Self::default();
        for (id, one) in first {
            let Some(other) = second.get(&id) else { continue };
            let open = one.is_open_beside(other);
            let (first, second) = (one.verdict, other.verdict);
            match (first == second, open) {
                (true, _) => agreement.same += 1,
                (false, true) => agreement.opened.push(Apart { id, first, second }),
                (false, false) => agreement.apart.push(Apart { id, first, second }),
            }
        }
        agreement
    }

    /// How many figures and claims both results have.
    pub fn compared(&self) -> usize {
        self.same + self.opened.len() + self.apart.len()
    }
}

/// The verdict that needs more work.
const OPEN: &str = "open";
/// The verdicts on what a model contains: one that does not differ is not known to.
const INPUT: [&str; 2] = ["differs", "input"];

/// What is said of a figure or claim.
struct Said {
    verdict: &'static str,
    /// The ends of the interval of a figure.
    interval: Option<(f64, f64)>,
}

impl Said {
    /// True if one of two verdicts needs more work: it is open, or the interval of an input reaches
    /// to where it would differ, which it does only as a whole.
    fn is_open_beside(&self, other: &Said) -> bool {
        let both = [self.verdict, other.verdict];
        let is_input = both.iter().all(|verdict| INPUT.contains(verdict));
        both.contains(&OPEN) || is_input && self.meets(other)
    }

    /// True if the intervals of both have a value in common.
    fn meets(&self, other: &Said) -> bool {
        let both = self.interval.zip(other.interval);
        both.is_some_and(|((low, high), (from, to))| low <= to && from <= high)
    }
}

/// What is said, by id.
fn verdicts(result: &Reproduction) -> BTreeMap<String, Said> {
    let figures = result.figures.iter().map(|figure| {
        let interval = figure.simulated.map(|value| {
            let half = figure.half_width.unwrap_or(0.0);
            (value - half, value + half)
        });
        (figure.id.clone(), Said { verdict: figure.verdict.name(), interval })
    });
    let claims = result
        .claims
        .iter()
        .map(|claim| (claim.id.clone(), Said { verdict: claim.said().name(), interval: None }));
    figures.chain(claims).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn result(verdicts: [&str; 3], claim: Value) -> Reproduction {
        let figure = |(id, verdict): (&str, &str)| {
            json!({
                "id": id, "metric": "iops", "published": 1.0, "basis": "predicted",
                "verdict": verdict,
            })
        };
        let ids = ["a", "b", "c"].into_iter().zip(verdicts);
        let figures: Vec<Value> = ids.map(figure).collect();
        answer::read(&json!({ "figures": figures, "claims": [claim], "summary": {} })).unwrap()
    }

    #[test]
    fn only_into_and_out_of_open_may_a_verdict_change() {
        let full = result(["hit", "miss", "held"], json!({ "id": "q", "verdict": "held" }));
        let quick = result(["hit", "open", "open"], json!({ "id": "q", "verdict": "open" }));
        let fine = Agreement::of(&quick, &full);
        assert_eq!((fine.same, fine.opened.len(), fine.apart.len()), (1, 3, 0));
        let round = result(["hit", "hit", "held"], json!({ "id": "q", "held": false }));
        let wrong = Agreement::of(&round, &full);
        let ids: Vec<&str> = wrong.apart.iter().map(|apart| apart.id.as_str()).collect();
        assert_eq!((wrong.same, ids), (2, vec!["b", "q"]));
        assert_eq!(wrong.compared(), 4);
        let other = result(["hit"; 3], json!({ "id": "z", "held": null }));
        assert_eq!(Agreement::of(&other, &full).compared(), 3, "what both have");
    }

    #[test]
    fn an_input_may_differ_with_more_work_where_the_intervals_meet() {
        let input = |verdict: &str, simulated: f64, half_width: f64| {
            let figure = json!({
                "id": "a", "metric": "iops", "published": 100.0, "basis": "input",
                "verdict": verdict, "simulated": simulated, "half_width": half_width,
            });
            answer::read(&json!({ "figures": [figure], "claims": [], "summary": {} })).unwrap()
        };
        let full = input("differs", 92.8, 0.6);
        let opened = |quick: &Reproduction| Agreement::of(quick, &full).opened.len();
        assert_eq!(opened(&input("input", 92.4, 3.2)), 1);
        assert_eq!(opened(&input("input", 99.0, 5.0)), 0, "that one is another value");
        assert_eq!(Agreement::of(&input("input", 99.0, 5.0), &full).apart.len(), 1);
    }
}

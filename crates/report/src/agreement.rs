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
        for (id, first) in first {
            let Some(second) = second.get(&id).copied() else { continue };
            let open = first == OPEN || second == OPEN;
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

/// Verdicts by id.
fn verdicts(result: &Reproduction) -> BTreeMap<String, &'static str> {
    let figures = result.figures.iter().map(|f| (f.id.clone(), f.verdict.name()));
    let claims = result.claims.iter().map(|claim| (claim.id.clone(), claim.said().name()));
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
}

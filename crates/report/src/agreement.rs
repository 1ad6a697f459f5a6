//! Whether two results of one review say the same: less work may leave a verdict open, it must not
//! turn it round.

use serde_json::Value;
use std::collections::BTreeMap;

use crate::error::{At, ReportError};

/// A figure or claim that two results judge differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Its id.
    pub id: String,
    /// The verdict of the first result.
    pub first: String,
    /// The verdict of the second.
    pub second: String,
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
    /// What two results of `drivelab reproduce --json` say of the figures and claims in both.
    ///
    /// # Errors
    /// If a key that is needed is missing or has a value of the wrong type.
    pub fn of(first: &Value, second: &Value) -> Result<Self, ReportError> {
        let (first, second) = (verdicts(first)?, verdicts(second)?);
        let mut agreement = Self::default();
        for (id, first) in first {
            let Some(second) = second.get(&id).cloned() else { continue };
            let open = first == OPEN || second == OPEN;
            match (first == second, open) {
                (true, _) => agreement.same += 1,
                (false, true) => agreement.opened.push(Apart { id, first, second }),
                (false, false) => agreement.apart.push(Apart { id, first, second }),
            }
        }
        Ok(agreement)
    }

    /// How many figures and claims both results have.
    pub fn compared(&self) -> usize {
        self.same + self.opened.len() + self.apart.len()
    }
}

/// The verdict that needs more work.
const OPEN: &str = "open";

/// Verdicts by id. Results of earlier versions have no word for a claim.
fn verdicts(result: &Value) -> Result<BTreeMap<String, String>, ReportError> {
    let root = At::root(result);
    let mut all = BTreeMap::new();
    for figure in root.key("figures").list()? {
        all.insert(figure.key("id").text()?.to_owned(), figure.key("verdict").text()?.to_owned());
    }
    for claim in root.key("claims").list()? {
        all.insert(claim.key("id").text()?.to_owned(), said(&claim)?.to_owned());
    }
    Ok(all)
}

/// What became of a claim, in a word.
pub(crate) fn said<'v>(claim: &At<'v>) -> Result<&'v str, ReportError> {
    if let Some(word) = claim.key("verdict").maybe(At::text)? {
        return Ok(word);
    }
    Ok(match claim.key("held").maybe(|at| Ok(at.flag()))?.flatten() {
        Some(true) => "held",
        Some(false) => "failed",
        None => "unchecked",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(verdicts: [&str; 3], claim: Value) -> Value {
        let ids = ["a", "b", "c"].iter().zip(verdicts);
        let figures: Vec<Value> =
            ids.map(|(id, verdict)| json!({ "id": id, "verdict": verdict })).collect();
        json!({ "figures": figures, "claims": [claim] })
    }

    #[test]
    fn only_into_and_out_of_open_may_a_verdict_change() {
        let full = result(["hit", "miss", "held"], json!({ "id": "q", "verdict": "held" }));
        let quick = result(["hit", "open", "open"], json!({ "id": "q", "verdict": "open" }));
        let fine = Agreement::of(&quick, &full).unwrap();
        assert_eq!((fine.same, fine.opened.len(), fine.apart.len()), (1, 3, 0));
        let round = result(["hit", "hit", "held"], json!({ "id": "q", "held": false }));
        let wrong = Agreement::of(&round, &full).unwrap();
        let ids: Vec<&str> = wrong.apart.iter().map(|apart| apart.id.as_str()).collect();
        assert_eq!((wrong.same, ids), (2, vec!["b", "q"]));
        assert_eq!(wrong.compared(), 4);
        let other = result(["hit"; 3], json!({ "id": "z", "held": null }));
        assert_eq!(Agreement::of(&other, &full).unwrap().compared(), 3, "what both have");
        assert!(Agreement::of(&json!({}), &full).is_err());
    }
}

//! The weight of a row: refuted by its review, of little meaning, or repeated by another row.

use std::collections::BTreeSet;

use fio::{Diagnostic, Place};

use super::node::Fields;

/// What a row says of its own weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Why the review itself refutes the number: it is neither hit nor miss then.
    pub refuted: Option<String>,
    /// Why a hit says little about the model.
    pub says_little: Option<String>,
    /// Another row that states the same number.
    pub same_as: Option<String>,
    /// Rows that it names, and where.
    named: Vec<(String, Place)>,
}

/// Keys of a `[[ref]]` that are read here.
pub(super) const STANDING_KEYS: [&str; 4] = ["refuted", "refuted_by", "says_little", "same_as"];

impl Standing {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Diagnostic> {
        let mut named = Vec::new();
        let mut other = |key: &str| -> Result<Option<String>, Diagnostic> {
            let Some(node) = fields.get(key) else { return Ok(None) };
            named.push((node.string()?, node.place()));
            node.string().map(Some)
        };
        let (by, same_as) = (other("refuted_by")?, other("same_as")?);
        let by = by.map(|id| format!("the same review states otherwise: {id}"));
        let refuted = match (fields.string("refuted")?, by) {
            (Some(why), Some(by)) => Some(format!("{why}; {by}")),
            (why, by) => why.or(by),
        };
        Ok(Self { refuted, says_little: fields.string("says_little")?, same_as, named })
    }

    /// A row that is named and that there is not.
    pub(super) fn wrong(&self, known: &BTreeSet<&str>) -> Option<Diagnostic> {
        let (id, at) = self.named.iter().find(|(id, _)| !known.contains(id.as_str()))?;
        let help = "name the id of another row of the same file or of a shipped one";
        Some(Diagnostic::new(at, format!("no row has the id `{id}`")).with_help(help))
    }

    /// What another row says of its weight, where this one is silent.
    pub(super) fn or(&self, other: &Standing) -> Self {
        let or =
            |mine: &Option<String>, other: &Option<String>| mine.clone().or_else(|| other.clone());
        Self {
            refuted: or(&self.refuted, &other.refuted),
            says_little: or(&self.says_little, &other.says_little),
            same_as: or(&self.same_as, &other.same_as),
            named: self.named.clone(),
        }
    }
}

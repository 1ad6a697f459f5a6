//! What is wrong with a plan, and at which of its keys.

/// A mistake of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The key of the plan: `vary.give_up`, `require`, `cost`.
    pub key: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// How to write it.
    pub help: String,
}

impl Mistake {
    /// A mistake at a key.
    pub fn new(
        key: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), message: message.into(), help: help.into() }
    }
}

//! Reading a result, with the place of what is wrong in it.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A result that is not what it claims to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no result of drivelab: `{path}`: {what}\n  help: make it anew with --json")]
pub struct NotAnAnswer {
    /// Where in the JSON, as `figures[3].published`; `.` for the whole.
    pub path: String,
    /// What is wrong there.
    pub what: String,
}

/// A result as its type.
///
/// # Errors
/// If a key that is needed is missing or has a value of the wrong type: the first of them.
pub fn read<T: DeserializeOwned>(result: &Value) -> Result<T, NotAnAnswer> {
    serde_path_to_error::deserialize(result).map_err(|error| NotAnAnswer {
        path: error.path().to_string(),
        what: error.into_inner().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Comparison;
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let targets = json!([{ "name": "a" }, { "name": 3 }]);
        let broken = json!({ "baseline": "a", "confidence": 0.95, "targets": targets });
        let error = read::<Comparison>(&broken).unwrap_err();
        assert_eq!(error.path, "targets[1].name");
        assert!(error.to_string().contains("expected a string"), "{error}");
        let error = read::<Comparison>(&json!({})).unwrap_err();
        assert!(error.to_string().contains("`.`: missing field `baseline`"), "{error}");
        assert!(read::<Comparison>(&json!(3)).is_err());
    }
}

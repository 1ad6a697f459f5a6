//! Methods as data: TOML files with a description, parameters and a fio job.

use crate::review::hint;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A review method.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name on the command line and in figures.
    pub name: String,
    /// In a few words.
    pub title: String,
    /// What it does.
    pub description: String,
    /// `exact:` with the source or `approximation:` with what is unknown.
    pub provenance: String,
    /// The metrics it gives, in words.
    pub metrics: String,
    /// Its parameters with their meaning and defaults.
    pub params: BTreeMap<String, String>,
    /// The job it measures with.
    pub job: Job,
}

/// The job of a method.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// A fio job file with variables.
    pub text: String,
}

const FILES: [(&str, &str); 2] = [
    ("corner", include_str!("../../../../methods/corner.toml")),
    ("mixed", include_str!("../../../../methods/mixed.toml")),
];

/// All methods.
///
/// # Panics
/// If a file that comes with the program is broken; a test reads them all.
pub fn methods() -> Vec<Method> {
    let parse = |(name, text): &(&str, &str)| {
        toml::from_str(text).unwrap_or_else(|e| panic!("methods/{name}.toml: {e}"))
    };
    FILES.iter().map(parse).collect()
}

/// The method of a name; the error is a hint.
pub fn find(name: &str) -> Result<Method, String> {
    let all = methods();
    let names: Vec<String> = all.iter().map(|m| m.name.clone()).collect();
    all.into_iter()
        .find(|m| m.name == name)
        .ok_or_else(|| hint("methods", name, names.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_method_says_what_it_is() {
        for method in methods() {
            let known = ["exact:", "approximation:"];
            assert!(known.iter().any(|k| method.provenance.starts_with(k)), "{}", method.name);
            assert!(find(&method.name).is_ok());
        }
        assert!(find("cornre").unwrap_err().contains("corner"));
    }
}

//! Whether a number was measured on something real, or comes out of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stats::Target;

/// Where a number comes from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A real drive or file, by the installed fio or another program.
    Measured,
    /// A simulated drive or system.
    #[default]
    Modelled,
}
impl Origin {
    /// The word for it in results, tables and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Modelled => "modelled",
        }
    }

    /// Of something that is real, or is not.
    pub fn of_real(real: bool) -> Self {
        if real { Self::Measured } else { Self::Modelled }
    }

    /// The origin by the name of a target: paths are real unless they are model files, which may
    /// have a variation behind them (`./mine.toml@give_up=10 %`).
    pub fn of_name(name: &str) -> Self {
        let path = name.split_once(".toml@").map_or(name, |_| "");
        Self::of_real(path.contains('/') && !path.ends_with(".toml"))
    }

    /// The origin by the Record of a target: one with a model in its configuration is modelled.
    pub fn of_target(target: &Target) -> Self {
        match target.configuration.get("model") {
            Some(Value::String(_)) => Self::Modelled,
            _ => Self::of_name(&target.name),
        }
    }
}

/// The word for several together: `measured and modelled` if they are not all the same.
pub fn of_all(origins: impl IntoIterator<Item = Origin>) -> &'static str {
    let mut origins = origins.into_iter();
    match origins.next() {
        None => "",
        Some(first) if origins.all(|origin| origin == first) => first.word(),
        Some(_) => "measured and modelled",
    }
}

/// Names side by side: each with the word behind it where measured and modelled ones are among
/// them, so that nobody takes one for the other.
pub fn apart(names: &[(String, Origin)]) -> Vec<String> {
    let mixed = names.iter().any(|(_, origin)| *origin != names[0].1);
    let shown = |(name, origin): &(String, Origin)| match mixed {
        true => named(name, *origin),
        false => name.clone(),
    };
    names.iter().map(shown).collect()
}

/// A name with the word behind it: `p4510-8tb (modelled)`.
pub fn named(name: &str, origin: Origin) -> String {
    format!("{name} ({})", origin.word())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_real_and_model_files_are_not() {
        for name in ["./f.img", "/dev/nvme0n1", "../a/b", "scratch/f.img", "/dev/sda,/dev/sdb"] {
            assert_eq!(Origin::of_name(name), Origin::Measured, "{name}");
        }
        for name in ["p4510-8tb", "./mine.toml", "/a/mine.toml@give_up=10 %"] {
            assert_eq!(Origin::of_name(name), Origin::Modelled, "{name}");
        }
    }

    #[test]
    fn names_side_by_side_tell_what_they_are() {
        let pair = |name: &str, origin| (name.to_owned(), origin);
        let (real, model) = (pair("./f", Origin::Measured), pair("d5", Origin::Modelled));
        assert_eq!(apart(&[real.clone(), model.clone()]), ["./f (measured)", "d5 (modelled)"]);
        assert_eq!(apart(std::slice::from_ref(&model)), ["d5"]);
        assert_eq!(apart(&[]), Vec::<String>::new());
        assert_eq!(of_all([real.1, model.1]), "measured and modelled");
        assert_eq!((of_all([model.1, model.1]), of_all([])), ("modelled", ""));
    }

    #[test]
    fn a_configuration_with_a_model_decides() {
        let mut target = Target { name: "./odd".to_owned(), ..Target::default() };
        assert_eq!(Origin::of_target(&target), Origin::Measured);
        target.configuration = json!({ "path": "./odd", "device": { "model": "X" } });
        assert_eq!(Origin::of_target(&target), Origin::Measured);
        target.configuration = json!({ "model": "[flash]" });
        assert_eq!(Origin::of_target(&target), Origin::Modelled);
    }
}

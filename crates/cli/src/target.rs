//! What `--on` names: a model of the library, a model file, or something real.

use crate::render::Failure;
use crate::values::Pair;
use method::library::{self, Model};
use std::path::{Path, PathBuf};

/// What a job runs on.
#[derive(Clone, Debug)]
pub enum Target {
    /// A model.
    Model(Box<Model>),
    /// A file or a device.
    Real(PathBuf),
}

/// Whether the name is a path: it holds a `/` or ends in `.toml`.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}

/// Finds a target.
pub fn resolve(name: &str, set: &[Pair]) -> Result<Target, Failure> {
    if is_path(name) && !name.ends_with(".toml") {
        return Ok(Target::Real(PathBuf::from(name)));
    }
    model(name, set).map(|model| Target::Model(Box::new(model)))
}

/// Finds a model.
pub fn model(name: &str, set: &[Pair]) -> Result<Model, Failure> {
    let set: Vec<(String, String)> =
        set.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect();
    if name.ends_with(".toml") {
        return Ok(Model::from_file(Path::new(name), &set)?);
    }
    if is_path(name) {
        let message = format!("`{name}` is a path, and only models can be used here");
        return Err(Failure::wrong(message)
            .with_help("name a drive of the library, or a model file ending in .toml"));
    }
    let slug = library::find(name).map_err(|why| unknown(name, why))?;
    let text = library::source_text(slug).unwrap_or_default();
    Ok(Model::parse(slug, &format!("models/drive/{slug}.toml"), text, None, &set)?)
}

fn unknown(name: &str, why: String) -> Failure {
    let here = Path::new(name).exists();
    let help = match here {
        true => format!("to mean the file or device of that name, write ./{name}"),
        false => "`drivelab list drives` shows all; a path has a `/` in it".to_owned(),
    };
    Failure::wrong(why).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_means_a_real_path_and_toml_a_model() {
        assert!(matches!(resolve("./a.img", &[]).unwrap(), Target::Real(_)));
        assert!(matches!(resolve("/dev/nvme0n1", &[]).unwrap(), Target::Real(_)));
        assert!(matches!(resolve("P5430", &[]).unwrap(), Target::Model(_)));
        assert!(resolve("no/such/model.toml", &[]).is_err());
        assert!(model("./a.img", &[]).unwrap_err().help.is_some());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = resolve("d5-p5340", &[]).unwrap_err();
        assert_eq!(error.exit, 2);
        assert!(error.message.contains("d5-p5430"), "{}", error.message);
    }
}

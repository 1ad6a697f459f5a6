//! Files of the user's by what they are: job files, methods, models, flash, reviews.

use crate::files;
use crate::method;
use crate::render::Failure;
use crate::target;
use library::{CoolingFile, NandFile, Overrides, Scale, Workload};
use review::Library;
use std::path::Path;
use toml::Table;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Jobs,
    Method,
    Model,
    Nand,
    Cooling,
    Workload,
    Review,
}

/// Kinds by a key that no other has at the top of its file, in the order in which they are tried.
const BY_KEY: [(&str, Kind); 8] = [
    ("step", Kind::Method),
    ("figure", Kind::Review),
    ("claim", Kind::Review),
    ("bits_per_cell", Kind::Nand),
    ("air", Kind::Cooling),
    ("mix", Kind::Workload),
    ("body", Kind::Model),
    ("drive", Kind::Model),
];

impl Kind {
    /// What a file is, by its ending and its keys. A TOML file that looks like nothing else is read
    /// as a model.
    pub fn of(path: &Path, text: &str) -> Kind {
        if path.extension().is_none_or(|ending| ending != "toml") {
            return Kind::Jobs;
        }
        let table: Table = toml::from_str(text).unwrap_or_default();
        let found = BY_KEY.iter().find(|(key, _)| table.contains_key(*key));
        found.map_or(Kind::Model, |(_, kind)| *kind)
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Jobs => "fio jobs",
            Kind::Method => "a method",
            Kind::Model => "a model",
            Kind::Nand => "a flash die",
            Kind::Cooling => "a way of cooling",
            Kind::Workload => "a workload profile",
            Kind::Review => "a review",
        }
    }
}

/// A file that can be used.
pub struct Usable {
    pub kind: Kind,
    /// What is in it, in a few words.
    pub about: String,
    /// What to keep in mind.
    pub warnings: Vec<String>,
}

/// Reads a TOML file of any kind.
///
/// # Errors
/// All mistakes that are found in it.
pub fn read(path: &Path) -> Result<Usable, Failure> {
    let name = path.display().to_string();
    let text = files::text(path, "the file", "`drivelab list` shows what there are files of")?;
    let kind = Kind::of(path, &text);
    let mut warnings = Vec::new();
    let about = match kind {
        Kind::Jobs => String::new(),
        Kind::Method => {
            let method = method::find(&name)?;
            format!("{} steps, {} metrics", method.steps.len(), method.metrics.len())
        }
        Kind::Model => {
            let system = target::model(&name, &[])?;
            let resolved = system.resolve(Scale::default(), &Overrides::default())?;
            warnings = resolved.warnings;
            metric::show(metric::Dimension::Bytes, resolved.real_bytes as f64)
        }
        Kind::Nand => NandFile::parse(&name, &text)?.name,
        Kind::Cooling => CoolingFile::parse(&name, &text)?.name,
        Kind::Workload => Workload::parse(&name, &text)?.title,
        Kind::Review => {
            let mut library = Library::shipped()?;
            library.add(&name, &text)?;
            let read = library.select(&[]).map_err(Failure::failed)?;
            format!("{} figures, {} claims", read.figures.len(), read.claims.len())
        }
    };
    Ok(Usable { kind, about, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_comes_with_the_program_is_of_its_kind() {
        let of = |text: &str| Kind::of(Path::new("mine.toml"), text);
        for slug in library::drives() {
            assert_eq!(of(library::source_text(slug).unwrap()), Kind::Model, "{slug}");
        }
        for slug in library::systems() {
            assert_eq!(of(library::system_text(slug).unwrap()), Kind::Model, "{slug}");
        }
        for slug in library::nands() {
            assert_eq!(of(library::nand_text(slug).unwrap()), Kind::Nand, "{slug}");
        }
        for slug in library::coolings() {
            assert_eq!(of(library::cooling_text(slug).unwrap()), Kind::Cooling, "{slug}");
        }
        for name in library::workloads() {
            assert_eq!(of(library::workload_text(name).unwrap()), Kind::Workload, "{name}");
        }
        for method in lab::methods() {
            assert_eq!(of(&method.text), Kind::Method, "{}", method.name);
        }
        for (name, text) in review::texts() {
            assert_eq!(of(text), Kind::Review, "{name}");
        }
        assert_eq!(Kind::of(Path::new("a.fio"), "[a]"), Kind::Jobs);
        assert_eq!(Kind::of(Path::new("-"), "[a]"), Kind::Jobs);
    }
}

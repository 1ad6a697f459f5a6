//! TOML files of the user's by what they are: methods, models, flash, cooling, workloads, reviews.

use crate::files;
use crate::method;
use crate::render::Failure;
use crate::target;
use lab::Method;
use library::{CoolingFile, NandFile, Overrides, Scale, Workload};
use metric::counted;
use review::{Library, ReviewFile};
use std::path::Path;
use toml::Table;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    ("ref", Kind::Review),
    ("claim", Kind::Review),
    ("bits_per_cell", Kind::Nand),
    ("air", Kind::Cooling),
    ("mix", Kind::Workload),
    ("body", Kind::Model),
    ("drive", Kind::Model),
];

impl Kind {
    /// What a TOML file is, by its keys. One that looks like nothing else is read as a model.
    fn of(text: &str) -> Kind {
        let table: Table = toml::from_str(text).unwrap_or_default();
        let found = BY_KEY.iter().find(|(key, _)| table.contains_key(*key));
        found.map_or(Kind::Model, |(_, kind)| *kind)
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Method => "a method",
            Kind::Model => "a model",
            Kind::Nand => "a flash die",
            Kind::Cooling => "a way of cooling",
            Kind::Workload => "a workload profile",
            Kind::Review => "a review",
        }
    }
}

/// A TOML file that can be used.
pub struct Usable {
    pub kind: Kind,
    pub text: String,
    /// What is in it, in a few words.
    pub about: String,
    /// What to keep in mind.
    pub warnings: Vec<String>,
    /// What `show` does not print as it is written.
    pub content: Option<Content>,
}

/// A file as it was read.
pub enum Content {
    Method(&'static Method),
    Review(ReviewFile),
}

/// Reads a TOML file of any kind.
///
/// # Errors
/// All mistakes that are found in it.
pub fn read(path: &Path) -> Result<Usable, Failure> {
    let name = path.display().to_string();
    let text = files::text(path, "the file", "`drivelab list` shows what there are files of")?;
    let kind = Kind::of(&text);
    let (mut warnings, mut content) = (Vec::new(), None);
    let about = match kind {
        Kind::Method => {
            let method = method::find(&name)?;
            content = Some(Content::Method(method));
            let (steps, metrics) = (method.steps.len(), method.metrics.len());
            [counted(steps, "step"), counted(metrics, "metric")].join(", ")
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
            let (figures, claims) = (read.figures.len(), read.claims.len());
            let about = [counted(figures, "figure"), counted(claims, "claim")].join(", ");
            content = Some(Content::Review(read));
            about
        }
    };
    Ok(Usable { kind, text, about, warnings, content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_comes_with_the_program_is_of_its_kind() {
        for slug in library::drives() {
            assert_eq!(Kind::of(library::source_text(slug).unwrap()), Kind::Model, "{slug}");
        }
        for slug in library::systems() {
            assert_eq!(Kind::of(library::system_text(slug).unwrap()), Kind::Model, "{slug}");
        }
        for slug in library::nands() {
            assert_eq!(Kind::of(library::nand_text(slug).unwrap()), Kind::Nand, "{slug}");
        }
        for slug in library::coolings() {
            assert_eq!(Kind::of(library::cooling_text(slug).unwrap()), Kind::Cooling, "{slug}");
        }
        for name in library::workloads() {
            assert_eq!(Kind::of(library::workload_text(name).unwrap()), Kind::Workload, "{name}");
        }
        for method in lab::methods() {
            assert_eq!(Kind::of(&method.text), Kind::Method, "{}", method.name);
        }
        for (name, text) in review::texts() {
            assert_eq!(Kind::of(text), Kind::Review, "{name}");
        }
    }
}

//! Systems: drives, how they are attached, and volumes on top. A drive alone is a system too, so
//! that whatever takes one takes the other.

mod cache_file;
mod drives;
mod file;
mod least;
mod members;
mod names;
mod plan;
mod ports;
mod raid_file;
mod resolve;
mod resolved;
mod schema;
mod shown;
mod tier_file;
mod volume;

pub use file::SystemFile;
pub use least::{Accesses, Least};
pub use resolved::ResolvedSystem;

use super::{Interface, Medium, Model, Overrides, Scale, mistakes, shipped, sources, user_file};
use fio::Diagnostic;
use members::Member;
use names::Source;
use std::collections::BTreeSet;
use std::path::Path;

/// A drive or a system of drives, read and checked.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name in the library or the path of its file.
    pub slug: String,
    /// The file's text as used, after what the user set.
    pub text: String,
    /// The file as named in errors.
    place: String,
    body: Body,
}

/// Why a name leads to no system.
#[derive(Clone, Debug)]
pub enum Named {
    /// Nothing is called so; what is known.
    Unknown(String),
    /// What the user set does not fit it.
    Wrong(Diagnostic),
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Named::Unknown(why) => f.write_str(why),
            Named::Wrong(diagnostic) => diagnostic.fmt(f),
        }
    }
}

#[derive(Clone, Debug)]
enum Body {
    Lone(Box<Medium>),
    Several(Box<SystemFile>, Vec<Member>),
}

impl System {
    /// A drive or system of the library by its slug, its name or an alias.
    ///
    /// # Errors
    /// [`Named::Unknown`] if nothing or more than one thing is called so; [`Named::Wrong`] if an
    /// override in `set` is wrong.
    pub fn named(name: &str, set: &[(String, String)]) -> Result<Self, Named> {
        if shipped::is_system(name) {
            let slug = shipped::find_system(name).map_err(Named::Unknown)?;
            let text = shipped::system_text(slug).unwrap_or_default();
            let file = format!("models/system/{slug}.toml");
            return Self::parse(slug, &file, text, None, set).map_err(Named::Wrong);
        }
        let known = shipped::drive(name);
        let (slug, file, text) =
            known.map_err(|why| Named::Unknown(shipped::unknown(name, why)))?;
        Self::parse(slug, &file, text, None, set).map_err(Named::Wrong)
    }

    /// A drive or system from a file of the user's. Files that it names are looked for beside it
    /// first, then in the library.
    ///
    /// # Errors
    /// If the file cannot be read, or as [`Self::parse`].
    pub fn from_file(path: &Path, set: &[(String, String)]) -> Result<Self, Diagnostic> {
        let file = path.display().to_string();
        let text = user_file::model(path)?;
        Self::parse(&file, &file, &text, path.parent(), set)
    }

    /// A drive or system from text; `file` is named in errors.
    ///
    /// # Errors
    /// The first mistake in the text, in a file that it names or in an override, or a combination
    /// that cannot work at full scale; with its place.
    pub fn parse(
        slug: &str,
        file: &str,
        text: &str,
        beside: Option<&Path>,
        set: &[(String, String)],
    ) -> Result<Self, Diagnostic> {
        if !is_system(text) {
            let medium = Medium::parse(slug, file, text, beside, set)?;
            let (slug, text) = (slug.to_owned(), medium.text().to_owned());
            return Ok(System {
                slug,
                text,
                place: file.to_owned(),
                body: Body::Lone(medium.into()),
            });
        }
        let (own, of_members) = members::split(set);
        let text = members::apply(file, text, &own)?;
        let said: SystemFile = mistakes::read(file, &text, &text, shipped::SYSTEMS)?;
        sources::check(file, &text)?;
        let members = members::read(file, &text, &said, beside, &of_members)?;
        let body = Body::Several(said.into(), members);
        let system = System { slug: slug.to_owned(), text, place: file.to_owned(), body };
        // Impossible combinations are found now, not when the system is first run.
        system.resolve(Scale::default(), &Overrides::default())?;
        Ok(system)
    }

    /// Its full name.
    pub fn name(&self) -> &str {
        match &self.body {
            Body::Lone(medium) => medium.name(),
            Body::Several(file, _) => &file.name,
        }
    }

    /// The drive, if it is a single one.
    pub fn lone(&self) -> Option<&Medium> {
        match &self.body {
            Body::Lone(medium) => Some(medium),
            Body::Several(..) => None,
        }
    }

    /// The flash drive, if it is a single one.
    pub fn lone_flash(&self) -> Option<&Model> {
        match self.lone() {
            Some(Medium::Flash(model)) => Some(model),
            _ => None,
        }
    }

    /// Every model in it once, in the order of the file.
    pub fn media(&self) -> Vec<&Medium> {
        match &self.body {
            Body::Lone(medium) => vec![medium],
            Body::Several(_, members) => members.iter().map(|member| &member.medium).collect(),
        }
    }

    /// The drives of a system by the names that it gives them, in the order of the file; a lone
    /// drive has none.
    pub fn named_media(&self) -> Vec<(&str, &Medium)> {
        match &self.body {
            Body::Lone(_) => Vec::new(),
            Body::Several(file, members) => {
                let names = file.drives.iter().map(|drive| drive.name.get_ref().as_str());
                names.zip(members.iter().map(|member| &member.medium)).collect()
            }
        }
    }

    /// The slugs of its drives and how many there are of each, in the order of the file.
    pub fn parts(&self) -> Vec<(&str, u32)> {
        match &self.body {
            Body::Lone(medium) => vec![(medium.slug(), 1)],
            Body::Several(_, members) => {
                members.iter().map(|member| (member.medium.slug(), member.count)).collect()
            }
        }
    }

    /// Other names by which a system can be called; those of a lone drive are in its own file.
    pub fn aliases(&self) -> &[String] {
        match &self.body {
            Body::Lone(_) => &[],
            Body::Several(file, _) => &file.aliases,
        }
    }

    /// All texts that it was read from: what makes one system another.
    pub fn texts(&self) -> String {
        self.text.clone() + &self.media_texts().concat()
    }

    /// The texts of its drives and of their flash.
    pub fn media_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for medium in self.media() {
            texts.push(medium.text().to_owned());
            if let Medium::Flash(model) = medium {
                texts.push(model.nand_text.clone());
            }
        }
        texts
    }

    /// What will run, at a scale.
    ///
    /// # Errors
    /// If a drive, volume or path cannot work at this scale, or if an override does not apply to
    /// it.
    pub fn resolve(
        &self,
        scale: Scale,
        overrides: &Overrides,
    ) -> Result<ResolvedSystem, Diagnostic> {
        let mut resolved = match &self.body {
            Body::Lone(medium) => resolve::lone(medium, scale, overrides),
            Body::Several(file, members) => {
                let source = Source { place: &self.place, text: &self.text };
                resolve::several(file, members, &source, scale, overrides)
            }
        }?;
        for medium in self.media() {
            let warnings = medium.warnings().into_iter();
            resolved.warnings.extend(warnings.map(|text| format!("{}: {text}", medium.slug())));
        }
        Ok(resolved)
    }

    /// Ids of all figures on which a value of it or of its drives was fitted.
    pub fn fitted_on(&self) -> BTreeSet<String> {
        let mut ids: BTreeSet<String> =
            self.media().iter().flat_map(|medium| medium.fitted_on()).collect();
        if self.lone().is_none() {
            ids.extend(sources::fitted_on(&self.text));
        }
        ids
    }

    /// Program and erase cycles that its flash is rated for; of several kinds the fewest.
    pub fn rated_cycles(&self) -> Option<f64> {
        let of = |medium: &&Medium| match medium {
            Medium::Flash(model) => model.rated_cycles(),
            _ => None,
        };
        self.media().iter().filter_map(of).reduce(f64::min)
    }

    /// Bytes that all its flash can take until the rated cycles are used, if its drives wear alike;
    /// `None` where something in it is no flash, or says nothing of its cycles.
    pub fn rated_flash_writes(&self) -> Option<f64> {
        let of = |medium: &Medium| match medium {
            Medium::Flash(model) => Some(model.rated_cycles()? * model.raw_flash().in_turn()),
            _ => None,
        };
        match &self.body {
            Body::Lone(medium) => of(medium),
            Body::Several(_, members) => {
                members.iter().map(|one| Some(of(&one.medium)? * f64::from(one.count))).sum()
            }
        }
    }

    /// Bytes that its modules of 3D XPoint are rated for, together.
    pub fn rated_writes(&self) -> Option<f64> {
        let of = |medium: &&Medium| match medium {
            Medium::XPoint(model) => Some(model.file.body.endurance.get().base() as f64),
            _ => None,
        };
        self.media().iter().filter_map(of).reduce(|a, b| a + b)
    }

    /// The interface of its first drive.
    pub fn interface(&self) -> Option<Interface> {
        self.media().first().map(|medium| medium.interface())
    }
}

/// Whether a text describes a system and not a drive: it lists drives.
fn is_system(text: &str) -> bool {
    let table: Option<toml::Table> = toml::from_str(text).ok();
    match table {
        Some(table) => table.contains_key("drive") || table.contains_key("volume"),
        // It is neither; the reader that fits better says what is wrong with it.
        None => text.lines().any(|line| line.trim() == "[[drive]]"),
    }
}

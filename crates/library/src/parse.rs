//! Models from the texts of their files, checked.

use super::diagnose;
use super::file::DriveFile;
use super::media_word::media_word;
use super::mistakes;
use super::model::{Model, Overrides};
use super::nand_file::NandFile;
use super::scale::Scale;
use super::set::Pairs;
use super::{set, shipped, sources, user_file};
use fio::Diagnostic;
use std::path::Path;

impl Model {
    /// A model of the library by its slug, its name or an alias.
    ///
    /// # Errors
    /// If no drive is called so, if the name fits several, or if an override in `set` is wrong.
    pub fn named(name: &str, set: &[(String, String)]) -> Result<Self, String> {
        let (slug, file, text) = shipped::drive(name)?;
        Self::parse(slug, &file, text, None, set).map_err(|d| d.to_string())
    }

    /// A model from a file of the user's. Its NAND file is looked for beside it first, then in the
    /// library.
    ///
    /// # Errors
    /// If the file cannot be read, or as [`Self::parse`].
    pub fn from_file(path: &Path, set: &[(String, String)]) -> Result<Self, Diagnostic> {
        let file = path.display().to_string();
        let text = user_file::model(path)?;
        Self::parse(&file, &file, &text, path.parent(), set)
    }

    /// A model from text; `file` is named in errors.
    ///
    /// # Errors
    /// If the model is not of the medium flash, or the first mistake in the text, in its NAND file
    /// or in an override, with its place.
    pub fn parse(
        slug: &str,
        file: &str,
        text: &str,
        beside: Option<&Path>,
        set: &[(String, String)],
    ) -> Result<Self, Diagnostic> {
        let medium = media_word(file, text)?;
        if medium != "flash" {
            let message = format!("this is a model of the medium `{medium}`, and flash is needed");
            return Err(Diagnostic::new(&diagnose::place(file, text, 0), message)
                .with_help("name a flash drive; `drivelab list drives` shows the medium of each"));
        }
        let as_written = text;
        let (of_nand, own) = split(set);
        let text = set::apply(file, as_written, &own)?;
        let drive: DriveFile = mistakes::read(file, as_written, &text, shipped::DRIVES)?;
        let name = drive.nand.get_ref();
        let at = diagnose::place(file, &text, drive.nand.span().start);
        let nand_file = format!("models/nand/{name}.toml");
        let own = beside
            .filter(|_| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)))
            .and_then(|dir| std::fs::read_to_string(dir.join(format!("{name}.toml"))).ok());
        let nand_text = match own {
            Some(text) => text,
            None => shipped::nand_text(name)
                .map_err(|help| {
                    Diagnostic::new(&at, format!("no NAND file is called `{name}`")).with_help(help)
                })?
                .to_owned(),
        };
        let as_written = nand_text;
        let nand_text = set::apply(&nand_file, &as_written, &of_nand)?;
        let nand = NandFile::changed(&nand_file, &as_written, &nand_text)?;
        let stream = stream_of(slug, &drive.name);
        let model = Model { slug: slug.to_owned(), stream, text, drive, nand_text, nand };
        // Refuses a value whose source is not one.
        sources::check(file, &model.text)?;
        // Impossible numbers are found now, not when the model is first run.
        model.resolve_named(file, Scale::default(), &Overrides::default())?;
        Ok(model)
    }
}

/// See [`Model::stream`].
fn stream_of(slug: &str, full_name: &str) -> String {
    let known = shipped::source_text(slug).map(|_| slug);
    known.or_else(|| shipped::slug_of(full_name)).unwrap_or(full_name).to_owned()
}

/// Divides what the user set into that of the NAND file (`nand.KEY`), without the prefix, and that
/// of the drive file, where `nand` is a name and has nothing in it.
fn split(set: &[(String, String)]) -> (Pairs, Pairs) {
    let (of_nand, own): (Pairs, Pairs) =
        set.iter().cloned().partition(|(path, _)| path.starts_with("nand."));
    let bare = |(path, value): (String, String)| (path["nand.".len()..].to_owned(), value);
    (of_nand.into_iter().map(bare).collect(), own)
}

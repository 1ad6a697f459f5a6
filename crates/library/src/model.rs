//! A model: a drive file and its NAND file, checked.

use super::cooling_file::Surroundings;
use super::diagnose;
use super::division::Division;
use super::file::DriveFile;
use super::media;
use super::mistakes;
use super::nand_file::NandFile;
use super::resolve::{self, Resolved, Scale};
use super::shipped;
use super::sources;
use engine::Ratio;
use fio::Diagnostic;
use std::collections::BTreeSet;
use std::path::Path;

/// What a user changes about a model from the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Share of the user capacity given up as spare.
    pub give_up: Ratio,
    /// Values set by path, such as `flash.dies=64 dies`; they replace those of the file.
    pub set: Vec<(String, String)>,
    /// Power state, 0 is uncapped.
    pub power_state: u32,
    /// What cools the drive and how warm the air is.
    pub surroundings: Surroundings,
    /// So many of a single drive side by side, each a device of its own; one without it.
    pub drives: Option<u32>,
    /// Namespaces into which each drive that is no part of a volume is divided.
    pub namespaces: Option<Division>,
}

/// A model of a drive.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name in the library or the path of its file.
    pub slug: String,
    /// What its random streams are named by: its slug in the library, or that of the drive whose
    /// name its file bears, or that name. The path of the file is no part of it.
    pub stream: String,
    /// The file's text as used, after what the user set.
    pub text: String,
    /// The drive.
    pub drive: DriveFile,
    /// The NAND file's text.
    pub nand_text: String,
    /// Its flash.
    pub nand: NandFile,
}

impl Model {
    /// A model of the library by its slug, its name or an alias. The error lists what is known.
    pub fn named(name: &str, set: &[(String, String)]) -> Result<Self, String> {
        let (slug, file, text) = shipped::drive(name)?;
        Self::parse(slug, &file, text, None, set).map_err(|d| d.to_string())
    }

    /// A model from a file of the user's. Its NAND file is looked for beside it first, then in the
    /// library.
    pub fn from_file(path: &Path, set: &[(String, String)]) -> Result<Self, Diagnostic> {
        let file = path.display().to_string();
        let text = read(path)?;
        Self::parse(&file, &file, &text, path.parent(), set)
    }

    /// Program and erase cycles that its cells are rated for, if the model says what they are.
    pub fn rated_cycles(&self) -> Option<f64> {
        let cell = self.nand.cell.as_ref()?.resolve();
        let class = cell.class;
        Some(iopath::cell::endurance::rated_cycles(&iopath::cell::CellModel::new(cell), class))
    }

    /// A model from text; `file` is named in errors.
    pub fn parse(
        slug: &str,
        file: &str,
        text: &str,
        beside: Option<&Path>,
        set: &[(String, String)],
    ) -> Result<Self, Diagnostic> {
        let medium = media::word(file, text)?;
        if medium != "flash" {
            let message = format!("this is a model of the medium `{medium}`, and flash is needed");
            return Err(Diagnostic::new(&diagnose::place(file, text, 0), message)
                .with_help("name a flash drive; `drivelab list drives` shows the medium of each"));
        }
        let as_written = text;
        let (of_nand, own) = split(set);
        let text = apply(file, as_written, &own)?;
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
        let nand_text = apply(&nand_file, &as_written, &of_nand)?;
        let nand: NandFile = mistakes::read(&nand_file, &as_written, &nand_text, shipped::NANDS)?;
        let stream = stream_of(slug, &drive.name);
        let model = Model { slug: slug.to_owned(), stream, text, drive, nand_text, nand };
        resolve::check_sources(&model, file, &nand_file)?;
        if let Some(cell) = &model.nand.cell {
            let bits = model.nand.bits_per_cell.get().number;
            cell.check(bits).map_err(|(at, message, help)| {
                let place = diagnose::place(&nand_file, &model.nand_text, at);
                Diagnostic::new(&place, message).with_help(help)
            })?;
        }
        // Impossible numbers are found now, not when the model is first run.
        model.resolve_named(file, Scale::default(), &Overrides::default())?;
        Ok(model)
    }

    /// The drive at a scale.
    pub fn resolve(&self, scale: Scale, overrides: &Overrides) -> Result<Resolved, Diagnostic> {
        let file = if self.slug.ends_with(".toml") {
            self.slug.clone()
        } else {
            format!("models/drive/{}.toml", self.slug)
        };
        let mut resolved = self.resolve_named(&file, scale, overrides)?;
        match &mut resolved.config.heat {
            Some(heat) => *heat = overrides.surroundings.apply(heat)?,
            None if overrides.surroundings != Surroundings::default() => {
                let place = diagnose::place(&file, "", 0);
                return Err(Diagnostic::new(&place, "the model says nothing of its heat")
                    .with_help("cooling and air matter to drives with a section [thermal] only"));
            }
            None => {}
        }
        Ok(resolved)
    }

    fn resolve_named(
        &self,
        file: &str,
        scale: Scale,
        overrides: &Overrides,
    ) -> Result<Resolved, Diagnostic> {
        resolve::resolve(self, scale, overrides).map_err(|(at, message, help)| {
            Diagnostic::new(&diagnose::place(file, &self.text, at), message).with_help(help)
        })
    }

    /// What its dies hold, and what for.
    pub fn raw_flash(&self) -> resolve::RawFlash {
        resolve::RawFlash::of(self)
    }

    /// What one should know of its values although it can run.
    pub fn warnings(&self) -> Vec<String> {
        resolve::warnings(self)
    }

    /// Ids of all figures on which a value of the model was fitted.
    pub fn fitted_on(&self) -> BTreeSet<String> {
        let mut ids = sources::fitted_on(&self.text);
        ids.extend(sources::fitted_on(&self.nand_text));
        ids
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

type Pairs = Vec<(String, String)>;

/// The text of a model file of the user's.
pub(super) fn read(path: &Path) -> Result<String, Diagnostic> {
    let file = path.display().to_string();
    let unreadable = |why: String| {
        Diagnostic::new(&diagnose::place(&file, "", 0), why)
            .with_help("a model is a TOML text; `drivelab show NAME` prints one to start from")
    };
    let bytes =
        std::fs::read(path).map_err(|e| unreadable(format!("the model cannot be read: {e}")))?;
    if bytes.len() > 1 << 20 {
        return Err(unreadable("the model is larger than 1 MiB".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("the model is not text (UTF-8)".to_owned()))
}

/// Sets values in the text of a model. A set value keeps no source of the file; it is the user's
/// assumption.
pub(super) fn apply(
    file: &str,
    text: &str,
    set: &[(String, String)],
) -> Result<String, Diagnostic> {
    if set.is_empty() {
        return Ok(text.to_owned());
    }
    let mut table: toml::Table =
        toml::from_str(text).map_err(|e| diagnose::toml(file, text, &e))?;
    for (path, value) in set {
        let place = diagnose::place("--set", path, 0);
        let unknown = || {
            Diagnostic::new(&place, format!("the model has no value `{path}`"))
                .with_help("paths are those of the model file, such as `flash.dies`")
        };
        set_value(&mut table, path, value).ok_or_else(unknown)?;
    }
    toml::to_string(&table)
        .map_err(|e| Diagnostic::new(&diagnose::place("--set", "", 0), e.to_string()))
}

/// Sets the value at a path of keys. `None` if the path leads through a value, or to what is
/// neither a sourced value nor a text.
pub(super) fn set_value(table: &mut toml::Table, path: &str, value: &str) -> Option<()> {
    let mut parts: Vec<&str> = path.split('.').collect();
    let last = parts.pop()?;
    let mut at = table;
    for part in parts {
        // A section that the file leaves out can be begun here; what is in it is checked later.
        at = at.entry(part).or_insert_with(|| toml::Table::new().into()).as_table_mut()?;
    }
    let old = at.entry(last).or_insert_with(|| toml::Table::new().into());
    *old = match old {
        toml::Value::Table(_) => sourced(value),
        toml::Value::String(_) => value.into(),
        // The entries of a list of values, as the sense times of the pages of a word line.
        toml::Value::Array(list) if list.iter().all(|entry| entry.get("value").is_some()) => {
            value.split(", ").map(sourced).collect::<Vec<_>>().into()
        }
        _ => return None,
    };
    Some(())
}

/// A value that the user set.
fn sourced(value: &str) -> toml::Value {
    let mut sourced = toml::Table::new();
    sourced.insert("value".to_owned(), value.into());
    sourced.insert("source".to_owned(), "assumed: set on the command line".into());
    sourced.into()
}

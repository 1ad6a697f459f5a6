//! Whatever a drive file describes: flash, a hard disk, or a module of 3D XPoint.

use super::disk_file::DiskFile;
use super::interface::Interface;
use super::media_word::media_word;
use super::model::{Model, Overrides};
use super::set;
use super::user_file;
use super::xpoint_file::XPointFile;
use super::{diagnose, mistakes, shipped, sources};
use fio::Diagnostic;
use iopath::device::disk::{DiskConfig, Fault};
use iopath::device::xpoint::XPointConfig;
use std::collections::BTreeSet;
use std::path::Path;

/// A drive file that was read and checked, of whatever medium.
#[derive(Clone, Debug)]
pub enum Medium {
    /// A flash drive.
    Flash(Box<Model>),
    /// A hard disk.
    Disk(Box<MediaModel<DiskFile>>),
    /// A module of 3D XPoint.
    XPoint(Box<MediaModel<XPointFile>>),
}

/// A model that is one file.
#[derive(Clone, Debug)]
pub struct MediaModel<F> {
    /// Its name in the library or the path of its file.
    pub slug: String,
    /// The file's text as used, after what the user set.
    pub text: String,
    /// What it says.
    pub file: F,
}

impl Medium {
    /// A drive of the library by its slug, its name or an alias.
    ///
    /// # Errors
    /// If no drive is called so, if the name fits several, or if an override in `set` is wrong.
    pub fn named(name: &str, set: &[(String, String)]) -> Result<Self, String> {
        let (slug, file, text) = shipped::drive(name)?;
        Self::parse(slug, &file, text, None, set).map_err(|d| d.to_string())
    }

    /// A drive from a file of the user's.
    ///
    /// # Errors
    /// If the file cannot be read, or as [`Self::parse`].
    pub fn from_file(path: &Path, set: &[(String, String)]) -> Result<Self, Diagnostic> {
        let file = path.display().to_string();
        let text = user_file::model(path)?;
        Self::parse(&file, &file, &text, path.parent(), set)
    }

    /// A drive from text; `file` is named in errors, a NAND file is looked for in `beside` first.
    ///
    /// # Errors
    /// The first mistake in the text, in its NAND file or in an override, with its place.
    pub fn parse(
        slug: &str,
        file: &str,
        text: &str,
        beside: Option<&Path>,
        set: &[(String, String)],
    ) -> Result<Self, Diagnostic> {
        match media_word(file, text)? {
            "disk" => Ok(Medium::Disk(Box::new(MediaModel::read(slug, file, text, set)?))),
            "xpoint" => Ok(Medium::XPoint(Box::new(MediaModel::read(slug, file, text, set)?))),
            _ => Ok(Medium::Flash(Box::new(Model::parse(slug, file, text, beside, set)?))),
        }
    }

    /// Its name in the library or the path of its file.
    pub fn slug(&self) -> &str {
        match self {
            Medium::Flash(model) => &model.slug,
            Medium::Disk(model) => &model.slug,
            Medium::XPoint(model) => &model.slug,
        }
    }

    /// The file's text as used, after what the user set.
    pub fn text(&self) -> &str {
        match self {
            Medium::Flash(model) => &model.text,
            Medium::Disk(model) => &model.text,
            Medium::XPoint(model) => &model.text,
        }
    }

    /// Its full name.
    pub fn name(&self) -> &str {
        match self {
            Medium::Flash(model) => &model.drive.name,
            Medium::Disk(model) => &model.file.name,
            Medium::XPoint(model) => &model.file.name,
        }
    }

    /// Bytes that the host of the real drive sees.
    pub fn capacity(&self) -> u64 {
        match self {
            Medium::Flash(model) => model.drive.body.capacity.get().base(),
            Medium::Disk(model) => model.file.body.capacity.get().base(),
            Medium::XPoint(model) => model.file.body.capacity.get().base(),
        }
    }

    /// Its interface.
    pub fn interface(&self) -> Interface {
        match self {
            Medium::Flash(model) => *model.drive.link.interface.get(),
            Medium::Disk(model) => *model.file.link.interface.get(),
            Medium::XPoint(model) => *model.file.link.interface.get(),
        }
    }

    /// A number that the files of a disk or a module of 3D XPoint state or that follows from what
    /// they state, in the base unit of the metric. Flash has more to say, and says it itself.
    pub fn fact(&self, metric: &str) -> Option<f64> {
        match self {
            Medium::Flash(_) => None,
            Medium::Disk(model) => match metric {
                "dram" => Some(model.file.buffer.size.get().base() as f64),
                _ => None,
            },
            Medium::XPoint(model) => model.file.fact(metric),
        }
    }

    /// What one should know of its values although it can run.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Medium::Flash(model) => model.warnings(),
            Medium::Disk(_) | Medium::XPoint(_) => Vec::new(),
        }
    }

    /// Ids of all figures on which a value of the model was fitted.
    pub fn fitted_on(&self) -> BTreeSet<String> {
        match self {
            Medium::Flash(model) => model.fitted_on(),
            Medium::Disk(model) => sources::fitted_on(&model.text),
            Medium::XPoint(model) => sources::fitted_on(&model.text),
        }
    }
}

/// The kinds of file that are a model of their own.
pub trait MediaFile: serde::de::DeserializeOwned {
    /// What will run.
    type Config;

    /// What will run, or the value that cannot be.
    ///
    /// # Errors
    /// The value that the medium does not allow.
    fn checked(&self, slug: &str) -> Result<Self::Config, Fault>;
}

impl MediaFile for DiskFile {
    type Config = DiskConfig;

    fn checked(&self, slug: &str) -> Result<DiskConfig, Fault> {
        let config = self.config(slug);
        config.check().map(|()| config)
    }
}

impl MediaFile for XPointFile {
    type Config = XPointConfig;

    fn checked(&self, slug: &str) -> Result<XPointConfig, Fault> {
        let config = self.config(slug);
        config.check().map(|()| config)
    }
}

impl<F: MediaFile> MediaModel<F> {
    fn read(
        slug: &str,
        file: &str,
        as_written: &str,
        set: &[(String, String)],
    ) -> Result<Self, Diagnostic> {
        let text = set::apply(file, as_written, set)?;
        let said: F = mistakes::read(file, as_written, &text, shipped::DRIVES)?;
        sources::check(file, &text)?;
        let model = MediaModel { slug: slug.to_owned(), text, file: said };
        // Impossible numbers are found now, not when the model is first run.
        model.resolve_named(file)?;
        Ok(model)
    }

    /// What will run. A disk and a module of 3D XPoint have no spare area to give up, and the
    /// models have one power state.
    ///
    /// # Errors
    /// If space is given up, if a power state other than the first is chosen, or if a value is not
    /// possible.
    pub fn resolve(&self, overrides: &Overrides) -> Result<F::Config, Diagnostic> {
        let file = if self.slug.ends_with(".toml") {
            self.slug.clone()
        } else {
            format!("models/drive/{}.toml", self.slug)
        };
        let refuse = |message: &str, help: &str| {
            Err(Diagnostic::new(&diagnose::place(&file, "", 0), message).with_help(help))
        };
        if overrides.give_up.base() > 0 {
            return refuse("it writes in place and has no spare area", "give up 0 %");
        }
        if overrides.power_state > 0 {
            return refuse("the model has no power states but the first", "choose power state 0");
        }
        self.resolve_named(&file)
    }

    fn resolve_named(&self, file: &str) -> Result<F::Config, Diagnostic> {
        self.file.checked(&self.slug).map_err(|fault| {
            let at = sources::place_of(&self.text, fault.key);
            let place = diagnose::place(file, &self.text, at);
            Diagnostic::new(&place, format!("`{}`: {}", fault.key, fault.message))
                .with_help(fault.help)
        })
    }
}

//! The health logs of modelled drives before and after a run.

use super::args::RunArgs;
use crate::files;
use crate::render::Failure;
use library::{Interface, Medium, Model, System};
use simulate::health::{About, snapshot};
use simulate::{Blueprint, Rig};
use smart::Protocol;
use std::path::{Path, PathBuf};

/// What is to be written, and what each drive is called in it.
pub struct Logs {
    before: Option<PathBuf>,
    after: Option<PathBuf>,
    drives: Vec<About>,
}

impl Logs {
    /// The logs that the user wants, if any. Of a system there is one for each of its flash drives.
    pub fn wanted(
        args: &RunArgs,
        system: &System,
        blueprint: &Blueprint,
    ) -> Result<Option<Self>, Failure> {
        let (before, after) = (args.smart_before.clone(), args.smart_after.clone());
        if before.is_none() && after.is_none() {
            return Ok(None);
        }
        let (count, seed) = (blueprint.flash().count(), args.seed());
        if count == 0 {
            let message = format!("{} has no flash whose health could be told", system.name());
            return Err(Failure::wrong(message).with_help("leave out --smart-before and -after"));
        }
        for path in [&before, &after].into_iter().flatten() {
            for place in 0..count {
                files::check_place(&numbered(path, place, count), args.overwrite)?;
            }
        }
        let mut drives: Vec<About> = Vec::new();
        for (model, protocol) in blueprint.flash().filter_map(|config| flash(system, &config.name))
        {
            let place = drives.len();
            drives.push(About {
                place,
                model: model.drive.name.clone(),
                serial: match count {
                    1 => format!("{}-{seed}", model.slug),
                    _ => format!("{}-{seed}-{}", model.slug, place + 1),
                },
                protocol,
                rated_cycles: model.rated_cycles(),
            });
        }
        Ok(Some(Logs { before, after, drives }))
    }

    /// The run begins: the workload timer is reset, and the first log written.
    pub fn begin(&self, rig: &mut Rig) -> Result<(), Failure> {
        rig.reset_timed_workload();
        self.write(rig, self.before.as_deref())
    }

    /// The run has ended.
    pub fn end(&self, rig: &mut Rig) -> Result<(), Failure> {
        self.write(rig, self.after.as_deref())
    }

    fn write(&self, rig: &mut Rig, path: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        for about in &self.drives {
            let log = snapshot(rig, about);
            let path = numbered(path, about.place, self.drives.len());
            files::write(&path, &smart::write::smartctl(&log, env!("CARGO_PKG_VERSION")))?;
        }
        Ok(())
    }
}

/// The model that a flash drive of a system was built from.
fn flash<'a>(system: &'a System, name: &str) -> Option<(&'a Model, Protocol)> {
    system.media().into_iter().find_map(|medium| match medium {
        Medium::Flash(model) if model.drive.name == name || model.slug == name => {
            let protocol = match medium.interface() {
                Interface::Sata { .. } => Protocol::Ata,
                Interface::Pcie { .. } => Protocol::Nvme,
            };
            Some((model.as_ref(), protocol))
        }
        _ => None,
    })
}

/// The file of one drive of several: `log.json` is `log.2.json` for the second.
fn numbered(path: &Path, place: usize, count: usize) -> PathBuf {
    if count == 1 {
        return path.to_owned();
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
    path.with_extension(match ending {
        Some(ending) => format!("{}.{ending}", place + 1),
        None => (place + 1).to_string(),
    })
}

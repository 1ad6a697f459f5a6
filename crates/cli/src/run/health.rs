//! The health logs of a modelled drive before and after a run.

use crate::args::RunArgs;
use crate::files;
use crate::render::Failure;
use method::health::{About, snapshot};
use method::library::{Interface, Model};
use method::simulate::Rig;
use smart::Protocol;
use std::path::{Path, PathBuf};

/// What is to be written, and what the drive is called in it.
pub struct Logs {
    before: Option<PathBuf>,
    after: Option<PathBuf>,
    about: About,
}

impl Logs {
    /// The logs that the user wants, if any.
    pub fn wanted(args: &RunArgs, model: &Model, seed: u64) -> Result<Option<Self>, Failure> {
        let (before, after) = (args.smart_before.clone(), args.smart_after.clone());
        if before.is_none() && after.is_none() {
            return Ok(None);
        }
        for path in [&before, &after].into_iter().flatten() {
            files::check_writable(path)?;
        }
        let protocol = match model.drive.link.interface.get() {
            Interface::Sata { .. } => Protocol::Ata,
            Interface::Pcie { .. } => Protocol::Nvme,
        };
        let about = About {
            model: model.drive.name.clone(),
            serial: format!("{}-{seed}", model.slug),
            protocol,
            rated_cycles: model.rated_cycles(),
        };
        Ok(Some(Logs { before, after, about }))
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
        let log = snapshot(rig, &self.about);
        files::write(path, &smart::write::smartctl(&log, env!("CARGO_PKG_VERSION")))
    }
}

//! What a job runs on: a model at the scale that the job needs, and the job planned for it.

use super::args::RunArgs;
use crate::render::Failure;
use crate::subject::Subject;
use ::trace::Replays;
use engine::narrow;
use fio::JobFile;
use library::{Overrides, ResolvedSystem, Scale, System};
use simulate::{Blueprint, HostCost, Planned, RunOptions};

/// A model, and jobs that fit it. Nothing is built yet.
pub(super) struct Site {
    pub(super) overrides: Overrides,
    pub(super) scale: Scale,
    pub(super) resolved: ResolvedSystem,
    pub(super) blueprint: Blueprint,
    pub(super) planned: Planned,
}

impl Site {
    /// The model at the scale that the user asks for, else at the one that the jobs need, in time
    /// to say what does not run: nobody waits for a drive to be prepared before that.
    ///
    /// # Errors
    /// A model that cannot be at this scale, and jobs that do not fit it.
    pub(super) fn choose(
        args: &RunArgs,
        (model, subject): (&System, &Subject),
        file: &JobFile,
        replays: &Replays,
    ) -> Result<Self, Failure> {
        let overrides = a_drive_each(args.model.overrides(subject), model, file);
        let seed = args.seed();
        let mut scale = args.scale.unwrap_or_default();
        let mut resolved = model.resolve(scale, &overrides)?;
        let mut blueprint = Blueprint::of(&resolved, seed);
        let mut planned = blueprint.plan(file, &options(&resolved, replays));
        if args.scale.is_none() && (planned.is_err() || !replays.is_empty()) {
            let share = blueprint.least_share(file, &options(&resolved, replays))?;
            if share > resolved.scale {
                scale = Scale::Share(share);
                resolved = model.resolve(scale, &overrides)?;
                blueprint = Blueprint::of(&resolved, seed);
                planned = blueprint.plan(file, &options(&resolved, replays));
            }
        }
        let planned = planned?;
        Ok(Site { overrides, scale, resolved, blueprint, planned })
    }
}

/// As many drives as the jobs name, if the target is a drive and the user does not say how many
/// devices it is.
pub fn a_drive_each(mut overrides: Overrides, model: &System, file: &JobFile) -> Overrides {
    let untold = overrides.drives.is_none() && overrides.namespaces.is_none();
    if untold && model.lone().is_some() {
        let named = simulate::drives_named(&file.jobs).map(narrow);
        overrides.drives = named.filter(|drives| *drives > 1);
    }
    overrides
}

/// What the jobs are planned and run with.
pub(super) fn options<'a>(resolved: &ResolvedSystem, replays: &Replays) -> RunOptions<'a> {
    RunOptions {
        host: HostCost { submit: resolved.host.submit },
        replays: replays.clone(),
        ..RunOptions::default()
    }
}

//! Methods on files and devices that exist: what has to be confirmed for them, and the measurement.

use crate::arguments::BenchArgs;
use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::render::Failure;
use crate::target;
use crate::values;
use ::trace::Replays;
use clap::Args;
use engine::Bytes;
use lab::Run;
use lab::{
    BenchOptions, DatabaseOptions, DatabaseTarget, RealOptions, RealTarget, Watch, measure_on,
};
use metric::{Measurement, State};
use real::database::Programs;
use real::device::Device;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Consent to a real target.
#[derive(Args, Debug)]
pub struct ConsentArgs {
    /// Size of a file that is made
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, help_heading = "Real drives")]
    pub size: Option<Bytes>,
    /// Replace existing files: those of results, and a real target that drivelab did not make
    #[arg(long)]
    pub overwrite: bool,
    /// Destroy all data of the device with this serial number; of several paths one each, with
    /// commas
    #[arg(long, value_name = "SERIAL", help_heading = "Real drives")]
    pub destroy_data: Option<String>,
}

/// Options about real drives.
#[derive(Args, Debug)]
pub struct RealArgs {
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Keep the data of a database in its directory
    #[arg(long, help_heading = "Real drives")]
    pub keep: bool,
}

/// Refuses options that mean something on models only, where every target is real.
pub fn check_options(bench: &BenchArgs) -> Result<(), Failure> {
    let given = [
        ("--seed", bench.seed.is_some()),
        ("--budget", bench.budget.is_some()),
        ("--full", bench.full),
        ("--scale", bench.scale.is_some()),
        ("--threads", bench.threads.is_some()),
    ];
    refuse(given.iter().filter(|(_, given)| *given).map(|(name, _)| *name))
}

/// Refuses options by name, all at once.
pub fn refuse<'a>(options: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let names: Vec<&str> = options.collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("{} means something on models only", names.join(", "));
    Err(Failure::wrong(message).with_help("leave it out: every target is real"))
}

/// Parameters that a model alone can have.
pub const OF_MODELS: [&str; 2] = ["give_up", "power_state"];

/// The parameter of a run that a model alone can have, if one is in use.
pub fn of_models_alone(run: &Run) -> Option<&'static str> {
    let in_use = |name: &str| run.params.get(name).is_some_and(|value| !value.is_zero());
    OF_MODELS.into_iter().find(|name| in_use(name))
}

/// A real target as the Record keeps it.
pub fn target(name: &str, about: Value) -> stats::Target {
    stats::Target { name: name.to_owned(), configuration: about, ..stats::Target::default() }
}

/// Where the steps of a real test are kept until it has ended: beside its Record.
pub fn steps_place(record: &Path) -> PathBuf {
    files::with_ending(record, ".steps")
}

impl RealArgs {
    /// A method on a file or a device that exists; its steps are kept at a place, if there is one.
    pub fn measure(
        &self,
        run: &Run,
        options: BenchOptions,
        steps: Option<(PathBuf, String)>,
        watch: Watch<'_>,
    ) -> Result<Measurement, Failure> {
        let method = lab::find(&run.method)
            .map_err(|help| Failure::wrong("a real drive states no facts").with_help(help))?;
        if let Some(name) = of_models_alone(run) {
            let message = format!("`{name}` can be set on models only");
            return Err(Failure::wrong(message).with_help("leave it out for a real drive"));
        }
        let _orderly = interrupt::orderly();
        let refused = |failure| Failure::from(metric::MeasureError::from(failure));
        if method.wants_directory() || Path::new(&run.target).is_dir() {
            let options_of = DatabaseOptions {
                directory: run.target.clone().into(),
                keep: self.keep,
                programs: Programs::installed(),
                interrupted: interrupt::happened,
            };
            let mut target = DatabaseTarget::new(options_of).map_err(refused)?;
            return measure_on(&mut target, method, &run.params, options, Some(watch))
                .map_err(refused);
        }
        let options_of = RealOptions { journal: steps, ..self.consent.options(&run.target)? };
        let mut target = RealTarget::new(options_of).map_err(refused)?;
        measure_on(&mut target, method, &run.params, options, Some(watch)).map_err(refused)
    }
}

impl ConsentArgs {
    fn options(&self, target: &str) -> Result<RealOptions, Failure> {
        let paths = target::paths(target)?;
        Ok(RealOptions {
            destroy_data: target::serials(self.destroy_data.as_deref(), paths.len())?,
            paths,
            size: self.size.map(engine::Bytes::base),
            overwrite: self.overwrite,
            interrupted: interrupt::happened,
            journal: None,
        })
    }

    /// What a target stands for, each path with its drive where one is seen, if the guard lets it
    /// pass. Nothing is changed.
    ///
    /// # Errors
    /// The guard's refusal.
    pub fn look(&self, target: &str) -> Result<Vec<(real::Identity, Option<Device>)>, Failure> {
        let looked = RealTarget::look(&self.options(target)?);
        looked.map_err(|failure| Failure::from(metric::MeasureError::from(failure)))
    }

    /// Refuses a block trace that cannot be replayed on a target, before anything is measured. Of
    /// other methods nothing is asked.
    ///
    /// # Errors
    /// The guard's refusal; what is wrong with the trace; a target that it does not fit, or that
    /// holds nothing yet and is not filled first.
    pub fn check_trace(&self, run: &Run) -> Result<(), Failure> {
        let method = lab::find(&run.method).ok().filter(|method| method.trace_depth().is_some());
        let Some(path) = method.and_then(|method| method.path.as_ref()) else { return Ok(()) };
        let prepared = Replays::read(Path::new(path))?;
        let fills = matches!(run.params.state(), Some(State::Filled | State::Steady));
        for (identity, _) in self.look(&run.target)? {
            let wrong = |what: String| Failure::wrong(format!("{}: {what}", identity.path));
            let is_empty = || std::fs::metadata(&identity.path).map_or(0, |about| about.len()) == 0;
            if identity.kind != "device" && !fills && is_empty() {
                return Err(wrong("there is nothing in it that a trace could read".to_owned())
                    .with_help("say --state filled, and it is written first"));
            }
            let placed = prepared.place(identity.size_bytes, 1);
            placed.map_err(|why| wrong(why).with_help("choose a larger target"))?;
        }
        Ok(())
    }

    /// What makes a measurement of a real target another one: the drive with its size, serial
    /// number and firmware, fio and the kernel. The guard is asked as it is before a measurement,
    /// so that every refusal comes before the first, and why each path may be used is said.
    pub fn key(&self, target: &str, console: &mut Console) -> Result<String, Failure> {
        if Path::new(target).is_dir() {
            let version = Programs::installed().check().unwrap_or_default();
            return Ok(format!("{target} | {version}"));
        }
        let looked = self.look(target)?;
        let identities: Vec<&real::Identity> =
            looked.iter().map(|(identity, _)| identity).collect();
        for identity in &identities {
            let real::Identity { path, fio, permitted, .. } = identity;
            console.note(&format!("{path}: real, {fio}; {permitted}"));
        }
        Ok(identities.iter().map(|identity| identity.key()).collect::<Vec<_>>().join(" | "))
    }
}

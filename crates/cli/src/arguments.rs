//! Arguments that several commands share.

use crate::files;
use crate::render::Failure;
use crate::subject::Subject;
use crate::surroundings::SurroundingsArgs;
use crate::target;
use crate::values::{self, Budget, Pair};
use clap::{Args, ValueEnum};
use engine::Ratio;
use iopath::device::flash::drive::DriveState;
use library::{Division, Overrides, Scale};
use std::path::PathBuf;

/// State of a modelled drive before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum State {
    /// Formatted: nothing was ever written
    Fresh,
    /// Written once in sequence, from the first byte to the last
    Filled,
    /// In the steady state of uniform random writes over the whole drive
    Steady,
}

impl State {
    /// The word on the command line and in a Record.
    pub fn word(self) -> &'static str {
        match self {
            State::Fresh => metric::State::Fresh,
            State::Filled => metric::State::Filled,
            State::Steady => metric::State::Steady,
        }
        .word()
    }

    /// What the drives are brought into.
    pub fn of_drive(self) -> DriveState {
        match self {
            State::Fresh => DriveState::Fresh,
            State::Filled => DriveState::Filled,
            State::Steady => DriveState::Steady(1.0),
        }
    }
}

/// What is changed about every modelled target.
#[derive(Args, Debug, Default)]
pub struct ChangeArgs {
    /// User capacity that is never written, as extra spare area: `10%`
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    #[arg(help_heading = "Modelled drives")]
    pub give_up: Option<Ratio>,
    /// Change a value of the model: `flash.dies="64 dies"`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    #[arg(help_heading = "Modelled drives")]
    pub set: Vec<Pair>,
}

/// Which block devices a modelled target shows.
#[derive(Args, Debug, Default)]
pub struct DevicesArgs {
    /// So many of the drive side by side, each a device of its own: jobs name them `/dev/...`, in
    /// the order of their first use
    #[arg(long, value_name = "N", help_heading = "Modelled drives")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=256))]
    pub drives: Option<u32>,
    /// Namespaces that each drive is divided into, each a device: `6` of the same size, or
    /// `3 x 1 TB, 2 TB`; what none of them holds is spare area
    #[arg(long, value_name = "SIZES", help_heading = "Modelled drives")]
    pub namespaces: Option<Division>,
}

impl DevicesArgs {
    /// What was asked for, in a few words; empty if nothing was.
    pub fn describe(&self) -> String {
        let drives = self.drives.map(|drives| format!(", {drives} drives"));
        let namespaces = self.namespaces.as_ref().map(|sizes| format!(", namespaces {sizes}"));
        drives.into_iter().chain(namespaces).collect()
    }

    /// What they change about a model.
    pub fn overrides(&self) -> Overrides {
        let namespaces = self.namespaces.clone();
        Overrides { drives: self.drives, namespaces, ..Overrides::default() }
    }
}

/// What a model is like, if it is not as its file says.
#[derive(Args, Debug)]
pub struct ModelArgs {
    #[command(flatten)]
    pub change: ChangeArgs,
    #[command(flatten)]
    pub devices: DevicesArgs,
    /// NVMe power state; 0 is uncapped [default: 0]
    #[arg(long, value_name = "N", help_heading = "Modelled drives")]
    pub power_state: Option<u32>,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
}

impl ModelArgs {
    /// What they, and the name of the subject, change about a model.
    pub fn overrides(&self, subject: &Subject) -> Overrides {
        Overrides {
            give_up: subject.give_up,
            set: subject.pairs(),
            power_state: self.power_state.unwrap_or(0),
            surroundings: self.surroundings.get(),
            ..self.devices.overrides()
        }
    }
}

/// Where the result of measurements goes.
#[derive(Args, Debug)]
pub struct ResultArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the table (or the JSON) to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Save the Record
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl ResultArgs {
    /// Refuses places at which no result can be written.
    pub fn check_places(&self, overwrite: bool) -> Result<(), Failure> {
        files::check_places(self.output.iter().chain(&self.record), overwrite)
    }

    /// Refuses results that would go to real targets of these names.
    pub fn check_apart<'a>(&self, real: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
        let mut paths = Vec::new();
        for name in real {
            paths.extend(target::paths(name)?);
        }
        files::check_apart(self.output.iter().chain(&self.record), &paths)
    }
}

/// How measurements of methods are made.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Work of one measurement, as time at 800 thousand I/Os a second; means are good after some
    /// ms, percentiles take more [default: 5s; of `compare`, `sweep` and `choose` 1s, of `fleet`
    /// 0.5s]
    #[arg(long, value_name = "TIME", value_parser = values::budget, conflicts_with = "full")]
    pub budget: Option<Budget>,
    /// Full precision: ten times the default budget
    #[arg(long)]
    pub full: bool,
    /// Seed of all random streams [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How much of a drive is simulated: `1/64`, `64Mi units` or `whole` [default: 16Mi units]
    #[arg(long, value_parser = values::scale)]
    pub scale: Option<Scale>,
    /// Measurements at the same time [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Neither progress nor warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

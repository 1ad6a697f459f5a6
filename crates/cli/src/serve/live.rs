//! A modelled drive that runs in step with the clock: what is said of it on the command line.

use super::record;
use crate::arguments::{ModelArgs, State};
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use crate::values;
use ::serve::contents::Contents;
use ::serve::drive::{Flushes, LiveDrive};
use ::serve::server::Options;
use ::serve::transport::Costs;
use clap::Args;
use engine::Bytes;
use iopath::device::flash::drive::DriveState;
use library::{ResolvedSystem, Scale, System};
use stats::Outcome;
use std::num::NonZeroU32;

/// What clients see of a drive unless the user says it.
const SIZE: u64 = 64 << 30;

/// What is served, and how it behaves.
#[derive(Args, Debug)]
pub struct LiveArgs {
    /// What clients see of it: all devices together [default: 64GiB, or the whole if it is less]
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub size: Option<Bytes>,
    /// State of the drive before the first request
    #[arg(long, value_enum, default_value = "filled")]
    pub state: State,
    /// What it does when asked to flush: `honoured`, or `ignored` though it says that it has
    #[arg(long, value_enum, default_value = "honoured")]
    pub flush: Flush,
    /// Seed of all random streams
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub model: ModelArgs,
    /// How often slower than the clock the drive runs: `10x`. A drive that answers before a socket
    /// could is refused unless this is given [default: 1x]
    #[arg(long, value_name = "TIMES", value_parser = times, help_heading = "Time")]
    pub time: Option<NonZeroU32>,
}

impl LiveArgs {
    /// How often slower than the clock the drive runs.
    pub fn slower(&self) -> NonZeroU32 {
        self.time.unwrap_or(NonZeroU32::MIN)
    }
}

/// What a drive does when asked to flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Flush {
    /// As the model says
    Honoured,
    /// It says that it has, and has not
    Ignored,
}

impl Flush {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Flush::Honoured => "honoured",
            Flush::Ignored => "ignored",
        }
    }

    fn of_drive(self) -> Flushes {
        match self {
            Flush::Honoured => Flushes::Honoured,
            Flush::Ignored => Flushes::Ignored,
        }
    }
}

/// A model that is to be served.
#[derive(Clone)]
pub struct Live {
    pub system: System,
    pub resolved: ResolvedSystem,
    /// What its Record says of it.
    about: Outcome,
    state: DriveState,
    pub seed: u64,
    flushes: Flushes,
    time: NonZeroU32,
}

/// Share of what was asked for that is as good as all of it: drives are shortened by whole blocks.
const WHOLE: f64 = 0.99;

impl Live {
    /// Resolves a target of the command line.
    ///
    /// # Errors
    /// Names and values that cannot be right.
    pub fn new(target: &str, args: &LiveArgs) -> Result<Self, Failure> {
        let subject = Subject::changed(target, &args.model.change.set, args.model.change.give_up)?;
        let system = target::model(&subject.target, &subject.set)?;
        let overrides = args.model.overrides(&subject);
        let asked = args.size.map_or(SIZE, |size| size.base());
        let mut scale = Scale::Bytes(asked);
        let mut resolved = system.resolve(scale, &overrides)?;
        let seen = |of: &ResolvedSystem| of.real_bytes as f64 * of.scale;
        // An array shows its hosts less than its drives hold.
        if resolved.scale < 1.0 && seen(&resolved) < WHOLE * asked as f64 {
            scale = Scale::Bytes(engine::whole(asked as f64 * asked as f64 / seen(&resolved)));
            resolved = system.resolve(scale, &overrides)?;
        }
        let seen = seen(&resolved);
        resolved.warnings.extend(args.size.and_then(|size| served_otherwise(size.base(), seen)));
        // What its clients will do is not known.
        resolved.warnings.extend(resolved.least.iter().map(|least| {
            let bytes = metric::show(metric::Dimension::Bytes, least.bytes);
            format!("{least}; serve {bytes} or more of it (--size)")
        }));
        let (flushes, time) = (args.flush.of_drive(), args.slower());
        let state = args.state.of_drive();
        let about =
            record::about((&system, &resolved), (&overrides, scale), (args.state, args.seed));
        Ok(Live { system, resolved, about, state, seed: args.seed, flushes, time })
    }

    /// Builds it, prepared. `contents` makes the contents of the device of a number, given its
    /// bytes and those of a block.
    ///
    /// # Errors
    /// What `contents` says.
    pub fn build<E>(
        &self,
        contents: impl FnMut(usize, u64, u64) -> Result<Contents, E>,
    ) -> Result<LiveDrive, E> {
        LiveDrive::build(&self.resolved.spec, (&self.state, self.seed), self.flushes, contents)
    }

    /// How it is served on a machine that adds these `costs`; a sector is so long.
    pub fn options(&self, drive: &LiveDrive, costs: Costs, sector: u32) -> Options {
        let devices = drive.devices().len();
        let slug = &self.system.slug;
        let name = |number: usize| match devices {
            1 => slug.clone(),
            _ => format!("{slug}.{}", number + 1),
        };
        let media = self.system.media();
        Options {
            names: (0..devices).map(name).collect(),
            about: self.about.clone(),
            description: format!("{}, modelled by drivelab", self.system.name()),
            rotational: media.iter().any(|medium| matches!(medium, library::Medium::Disk(_))),
            sector,
            slower: self.time,
            early: costs.round_trip,
            wake: costs.wake,
            spin: false,
        }
    }
}

/// That another part of a target is served than was asked for. What has no dies, a disk or Optane,
/// cannot be a part of itself and take as long.
fn served_otherwise(asked: u64, seen: f64) -> Option<String> {
    let shown = |bytes| metric::show(metric::Dimension::Bytes, bytes);
    let why = match seen / asked as f64 {
        share if share > 1.05 => "only flash can be a part of a drive",
        share if share < 0.95 => "that is all of it",
        _ => return None,
    };
    let (seen, asked) = (shown(seen), shown(asked as f64));
    Some(format!("clients see {seen}, not the {asked} of --size: {why}"))
}

/// `10x`.
fn times(text: &str) -> Result<NonZeroU32, String> {
    let number = text.strip_suffix('x').ok_or("write it with its unit: `10x`")?;
    match number.trim().parse::<NonZeroU32>() {
        Ok(times) if times.get() <= 1_000_000 => Ok(times),
        _ => Err("give a whole number from 1x to 1000000x".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn of(target: &str, size: &str) -> Live {
        let words = ["drivelab", "serve", target, "--size", size];
        let Command::Serve(args) = Cli::try_parse_from(words).unwrap().command else { panic!() };
        Live::new(target, &args.live).unwrap()
    }

    /// What parity and copies take is not what clients see.
    #[test]
    fn clients_of_an_array_see_what_was_asked_for() {
        for target in ["mdraid-raid5-4x-p5520", "mdraid-raid10-4x-p5520", "8x-p5520", "p4510"] {
            let live = of(target, "128GiB");
            let seen = live.resolved.real_bytes as f64 * live.resolved.scale;
            let share = seen / (128_u64 << 30) as f64;
            assert!((share - 1.0).abs() < 0.02, "{target}: {share}");
            assert!(live.resolved.warnings.is_empty(), "{target}: {:?}", live.resolved.warnings);
        }
    }

    /// Seeks on a part of a disk would be shorter.
    #[test]
    fn a_disk_is_served_whole_and_that_is_said() {
        let line = |target: &str| of(target, "32GiB").resolved.warnings;
        let said = |target: &str| line(target).iter().any(|text| text.contains("clients see 2 TB"));
        assert!(said("dt01aca200-2tb") && said("optane-32gb-dt01aca200"));
        assert!(!said("p4510") && line("p4510").is_empty());
    }

    #[test]
    fn times_have_a_unit_and_an_end() {
        assert_eq!(times("10x").unwrap().get(), 10);
        assert!(times("10").unwrap_err().contains("unit"));
        assert!(times("0x").is_err() && times("1000001x").is_err());
    }
}

//! The arguments of `control`.

use crate::age::age;
use crate::surroundings::SurroundingsArgs;
use clap::{Args, Subcommand};
use engine::Power;
use iopath::device::flash::cell::age::AgeSpec;
use std::path::PathBuf;

const CONTROL_HELP: &str = "\
SOCKET is the one that `drivelab serve` names at its start: that of its clients with `.control`
behind it. A power cut ends all connections; after `restore` clients can attach again. What befalls
the drive is a new phase of its timeline.

Examples:
  drivelab control ./p4510-8tb.sock.control health
  drivelab control ./p4510-8tb.sock.control timeline --record database.record.json
  drivelab control ./p4510-8tb.sock.control age 'cycles=80%, shelf=1 year'
  drivelab control ./p4510-8tb.sock.control cool --cooling finned-sink --ambient '45 C'
  drivelab control ./p4510-8tb.sock.control throttle '9 W'
  drivelab control ./p4510-8tb.sock.control throttle off
  drivelab control ./mdraid-raid5-4x-p5520.sock.control fail-member 2
  drivelab control ./mdraid-raid5-4x-p5520.sock.control replace-member 2
  drivelab control ./p4510-8tb.sock.control cut-power --after-writes 1000
  drivelab control ./p4510-8tb.sock.control cut-power --at-random 1000
  drivelab control ./p4510-8tb.sock.control restore
  drivelab control ./p4510-8tb.sock.control stop";

/// Arguments of `control`.
#[derive(Args, Debug)]
#[command(after_help = CONTROL_HELP)]
pub struct ControlArgs {
    /// The control socket
    pub socket: PathBuf,
    /// What is wanted
    #[command(subcommand)]
    pub action: What,
    /// Print the state, or the timeline, as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
}

/// What a served drive can be told.
#[derive(Subcommand, Debug)]
pub enum What {
    /// What it has done, and how late its answers were
    Health,
    /// What it did over time: rates, latency, write amplification, power, temperature
    Timeline {
        /// Save it as a Record, for `drivelab report`
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
        /// Replace the Record if it is there
        #[arg(long)]
        overwrite: bool,
    },
    /// Its flash gets older; no request may be under way
    Age {
        /// What it has been through: `cycles=3000, shelf=6 months, temperature=30 C, reads=10k`,
        /// each if it matters
        #[arg(value_parser = age)]
        age: AgeSpec,
    },
    /// Other cooling or other air: the drive warms and cools from where it is
    Cool(SurroundingsArgs),
    /// A limit of the mean power of each drive, as a power state sets one; `off` lifts it
    Throttle {
        /// `9 W`, or `off`
        #[arg(value_parser = limit)]
        limit: Limit,
    },
    /// A drive of an array dies
    FailMember {
        /// Which, from 0
        member: usize,
    },
    /// A new drive comes in the place of one, and the array rebuilds it
    ReplaceMember {
        /// Which, from 0
        member: usize,
    },
    /// Power fails: the drive loses what the real one would lose
    CutPower {
        /// Only when so many more writes have been acknowledged
        #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "at_random")]
        after_writes: u64,
        /// Only when a random number of writes has been acknowledged, from 1 to N
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        at_random: Option<u64>,
    },
    /// Power is back
    Restore,
    /// The server ends in order
    Stop,
}

/// A limit of power, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<Power>);

fn limit(text: &str) -> Result<Limit, String> {
    match text {
        "off" => Ok(Limit(None)),
        _ => text
            .parse()
            .map(|power| Limit(Some(power)))
            .map_err(|e: engine::UnitError| format!("{e}; `off` lifts a limit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_a_unit_or_is_off() {
        assert_eq!(limit("off"), Ok(Limit(None)));
        assert_eq!(limit("9 W"), Ok(Limit(Some(Power::from_base(9_000_000)))));
        assert!(limit("9").unwrap_err().contains("`off`"));
    }
}

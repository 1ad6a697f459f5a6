//! What can be said about traces.

use crate::render::Failure;
use crate::values;
use ::trace::{Format, Overflow, TraceOptions};
use clap::{Args, ValueEnum};
use engine::Bytes;
use std::path::PathBuf;

const HELP: &str = "\
Formats, found out unless --format names one:
  iolog      fio's iolog, versions 2 and 3          blktrace   the kernel's binary records
  blkparse   what blkparse prints                   msr        MSR Cambridge
  spc        SPC, as in the UMass repository        systor     Systor '17
  alibaba    Alibaba 2020                           tencent    Tencent CBS 2018
  mqsim      MQSim's text                           etw        Windows events (MS Enterprise)
  vscsi      CloudPhysics as CSV                    fiu        FIU
  k5cloud    K5 cloud                               camelab    Camelab
  jesd219    JEDEC's client workload, without times
  vscsi-records   CloudPhysics as recorded, binary of version 1 or 2

Of blktrace and blkparse the queueing of each request counts, as in fio. The footprint is what is
read or written at least once, in units of 4 KiB. A read or write is sequential if it begins where
the one before on the same device ended.

`drivelab run FILE --on TARGET` replays a trace.

Examples:
  drivelab trace web.csv
  drivelab trace web.csv --format msr --device usr.1
  drivelab trace web.csv --format json > web.json";

/// Arguments of `trace`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct TraceArgs {
    /// The trace
    pub file: PathBuf,
    /// Format of the trace, below; or of the output: `text` or `json`; may be given twice
    #[arg(long, value_name = "FORMAT", value_parser = word)]
    pub format: Vec<Word>,
    /// Count this recorded device only; may be repeated
    #[arg(long, value_name = "NAME")]
    pub device: Vec<String>,
    /// Print one JSON object, like `--format json`
    #[arg(long)]
    pub json: bool,
    /// Write the result to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files with the results
    #[arg(long)]
    pub overwrite: bool,
    /// Neither progress nor warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// A format of a trace, or of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Of the trace.
    Trace(Format),
    /// A table, or JSON.
    Output {
        /// JSON.
        json: bool,
    },
}

fn word(text: &str) -> Result<Word, String> {
    match text {
        "json" => Ok(Word::Output { json: true }),
        "text" => Ok(Word::Output { json: false }),
        _ => text.parse().map(Word::Trace),
    }
}

impl TraceArgs {
    /// The format of the trace, if it is named.
    pub fn trace_format(&self) -> Result<Option<Format>, Failure> {
        let named: Vec<Format> = self
            .format
            .iter()
            .filter_map(|word| match word {
                Word::Trace(format) => Some(*format),
                Word::Output { .. } => None,
            })
            .collect();
        match named.as_slice() {
            [] => Ok(None),
            [format] => Ok(Some(*format)),
            _ => {
                Err(Failure::wrong("--format names two formats of the trace").with_help("name one"))
            }
        }
    }

    /// Whether the result is JSON.
    pub fn wants_json(&self) -> bool {
        self.json || self.format.contains(&Word::Output { json: true })
    }
}

/// When recorded requests are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pace {
    /// At their recorded times, whatever became of those before
    Recorded,
    /// As soon as the depth allows
    Fastest,
    /// Each after the one before has ended and the recorded pause has passed
    Dependent,
}

/// How `run` replays a trace.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Traces")]
pub struct ReplayArgs {
    /// Format of the trace, if it is not found out: `drivelab trace --help` lists them
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,
    /// Replay this recorded device only; may be repeated [default: all, one after the other]
    #[arg(long, value_name = "NAME")]
    pub device: Vec<String>,
    /// When requests are issued [default: recorded; fastest where the trace has no times]
    #[arg(long, value_enum)]
    pub pace: Option<Pace>,
    /// Speed of the recorded times: `200%` is twice as fast [default: 100%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub time_scale: Option<u32>,
    /// Requests in flight at most [default: 65536, with --pace fastest 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub depth: Option<u32>,
    /// What becomes of addresses beyond the end of the target: `wrap`, `scale` or `refuse`
    /// [default: wrap]
    #[arg(long, value_name = "HOW", value_parser = overflow)]
    pub place: Option<Overflow>,
    /// Round offsets down to multiples of this
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub align: Option<Bytes>,
    /// Kinds of requests to leave out: `read`, `write`, `trim`, with commas
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    #[arg(value_parser = ["read", "write", "trim"])]
    pub skip: Vec<String>,
}

fn format(text: &str) -> Result<Format, String> {
    text.parse()
}

fn overflow(text: &str) -> Result<Overflow, String> {
    text.parse()
}

fn percent(text: &str) -> Result<u32, String> {
    let wrong = || format!("`{text}` is no speed in percent such as `200%`");
    let number = text.trim().strip_suffix('%').ok_or_else(wrong)?.trim();
    number.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)
}

impl ReplayArgs {
    /// What fio has no option for.
    pub fn options(&self) -> TraceOptions {
        TraceOptions {
            format: self.format,
            devices: self.device.clone(),
            overflow: self.place.unwrap_or_default(),
            dependent: self.pace == Some(Pace::Dependent),
        }
    }

    /// The first option that was given, by name: on a job file none has a meaning.
    pub fn given(&self) -> Option<&'static str> {
        let list = [
            ("--format", self.format.is_some()),
            ("--device", !self.device.is_empty()),
            ("--pace", self.pace.is_some()),
            ("--time-scale", self.time_scale.is_some()),
            ("--depth", self.depth.is_some()),
            ("--place", self.place.is_some()),
            ("--align", self.align.is_some()),
            ("--skip", !self.skip.is_empty()),
        ];
        list.iter().find(|(_, given)| *given).map(|(name, _)| *name)
    }

    /// How a trace of `format` is replayed: one without times as soon as the depth allows unless a
    /// pace is named. With all its requests at once, latencies would be queues.
    pub fn of_format(&self, format: Format) -> Self {
        let usual = (!format.has_times()).then_some(Pace::Fastest);
        Self { pace: self.pace.or(usual), ..self.clone() }
    }

    /// Requests in flight.
    pub fn depth(&self) -> u32 {
        let otherwise = match self.pace {
            Some(Pace::Fastest) => 32,
            Some(Pace::Dependent) => 1,
            _ => 1 << 16,
        };
        self.depth.unwrap_or(otherwise)
    }
}

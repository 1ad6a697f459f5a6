//! The arguments of `crash-test`.

use crate::serve::LiveArgs;
use crate::values;
use clap::Args;
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::time::Duration;

const CRASH_TEST_HELP: &str = "\
COMMAND works on a served drive until power fails: host and drive lose it together. The program is
killed, its file system and page cache are gone, and the drive loses what its model says. Then
power is back and --check says by its exit code whether all that was promised is there.

The first time COMMAND works undisturbed to its end, or for --work, and power fails then. Each time
after that power fails when the drive has acknowledged a random number of writes, up to as many as
that took. A cut finds what the cuts and checks before it have left.

COMMAND, --prepare and --check find in their environment:
  DRIVELAB_DIR      the directory of the file system (--attach ext4, xfs: as root only)
  DRIVELAB_FILE     the drive as a file (--attach file)
  DRIVELAB_URI      the drive for NBD clients
  DRIVELAB_OUTPUT   what COMMAND has printed: a file that is not on the drive, and what a program
                    was promised can be printed there
  DRIVELAB_CUT      the number of the cut

Examples:
  drivelab crash-test --on sn850 --attach ext4 --prepare 'sh examples/crash/sqlite.sh prepare' \\
    --check 'sh examples/crash/sqlite.sh check' -- sh examples/crash/sqlite.sh work
  drivelab crash-test --on sn850 --flush ignored --attach ext4 --cuts 10 --check ./check -- ./work
  drivelab crash-test --on p4510 --size 16GiB --check ./check-by-nbd --json -- ./write-by-nbd";

/// Arguments of `crash-test`.
#[derive(Args, Debug)]
#[command(after_help = CRASH_TEST_HELP)]
pub struct CrashTestArgs {
    /// Drive or system of the library, or a model file; it may be changed behind an `@`:
    /// `sn850@buffer.protection=off`
    #[arg(long, value_name = "TARGET")]
    pub on: String,
    /// How COMMAND reaches the drive
    #[arg(long, value_enum, default_value = "nbd")]
    pub attach: Attach,
    /// What a shell does once, before the first cut
    #[arg(long, value_name = "COMMAND")]
    pub prepare: Option<String>,
    /// What a shell does after each cut: 0 if all is there, 1 to 125 if something was lost. A
    /// check that is not found, is ended by a signal or takes too long ends the test
    #[arg(long, value_name = "COMMAND")]
    pub check: String,
    /// Power cuts
    #[arg(long, value_name = "N", default_value = "20")]
    pub cuts: NonZeroU32,
    /// How long COMMAND works at most
    #[arg(long, value_name = "TIME", value_parser = values::wall_time, default_value = "10s")]
    pub work: Duration,
    /// How long --prepare and --check may take
    #[arg(long, value_name = "TIME", value_parser = values::wall_time, default_value = "120s")]
    pub patience: Duration,
    /// Go on after a check that failed, on a new drive that is prepared again
    #[arg(long)]
    pub keep_going: bool,
    #[command(flatten)]
    pub live: LiveArgs,
    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Neither progress nor warnings on standard error
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
    /// The program whose work is interrupted, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// How a program reaches the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Attach {
    /// By NBD, at the address in DRIVELAB_URI
    Nbd,
    /// As a file, by nbdfuse
    File,
    /// In a directory, by nbdfuse and a loop device (root)
    Ext4,
    /// The same with XFS
    Xfs,
}

impl Attach {
    /// The same for the test itself.
    pub fn how(self) -> crash::Attach {
        match self {
            Attach::Nbd => crash::Attach::Nbd,
            Attach::File => crash::Attach::File,
            Attach::Ext4 => crash::Attach::Ext4,
            Attach::Xfs => crash::Attach::Xfs,
        }
    }
}

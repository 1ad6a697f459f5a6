//! `drivelab control`: what a served drive is told beside its data.

use crate::files;
use crate::render::Failure;
use crate::serve;
use ::serve::control::{Action, Answer, ask};
use clap::{Args, Subcommand};
use std::io::ErrorKind;
use std::path::PathBuf;

const CONTROL_HELP: &str = "\
SOCKET is the one that `drivelab serve` names at its start: that of its clients with `.control`
behind it. A power cut ends all connections; after `restore` clients can attach again.

Examples:
  drivelab control ./p4510-8tb.sock.control health
  drivelab control ./p4510-8tb.sock.control cut-power
  drivelab control ./p4510-8tb.sock.control cut-power --after-writes 1000
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
    /// Print the state as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
}

/// What a served drive can be told.
#[derive(Subcommand, Debug)]
pub enum What {
    /// What it has done, and how late its answers were
    Health,
    /// Power fails: the drive loses what the real one would lose
    CutPower {
        /// Only when so many more writes have been acknowledged
        #[arg(long, value_name = "N", default_value_t = 0)]
        after_writes: u64,
    },
    /// Power is back
    Restore,
    /// The server ends in order
    Stop,
}

/// Runs the command.
pub fn command(args: &ControlArgs) -> Result<(), Failure> {
    let action = match args.action {
        What::Health => Action::Health,
        What::CutPower { after_writes } => Action::CutPower { after_writes },
        What::Restore => Action::Restore,
        What::Stop => Action::Stop,
    };
    let answer = tell(args, action)?;
    if let Some(error) = answer.error {
        return Err(Failure::failed(format!("it was not done: {error}")));
    }
    let text = match args.json {
        true => files::json_text(&answer.state)?,
        false => serve::state(&answer.state),
    };
    files::print(&text)
}

fn tell(args: &ControlArgs, action: Action) -> Result<Answer, Failure> {
    ask(&args.socket, action).map_err(|error| {
        let place = args.socket.display().to_string();
        match error.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::NotFound => {
                Failure::wrong(format!("no served drive answers there: {error}"))
                    .at(place)
                    .with_help("`drivelab serve` names its control socket when it starts")
            }
            _ => Failure::failed(error.to_string()).at(place),
        }
    })
}

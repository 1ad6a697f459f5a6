//! The drivelab program: parse, resolve, run, show progress, explain errors. [`main`] is the
//! command line; [`call`] is the same for a program that takes the answers itself.

mod age;
mod args;
mod arguments;
mod calibrate;
mod caller;
mod campaign;
mod capacity_check;
mod check;
mod choose;
mod compare;
mod configuration;
mod console;
mod control;
mod corpus;
mod crash_test;
mod endurance;
mod ensemble;
mod examples;
mod files;
mod fit;
mod fleet;
mod free_memory;
mod interrupt;
mod job_source;
mod kind;
mod labels;
mod laboratory;
mod lifespan;
mod list;
mod man;
mod measured;
mod method;
mod on_real;
mod on_target;
mod preflight;
mod progress;
mod records;
mod reference;
mod render;
mod report;
mod reproduce;
mod rerun;
mod run;
mod schemas;
mod serve;
mod sheets;
mod shelf;
mod shelves;
mod show;
mod spec;
mod subject;
mod surroundings;
mod sweep;
mod target;
mod test;
mod toml_place;
mod trace;
mod twin;
mod values;

use args::{Cli, Command};
pub use caller::{Caller, Hear};
use clap::{CommandFactory, Parser};
pub use render::Failure;
use std::process::ExitCode;
use std::sync::Arc;

/// What tells this program from others: its version, and a hash of the code that numbers follow
/// from.
pub fn build() -> String {
    format!("{}+{}", env!("CARGO_PKG_VERSION"), lab::CODE)
}

/// The command line: reads its words, does what they say, and gives the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => match interrupt::exit_code() {
            // What failed did so because it was ended.
            Some(code) => {
                interrupt::say_last_words();
                ExitCode::from(code)
            }
            None => {
                render::failure(&failure);
                ExitCode::from(failure.exit)
            }
        },
    }
}

/// Does what the words of a command line say, without the name of the program, and gives back what
/// it would print. Nothing is said on standard error.
///
/// # Errors
/// As the command line has it, or that `caller` ended it; a bug is an error too.
pub fn call(words: &[String], caller: &Arc<Caller>) -> Result<Vec<u8>, Failure> {
    let named = std::iter::once("drivelab").chain(words.iter().map(String::as_str));
    let cli = Cli::try_parse_from(named).map_err(|wrong| {
        let text = wrong.to_string();
        let said = text.strip_prefix("error: ").unwrap_or(&text);
        Failure::wrong(said.split("\n\nUsage").next().unwrap_or(said).trim_end())
    })?;
    caller.calls(|| dispatch(cli.command))
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::command(&args),
        Command::Reproduce(args) => reproduce::command(&args),
        Command::Calibrate(args) => calibrate::command(&args),
        Command::CapacityCheck(args) => capacity_check::command(&args),
        Command::Spec(args) => spec::command(&args),
        Command::Campaign(args) => campaign::command(&args),
        Command::Preflight(args) => preflight::command(&args),
        Command::Test(args) => test::command(&args),
        Command::Rerun(args) => rerun::command(&args, dispatch),
        Command::Shelf(args) => shelf::command(&args),
        Command::Compare(args) => compare::command(&args),
        Command::Choose(args) => choose::command(&args),
        Command::Sweep(args) => sweep::command(&args),
        Command::Fleet(args) => fleet::command(&args),
        Command::Fit(args) => fit::command(&args),
        Command::Twin(args) => twin::command(&args),
        Command::Serve(args) => serve::command(&args),
        Command::Control(args) => control::command(&args),
        Command::CrashTest(args) => crash_test::command(&args),
        Command::Trace(args) => trace::command(&args),
        Command::List(args) => list::command(&args),
        Command::Show(args) => show::command(&args),
        Command::Check(args) => check::command(&args),
        Command::Report(args) => report::command(&args),
        Command::Corpus(args) => corpus::command(&args),
        Command::Endurance(args) => endurance::command(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "drivelab", &mut script);
            files::print(&String::from_utf8_lossy(&script))
        }
        Command::Man(args) => man::command(&args),
        Command::Labels(args) => labels::command(&args),
        Command::Reference(args) => reference::command(&args),
    }
}

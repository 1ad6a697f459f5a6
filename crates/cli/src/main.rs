//! The drivelab binary: parse, resolve, run, show progress, explain errors.

mod age;
mod args;
mod arguments;
mod calibrate;
mod campaign;
mod capacity_check;
mod check;
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
mod interrupt;
mod job_source;
mod kind;
mod labels;
mod laboratory;
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
use clap::{CommandFactory, Parser};
use render::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
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
        Command::Sweep(args) => sweep::command(&args),
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

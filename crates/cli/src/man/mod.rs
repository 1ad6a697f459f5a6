//! `drivelab man`: manual pages, from the same text as `--help`.

pub mod args;

use crate::args::Cli;
use crate::examples::after;
use crate::files;
use crate::render::Failure;
use args::ManArgs;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// Exit codes, as every page lists them.
pub const EXIT: [(&str, &str); 4] = [
    ("0", "done"),
    ("1", "it was tried and failed: a run, a write, a program that was started"),
    ("2", "the request or a file is wrong, and nothing was done; the message says how to mend it"),
    ("130", "interrupted (Ctrl-C)"),
];

/// Runs the command.
pub fn command(args: &ManArgs) -> Result<(), Failure> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    let pages: Vec<&Command> = whole.get_subcommands().filter(|c| !c.is_hide_set()).collect();
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).map_err(|error| {
            Failure::wrong(format!("{}: cannot be made: {error}", dir.display()))
                .with_help("name a directory, or a place where one can be made")
        })?;
        for command in std::iter::once(&whole).chain(pages) {
            let file = dir.join(Man::new(command.clone()).get_filename());
            files::check_place(&file, args.overwrite)?;
            files::write(&file, &page(command)?)?;
        }
        return Ok(());
    }
    let Some(name) = &args.command else { return files::print(&page(&whole)?) };
    match pages.iter().find(|command| command.get_name() == name) {
        Some(command) => files::print(&page(command)?),
        None => {
            let names: Vec<&str> = pages.iter().map(|command| command.get_name()).collect();
            Err(Failure::wrong(format!("there is no command `{name}`"))
                .with_help(format!("commands: {}", names.join(", "))))
        }
    }
}

/// The page of a command.
fn page(command: &Command) -> Result<String, Failure> {
    let man = Man::new(command.clone())
        .source(format!("drivelab {}", env!("CARGO_PKG_VERSION")))
        .manual("drivelab manual");
    let mut out = Vec::new();
    let mut render = || {
        man.render_title(&mut out)?;
        man.render_name_section(&mut out)?;
        man.render_synopsis_section(&mut out)?;
        man.render_description_section(&mut out)?;
        rest(command).to_writer(&mut out)?;
        man.render_options_section(&mut out)?;
        if command.get_subcommands().next().is_some() {
            man.render_subcommands_section(&mut out)?;
        }
        ending(command).to_writer(&mut out)
    };
    render().map_err(|error| Failure::failed(format!("a manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// What the help says behind the options belongs to the description of a page.
fn rest(command: &Command) -> Roff {
    let mut roff = Roff::new();
    for paragraph in after(command).prose {
        roff.control("PP", []);
        let mut literal = false;
        for line in paragraph.lines() {
            let as_it_is = line.starts_with(' ');
            if as_it_is != literal {
                roff.control(if as_it_is { "nf" } else { "fi" }, []);
                literal = as_it_is;
            }
            roff.text([roman(line)]);
        }
        if literal {
            roff.control("fi", []);
        }
    }
    roff
}

/// Exit codes, environment, examples.
fn ending(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT {
        roff.control("TP", ["6"]);
        roff.text([roman(code)]);
        roff.text([roman(meaning)]);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    roff.control("TP", []);
    roff.text([roman("NO_COLOR")]);
    roff.text([roman("no colour on a terminal either; elsewhere there never is any")]);
    let examples = after(command).examples;
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]);
        roff.control("nf", []);
        for example in examples {
            roff.text([roman(example)]);
        }
        roff.control("fi", []);
    }
    roff
}

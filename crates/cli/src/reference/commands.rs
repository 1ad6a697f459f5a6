//! The reference of the command line, as `--help` prints it.

use crate::args::Cli;
use crate::man::EXIT;
use clap::CommandFactory;

/// Columns of the help.
const COLUMNS: usize = 100;

/// Every command and the exit codes.
pub fn text() -> String {
    let mut whole = Cli::command().term_width(COLUMNS).disable_help_subcommand(true);
    whole.build();
    let mut text =
        "`drivelab man` writes the same as manual pages.\n\n## Exit codes\n\n".to_owned();
    for (code, meaning) in EXIT {
        text.push_str(&format!("- {code}: {meaning}\n"));
    }
    for command in whole.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
        let help = command.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let name = command.get_name();
        text.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
    }
    text
}

//! The examples in the help of a command: found in its text, for the manual pages and the tests.

use clap::Command;

/// The text after the options in the help of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// Paragraphs; lines that begin with blanks are to be shown as they are.
    pub prose: Vec<String>,
    /// Commands, each on one line.
    pub examples: Vec<String>,
}

/// Takes the help of a command apart.
pub fn after(command: &Command) -> After {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let is_title = |line: &str| matches!(line, "Example:" | "Examples:");
    let mut lines = text.lines();
    let mut prose: Vec<String> = vec![String::new()];
    for line in lines.by_ref().take_while(|line| !is_title(line)) {
        match (line.is_empty(), prose.last_mut()) {
            (false, Some(paragraph)) => paragraph.push_str(&format!("{line}\n")),
            _ => prose.push(String::new()),
        }
    }
    prose.retain(|paragraph| !paragraph.is_empty());
    let mut examples: Vec<String> = Vec::new();
    for line in lines {
        let continued = examples.last_mut().filter(|last| last.ends_with('\\'));
        match continued {
            Some(last) => {
                last.pop();
                last.push_str(line.trim_start());
            }
            None => examples.push(line.trim().to_owned()),
        }
    }
    examples.retain(|line| !line.is_empty());
    After { prose, examples }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::{CommandFactory, Parser};

    /// The words of an example, without other programs and what the shell does with the output.
    fn words(example: &str) -> Vec<String> {
        let words = shlex::split(example).unwrap_or_else(|| panic!("{example}: quotes"));
        let ours = words.into_iter().skip_while(|word| word != "drivelab");
        ours.take_while(|word| word != ">" && word != "|").collect()
    }

    #[test]
    fn every_command_has_examples_and_each_is_a_command_line() {
        let mut count = 0;
        for command in Cli::command().get_subcommands() {
            let examples = after(command).examples;
            assert!(!examples.is_empty(), "{} has no example", command.get_name());
            let mut of_its_own = false;
            for example in examples {
                if let Err(error) = Cli::try_parse_from(words(&example)) {
                    panic!("{example}\n{error}");
                }
                of_its_own |= words(&example).get(1).is_some_and(|w| w == command.get_name());
                count += 1;
            }
            assert!(of_its_own, "{} has no example of its own", command.get_name());
        }
        assert!(count > 40, "{count} examples");
    }

    /// Blocks of `sh` in README.md; those of `console` are run by the tests of the guide.
    #[test]
    fn every_command_of_the_readme_is_a_command_line() {
        let text = include_str!("../../../README.md").replace("\\\n", " ");
        let mut count = 0;
        for block in text.split("```sh\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            for line in block.lines().filter(|line| line.starts_with("drivelab ")) {
                if let Err(error) = Cli::try_parse_from(words(line)) {
                    panic!("{line}\n{error}");
                }
                count += 1;
            }
        }
        assert!(count > 25, "{count} commands");
    }

    #[test]
    fn prose_examples_and_lines_that_go_on_are_told_apart() {
        let text = "One.\nTwo.\n\nThree.\n  as it is\n\nExamples:\n  a b \\\n      c\n  d";
        let found = after(&Command::new("x").after_help(text));
        assert_eq!(found.prose, ["One.\nTwo.\n", "Three.\n  as it is\n"]);
        assert_eq!(found.examples, ["a b c", "d"]);
    }
}

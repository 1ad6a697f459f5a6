//! `drivelab rerun`: a result made again from its Record alone, and compared with it.

pub mod args;

use crate::args::{Cli, Command};
use crate::configuration;
use crate::console::Console;
use crate::files;
use crate::job_source;
use crate::records::{self, RESULTS};
use crate::render::Failure;
use crate::target;
use args::RerunArgs;
use clap::Parser;
use real::scratch::Scratch;
use serde_json::Value;
use stats::{Cost, Input, Outcome, Record};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Differences that are shown.
const SHOWN: usize = 5;

/// Runs the command; `dispatch` runs that of the Record.
pub fn command(
    args: &RerunArgs,
    dispatch: fn(Command) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let record = Record::load(&args.record).map_err(|error| Failure::wrong(error.to_string()))?;
    check(&record)?;
    let mut console = Console::new(args.quiet);
    let (was, now) = (record.result().version.as_str(), env!("CARGO_PKG_VERSION"));
    if was != now {
        console.warn(&format!("drivelab {was} made this Record, and this is {now}"));
    }
    let mut workshop = Workshop::new()?;
    let line = workshop.prepare(&record)?;
    console.note(&format!("drivelab {}", record.made.command.join(" ")));
    job_source::set_environment(record.made.variables.clone());
    let words = std::iter::once("drivelab".to_owned()).chain(line);
    let cli = Cli::try_parse_from(words).map_err(|error| {
        let first = error.to_string().lines().next().unwrap_or_default().to_owned();
        Failure::failed(format!("this drivelab does not know the command: {first}"))
    })?;
    dispatch(cli.command)?;
    let again = workshop.result()?;
    if !args.verify {
        files::print(&fs::read_to_string(workshop.output()).unwrap_or_default())?;
    }
    if again.hash() == record.hash() {
        console.note(&format!("the same result: {}", record.hash()));
        return Ok(());
    }
    let mut lines = Vec::new();
    differences("result", &json(record.result()), &json(again.result()), &mut lines);
    let count = lines.len();
    lines.truncate(SHOWN);
    let message = format!("another result: {count} values differ\n  {}", lines.join("\n  "));
    match args.verify {
        true => Err(Failure::failed(message)),
        false => {
            console.warn(&message);
            Ok(())
        }
    }
}

/// Refuses Records that cannot be made again by this command.
fn check(record: &Record) -> Result<(), Failure> {
    if record.made.command.is_empty() {
        let message = "the Record does not say by which command it was made";
        return Err(Failure::wrong(message).with_help("an older drivelab wrote it"));
    }
    let command = record.made.command.first().map_or("", String::as_str);
    if ["serve", "control"].contains(&command) {
        let message = "the Record is of a served drive: what its clients did is not known";
        return Err(
            Failure::wrong(message).with_help("start `drivelab serve` and the clients again")
        );
    }
    if record.result().targets.iter().any(|one| target::is_real(&one.name)) {
        let message =
            "the Record is of a real drive, and to run it again would write to that drive";
        return Err(Failure::wrong(message)
            .with_help(format!("run it yourself: drivelab {}", record.made.command.join(" "))));
    }
    Ok(())
}

/// The temporary directory in which the command runs.
struct Workshop {
    scratch: Scratch,
    /// Paths in the directory, and what stood in their place.
    names: BTreeMap<String, String>,
}

impl Workshop {
    fn new() -> Result<Self, Failure> {
        let scratch = Scratch::new(&std::env::temp_dir())
            .map_err(|error| Failure::failed(format!("no temporary directory: {error}")))?;
        Ok(Self { scratch, names: BTreeMap::new() })
    }

    fn output(&self) -> PathBuf {
        self.scratch.path().join("output")
    }

    fn record(&self) -> PathBuf {
        self.scratch.path().join("record.json")
    }

    fn put(&mut self, place: &Path, text: &str, stood: &str) -> Result<String, Failure> {
        let path = self.scratch.path().join(place);
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
        let name = path.display().to_string();
        self.names.insert(name.clone(), stood.to_owned());
        Ok(name)
    }

    /// Puts the files there, and yields the command line that names them.
    fn prepare(&mut self, record: &Record) -> Result<Vec<String>, Failure> {
        let mut folders: Vec<PathBuf> = Vec::new();
        let mut moved = BTreeMap::new();
        for (name, input) in &record.made.inputs {
            let path = Path::new(name);
            let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
            let number = folders.iter().position(|known| *known == folder).unwrap_or_else(|| {
                folders.push(folder);
                folders.len() - 1
            });
            match input {
                Input::Text(text) => {
                    let file = path.file_name().unwrap_or_default();
                    let place = Path::new(&format!("inputs-{number}")).join(file);
                    moved.insert(name.clone(), self.put(&place, text, name)?);
                }
                Input::Sha256(digest) => {
                    let found = records::digest(path).ok();
                    if found.as_ref() != Some(digest) {
                        let message = format!("{name} is not the file that was read");
                        let help = format!("put the file there whose SHA-256 is {digest}");
                        return Err(Failure::wrong(message).with_help(help));
                    }
                }
            }
        }
        self.models(record, &mut moved)?;
        if let Some(text) = &record.result().job_text
            && record.made.command.iter().any(|word| word == "-")
        {
            moved.insert("-".to_owned(), self.put(Path::new("<stdin>"), text, "<stdin>")?);
        }
        let mut line = self.rewritten(&record.made.command, &moved);
        let (output, kept) = (self.output(), self.record());
        let model = record.made.command.first().is_some_and(|command| command == "fit");
        let output = if model { output.with_extension("toml") } else { output };
        if model {
            let given = value_of(&record.made.command, "--output");
            let given = given.or(record.result().data["output"].as_str().map(str::to_owned));
            self.names.insert(output.display().to_string(), given.unwrap_or_default());
        }
        line.extend(["--quiet".to_owned(), "--output".to_owned(), output.display().to_string()]);
        line.extend(["--record".to_owned(), kept.display().to_string()]);
        Ok(line)
    }

    /// Models of the library that are not what they were: those of the Record are put there.
    fn models(
        &mut self,
        record: &Record,
        moved: &mut BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        for of in &record.result().targets {
            let (model, nand) = (&of.configuration["model"], &of.configuration["nand"]);
            if of.name.ends_with(".toml") || !model.is_object() {
                continue;
            }
            let name = of.name.split('@').next().unwrap_or(&of.name);
            let same = target::model(name, &[]).is_ok_and(|now| {
                let flash = now.lone_flash().map(|flash| configuration::toml(&flash.nand_text));
                configuration::toml(&now.text) == *model && flash.unwrap_or(Value::Null) == *nand
            });
            if same {
                continue;
            }
            let text = |value: &Value| {
                toml::to_string(value).map_err(|error| {
                    Failure::failed(format!("the model of {name} cannot be written: {error}"))
                })
            };
            if let (Some(flash), true) = (model["nand"].as_str(), nand.is_object()) {
                let place = PathBuf::from(format!("models/{flash}.toml"));
                self.put(&place, &text(nand)?, flash)?;
            }
            let place = PathBuf::from(format!("models/{name}.toml"));
            let path = self.put(&place, &text(model)?, name)?;
            for word in &record.made.command {
                let said = word.split('@').next().unwrap_or(word);
                let alias = || target::model(said, &[]).is_ok_and(|system| system.slug == name);
                if said == name || alias() {
                    moved.insert(said.to_owned(), path.clone());
                }
            }
        }
        Ok(())
    }

    /// The command line with the files at their new places, without the places of results.
    fn rewritten(&self, command: &[String], moved: &BTreeMap<String, String>) -> Vec<String> {
        let mut line = Vec::new();
        let mut words = command.iter();
        while let Some(word) = words.next() {
            let option = word.split_once('=').map_or(word.as_str(), |(option, _)| option);
            if RESULTS.contains(&option) {
                if option == word {
                    words.next();
                }
                continue;
            }
            if ["--quiet", "--overwrite", "--force"].contains(&word.as_str()) {
                continue;
            }
            let whole = moved.get(word).cloned();
            let behind = || {
                let (option, name) = word.split_once('=')?;
                Some(format!("{option}={}", moved.get(name)?))
            };
            let varied = || {
                let (name, variation) = word.split_once('@')?;
                Some(format!("{}@{variation}", moved.get(name)?))
            };
            line.push(whole.or_else(behind).or_else(varied).unwrap_or_else(|| word.clone()));
        }
        line
    }

    /// The new Record, with the names that stood in the old one.
    fn result(&self) -> Result<Record, Failure> {
        let made = Record::load(&self.record())?;
        let mut text = json(made.result()).to_string();
        for (path, name) in self.names.iter().rev() {
            text = text.replace(path, name);
        }
        let outcome: Outcome = serde_json::from_str(&text)
            .map_err(|error| Failure::failed(format!("the result cannot be read: {error}")))?;
        Ok(Record::new(outcome, Cost::default())?)
    }
}

fn value_of(command: &[String], option: &str) -> Option<String> {
    let at = command.iter().position(|word| word == option)?;
    command.get(at + 1).cloned()
}

fn json(outcome: &Outcome) -> Value {
    serde_json::to_value(outcome).unwrap_or(Value::Null)
}

/// Where two values differ, a line each.
fn differences(place: &str, was: &Value, is: &Value, lines: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(a), Value::Object(b)) => {
            let extra = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(extra) {
                differences(&format!("{place}.{key}"), &was[key], &is[key], lines);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{place}[{i}]"), a, b, lines);
            }
        }
        _ if was == is => {}
        _ => lines.push(format!("{place}: {}, now {}", short(was), short(is))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.chars().count() > 40 {
        true => text.chars().take(40).chain("...".chars()).collect(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_is_told_with_its_place() {
        let mut lines = Vec::new();
        let was = json!({ "a": [1, 2], "b": { "c": 3 }, "same": true });
        let is = json!({ "a": [1, 5], "b": { "c": 4 }, "same": true, "new": 1 });
        differences("r", &was, &is, &mut lines);
        assert_eq!(lines, ["r.a[1]: 2, now 5", "r.b.c: 3, now 4", "r.new: null, now 1"]);
    }

    #[test]
    fn the_command_line_names_the_files_at_their_new_places() {
        let workshop = Workshop::new().unwrap();
        let moved = BTreeMap::from([("./m.toml".to_owned(), "/t/m.toml".to_owned())]);
        let line = ["compare", "./m.toml@give_up=10%", "p4510", "--figures=./m.toml", "--record"];
        let line = line.into_iter().chain(["r.json", "--quiet", "-o=x"]).map(str::to_owned);
        let line: Vec<String> = line.collect();
        let expected = ["compare", "/t/m.toml@give_up=10%", "p4510", "--figures=/t/m.toml"];
        assert_eq!(workshop.rewritten(&line, &moved), expected);
    }
}

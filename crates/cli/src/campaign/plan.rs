//! A plan with what the command line says, checked: which test runs on which drive, and where its
//! results are.

use super::args::CampaignArgs;
use super::file::{CampaignFile, FileDrive, FileTest, Order};
use crate::args::{Cli, Command};
use crate::method;
use crate::render::Failure;
use crate::target;
use crate::test;
use crate::toml_place::offset;
use crate::values::Pair;
use clap::Parser as _;
use lab::{FACTS, Method};
use library::{mistakes, user_file};
use metric::Params;
use std::path::{Path, PathBuf};

/// Plans that are ready, with their files.
const READY: [(&str, &str); 4] = [
    ("quick-file", include_str!("../../../../plans/quick-file.toml")),
    ("quick-drive", include_str!("../../../../plans/quick-drive.toml")),
    ("review", include_str!("../../../../plans/review.toml")),
    ("snia", include_str!("../../../../plans/snia.toml")),
];

/// A campaign that may begin.
pub struct Plan {
    /// Its name.
    pub name: String,
    /// What its file says.
    pub file: CampaignFile,
    /// The runs, in order.
    pub runs: Vec<Run>,
    /// Tests that have no parameter that the command line gives.
    pub remarks: Vec<String>,
}

/// A test on a drive.
pub struct Run {
    /// Number of the drive.
    pub drive: usize,
    /// What it is called.
    pub label: String,
    /// The words of `drivelab test` without those about consent and results.
    pub words: Vec<String>,
    /// Words that let it pass the guard.
    consent: Vec<String>,
    /// The method; `None` for values that are read from a model.
    pub method: Option<&'static Method>,
    /// Its parameters.
    pub params: Params,
    /// Its results have this path, with other endings.
    stem: PathBuf,
}

impl Run {
    /// What tells it from all others of the campaign, tests of the same words too.
    pub fn key(&self) -> String {
        self.stem.display().to_string()
    }

    /// Its Record in the directory of the campaign.
    pub fn record(&self, folder: &Path) -> PathBuf {
        folder.join(self.stem.with_extension("json"))
    }

    /// The table that it prints.
    pub fn table(&self, folder: &Path) -> PathBuf {
        folder.join(self.stem.with_extension("txt"))
    }

    /// What it says while it runs.
    pub fn said(&self, folder: &Path) -> PathBuf {
        folder.join(self.stem.with_extension("log"))
    }

    /// All words of its command.
    pub fn command(&self, folder: &Path) -> Vec<String> {
        let place = |path: PathBuf| path.display().to_string();
        let results = ["--record".to_owned(), place(self.record(folder)), "--output".to_owned()];
        let table = place(self.table(folder));
        [&self.words[..], &self.consent, &results, &[table]].concat()
    }
}

impl Plan {
    /// Reads a plan and checks all of it.
    ///
    /// # Errors
    /// All mistakes of form, or all tests that cannot run.
    pub fn read(args: &CampaignArgs) -> Result<Self, Failure> {
        let ready = READY.iter().find(|(name, _)| *name == args.plan);
        let (shown, text) = match ready {
            Some((name, text)) => (format!("plans/{name}.toml"), (*text).to_owned()),
            None if args.plan.contains('/') || args.plan.ends_with(".toml") => {
                let help = "a plan is a TOML text; examples/two-models.toml is one to start from";
                let text = user_file::read(Path::new(&args.plan), "plan", help)?;
                (args.plan.clone(), text)
            }
            None => {
                let names = READY.map(|(name, _)| name).join(", ");
                let message = format!("no plan is called `{}`", args.plan);
                let help = format!("ready are {names}; a file has a `/` in it: ./mine.toml");
                return Err(Failure::wrong(message).with_help(help));
            }
        };
        let mut file: CampaignFile = mistakes::read(&shown, &text, &text, &[])?;
        file.operator = args.operator.clone().or(file.operator);
        let from_line = file.drives.is_empty();
        if from_line {
            file.drives = drives(args)?;
        } else if !args.on.is_empty() {
            let message = "the plan names its drives itself";
            return Err(Failure::wrong(message).at(shown).with_help("leave --on out"));
        }
        let reader = Reader { args, shown: &shown, text: &text, file: &file, from_line };
        let runs = reader.runs()?;
        let remarks = reader.without_params()?;
        let name =
            Path::new(&args.plan).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Ok(Self { name: name.unwrap_or_default(), file, runs, remarks })
    }

    /// The drive of a run.
    pub fn drive(&self, run: &Run) -> &FileDrive {
        &self.file.drives[run.drive]
    }
}

/// The drives that the command line names.
fn drives(args: &CampaignArgs) -> Result<Vec<FileDrive>, Failure> {
    if args.on.is_empty() {
        let message = "the plan names no drive";
        return Err(Failure::wrong(message).with_help("name one: --on ./scratch.img"));
    }
    let devices = args.on.iter().filter(|on| target::is_device(on)).count();
    if devices != args.destroy_data.len() && !args.dry_run {
        let message = format!(
            "{devices} of the targets are devices, and {} serial numbers are given",
            args.destroy_data.len()
        );
        let help = "say --destroy-data once for each device, in the same order";
        return Err(Failure::wrong(message).with_help(help));
    }
    let mut serials = args.destroy_data.iter();
    let mut names: Vec<String> = Vec::new();
    let drive = |on: &String| {
        let is_device = target::is_device(on);
        let name = own_name(on, &names);
        names.push(name.clone());
        FileDrive {
            name,
            on: on.clone(),
            size: if is_device { None } else { args.size },
            serial: if is_device { serials.next().cloned() } else { None },
            model: args.model.clone(),
            tbw: None,
        }
    };
    Ok(args.on.iter().map(drive).collect())
}

/// A name for a target that can be that of a folder, and that no other has.
fn own_name(on: &str, others: &[String]) -> String {
    let last = on.rsplit('/').next().unwrap_or(on);
    let plain = last.split('@').next().unwrap_or(last).trim_start_matches('.');
    let fits = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let plain: String = plain.chars().map(fits).collect();
    let first = if plain.is_empty() { "drive".to_owned() } else { plain };
    let numbered = (2..).map(|number| format!("{first}-{number}"));
    let mut names = std::iter::once(first.clone()).chain(numbered);
    names.find(|name| !others.contains(name)).unwrap_or(first)
}

/// Makes runs of a file.
struct Reader<'a> {
    args: &'a CampaignArgs,
    shown: &'a str,
    text: &'a str,
    file: &'a CampaignFile,
    /// The drives are from the command line.
    from_line: bool,
}

impl Reader<'_> {
    fn wrong(&self, key: &str, message: String, help: &str) -> Failure {
        self.at(key, Failure::wrong(message).with_help(help))
    }

    /// A mistake at the place of a key, unless it has one.
    fn at(&self, key: &str, failure: Failure) -> Failure {
        if failure.place.is_some() || self.from_line && key.starts_with("drive") {
            return failure;
        }
        let at = offset(self.text, key).unwrap_or(0);
        failure.at(mistakes::place(self.shown, self.text, at).to_string())
    }

    fn runs(&self) -> Result<Vec<Run>, Failure> {
        let mut wrong = self.wrong_drives();
        let mut runs = Vec::new();
        for (number, test) in self.file.tests.iter().enumerate() {
            let unknown = test
                .drives
                .iter()
                .enumerate()
                .filter(|(_, name)| !self.file.drives.iter().any(|drive| drive.name == **name));
            for (i, name) in unknown {
                let message = format!("no drive of the plan is called `{name}`");
                let help = "name one that a [[drive]] of the plan has";
                wrong.push(self.wrong(&format!("test.{number}.drives.{i}"), message, help));
            }
            for (drive, _) in
                self.file.drives.iter().enumerate().filter(|(_, drive)| {
                    test.drives.is_empty() || test.drives.contains(&drive.name)
                })
            {
                match self.run(number, drive) {
                    Ok(run) => runs.push(run),
                    Err(failure) => {
                        wrong.push(self.at(&format!("test.{number}"), failure));
                        break;
                    }
                }
            }
        }
        if self.file.tests.is_empty() {
            wrong.push(self.wrong("test", "there is no test".to_owned(), "add a [[test]]"));
        }
        if let Some(failure) = Failure::several(wrong) {
            return Err(failure);
        }
        if self.file.order == Order::Drives {
            runs.sort_by_key(|run| run.drive);
        }
        Ok(runs)
    }

    /// What the command line gives and a test has not, in words.
    fn without_params(&self) -> Result<Vec<String>, Failure> {
        let mut remarks = Vec::new();
        for pair in &self.args.param {
            let without: Vec<&str> = self
                .file
                .tests
                .iter()
                .filter(|test| !has(test, pair))
                .map(|test| test.method.as_str())
                .collect();
            if without.len() == self.file.tests.len() {
                let message = format!("no test of the plan has a parameter `{}`", pair.key);
                let help = "`drivelab show METHOD` lists the parameters of a test";
                return Err(Failure::wrong(message).at("--param").with_help(help));
            }
            if !without.is_empty() {
                let without = without.join(", ");
                remarks.push(format!("{} stays out of {without}, which has no such", pair.key));
            }
        }
        Ok(remarks)
    }

    fn wrong_drives(&self) -> Vec<Failure> {
        let mut wrong = Vec::new();
        for (i, drive) in self.file.drives.iter().enumerate() {
            let key = |name: &str| format!("drive.{i}.{name}");
            let name = &drive.name;
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
                let message = format!("`{name}` cannot be the name of a folder");
                wrong.push(self.wrong(&key("name"), message, "use letters, digits, - and _"));
            }
            if self.file.drives[..i].iter().any(|other| other.name == *name) {
                let message = format!("two drives are called `{name}`");
                wrong.push(self.wrong(&key("name"), message, "give each a name of its own"));
            }
            if let Some(model) = &drive.model
                && let Err(failure) = target::model(model, &[])
            {
                wrong.push(self.at(&key("model"), failure));
            }
            if !target::is_device(&drive.on) {
                continue;
            }
            let confirmed =
                drive.serial.as_ref().is_some_and(|serial| self.args.destroy_data.contains(serial));
            if !confirmed && !self.args.dry_run {
                let message = format!("nobody said that the data of {} may go", drive.on);
                let help = "give its serial number in the plan (`serial`) and by --destroy-data";
                wrong.push(self.wrong(&key("on"), message, help));
            }
        }
        wrong
    }

    fn run(&self, number: usize, drive: usize) -> Result<Run, Failure> {
        let (test, on) = (&self.file.tests[number], &self.file.drives[drive]);
        let real = target::is_real(&on.on);
        let mut words = vec!["test".to_owned(), test.method.clone()];
        words.extend(["--on".to_owned(), on.on.clone()]);
        let given: Vec<&Pair> = self.args.param.iter().filter(|pair| has(test, pair)).collect();
        let is_given = |name: &str| given.iter().any(|pair| param(&pair.key) == param(name));
        for (name, value) in test.params.iter().filter(|(name, _)| !is_given(name)) {
            words.extend(["--param".to_owned(), format!("{name}={}", value.text())]);
        }
        for pair in &given {
            words.extend(["--param".to_owned(), format!("{}={}", pair.key, pair.value)]);
        }
        if let (true, Some(size)) = (real, on.size) {
            words.extend(["--size".to_owned(), size.to_string()]);
        }
        if !real {
            words.extend(self.args.of_models());
        }
        let mut consent = Vec::new();
        if let Some(serial) = &on.serial {
            consent.extend(["--destroy-data".to_owned(), serial.clone()]);
        }
        if self.args.overwrite {
            consent.push("--overwrite".to_owned());
        }
        let line = std::iter::once("drivelab".to_owned()).chain(words.iter().cloned());
        let parsed = Cli::try_parse_from(line.chain(consent.iter().cloned()));
        let parsed = parsed.map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Failure::wrong(first.to_owned())
        })?;
        let Command::Test(parsed) = parsed.command else {
            return Err(Failure::wrong("it is no test"));
        };
        let (method, params) = test::planned(&parsed)?;
        let method_name = match method {
            Some(method) => method.name.as_str(),
            None => FACTS,
        };
        let stem = format!("{:02}-{method_name}", number + 1);
        Ok(Run {
            drive,
            label: format!("{} {}", on.name, test.method),
            words,
            consent,
            method,
            params,
            stem: Path::new(&on.name).join(stem),
        })
    }
}

/// The name of a parameter, of which some have several.
fn param(name: &str) -> &str {
    metric::lookup(name).map_or(name, |(spec, _)| spec.name)
}

/// Whether the method of a test has a parameter.
fn has(test: &FileTest, pair: &Pair) -> bool {
    test.method != FACTS
        && method::find(&test.method)
            .is_ok_and(|method| method.params.contains_key(param(&pair.key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_the_command_line_have_names_of_their_own() {
        let mut names: Vec<String> = Vec::new();
        for on in ["p4510", "p4510@link=x2", "a/x.img", "b/x.img", "./my file.img", "/dev/nvme0n1"]
        {
            names.push(own_name(on, &names));
        }
        assert_eq!(names, ["p4510", "p4510-2", "x.img", "x.img-2", "my-file.img", "nvme0n1"]);
        assert_eq!(own_name("./.", &[]), "drive");
    }
}

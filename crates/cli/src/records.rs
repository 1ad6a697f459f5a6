//! Saving a Record with how it came to be: the command line, the files that it names, the date.

use crate::files;
use crate::job_source;
use crate::progress;
use crate::render::Failure;
use sha2::{Digest, Sha256};
use stats::{Cost, Input, Made, Outcome, Record};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Largest file that is kept whole, bytes; of a larger one (a trace) the digest is.
const KEPT_MAX: u64 = 1 << 20;

/// Options whose value is where a result goes.
pub const RESULTS: [&str; 10] = [
    "--output",
    "-o",
    "--record",
    "--json-file",
    "--save-state",
    "--smart-before",
    "--smart-after",
    "--logs",
    "--save",
    "--store",
];

/// Saves a result.
pub fn save(outcome: Outcome, cost: Cost, path: &Path) -> Result<(), Failure> {
    let targets = outcome.targets.iter().flat_map(|target| target.name.split(','));
    let targets: Vec<String> = targets.map(str::to_owned).collect();
    let mut record = Record::new(outcome, cost)?;
    record.made = made(std::env::args().skip(1).collect(), &targets);
    files::write(path, &(record.to_canonical_json()? + "\n"))
}

fn made(command: Vec<String>, targets: &[String]) -> Made {
    let mut inputs = BTreeMap::new();
    let mut before = "";
    for word in &command {
        let option = word.split_once('=').map_or(word.as_str(), |(option, _)| option);
        if RESULTS.contains(&before) || RESULTS.contains(&option) {
            before = word;
            continue;
        }
        before = word;
        // `--figures=mine.toml` is one word, and so is `./mine.toml@give_up=10%`.
        let behind = word.split_once('=').map(|(_, value)| value);
        let model = word.split_once('@').map(|(name, _)| name);
        for name in [Some(word.as_str()), behind, model].into_iter().flatten() {
            // A target that is real is no input, and may be large.
            let real = !name.ends_with(".toml")
                && name.split(',').any(|part| targets.iter().any(|target| target == part));
            if !real {
                add(name, &mut inputs);
            }
        }
    }
    let texts = inputs.values().filter_map(|input| match input {
        Input::Text(text) => Some(text.as_str()),
        Input::Sha256(_) => None,
    });
    let variables = variables(texts);
    Made { date: progress::date(), command, inputs, variables }
}

/// Adds a file and those beside it that it names: a model names the file of its flash, a system
/// those of its drives, a job file what it includes.
fn add(name: &str, inputs: &mut BTreeMap<String, Input>) {
    let path = Path::new(name);
    let Some(about) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else { return };
    if inputs.contains_key(name) {
        return;
    }
    let small = about.len() <= KEPT_MAX;
    let Some(text) = small.then(|| fs::read_to_string(path).ok()).flatten() else {
        if let Ok(digest) = digest(path) {
            inputs.insert(name.to_owned(), Input::Sha256(digest));
        }
        return;
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside: Vec<PathBuf> = match name.ends_with(".toml") {
        true => text.split('"').map(|word| folder.join(format!("{word}.toml"))).collect(),
        false => text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("include "))
            .map(|file| folder.join(file.trim()))
            .collect(),
    };
    inputs.insert(name.to_owned(), Input::Text(text));
    for path in beside {
        add(&path.to_string_lossy(), inputs);
    }
}

/// SHA-256 of a file, in hexadecimal.
pub fn digest(path: &Path) -> io::Result<String> {
    let (mut file, mut hash) = (File::open(path)?, Sha256::new());
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Variables of the environment that job files among the texts use.
fn variables<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeMap<String, String> {
    let mut used = BTreeMap::new();
    let environment = job_source::environment();
    for text in texts {
        let set = fio::variables(text).filter_map(|name| environment.get_key_value(name));
        for (name, value) in set {
            used.insert(name.clone(), value.clone());
        }
    }
    used
}

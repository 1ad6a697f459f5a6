//! The directory of a shelf: a folder a name, a Record a file.

use super::args::Place;
use crate::render::Failure;
use answer::Tested;
use answer::shelf::Shelved;
use serde_json::Value;
use stats::{Kind, Record};
use std::fs;
use std::path::{Path, PathBuf};

/// Digits of a Record's hash in the name of its file.
const DIGITS: usize = 12;

/// A result with what it says.
pub struct Kept {
    /// What is listed of it.
    pub about: Shelved,
    /// Its numbers.
    pub tested: Tested,
}

/// Where a shelf is.
///
/// # Errors
/// If nobody says it, and the environment knows no home.
pub fn directory(place: &Place) -> Result<PathBuf, Failure> {
    if let Some(directory) = &place.shelf {
        return Ok(directory.clone());
    }
    let home = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty());
    let data = home("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| home("HOME").map(|home| PathBuf::from(home).join(".local/share")));
    let data = data.ok_or_else(|| {
        Failure::wrong("neither HOME nor XDG_DATA_HOME is set").with_help("say --shelf DIR")
    })?;
    Ok(data.join("drivelab/shelf"))
}

/// Refuses a name that is no name of a folder.
pub fn check_name(name: &str) -> Result<(), Failure> {
    let plain = |c: char| c.is_alphanumeric() || "-_.+ ".contains(c);
    match !name.is_empty() && !name.starts_with('.') && name.chars().all(plain) {
        true => Ok(()),
        false => Err(Failure::wrong(format!("`{name}` cannot be a name"))
            .with_help("use letters, digits, blanks and - _ . +")),
    }
}

/// Keeps a Record under a name; where it is now, or `None` if it was there already.
///
/// # Errors
/// A file that is no Record of `test`, and what the system says.
pub fn add(shelf: &Path, name: &str, path: &Path) -> Result<Option<PathBuf>, Failure> {
    let record = Record::load(path).map_err(|error| Failure::wrong(error.to_string()))?;
    let tested = tested(&record, path)?;
    let hash: String = record.hash().chars().filter(char::is_ascii_hexdigit).collect();
    let tail = hash.len().saturating_sub(DIGITS);
    let file = format!("{}-{}.json", tested.method.replace('/', "_"), &hash[tail..]);
    let folder = shelf.join(name);
    let place = folder.join(file);
    if place.exists() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| Failure::failed(format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(failed)?;
    let text = fs::read_to_string(path).map_err(failed)?;
    crate::files::write(&place, &text)?;
    Ok(Some(place))
}

fn tested(record: &Record, path: &Path) -> Result<Tested, Failure> {
    let result = record.result();
    if result.kind != Kind::Method {
        let message = format!("{}: it is no Record of `test`", path.display());
        return Err(Failure::wrong(message).with_help("a shelf keeps results of methods"));
    }
    let read = answer::read(&result.data);
    read.map_err(|error| Failure::wrong(format!("{}: {error}", path.display())))
}

/// All that is kept, by name, method and date. Each target of a Record is a result of its own.
///
/// # Errors
/// A file that is no Record, and what the system says.
pub fn all(shelf: &Path) -> Result<Vec<Kept>, Failure> {
    let mut all = Vec::new();
    for folder in entries(shelf)?.into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in entries(&folder)? {
            let record = Record::load(&path).map_err(|error| Failure::wrong(error.to_string()))?;
            let whole = tested(&record, &path)?;
            for (number, measured) in whole.targets.iter().enumerate() {
                let target = record.result().targets.get(number);
                let about = Shelved {
                    name: name.clone(),
                    method: whole.method.clone(),
                    params: whole.params.clone(),
                    target: measured.target.clone(),
                    drive: target.and_then(|target| drive(&target.configuration)),
                    date: record.made.date.clone(),
                    file: path.display().to_string(),
                };
                let tested = Tested { targets: vec![measured.clone()], ..whole.clone() };
                all.push(Kept { about, tested });
            }
        }
    }
    all.sort_by(|a, b| key(&a.about).cmp(&key(&b.about)));
    Ok(all)
}

fn key(about: &Shelved) -> (&str, &str, &str, &str) {
    (&about.name, &about.method, &about.target, &about.file)
}

/// What a directory holds, in order; nothing if it is not there.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed =
        |error: std::io::Error| Failure::failed(format!("{}: {error}", directory.display()));
    let list = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        list => list.map_err(failed)?,
    };
    let mut all: Vec<PathBuf> =
        list.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<_, Failure>>()?;
    all.sort();
    Ok(all)
}

/// Model, firmware and serial number of the drive that a real target's Record tells of.
fn drive(configuration: &Value) -> Option<String> {
    let device = &configuration["targets"][0]["device"];
    let text = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    let model = text(&device["model"])?;
    let firmware = text(&device["firmware"]).map(|firmware| format!(", firmware {firmware}"));
    let serial = text(&device["identities"][0]).map(|serial| format!(", {serial}"));
    Some(model + &firmware.unwrap_or_default() + &serial.unwrap_or_default())
}

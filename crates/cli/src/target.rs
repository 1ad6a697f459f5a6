//! What `--on` names: a model of the library, a model file, or something real.

use crate::render::Failure;
use crate::values::Pair;
use library::System;
use library::system::Named;
use std::fs::FileType;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

/// What a job runs on.
#[derive(Clone, Debug)]
pub enum Target {
    /// A modelled drive or system.
    Model(Box<System>),
    /// Files or devices, in the order in which jobs name them.
    Real(Vec<PathBuf>),
}

/// Whether the name is a path: it holds a `/` or ends in `.toml`.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}

/// Whether it is a file or a device that exists: a path, but not that of a model, which may have a
/// variation behind it (`./mine.toml@give_up=10%`).
pub fn is_real(name: &str) -> bool {
    is_path(name) && !name.ends_with(".toml") && !name.contains(".toml@")
}

/// Whether it is a block device, or a path of several of which one is.
pub fn is_device(name: &str) -> bool {
    is_real(name) && has_type(name, |kind| kind.is_block_device())
}

/// Whether it is a whole drive and not a file on one: a block device or a served drive.
pub fn is_whole_drive(name: &str) -> bool {
    is_real(name) && has_type(name, |kind| kind.is_block_device() || kind.is_socket())
}

/// Whether one of the paths of a name is of a type.
fn has_type(name: &str, is: impl Fn(FileType) -> bool) -> bool {
    let of = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|there| is(there.file_type()));
    paths(name).is_ok_and(|paths| paths.iter().any(of))
}

/// Finds a target.
pub fn resolve(name: &str, set: &[Pair]) -> Result<Target, Failure> {
    if is_real(name) {
        return paths(name).map(Target::Real);
    }
    model(name, set).map(|model| Target::Model(Box::new(model)))
}

/// How the address of a served drive begins; its socket follows.
const SERVED: &str = "nbd+unix:///?socket=";

/// A path, or the socket of a served drive by its address.
fn path(name: &str) -> Result<PathBuf, Failure> {
    let Some(socket) = name.strip_prefix(SERVED) else { return Ok(PathBuf::from(name)) };
    match Path::new(socket).symlink_metadata() {
        Ok(there) if there.file_type().is_socket() => Ok(PathBuf::from(socket)),
        _ => Err(Failure::wrong(format!("no served drive listens at `{socket}`"))
            .with_help("`drivelab serve` names its socket when it starts")),
    }
}

/// The paths of a name: one, or several separated by commas unless a file has just this name.
pub fn paths(name: &str) -> Result<Vec<PathBuf>, Failure> {
    if !name.contains(',') || Path::new(name).symlink_metadata().is_ok() {
        return Ok(vec![path(name)?]);
    }
    let parts: Vec<&str> = name.split(',').map(str::trim).collect();
    if let Some(part) = parts.iter().find(|part| !is_real(part)) {
        let message = format!("`{part}` of `{name}` is no path");
        return Err(Failure::wrong(message)
            .with_help("each of several real targets has a `/` in it: /dev/nvme0n1,/dev/nvme1n1"));
    }
    parts.into_iter().map(path).collect()
}

/// Whether two names of real targets stand for the same files or devices, whatever their spelling.
pub fn same_place(a: &str, b: &str) -> bool {
    let places = |name: &str| {
        let paths = paths(name).unwrap_or_else(|_| vec![PathBuf::from(name)]);
        paths.iter().map(|path| real::Place::of(path)).collect::<Vec<_>>()
    };
    places(a) == places(b)
}

/// Refuses real targets of which one is in two places of a request, whatever its spelling: it would
/// be measured beside itself.
pub fn check_distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
    let mut seen: Vec<(PathBuf, real::Place)> = Vec::new();
    for name in names {
        for path in paths(name)? {
            let place = real::Place::of(&path);
            if let Some((before, _)) = seen.iter().find(|(_, known)| *known == place) {
                let (path, before) = (path.display(), before.display());
                let message = format!("`{path}` is named twice: it is the same as `{before}`");
                return Err(Failure::wrong(message).with_help("name each drive once"));
            }
            seen.push((path, place));
        }
    }
    Ok(())
}

/// Paths as they are named together.
pub fn joined(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(",")
}

/// The serial number that was typed for each of so many paths.
pub fn serials(typed: Option<&str>, paths: usize) -> Result<Vec<Option<String>>, Failure> {
    let Some(typed) = typed else { return Ok(vec![None; paths]) };
    if paths == 1 {
        return Ok(vec![Some(typed.to_owned())]);
    }
    let each: Vec<Option<String>> = typed
        .split(',')
        .map(|serial| Some(serial.trim().to_owned()).filter(|serial| !serial.is_empty()))
        .collect();
    if each.len() != paths {
        let message = format!("{} serial numbers for {paths} paths", each.len());
        return Err(Failure::wrong(message).with_help(
            "give --destroy-data one for each path in their order, separated by commas; none for \
             a file",
        ));
    }
    Ok(each)
}

/// Finds a modelled drive or system.
pub fn model(name: &str, set: &[Pair]) -> Result<System, Failure> {
    if name.ends_with(".toml") {
        return with(set, |set| System::from_file(Path::new(name), set).map_err(Named::Wrong));
    }
    if is_path(name) {
        let message = format!("`{name}` is a path, and only models can be used here");
        return Err(Failure::wrong(message)
            .with_help("name a drive of the library, or a model file ending in .toml"));
    }
    let found = |set: &[(String, String)]| System::named(name, set);
    with(set, found).map_err(|failure| match System::named(name, &[]) {
        Err(Named::Unknown(why)) => unknown(name, why),
        _ => failure,
    })
}

/// Reads a model with values that the user set. If one of them is wrong, the error is at that
/// option: the user has not seen the text in which it was put.
fn with(
    set: &[Pair],
    read: impl Fn(&[(String, String)]) -> Result<System, Named>,
) -> Result<System, Failure> {
    let pairs: Vec<(String, String)> =
        set.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect();
    let wrong = match read(&pairs) {
        Ok(model) => return Ok(model),
        Err(wrong) => wrong,
    };
    let mut failure = match wrong {
        Named::Unknown(why) => Failure::wrong(why),
        Named::Wrong(diagnostic) => Failure::from(diagnostic),
    };
    if read(&[]).is_ok() {
        let first = (1..=pairs.len()).find(|count| read(&pairs[..*count]).is_err());
        let pair = first.and_then(|count| set.get(count - 1));
        failure.place = pair.map(|pair| format!("--set {}={}", pair.key, pair.value));
    }
    Err(failure)
}

fn unknown(name: &str, why: String) -> Failure {
    let here = Path::new(name).exists();
    let help = match here {
        true => format!("to mean the file or device of that name, write ./{name}"),
        false => {
            "`drivelab list drives` and `list systems` show all; a path has a `/` in it".to_owned()
        }
    };
    Failure::wrong(why).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_means_a_real_path_and_toml_a_model() {
        assert!(matches!(resolve("./a.img", &[]).unwrap(), Target::Real(_)));
        assert!(matches!(resolve("/dev/nvme0n1", &[]).unwrap(), Target::Real(_)));
        assert!(matches!(resolve("P5430", &[]).unwrap(), Target::Model(_)));
        assert!(resolve("no/such/model.toml", &[]).is_err());
        assert!(model("./a.img", &[]).unwrap_err().help.is_some());
    }

    #[test]
    fn a_wrong_value_is_reported_at_the_option_that_set_it() {
        let pair = |key: &str, value: &str| Pair { key: key.into(), value: value.into() };
        let set = [pair("flash.bus", "800 MT/s"), pair("flash.dies", "4")];
        let failure = model("p5430", &set).unwrap_err();
        assert_eq!(failure.place.as_deref(), Some("--set flash.dies=4"));
        assert!(model("p5430", &set[..1]).is_ok());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = resolve("d5-p5340", &[]).unwrap_err();
        assert_eq!(error.exit, 2);
        assert!(error.message.contains("d5-p5430"), "{}", error.message);
    }
}

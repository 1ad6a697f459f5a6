//! The model files that come with the program.

use super::media_word::media_word;
use super::mistakes::Shelf;
use metric::{hint, nearest};
use std::collections::BTreeMap;
use std::sync::LazyLock;

macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../models/", $folder, "/", $name, ".toml")))),*]
    };
}

pub(super) const DRIVES: Shelf = files!("drive":
    "d5-p5430-15.36tb",
    "d5-p5316-15.36tb",
    "d7-p5520-7.68tb",
    "d7-p5520-15.36tb",
    "d7-p5510-7.68tb",
    "pm9a3-7.68tb",
    "cd6-7.68tb",
    "7400-pro-7.68tb",
    "p4510-1tb",
    "p4510-8tb",
    "intel-710-200gb",
    "intel-320-300gb",
    "x25-e-64gb",
    "p300-200gb",
    "vertex-3-240gb",
    "pm981a-256gb",
    "micron-3400-512gb",
    "sn850-1tb",
    "dt01aca200-2tb",
    "optane-memory-16gb",
    "optane-memory-32gb",
);

pub(super) const NANDS: Shelf = files!("nand":
    "qlc-192l-fg",
    "qlc-144l-fg",
    "tlc-144l-fg",
    "tlc-64l-fg",
    "tlc-176l",
    "tlc-128l-v6",
    "tlc-96l-b27",
    "tlc-96l-bics4",
    "tlc-96l-bics4-dc",
    "tlc-v5-9xl",
    "mlc-25nm",
    "het-mlc-25nm",
    "slc-34nm",
    "slc-50nm",
);

pub(super) const SYSTEMS: Shelf = files!("system":
    "8x-7400-pro",
    "8x-cd6",
    "8x-p5520",
    "8x-pm9a3",
    "dt01aca200-rst",
    "gpu-raid5-8x-p5520",
    "mdraid-raid0-4x-p5520",
    "mdraid-raid10-4x-p5520",
    "mdraid-raid5-4x-p5520",
    "mdraid-raid6-24x-p5520",
    "optane-16gb-dt01aca200",
    "optane-32gb-dt01aca200",
    "perc-h755n-raid10",
    "perc-h755n-raid5",
    "raid0-2x-dt01aca200",
    "raid0-2x-dt01aca200-writeback",
    "raid0-2x-intel-710",
    "raid0-2x-pm981a",
    "raid0-3x-pm981a",
    "raid0-4x-pm981a",
    "raid0-4x-pm981a-1x-3400",
    "raid0-4x-pm981a-1x-3400-striped",
    "raid0-4x-pm981a-1x-3400-writeback",
    "raid1-2x-dt01aca200",
    "raid10-4x-pm981a",
    "raid5-3x-pm981a",
    "raid5-4x-pm981a",
    "raid5-4x-pm981a-1x-3400",
);

pub(super) const COOLINGS: Shelf = files!("cooling":
    "bare",
    "thermal-pad",
    "copper-sheet",
    "finned-sink",
    "fan",
    "finned-sink-fan",
);

/// Names of all coolings, the weakest first.
pub fn coolings() -> impl Iterator<Item = &'static str> + Clone {
    COOLINGS.iter().map(|(name, _)| *name)
}

/// The text of a cooling file.
///
/// # Errors
/// If no cooling has this name: a hint at the nearest names.
pub fn cooling_text(name: &str) -> Result<&'static str, String> {
    let found = COOLINGS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| hint("ways of cooling", name, coolings()))
}

/// Slugs of all drives.
pub fn drives() -> impl Iterator<Item = &'static str> + Clone {
    DRIVES.iter().map(|(slug, _)| *slug)
}

/// Slugs of the flash drives among them.
pub fn flash_drives() -> impl Iterator<Item = &'static str> + Clone {
    let flash = |text: &str| media_word("", text).is_ok_and(|word| word == "flash");
    DRIVES.iter().filter(move |(_, text)| flash(text)).map(|(slug, _)| *slug)
}

/// The text of a drive's file.
pub fn source_text(slug: &str) -> Option<&'static str> {
    DRIVES.iter().find(|(name, _)| *name == slug).map(|(_, text)| *text)
}

/// Names of all NAND files.
pub fn nands() -> impl Iterator<Item = &'static str> + Clone {
    NANDS.iter().map(|(name, _)| *name)
}

/// The text of a NAND file.
///
/// # Errors
/// If no NAND file has this name: a hint at the nearest names.
pub fn nand_text(name: &str) -> Result<&'static str, String> {
    let found = NANDS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| hint("NAND files", name, nands()))
}

/// Slugs of all systems.
pub fn systems() -> impl Iterator<Item = &'static str> + Clone {
    SYSTEMS.iter().map(|(slug, _)| *slug)
}

/// The text of a system's file.
pub fn system_text(slug: &str) -> Option<&'static str> {
    SYSTEMS.iter().find(|(name, _)| *name == slug).map(|(_, text)| *text)
}

/// The slug of the drive that `name` means: a slug, a name, an alias, or the unambiguous beginning
/// of a slug. Case does not matter.
///
/// # Errors
/// If no drive is called so, or if the name could be several.
pub fn find(name: &str) -> Result<&'static str, String> {
    exactly(&DRIVE_NAMES, name).map_or_else(|| nearly(DRIVES, "drive", name), Ok)
}

/// The slug of the drive of the library whose full name this is, to the letter.
pub(super) fn slug_of(full_name: &str) -> Option<&'static str> {
    let bears = |text: &str| {
        toml::from_str::<toml::Table>(text)
            .is_ok_and(|table| table.get("name").and_then(toml::Value::as_str) == Some(full_name))
    };
    DRIVES.iter().find(|(_, text)| bears(text)).map(|(slug, _)| *slug)
}

/// The name by which figures know a target: that of the library, also for a file whose drive bears
/// the name of one there.
pub fn canonical(target: &str) -> String {
    let known = || {
        let text = std::fs::read_to_string(target).ok()?;
        let table: toml::Table = toml::from_str(&text).ok()?;
        let name = table.get("name")?.as_str()?;
        slug_of(name).or_else(|| exactly(&SYSTEM_NAMES, name))
    };
    let slug = if target.ends_with(".toml") { known() } else { None };
    slug.map_or_else(|| target.to_owned(), str::to_owned)
}

/// The drive that `name` means: its slug, its file as named in errors, and the text of that.
pub(super) fn drive(name: &str) -> Result<(&'static str, String, &'static str), String> {
    let slug = find(name)?;
    let text = source_text(slug).unwrap_or_default();
    Ok((slug, format!("models/drive/{slug}.toml"), text))
}

/// The slug of the system that `name` means, by the same rules.
///
/// # Errors
/// If no system is called so, or if the name could be several.
pub fn find_system(name: &str) -> Result<&'static str, String> {
    exactly(&SYSTEM_NAMES, name).map_or_else(|| nearly(SYSTEMS, "system", name), Ok)
}

/// Whether `name` is the slug, name or alias of a system, and of no drive.
pub(super) fn is_system(name: &str) -> bool {
    let drive = || exactly(&DRIVE_NAMES, name).is_some() || nearly(DRIVES, "drive", name).is_ok();
    exactly(&SYSTEM_NAMES, name).is_some() || find_system(name).is_ok() && !drive()
}

/// What to say of a name that is not a drive: what holds it, or the nearest system, if one is near.
pub(super) fn unknown(name: &str, why: String) -> String {
    if let Some(several) = could_be(name) {
        return several;
    }
    match nearest(&name.to_lowercase(), systems()) {
        Some(near) => {
            format!("nothing in the library is called `{name}`; did you mean the system `{near}`?")
        }
        None => why,
    }
}

/// The drives and systems whose slugs hold a name, if any does.
pub fn could_be(name: &str) -> Option<String> {
    let of = |shelf: Shelf, kind: &str| {
        let slugs: Vec<&str> = holding(shelf, name).collect();
        several(&slugs, kind)
    };
    match (of(DRIVES, "drive"), of(SYSTEMS, "system")) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(format!("`{name}` could be {one}")),
        (Some(drives), Some(systems)) => {
            Some(format!("`{name}` could be {drives}; of systems, {systems}"))
        }
    }
}

/// The drives of one series that `name` holds in common, which differ in their capacity alone:
/// `p5520` is the D7-P5520 of 7.68 TB and of 15.36 TB. None if the name means one drive, or more.
pub fn series(name: &str) -> Vec<&'static str> {
    let slugs: Vec<&str> = holding(DRIVES, name).collect();
    let stem = |slug: &&'static str| slug.rsplit_once('-').map(|(stem, _)| stem);
    let is_one = slugs.windows(2).all(|pair| stem(&pair[0]) == stem(&pair[1]));
    match slugs.len() > 1 && is_one && find(name).is_err() && !is_system(name) {
        true => slugs,
        false => Vec::new(),
    }
}

/// At most five slugs, and where there are more the command that lists them.
fn several(slugs: &[&str], kind: &str) -> Option<String> {
    let shown = slugs.get(..SHOWN).unwrap_or(slugs).join(" or ");
    match slugs.len() {
        0 => None,
        1..=SHOWN => Some(shown),
        all => Some(format!("{shown} or {} more of `drivelab list {kind}s`", all - SHOWN)),
    }
}

/// The slugs that hold a name.
fn holding(shelf: Shelf, name: &str) -> impl Iterator<Item = &'static str> {
    let wanted = name.to_lowercase();
    let slugs = shelf.iter().map(|(slug, _)| *slug);
    slugs.filter(move |slug| !wanted.is_empty() && slug.contains(&wanted))
}

/// Slugs that an error shows of many.
const SHOWN: usize = 5;

/// What the entries of a shelf are called, in lower case: their slugs, names and aliases. To read
/// all files for one name takes longer than a short run.
type Names = BTreeMap<String, &'static str>;

static DRIVE_NAMES: LazyLock<Names> = LazyLock::new(|| names(DRIVES));
static SYSTEM_NAMES: LazyLock<Names> = LazyLock::new(|| names(SYSTEMS));

/// Everything that drives and systems are called, in lower case.
pub fn names_of_models() -> impl Iterator<Item = &'static str> {
    DRIVE_NAMES.keys().chain(SYSTEM_NAMES.keys()).map(String::as_str)
}

/// The names of a shelf. A slug counts before a name, and what comes first before what follows.
fn names(shelf: Shelf) -> Names {
    let mut names: Names = shelf.iter().map(|(slug, _)| ((*slug).to_owned(), *slug)).collect();
    for (slug, text) in shelf {
        let table = toml::from_str::<toml::Table>(text).unwrap_or_default();
        let full = table.get("name").and_then(toml::Value::as_str).unwrap_or_default();
        let aliases = table.get("aliases").and_then(toml::Value::as_array);
        let aliases = aliases.into_iter().flatten().filter_map(toml::Value::as_str);
        for name in aliases.chain([full]) {
            names.entry(name.to_lowercase()).or_insert(slug);
        }
    }
    names
}

/// The entry with this slug, name or alias.
fn exactly(names: &Names, name: &str) -> Option<&'static str> {
    names.get(&name.to_lowercase()).copied()
}

/// The only entry whose slug contains the name.
fn nearly(shelf: Shelf, kind: &str, name: &str) -> Result<&'static str, String> {
    let found: Vec<&str> = holding(shelf, name).collect();
    match (found.as_slice(), several(&found, kind)) {
        ([slug], _) => Ok(slug),
        (_, Some(several)) => Err(format!("`{name}` could be {several}")),
        (_, None) => {
            let slugs = shelf.iter().map(|(slug, _)| *slug);
            let near = hint(&format!("{kind}s"), &name.to_lowercase(), slugs);
            Err(format!("no {kind} of the library is called `{name}`: {near}"))
        }
    }
}

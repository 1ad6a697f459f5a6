//! The drives of a system: their models, as their slots let them run.

use super::super::set::{Pairs, changed, set_value};
use super::super::{Medium, diagnose};
use super::file::{Attachment, DriveEntry, SystemFile};
use engine::narrow;
use fio::Diagnostic;
use metric::hint;
use std::path::Path;

/// Equal drives of a system.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Their model, with the link that was negotiated.
    pub medium: Medium,
    /// How many.
    pub count: u32,
}

/// Most drives in one system: what the arena and a reader can hold.
pub(super) const MOST: u64 = 256;

/// Divides what the user set into that of the system and that of the models of its drives
/// (`NAME.model.KEY`, with the name of the drive).
pub(super) fn split(set: &[(String, String)]) -> (Pairs, Pairs) {
    let of_model = |(path, _): &(String, String)| path.split('.').nth(1) == Some("model");
    let (models, own) = set.iter().cloned().partition(of_model);
    (own, models)
}

/// Sets values in the text of a system. A path begins with the name of an entry of one of its
/// lists (`array.raid.chunk=256 KiB`) or with a section (`host.submit=2 us`).
pub(super) fn apply(
    file: &str,
    text: &str,
    set: &[(String, String)],
) -> Result<String, Diagnostic> {
    changed(file, text, set, |table, path, value| {
        let unknown = |names: &[String]| {
            let first = path.split('.').next().unwrap_or_default();
            let known = names.iter().map(String::as_str);
            Diagnostic::new(
                &diagnose::place("--set", "", 0),
                format!("the system has no value `{path}`"),
            )
            .with_help(format!(
                "paths begin with the name of a part: {}",
                hint("parts", first, known)
            ))
        };
        let names = names(table);
        let (first, rest) = path.split_once('.').ok_or_else(|| unknown(&names))?;
        let entry = entry(table, first).ok_or_else(|| unknown(&names))?;
        set_value(entry, rest, value).ok_or_else(|| unknown(&names))
    })
}

fn names(table: &toml::Table) -> Vec<String> {
    let lists = table.values().filter_map(toml::Value::as_array).flatten();
    let named = lists.filter_map(|entry| entry.get("name")?.as_str()).map(str::to_owned);
    named.chain(table.contains_key("host").then(|| "host".to_owned())).collect()
}

fn entry<'a>(table: &'a mut toml::Table, name: &str) -> Option<&'a mut toml::Table> {
    if name == "host" {
        return table.get_mut("host")?.as_table_mut();
    }
    let lists = table.iter_mut().filter_map(|(_, value)| value.as_array_mut());
    let mut entries = lists.flatten().filter_map(toml::Value::as_table_mut);
    entries.find(|entry| entry.get("name").and_then(toml::Value::as_str) == Some(name))
}

/// Reads the models of all drives and puts each into its slot.
pub(super) fn read(
    place: &str,
    text: &str,
    file: &SystemFile,
    beside: Option<&Path>,
    set: &[(String, String)],
) -> Result<Vec<Member>, Diagnostic> {
    let mut used: Vec<u64> = vec![0; file.attachments.len()];
    let mut members = Vec::new();
    let mut all = 0;
    for entry in &file.drives {
        let prefix = format!("{}.model.", entry.name.get_ref());
        let own = |(path, value): &(String, String)| {
            path.strip_prefix(&prefix).map(|rest| (rest.to_owned(), value.clone()))
        };
        let mut pairs: Pairs = set.iter().filter_map(own).collect();
        let count = entry.count.as_ref().map_or(1, |count| count.get().number);
        all += u64::from(count);
        if count == 0 || all > MOST {
            let at = entry.count.as_ref().map_or(entry.name.span().start, |count| count.at());
            let message = format!("`{}`: {all} drives", entry.name.get_ref());
            return Err(Diagnostic::new(&diagnose::place(place, text, at), message)
                .with_help(format!("give 1 to {MOST} drives")));
        }
        let mut medium = load(place, text, entry, beside, &pairs)?;
        if let Some(at) = &entry.at {
            let known = file.attachments.iter().map(|a| a.name.get_ref().as_str());
            let found = file.attachments.iter().position(|a| a.name.get_ref() == at.get_ref());
            let Some(index) = found else {
                let message = format!("nothing to attach drives to is called `{}`", at.get_ref());
                return Err(Diagnostic::new(
                    &diagnose::place(place, text, at.span().start),
                    message,
                )
                .with_help(hint("attachments", at.get_ref(), known)));
            };
            let slot = plug(place, text, entry, &file.attachments[index], &medium, count)?;
            used[index] += slot.used;
            check_lanes(place, text, entry, &file.attachments[index], used[index])?;
            if slot.link != medium.interface() {
                pairs.push(("link.interface".to_owned(), slot.link.to_string()));
                medium = load(place, text, entry, beside, &pairs)?;
            }
        }
        members.push(Member { medium, count });
    }
    unknown_members(file, set)?;
    Ok(members)
}

fn unknown_members(file: &SystemFile, set: &[(String, String)]) -> Result<(), Diagnostic> {
    let names: Vec<&str> = file.drives.iter().map(|drive| drive.name.get_ref().as_str()).collect();
    for (path, _) in set {
        let first = path.split('.').next().unwrap_or_default();
        if !names.contains(&first) {
            let message = format!("the system has no drives called `{first}`");
            return Err(Diagnostic::new(&diagnose::place("--set", "", 0), message)
                .with_help(hint("drives", first, names.iter().copied())));
        }
    }
    Ok(())
}

fn load(
    place: &str,
    text: &str,
    entry: &DriveEntry,
    beside: Option<&Path>,
    set: &[(String, String)],
) -> Result<Medium, Diagnostic> {
    let name = entry.model.get_ref();
    let at = diagnose::place(place, text, entry.model.span().start);
    if name.ends_with(".toml") {
        let Some(beside) = beside.filter(|_| !name.contains(['/', '\\'])) else {
            let message = format!("there is no file `{name}` beside this one");
            return Err(Diagnostic::new(&at, message)
                .with_help("name a drive of the library, or a file in the folder of this one"));
        };
        return Medium::from_file(&beside.join(name), set);
    }
    Medium::named(name, set).map_err(|why| {
        let line = why.lines().next().unwrap_or_default().to_owned();
        Diagnostic::new(&at, line).with_help("`drivelab list drives` shows all")
    })
}

struct Slot {
    link: super::super::Interface,
    used: u64,
}

/// What a drive negotiates with its slot, and how many lanes all of the entry take.
fn plug(
    place: &str,
    text: &str,
    entry: &DriveEntry,
    attachment: &Attachment,
    medium: &Medium,
    count: u32,
) -> Result<Slot, Diagnostic> {
    use super::super::Interface;
    let own = medium.interface();
    let wide = match own {
        Interface::Pcie { lanes, .. } => u32::from(lanes),
        Interface::Sata { .. } => 1,
    };
    let at = entry.lanes.as_ref().map_or(entry.name.span().start, |lanes| lanes.at());
    let wrong = |message: String, help: &str| {
        Err(Diagnostic::new(&diagnose::place(place, text, at), message).with_help(help))
    };
    let lanes = entry.lanes.as_ref().map_or(wide, |lanes| lanes.get().number);
    if ![1, 2, 4, 8, 16].contains(&lanes) {
        return wrong(format!("a slot with {lanes} lanes"), "slots have 1, 2, 4, 8 or 16 lanes");
    }
    match attachment.ports.get().negotiate(own, narrow(lanes)) {
        Ok(link) => {
            let each = if matches!(own, Interface::Sata { .. }) { 1 } else { u64::from(lanes) };
            Ok(Slot { link, used: each * u64::from(count) })
        }
        Err(why) => {
            let name = attachment.name.get_ref();
            wrong(format!("`{}`: {why} of `{name}`", entry.name.get_ref()), "choose another port")
        }
    }
}

fn check_lanes(
    place: &str,
    text: &str,
    entry: &DriveEntry,
    attachment: &Attachment,
    used: u64,
) -> Result<(), Diagnostic> {
    let there = u64::from(attachment.lanes.get().number);
    if used <= there {
        return Ok(());
    }
    let at = entry.at.as_ref().map_or(0, |at| at.span().start);
    let (name, attached) = (entry.name.get_ref(), attachment.name.get_ref());
    let message = format!(
        "`{name}` needs lanes that do not exist: `{attached}` has {there}, and its drives take \
         {used}"
    );
    Err(Diagnostic::new(&diagnose::place(place, text, at), message)
        .with_help("attach fewer drives, give them narrower slots, or attach some elsewhere"))
}

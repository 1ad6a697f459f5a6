//! What is added by one file and the lines of a list: the list is complete, nothing else knows it.

use crate::tree::{File, check, files};

/// A folder with one entry a file.
struct Shelf {
    folder: &'static str,
    /// The files that list the entries.
    lists: &'static [&'static str],
    /// Files that belong to the shelf as a whole.
    common: &'static [&'static str],
}

const SHELVES: &[Shelf] = &[
    Shelf { folder: "crates/lab/src/steps/", lists: &["crates/lab/src/steps/mod.rs"], common: &[] },
    Shelf {
        folder: "crates/iopath/src/device/flash/ftl/victim/",
        lists: &["crates/iopath/src/device/flash/ftl/victim/mod.rs"],
        common: &[],
    },
    Shelf {
        folder: "crates/trace/src/text/",
        lists: &["crates/trace/src/text/mod.rs"],
        common: &["fields"],
    },
    Shelf {
        folder: "crates/report/src/picture/charts/",
        lists: &["crates/report/src/picture/charts/mod.rs"],
        common: &["curve"],
    },
];

/// Whether a line names the module: `name::` as a path of its own, or `mod name;`.
fn names(line: &str, module: &str) -> bool {
    let path = format!("{module}::");
    let starts = |at: usize| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '_'))
    };
    line.match_indices(&path).any(|(at, _)| starts(at)) || line.trim() == format!("mod {module};")
}

fn entries(shelf: &Shelf) -> Vec<(String, File)> {
    let own = files(shelf.folder, ".rs").into_iter().filter_map(|file| {
        let name = file.path.strip_prefix(shelf.folder)?.strip_suffix(".rs")?.to_owned();
        let single = !name.contains('/') && name != "mod" && !shelf.common.contains(&name.as_str());
        single.then_some((name, file))
    });
    own.collect()
}

#[test]
fn an_entry_is_known_to_its_file_and_its_list_only() {
    let mut breaches = Vec::new();
    for shelf in SHELVES {
        let neighbours = files(shelf.folder, ".rs");
        let all = entries(shelf);
        assert!(all.len() >= 5, "{}: {} entries", shelf.folder, all.len());
        for (name, own) in &all {
            for file in neighbours.iter().filter(|file| file.path != own.path) {
                let lines = file.program().filter(|(_, line)| names(line, name)).count();
                let list = shelf.lists.contains(&file.path.as_str());
                if list && lines == 0 {
                    breaches.push(format!("{}: does not list `{name}`", file.path));
                } else if !list && lines > 0 {
                    breaches.push(format!("{}: knows `{name}`", file.path));
                }
            }
        }
    }
    check("an entry of a shelf is one file and the lines of its list", breaches);
}

#[test]
fn a_module_is_told_from_a_part_of_a_name() {
    assert!(names("mod idle;", "idle"));
    assert!(names("    Idle: idle::Idle,", "idle"));
    assert!(!names("    Idle: not_idle::Idle,", "idle"));
    assert!(!names("let idle = 1;", "idle"));
}

//! Rules about documents and data.

use crate::tree::{check, files, read};

#[test]
fn every_decision_is_in_the_index() {
    let index = read("docs/decisions/README.md");
    let notes: Vec<String> = files("docs/decisions", ".md")
        .into_iter()
        .filter_map(|f| f.path.strip_prefix("docs/decisions/").map(str::to_owned))
        .filter(|name| name != "README.md")
        .collect();
    let missing = notes.iter().filter(|name| !index.contains(&format!("({name})")));
    check("a decision is listed in docs/decisions/README.md", missing.cloned().collect());
    let mut numbers: Vec<&str> = notes.iter().map(|name| &name[..4]).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), notes.len(), "two decisions have the same number");
    let wanted: Vec<String> = (1..=notes.len()).map(|n| format!("{n:04}")).collect();
    assert_eq!(numbers, wanted, "decisions are numbered without gaps");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut breaches = Vec::new();
    for file in files("", ".md") {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut rest = file.text.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let Some(end) = rest.find(')') else { break };
            let target = rest[..end].split('#').next().unwrap_or_default();
            let outside = target.is_empty() || target.contains("://") || target.contains(' ');
            if !outside && !crate::tree::root().join(folder).join(target).exists() {
                breaches.push(format!("{}: {target}", file.path));
            }
        }
    }
    check("a link to a file of the project leads to one", breaches);
}

/// The words between backquotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A path in the page begins where its reader is, which may be deep in a crate, and leaves `src`
/// out: some file ends with it, or is below it.
#[test]
fn paths_of_the_architecture_exist() {
    let page = "docs/ARCHITECTURE.md";
    let all: Vec<String> =
        files("", "").into_iter().map(|file| format!("/{}", file.path)).collect();
    let short: Vec<String> = all.iter().map(|path| path.replace("/src/", "/")).collect();
    let all = || all.iter().chain(&short);
    let mut breaches = Vec::new();
    for (number, line) in read(page).lines().enumerate() {
        for word in quoted(line).filter(|word| !word.contains([' ', '*', '<', '='])) {
            let path = word.split("::").next().unwrap_or_default();
            let known = match path.strip_suffix('/') {
                Some(folder) => all().any(|file| file.contains(&format!("/{folder}/"))),
                None if path.ends_with(".rs") => {
                    all().any(|file| file.ends_with(&format!("/{path}")))
                }
                None => true,
            };
            if !known {
                breaches.push(format!("{page}:{}: {word}", number + 1));
            }
        }
    }
    check("a path that the page names exists", breaches);
}

#[test]
fn the_changelog_has_a_place_for_changes() {
    let text = read("CHANGELOG.md");
    assert!(text.contains("\n## [Unreleased]\n"), "CHANGELOG.md has no [Unreleased]");
    let version = format!("\n## [{}]", env!("CARGO_PKG_VERSION"));
    let listed = text.contains(&version) || env!("CARGO_PKG_VERSION") == "0.1.0";
    assert!(listed, "CHANGELOG.md does not tell about {}", env!("CARGO_PKG_VERSION"));
}

/// Every table of a model that states a value states its source.
#[test]
fn every_value_of_a_model_has_a_source() {
    let mut breaches = Vec::new();
    for file in files("models", ".toml") {
        let table: toml::Table =
            toml::from_str(&file.text).unwrap_or_else(|e| panic!("{}: {e}", file.path));
        let mut sourced = 0;
        walk(&file.path, &toml::Value::Table(table), &mut sourced, &mut breaches);
        if sourced == 0 {
            breaches.push(format!("{}: no value has a source", file.path));
        }
    }
    check("a value of a model says where it comes from", breaches);
}

fn walk(path: &str, value: &toml::Value, sourced: &mut u32, breaches: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            let said = |key: &str| {
                table.get(key).and_then(toml::Value::as_str).is_some_and(|text| !text.is_empty())
            };
            if table.contains_key("value") {
                *sourced += 1;
                if !said("source") {
                    breaches.push(format!("{path}: no source"));
                }
            }
            for (key, inner) in table {
                walk(&format!("{path}: {key}"), inner, sourced, breaches);
            }
        }
        toml::Value::Array(list) => {
            for inner in list {
                walk(path, inner, sourced, breaches);
            }
        }
        toml::Value::Integer(_) | toml::Value::Float(_) => {
            breaches.push(format!("{path}: a number without unit and source"));
        }
        _ => {}
    }
}

/// The manual of model files names every key that the files use.
#[test]
fn the_manual_of_models_names_every_key() {
    let manual = read("models/README.md");
    let mut missing = Vec::new();
    for file in files("models", ".toml") {
        let table: toml::Table = toml::from_str(&file.text).expect("a model is TOML");
        let nested = table.iter().flat_map(|(key, value)| {
            let inner = value.as_table().filter(|t| !t.contains_key("value"));
            let keys = inner.into_iter().flat_map(|t| t.keys().cloned());
            keys.chain([key.clone()]).collect::<Vec<_>>()
        });
        missing.extend(nested.filter(|key| !manual.contains(&format!("`{key}`"))));
    }
    missing.sort();
    missing.dedup();
    let named = |key: &String| !manual.contains(&format!("[{key}]"));
    check("models/README.md documents every key", missing.into_iter().filter(named).collect());
}

#[test]
fn the_manual_of_commands_names_every_make_target() {
    let (makefile, readme) = (read("Makefile"), read("README.md"));
    let rules = makefile.lines().filter(|line| !line.starts_with('\t'));
    let targets = rules.filter_map(|line| {
        let (name, rest) = line.split_once(':')?;
        let public = rest.contains("## ") && name != "help";
        public.then(|| format!("make {name}"))
    });
    let missing = targets.filter(|target| !readme.contains(target.as_str()));
    check("README.md names every target of the Makefile", missing.collect());
}

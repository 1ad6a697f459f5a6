//! Every file of tests is run: what no binary names is compiled by nobody, and passes.

use crate::tree::{check, files, root};
use std::fs;

#[test]
fn every_file_of_tests_is_in_the_binary_of_its_crate() {
    let mut breaches = Vec::new();
    for manifest in files("crates", "Cargo.toml") {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        let Ok(entries) = fs::read_dir(root().join(folder).join("tests")) else { continue };
        let list = fs::read_to_string(root().join(folder).join("tests/all.rs")).unwrap_or_default();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let module = match name.strip_suffix(".rs") {
                Some("all") => continue,
                Some(module) => module.to_owned(),
                None if entry.path().join("mod.rs").exists() => name,
                None => continue,
            };
            if !list.lines().any(|line| line == format!("mod {module};")) {
                breaches.push(format!("{folder}tests/{module}"));
            }
        }
    }
    check("a file of tests is a module of tests/all.rs of its crate", breaches);
}

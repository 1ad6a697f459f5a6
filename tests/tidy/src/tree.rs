//! The files of the project, and how a broken rule is reported.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// A file of the project.
pub struct File {
    /// Path from the root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl File {
    /// Lines of code with their numbers from 1: comments are cut off.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let code = |line: &'_ str| line.find("//").unwrap_or(line.len());
        self.text.lines().enumerate().map(move |(i, line)| (i + 1, &line[..code(line)]))
    }

    /// True if the file belongs to a test rather than to a program.
    pub fn is_test(&self) -> bool {
        self.path.contains("/tests/")
            || self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
    }

    /// Code lines before the file's unit tests, which stand at its end.
    pub fn program(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code().take_while(|(_, line)| line.trim() != "#[cfg(test)]")
    }
}

/// All text files below `folder` of the root whose names end so, ordered by path. What is built,
/// hidden or found by a fuzzer is left out.
pub fn files(folder: &str, ending: &str) -> Vec<File> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let made: &[&str] = match folder.ends_with("fuzz") {
                true => &["target", "corpus", "artifacts", "coverage"],
                false => &["target", "out"],
            };
            let skipped = name.starts_with('.') || made.contains(&name.as_str());
            if path.is_dir() {
                if !skipped {
                    folders.push(path);
                }
            } else if name.ends_with(ending)
                && let Ok(text) = fs::read_to_string(&path)
                && let Ok(path) = path.strip_prefix(&root)
            {
                found.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The text of one file.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Fails with every breach, one a line, and with the rule.
pub fn check(rule: &str, breaches: Vec<String>) {
    assert!(breaches.is_empty(), "{rule}\n  {}\n", breaches.join("\n  "));
}

//! Names the code that numbers follow from, so that what two builds have measured is not mixed.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose code decides what a run gives. Models and methods are known by their texts.
const CRATES: [&str; 9] =
    ["engine", "fio", "iopath", "lab", "library", "metric", "simulate", "stats", "trace"];

fn main() -> Result<(), Box<dyn Error>> {
    // Not `env!`: a target folder may serve several checkouts.
    let crates = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("..");
    let mut files = vec![crates.join("../Cargo.lock")];
    for name in CRATES {
        add_files(&crates.join(name).join("src"), &mut files)?;
        println!("cargo::rerun-if-changed={}", crates.join(name).join("src").display());
    }
    println!("cargo::rerun-if-changed={}", files[0].display());
    files.sort();
    let mut hash = FNV_START;
    for file in &files {
        let name = file.strip_prefix(&crates)?.to_string_lossy().into_owned();
        for part in [name.as_bytes(), &[0], &fs::read(file)?, &[0]] {
            hash = part
                .iter()
                .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
        }
    }
    println!("cargo::rustc-env=DRIVELAB_CODE={hash:016x}");
    Ok(())
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo; RFC 9923): a guard against mix-ups, not against intent.
const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => add_files(&entry.path(), files)?,
            false => files.push(entry.path()),
        }
    }
    Ok(())
}

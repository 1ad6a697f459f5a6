//! The Python package passes its own tests, in a Python that `make python-for-tests` installs. The
//! module is the one that was built beside this program.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a folder")
}

/// Where this build puts its programs.
fn built() -> PathBuf {
    let own = std::env::current_exe().expect("this program");
    own.ancestors().nth(2).expect("a folder of builds").to_owned()
}

/// The package with its module, in a folder of its own.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("made");
    let copied = Command::new("cp")
        .args(["-r", "pyproject.toml", "python"])
        .arg(folder.path())
        .current_dir(root())
        .status();
    assert!(copied.is_ok_and(|status| status.success()), "the package was not copied");
    let module = built().join("deps/lib_native.so");
    std::fs::copy(&module, folder.path().join("python/drivelab/_native.abi3.so"))
        .unwrap_or_else(|why| panic!("{}: {why}", module.display()));
    folder
}

fn passes(python: &Path, words: &[&str]) {
    let folder = package();
    let ran = Command::new(python)
        .args(words)
        .current_dir(folder.path())
        .env("PYTHONPATH", folder.path().join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("DRIVELAB", built().join("drivelab"))
        .env("DRIVELAB_ROOT", root())
        .output()
        .expect("started");
    let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(ran.status.success(), "{}", said.concat());
}

#[test]
fn the_package_passes_its_tests() {
    let Some(python) = needs::python() else { return };
    passes(&python, &["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
}

#[test]
fn its_types_are_sound() {
    let Some(python) = needs::python() else { return };
    passes(&python, &["-m", "mypy", "--cache-dir=/dev/null"]);
}

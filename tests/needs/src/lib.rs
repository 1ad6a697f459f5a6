//! What tests need of the machine that they run on, and what becomes of a test that lacks it.
//!
//! Such a test skips itself: one line says which and why, and the file named by `SKIPPED_TESTS`
//! (`make test` sets it) gets the same line, so that the test is counted as skipped and not as
//! passed. With `CI` set nothing is skipped: the test fails.

mod loop_device;

pub use loop_device::LoopDevice;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Something that not every machine has.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    name: &'static str,
    install: &'static str,
}

/// The fio that real drives are tested with.
pub const FIO: Need = Need { name: "fio", install: "`apt-get install fio`" };
/// Block devices of our own, in which nobody's data are.
pub const LOOP: Need = Need { name: "a loop device", install: "`sudo make test`" };
/// A database server and its load.
pub const MARIADB: Need = Need {
    name: "MariaDB with sysbench",
    install: "`apt-get install mariadb-server-core sysbench`",
};
/// Databases that lose power.
pub const DATABASES: Need = Need {
    name: "MariaDB and PostgreSQL with their clients",
    install: "`apt-get install mariadb-server-core mariadb-client-core postgresql`",
};
/// Clients of served drives.
pub const NBD_CLIENTS: Need = Need {
    name: "nbdinfo, nbdcopy and qemu-img",
    install: "`apt-get install libnbd-bin qemu-utils`",
};
/// A served drive as a file system with a database on it, which root alone can mount.
pub const MOUNTS: Need = Need {
    name: "a served drive that is mounted, with file systems and a database on it",
    install: "`sudo make test`",
};
/// The browser that pages are opened in.
pub const CHROMIUM: Need =
    Need { name: "Chromium", install: "`apt-get install chromium fonts-dejavu-core`" };
/// The Python that the package is tested in, and tables of values.
pub const PYTHON: Need = Need {
    name: "Python with pytest, mypy, DuckDB and data frames",
    install: "`make python-for-tests`",
};

/// The Python of `make python-for-tests`, with everything that tests need of one.
pub fn python() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let places = target.into_iter().chain([usual]);
    let mut pythons = places.map(|place| place.join("python-for-tests/bin/python"));
    found(PYTHON, pythons.find(|python| python.exists()))
}

/// What was found, if it was. Otherwise the running test is to return: it is recorded as skipped.
///
/// # Panics
/// With `CI` set if nothing was found: continuous integration has everything or fails.
pub fn found<T>(need: Need, found: Option<T>) -> Option<T> {
    if found.is_none() {
        let current = std::thread::current();
        Skips::of_environment().skip(current.name().unwrap_or("a test"), need);
    }
    found
}

/// Where skips go.
struct Skips {
    allowed: bool,
    file: Option<PathBuf>,
}

impl Skips {
    fn of_environment() -> Self {
        let ci = std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&&*value));
        Self { allowed: !ci, file: std::env::var_os("SKIPPED_TESTS").map(PathBuf::from) }
    }

    fn skip(&self, test: &str, need: Need) {
        let Need { name, install } = need;
        assert!(
            self.allowed,
            "{name} is missing, and with CI set no test is skipped; {install} provides it"
        );
        let line = format!("skipped: {test}: {name} is missing; {install} provides it\n");
        // Not `eprint!`, which is captured of a test that passes.
        let _ = std::io::stderr().write_all(line.as_bytes());
        if let Some(path) = &self.file {
            let file = OpenOptions::new().append(true).create(true).open(path);
            let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
            written.unwrap_or_else(|e| panic!("SKIPPED_TESTS: {}: {e}", path.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FIO, Skips, found};

    #[test]
    fn what_is_there_is_given_back() {
        assert_eq!(found(FIO, Some(7)), Some(7));
    }

    #[test]
    fn each_skip_is_one_line_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("skipped");
        let skips = Skips { allowed: true, file: Some(file.clone()) };
        skips.skip("one (an example)", FIO);
        skips.skip("two (an example)", FIO);
        let text = std::fs::read_to_string(file).unwrap();
        let fix = "fio is missing; `apt-get install fio` provides it";
        let lines = ["one", "two"].map(|name| format!("skipped: {name} (an example): {fix}\n"));
        assert_eq!(text, lines.concat());
    }

    #[test]
    #[should_panic(expected = "fio is missing, and with CI set no test is skipped; `apt-get")]
    fn continuous_integration_skips_nothing() {
        Skips { allowed: false, file: None }.skip("one", FIO);
    }
}

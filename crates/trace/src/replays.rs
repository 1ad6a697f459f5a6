//! Traces that jobs ask for, each read once.

use crate::error::TraceError;
use crate::prepared::{Prepared, TraceOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Traces read without options of their own. One is read once a process, for all runs of a test.
static READ: Mutex<BTreeMap<PathBuf, Arc<Prepared>>> = Mutex::new(BTreeMap::new());

/// Traces that were read with options, by the name under which a job asks for them.
#[derive(Clone, Debug, Default)]
pub struct Replays(BTreeMap<String, Arc<Prepared>>);

impl Replays {
    /// True if no trace was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a trace under the name that `read_iolog` gives it.
    pub fn insert(&mut self, name: &str, prepared: Prepared) -> Arc<Prepared> {
        let prepared = Arc::new(prepared);
        self.0.insert(name.to_owned(), prepared.clone());
        prepared
    }

    /// The trace that was added under a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Prepared>> {
        self.0.get(name)
    }

    /// A trace in a file, without options. A file that changes while the process runs is refused:
    /// runs of one test must not be of different traces.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(file: &Path) -> Result<Arc<Prepared>, TraceError> {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(file) {
            known.unchanged()?;
            return Ok(known.clone());
        }
        let prepared = Prepared::read(file, TraceOptions::default(), |_, _| {})?;
        let prepared = Arc::new(prepared);
        read.insert(file.to_path_buf(), prepared.clone());
        Ok(prepared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_once_and_refused_when_it_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t");
        std::fs::write(&path, "0 0 0 8 1\n1000 0 8 8 1\n").expect("written");
        let first = Replays::read(&path).expect("a trace");
        let again = Replays::read(&path).expect("a trace");
        assert!(Arc::ptr_eq(&first, &again), "it was read twice");
        assert_eq!(first.requests().expect("opened").count(), 2);
        std::fs::write(&path, "0 0 0 8 1\n").expect("written");
        for told in [Replays::read(&path).map(drop), first.requests().map(drop)] {
            let error = told.expect_err("it is another one");
            assert!(error.message.contains("has changed"), "{error}");
        }
    }

    /// What fio reads is what was recorded, laid out on the target.
    #[test]
    fn an_iolog_holds_the_requests_at_their_places() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t");
        std::fs::write(&path, "5000 0 16 8 1\n1005000 1 0 16 0\n").expect("written");
        let prepared = Prepared::read(&path, TraceOptions::default(), |_, _| {}).expect("a trace");
        let placement = prepared.place(1 << 30, 1).expect("it fits");
        let mut log = Vec::new();
        prepared.write_iolog(&mut log, "target", &placement).expect("written");
        let log = String::from_utf8(log).expect("text");
        let second = placement.slots()[1].base;
        let expected = format!(
            "fio version 3 iolog\n0 target add\n0 target open\n0 target read 8192 4096\n\
             1000 target write {second} 8192\n1000 target close\n"
        );
        assert_eq!(log, expected);
    }
}

//! States of drives in files: saved at rest, loaded into a rig of the same model and scale.

use super::rig::Rig;
use iopath::device::flash::ftl::snapshot::SnapshotError;
use std::io::{self, Read, Write};

impl Rig {
    /// Writes the drive's state: its map, its groups and their wear.
    ///
    /// # Errors
    /// If `to` cannot be written.
    pub fn save_state(&self, to: &mut impl Write) -> io::Result<()> {
        match self.single() {
            Some(_) => self.drive().save(to),
            None => Err(io::Error::other("only the state of a single flash drive is saved")),
        }
    }

    /// Replaces the drive's state by a saved one.
    ///
    /// # Errors
    /// If the bytes are no snapshot, are damaged, or belong to another model or scale.
    pub fn load_state(&mut self, from: &mut impl Read) -> Result<(), SnapshotError> {
        let ftl = match self.single() {
            Some(_) => self.drive().read_state(from)?,
            None => return Err(SnapshotError::OtherModel),
        };
        self.set_ftl(ftl);
        Ok(())
    }
}

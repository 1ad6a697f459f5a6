//! States of drives in files: saved at rest, loaded into a rig of the same model and scale.

use super::rig::Rig;
use engine::rng::fnv1a;
use iopath::device::flash::config::{DriveConfig, Protection};
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::snapshot::SnapshotError;
use std::io::{self, Read, Write};

impl Rig {
    /// Writes the drive's state: its map, its groups and their wear.
    ///
    /// # Errors
    /// If `to` cannot be written.
    pub fn save_state(&self, to: &mut impl Write) -> io::Result<()> {
        match self.single() {
            Some(config) => self.ftl().save(to, key(config)),
            None => Err(io::Error::other("only the state of a single flash drive is saved")),
        }
    }

    /// Replaces the drive's state by a saved one.
    ///
    /// # Errors
    /// If the bytes are no snapshot, are damaged, or belong to another model or scale.
    pub fn load_state(&mut self, from: &mut impl Read) -> Result<(), SnapshotError> {
        let ftl = {
            let Some(config) = self.single() else { return Err(SnapshotError::OtherModel) };
            let layout = self.ftl().layout().clone();
            let logical = self.ftl().map().logical_units();
            let keep_undo = config.buffer.protection != Protection::Protected;
            Ftl::load(from, layout, logical, config.policies.clone(), keep_undo, key(config))?
        };
        self.set_ftl(ftl);
        Ok(())
    }
}

/// What a state depends on: the model's name, shape and policy. Times and energies may differ, so
/// that one state can be measured under several of them.
fn key(config: &DriveConfig) -> [u8; 32] {
    let text = format!(
        "{} {} {:?} {:?}",
        config.name, config.user_bytes, config.geometry, config.policies
    );
    let mut key = [0; 32];
    for (i, part) in key.chunks_exact_mut(8).enumerate() {
        let hash = fnv1a(format!("{i} {text}").as_bytes());
        part.copy_from_slice(&hash.to_le_bytes());
    }
    key
}

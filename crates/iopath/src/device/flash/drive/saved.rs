//! The state of a drive as bytes, for another drive of the same model and scale.

use super::Drive;
use crate::device::flash::config::{DriveConfig, Protection};
use crate::device::flash::ftl::Ftl;
use crate::device::flash::ftl::snapshot::SnapshotError;
use crate::kernel::payload::Payload;
use engine::rng::fnv1a;
use std::io::{self, Read, Write};

impl<P: Payload> Drive<P> {
    /// Writes the state: the map, the groups and their wear. The drive must be at rest.
    ///
    /// # Errors
    /// If `to` cannot be written, or something is under way.
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        self.ftl.save(to, key(&self.config))
    }

    /// Reads a state that was saved from a drive of the same model and scale, for
    /// [`Drive::set_ftl`].
    ///
    /// # Errors
    /// If the bytes are no snapshot, are damaged, or belong to another model or scale.
    pub fn read_state(&self, from: &mut impl Read) -> Result<Ftl<P>, SnapshotError> {
        let layout = self.ftl.layout().clone();
        let logical = self.ftl.map().logical_units();
        let keep_undo = self.config.buffer.protection != Protection::Protected;
        let policies = self.config.policies.clone();
        Ftl::load(from, layout, logical, policies, keep_undo, key(&self.config))
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

//! The directory of a tier as bytes, for another tier of the same shape: what is left of a cache
//! when the computer was switched off.
//!
//! Blocks are kept in the order in which they would leave, each with its place on the fast device.
//! What policies noted besides (ghosts, counts of touches, marks of use) is not kept: a driver has
//! it in memory.

use super::directory::{Directory, Held};
use super::{Tier, TierConfig, Use};
use crate::kernel::checked::Checked;
use crate::kernel::payload::Payload;
use std::io::{self, Read, Write};

/// Changes with every change of what follows.
const MAGIC: &[u8; 8] = b"dlabTR2\n";

/// Why bytes are not the state of a tier.
#[derive(Debug, thiserror::Error)]
pub enum TierStateError {
    /// Something else altogether.
    #[error("this is not the state of a cache")]
    NotAState,
    /// Of a cache or a slow device of another size, or in other blocks.
    #[error("the state belongs to a cache of another shape or scale")]
    OtherShape,
    /// The end is missing.
    #[error("the state of the cache is truncated")]
    Truncated,
    /// The content contradicts itself.
    #[error("the state of the cache is damaged: {0}")]
    Damaged(&'static str),
    /// It cannot be read.
    #[error("the state of the cache cannot be read: {0}")]
    Io(io::Error),
}

impl From<io::Error> for TierStateError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => TierStateError::Truncated,
            _ => TierStateError::Io(error),
        }
    }
}

/// Slots and blocks mean the same in tiers of the same shape.
fn shape(config: &TierConfig) -> [u64; 4] {
    [config.block, config.sector, config.cache_bytes, config.backing_bytes]
}

impl<P: Payload> Tier<P> {
    /// Whether its cache is there and in use.
    pub fn is_whole(&self) -> bool {
        !self.cache_gone && !self.backing_gone && self.usage == Use::Attached
    }

    /// Writes what is left of the cache when the computer is switched off in order: nothing where
    /// the directory is not persistent. The tier must be at rest.
    ///
    /// # Errors
    /// If `to` cannot be written, or something is under way.
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        if !self.is_at_rest() {
            return Err(io::Error::other("the state of a cache is taken at rest only"));
        }
        let held = if self.config.persistent { self.directory.held() } else { Vec::new() };
        let mut to = Checked::new(to);
        to.put_bytes(MAGIC)?;
        shape(&self.config).into_iter().try_for_each(|number| to.put_long(number))?;
        to.put_long(held.len() as u64)?;
        for Held { slot, block, valid, dirty } in held {
            to.put_number(slot)?;
            to.put_number(block)?;
            to.put_long(valid)?;
            to.put_long(dirty)?;
        }
        let hash = to.hash();
        to.put_long(hash)
    }

    /// Reads a directory that was saved from a tier of the same shape, for
    /// [`Tier::set_directory`].
    ///
    /// # Errors
    /// If the bytes are no state, are damaged, or belong to a tier of another shape.
    pub fn read_state(&self, from: &mut impl Read) -> Result<Directory, TierStateError> {
        let mut from = Checked::new(from);
        if from.bytes()? != *MAGIC {
            return Err(TierStateError::NotAState);
        }
        for number in shape(&self.config) {
            if from.long()? != number {
                return Err(TierStateError::OtherShape);
            }
        }
        let blocks = from.long()?;
        if blocks > u64::from(self.config.slots()) {
            return Err(TierStateError::Damaged("it has more blocks than fit"));
        }
        let mut held = Vec::new();
        for _ in 0..blocks {
            let (slot, block) = (from.number()?, from.number()?);
            let (valid, dirty) = (from.long()?, from.long()?);
            held.push(Held { slot, block, valid, dirty });
        }
        let hash = from.hash();
        if from.long()? != hash {
            return Err(TierStateError::Damaged("its checksum is wrong"));
        }
        Directory::of_held(&self.config, &held).map_err(TierStateError::Damaged)
    }

    /// Goes on with the directory of a tier of the same shape. Nothing may be under way.
    pub fn set_directory(&mut self, directory: Directory) {
        self.directory = directory;
    }
}

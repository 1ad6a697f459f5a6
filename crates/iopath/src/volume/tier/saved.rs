//! The directory of a tier as bytes, for another tier of the same shape: what is left of a cache
//! when the computer was switched off.
//!
//! Blocks are kept in the order in which they would leave, each with its place on the fast device.
//! What policies noted besides (ghosts, counts of touches, marks of use) is not kept: a driver has
//! it in memory.

use super::directory::{Directory, Held};
use super::{Tier, TierConfig, Use};
use crate::kernel::payload::Payload;
use engine::rng::fnv1a;
use std::io::{self, Read, Write};

/// Changes with every change of what follows.
const MAGIC: &[u8; 8] = b"dlabTR1\n";
/// Bytes of a block: slot, block, valid and dirty sectors.
const ENTRY: usize = 4 + 4 + 8 + 8;

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
fn shape(config: &TierConfig) -> Vec<u8> {
    [config.block, config.sector, config.cache_bytes, config.backing_bytes]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect()
}

fn bytes_of(held: &Held) -> impl Iterator<Item = u8> {
    let numbers = held.slot.to_le_bytes().into_iter().chain(held.block.to_le_bytes());
    numbers.chain(held.valid.to_le_bytes()).chain(held.dirty.to_le_bytes())
}

/// An entry of [`ENTRY`] bytes.
fn held_of(bytes: &[u8]) -> Option<Held> {
    let (slot, rest) = bytes.split_first_chunk()?;
    let (block, rest) = rest.split_first_chunk()?;
    let (valid, rest) = rest.split_first_chunk()?;
    let (dirty, _) = rest.split_first_chunk()?;
    Some(Held {
        slot: u32::from_le_bytes(*slot),
        block: u32::from_le_bytes(*block),
        valid: u64::from_le_bytes(*valid),
        dirty: u64::from_le_bytes(*dirty),
    })
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
        let mut bytes = shape(&self.config);
        bytes.extend((held.len() as u64).to_le_bytes());
        bytes.extend(held.iter().flat_map(bytes_of));
        to.write_all(MAGIC)?;
        to.write_all(&bytes)?;
        to.write_all(&fnv1a(&bytes).to_le_bytes())
    }

    /// Reads a directory that was saved from a tier of the same shape, for
    /// [`Tier::set_directory`].
    ///
    /// # Errors
    /// If the bytes are no state, are damaged, or belong to a tier of another shape.
    pub fn read_state(&self, from: &mut impl Read) -> Result<Directory, TierStateError> {
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(TierStateError::NotAState);
        }
        let own = shape(&self.config);
        let mut bytes = vec![0; own.len()];
        from.read_exact(&mut bytes)?;
        if bytes != own {
            return Err(TierStateError::OtherShape);
        }
        let mut count = [0; 8];
        from.read_exact(&mut count)?;
        bytes.extend(count);
        let blocks = u32::try_from(u64::from_le_bytes(count)).ok();
        let blocks = blocks.filter(|blocks| *blocks <= self.config.slots());
        let blocks = blocks.ok_or(TierStateError::Damaged("it has more blocks than fit"))?;
        let begin = bytes.len();
        bytes.resize(begin + blocks as usize * ENTRY, 0);
        from.read_exact(&mut bytes[begin..])?;
        let mut sum = [0; 8];
        from.read_exact(&mut sum)?;
        if u64::from_le_bytes(sum) != fnv1a(&bytes) {
            return Err(TierStateError::Damaged("its checksum is wrong"));
        }
        let held: Vec<Held> = bytes[begin..].chunks_exact(ENTRY).filter_map(held_of).collect();
        Directory::of_held(&self.config, &held).map_err(TierStateError::Damaged)
    }

    /// Goes on with the directory of a tier of the same shape. Nothing may be under way.
    pub fn set_directory(&mut self, directory: Directory) {
        self.directory = directory;
    }
}

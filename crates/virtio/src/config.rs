//! What a guest is told of the disk: features, and the configuration space.

use virtio_bindings::bindings::{virtio_blk as blk, virtio_config, virtio_ring};

/// Queues at most.
pub const QUEUES: u16 = 64;
/// Entries of a queue at most.
pub const ENTRIES: u16 = 1024;
/// Bytes of the configuration space, up to the fields of zoned and secure devices.
pub(crate) const SPACE: usize = 60;
/// Place of the switch of the write cache in it.
pub(crate) const WRITEBACK_AT: usize = 32;

/// Bytes of the sectors in which virtio counts.
pub(crate) const SECTOR: u64 = 512;
/// Longest part of a request, bytes.
const SIZE_MAX: u32 = 256 << 10;
/// Parts of a request that drivers may use: what fits the shortest usual ring.
const SEG_MAX: u32 = 126;
/// Ranges of a discard.
pub(crate) const DISCARD_RANGES: u32 = 32;
/// Longest range of a discard, sectors.
pub(crate) const DISCARD_SECTORS: u32 = 1 << 21;
/// Ranges of zeros.
pub(crate) const ZERO_RANGES: u32 = 1;
/// Longest range of zeros, sectors.
pub(crate) const ZERO_SECTORS: u32 = 1 << 16;

/// The disk as a guest sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Bytes; a multiple of a sector.
    pub bytes: u64,
    /// Least size and alignment of a request, bytes.
    pub sector: u32,
    /// Bytes of a block of the medium: writes of less are done in two steps.
    pub block: u64,
    /// The serial number; the first 20 bytes of it are shown.
    pub serial: String,
}

/// The bit of a feature.
pub(crate) const fn bit(feature: u32) -> u64 {
    1 << feature
}

pub(crate) const EVENT_IDX: u64 = bit(virtio_ring::VIRTIO_RING_F_EVENT_IDX);
pub(crate) const FLUSH: u64 = bit(blk::VIRTIO_BLK_F_FLUSH);
pub(crate) const CONFIG_WCE: u64 = bit(blk::VIRTIO_BLK_F_CONFIG_WCE);

/// What the device can do, for drivers.
pub(crate) const FEATURES: u64 = FLUSH
    | CONFIG_WCE
    | EVENT_IDX
    | bit(virtio_ring::VIRTIO_RING_F_INDIRECT_DESC)
    | bit(virtio_config::VIRTIO_F_VERSION_1)
    | bit(blk::VIRTIO_BLK_F_SIZE_MAX)
    | bit(blk::VIRTIO_BLK_F_SEG_MAX)
    | bit(blk::VIRTIO_BLK_F_BLK_SIZE)
    | bit(blk::VIRTIO_BLK_F_TOPOLOGY)
    | bit(blk::VIRTIO_BLK_F_MQ)
    | bit(blk::VIRTIO_BLK_F_DISCARD)
    | bit(blk::VIRTIO_BLK_F_WRITE_ZEROES);

impl Disk {
    /// The configuration space; `writeback` says whether the write cache is on.
    pub(crate) fn space(&self, writeback: bool) -> [u8; SPACE] {
        let mut space = [0; SPACE];
        let mut put = |at: usize, bytes: &[u8]| space[at..at + bytes.len()].copy_from_slice(bytes);
        let blocks = (self.block / u64::from(self.sector)).max(1);
        let per_block = u16::try_from(blocks).unwrap_or(1);
        put(0, &(self.bytes / SECTOR).to_le_bytes());
        put(8, &SIZE_MAX.to_le_bytes());
        put(12, &SEG_MAX.to_le_bytes());
        put(20, &self.sector.to_le_bytes());
        // Sectors of a block as a power of two, the offset of the first one, the least that is
        // written in one step, and what is best.
        put(24, &[u8::try_from(per_block.ilog2()).unwrap_or(0), 0]);
        put(26, &per_block.to_le_bytes());
        put(28, &u32::from(per_block).to_le_bytes());
        put(WRITEBACK_AT, &[u8::from(writeback)]);
        put(34, &QUEUES.to_le_bytes());
        put(36, &DISCARD_SECTORS.to_le_bytes());
        put(40, &DISCARD_RANGES.to_le_bytes());
        put(44, &u32::try_from(self.block / SECTOR).unwrap_or(1).to_le_bytes());
        put(48, &ZERO_SECTORS.to_le_bytes());
        put(52, &ZERO_RANGES.to_le_bytes());
        // Zeros may be had by giving up blocks.
        put(56, &[1]);
        space
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_says_what_the_disk_is() {
        let disk = Disk { bytes: 1 << 30, sector: 512, block: 4096, serial: "a drive".to_owned() };
        let space = disk.space(true);
        let number = |at: usize, len: usize| {
            space[at..at + len].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        assert_eq!(number(0, 8), 2 << 20, "sectors");
        assert_eq!((number(20, 4), number(24, 1), number(26, 2)), (512, 3, 8));
        assert_eq!((space[WRITEBACK_AT], disk.space(false)[WRITEBACK_AT]), (1, 0));
        assert_eq!((number(34, 2), number(44, 4), number(56, 1)), (64, 8, 1));
    }
}

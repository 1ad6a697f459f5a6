//! Requests as virtio's block device has them: a header, data, and a byte for the status.

use crate::chain::Chain;
use crate::config::{DISCARD_RANGES, DISCARD_SECTORS, Disk, SECTOR, ZERO_RANGES, ZERO_SECTORS};
use virtio_bindings::bindings::virtio_blk as blk;
use vm_memory::GuestMemoryMmap;

/// Data of a request at most, bytes.
pub const LONGEST: u64 = 32 << 20;

/// Bytes of the header, and of a range of a discard.
const HEADER: u64 = 16;
/// The range of a request of zeros may be given up.
const UNMAP: u32 = blk::VIRTIO_BLK_WRITE_ZEROES_FLAG_UNMAP;

/// How a request ended, as the guest is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was done.
    Ok,
    /// It was not done.
    IoError,
    /// The device cannot do it.
    Unsupported,
}

impl Status {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Status::Ok => 0,
            Status::IoError => 1,
            Status::Unsupported => 2,
        }
    }
}

/// What is asked of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Its bytes.
    Read,
    /// These bytes, as long as the range.
    Write(Vec<u8>),
    /// Zeros.
    WriteZeroes {
        /// Whether the range may be given up instead.
        may_unmap: bool,
    },
    /// It is needed no more.
    Discard,
    /// Everything acknowledged is durable when this ends; the range is empty.
    Flush,
}

/// A request, or one range of it. It lies inside the disk and is aligned to sectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What is asked.
    pub op: Op,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub len: u64,
}

/// What comes of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// The drive is asked.
    Ask(Vec<Piece>),
    /// It is answered at once, with these bytes.
    Answer(Status, Vec<u8>),
}

/// Reads the request of a chain, which has a place for a status.
pub(crate) fn parse(chain: &Chain, memory: &GuestMemoryMmap, disk: &Disk) -> Parsed {
    read(chain, memory, disk).unwrap_or_else(|status| Parsed::Answer(status, Vec::new()))
}

fn read(chain: &Chain, memory: &GuestMemoryMmap, disk: &Disk) -> Result<Parsed, Status> {
    let mut header = [0; HEADER as usize];
    chain.readable.gather(memory, 0, &mut header).map_err(|_| Status::IoError)?;
    let (kind, sector) = (u32_at(&header, 0), u64_at(&header, 8));
    let (out, space) = (chain.readable.len() - HEADER, chain.writable.len() - 1);
    let data = |len: u64| {
        let mut bytes = vec![0; usize::try_from(len).map_err(|_| Status::IoError)?];
        chain.readable.gather(memory, HEADER, &mut bytes).map_err(|_| Status::IoError)?;
        Ok(bytes)
    };
    let ask = |pieces| Ok(Parsed::Ask(pieces));
    match kind {
        blk::VIRTIO_BLK_T_IN => {
            let (start, len) = transfer(disk, sector, space)?;
            ask(vec![Piece { op: Op::Read, start, len }])
        }
        blk::VIRTIO_BLK_T_OUT => {
            let (start, len) = transfer(disk, sector, out)?;
            ask(vec![Piece { op: Op::Write(data(len)?), start, len }])
        }
        blk::VIRTIO_BLK_T_FLUSH => ask(vec![Piece { op: Op::Flush, start: 0, len: 0 }]),
        blk::VIRTIO_BLK_T_GET_ID => {
            let mut serial: Vec<u8> = disk.serial.bytes().collect();
            serial.resize(blk::VIRTIO_BLK_ID_BYTES as usize, 0);
            serial.truncate(usize::try_from(space).unwrap_or(usize::MAX));
            Ok(Parsed::Answer(Status::Ok, serial))
        }
        blk::VIRTIO_BLK_T_DISCARD | blk::VIRTIO_BLK_T_WRITE_ZEROES => {
            let most = match kind {
                blk::VIRTIO_BLK_T_DISCARD => DISCARD_RANGES,
                _ => ZERO_RANGES,
            };
            if out == 0 || out % HEADER != 0 || out / HEADER > u64::from(most) {
                return Err(Status::IoError);
            }
            let ranges = data(out)?;
            let ranges = ranges.chunks_exact(HEADER as usize);
            let pieces = ranges.map(|range| cleared(disk, kind, range));
            let mut pieces: Vec<Piece> = pieces.collect::<Result<_, Status>>()?;
            pieces.retain(|piece| piece.len > 0);
            match pieces.is_empty() {
                true => Ok(Parsed::Answer(Status::Ok, Vec::new())),
                false => ask(pieces),
            }
        }
        _ => Err(Status::Unsupported),
    }
}

/// The range of data, bytes.
fn transfer(disk: &Disk, sector: u64, len: u64) -> Result<(u64, u64), Status> {
    match len {
        1..=LONGEST => inside(disk, sector, len),
        _ => Err(Status::IoError),
    }
}

/// A range of a discard or of zeros.
fn cleared(disk: &Disk, kind: u32, range: &[u8]) -> Result<Piece, Status> {
    let (sector, sectors, flags) = (u64_at(range, 0), u32_at(range, 8), u32_at(range, 12));
    let (op, most, known) = match kind {
        blk::VIRTIO_BLK_T_DISCARD => (Op::Discard, DISCARD_SECTORS, 0),
        _ => (Op::WriteZeroes { may_unmap: flags & UNMAP != 0 }, ZERO_SECTORS, UNMAP),
    };
    if flags & !known != 0 {
        return Err(Status::Unsupported);
    }
    if sectors > most {
        return Err(Status::IoError);
    }
    let (start, len) = inside(disk, sector, u64::from(sectors) * SECTOR)?;
    Ok(Piece { op, start, len })
}

/// A range of bytes from a sector on, if it is aligned and on the disk.
fn inside(disk: &Disk, sector: u64, len: u64) -> Result<(u64, u64), Status> {
    let start = sector.checked_mul(SECTOR).ok_or(Status::IoError)?;
    let end = start.checked_add(len).ok_or(Status::IoError)?;
    let least = u64::from(disk.sector);
    match start.is_multiple_of(least) && len.is_multiple_of(least) && end <= disk.bytes {
        true => Ok((start, len)),
        false => Err(Status::IoError),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

//! The layout of an array: from a place on the volume to a member, and back. Pure arithmetic.
//!
//! A *chunk* is the stripe unit, a *stripe* one chunk of each member at the same offset, a *row* a
//! byte offset on the members (so a stripe is a run of rows). A *column* is the place of a data
//! chunk in its stripe, a *slot* the place of a member in the array.

use super::config::{Level, ParityLayout, RaidConfig};
use engine::narrow;

/// A place on the volume, in terms of stripes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which stripe.
    pub stripe: u64,
    /// Which of its data chunks.
    pub column: u32,
    /// Byte inside the chunk.
    pub inside: u32,
}

/// What a member holds of a stripe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A data chunk; `copy` counts mirrors from 0.
    Data {
        /// Column of the chunk.
        column: u32,
        /// Which copy.
        copy: u32,
    },
    /// Exclusive or of the data chunks.
    P,
    /// Second syndrome.
    Q,
}

/// A part of a stripe: the same rows of some columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Band {
    /// First row.
    pub row: u64,
    /// Rows. More than one chunk only if the band holds all columns of whole stripes.
    pub rows: u32,
    /// Set of columns.
    pub columns: u64,
}

/// The map of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    members: u32,
    /// Data chunks in a stripe.
    columns: u32,
    /// Members that hold each data chunk.
    copies: u32,
    parities: u32,
    chunk: u64,
    /// Bits of a chunk if it is a power of two: every command divides by it.
    shift: Option<u32>,
    stripes: u64,
    kind: ParityLayout,
}

impl Layout {
    /// The map of a checked configuration over members of at least `member_bytes`.
    pub fn new(config: &RaidConfig, member_bytes: u64) -> Self {
        let (n, parities) = (config.members, config.level.parities());
        let (columns, copies) = match config.level {
            Level::Raid1 => (1, n),
            Level::Raid10 => (n / 2, 2),
            _ => (n - parities, 1),
        };
        let chunk = config.chunk as u64;
        Layout {
            members: n,
            columns,
            copies,
            parities,
            chunk,
            shift: chunk.is_power_of_two().then(|| chunk.trailing_zeros()),
            stripes: member_bytes.saturating_sub(config.metadata) / chunk,
            kind: config.layout,
        }
    }

    /// Bytes of the volume.
    pub fn capacity(&self) -> u64 {
        self.stripes * self.stripe_bytes()
    }

    /// Bytes of each member that hold data or redundancy.
    pub fn member_bytes(&self) -> u64 {
        self.stripes * self.chunk
    }

    /// Bytes of data in a stripe.
    #[inline]
    pub fn stripe_bytes(&self) -> u64 {
        self.chunk * self.columns as u64
    }

    /// Bytes of a chunk.
    #[inline]
    pub fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Data chunks of a stripe.
    #[inline]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Members that hold each data chunk.
    #[inline]
    pub fn copies(&self) -> u32 {
        self.copies
    }

    /// Parity chunks of a stripe.
    #[inline]
    pub fn parities(&self) -> u32 {
        self.parities
    }

    /// Members.
    #[inline]
    pub fn members(&self) -> u32 {
        self.members
    }

    /// The set of all columns.
    #[inline]
    pub fn all_columns(&self) -> u64 {
        u64::MAX >> (64 - self.columns)
    }

    /// Quotient and remainder by the chunk.
    #[inline]
    pub fn by_chunk(&self, at: u64) -> (u64, u32) {
        match self.shift {
            Some(shift) => (at >> shift, narrow(at & (self.chunk - 1))),
            None => (at / self.chunk, narrow(at % self.chunk)),
        }
    }

    /// The stripe of a row.
    #[inline]
    pub fn stripe(&self, row: u64) -> u64 {
        self.by_chunk(row).0
    }

    /// Where a byte of the volume is.
    #[inline]
    pub fn locate(&self, at: u64) -> Place {
        let (chunk, inside) = self.by_chunk(at);
        if self.columns == 1 {
            return Place { stripe: chunk, column: 0, inside };
        }
        let stripe = chunk / self.columns as u64;
        let column = narrow(chunk - stripe * self.columns as u64);
        Place { stripe, column, inside }
    }

    /// The slot of a data chunk; of its first copy if there are several, which follow it.
    #[inline]
    pub fn slot(&self, stripe: u64, column: u32) -> u32 {
        if self.parities == 0 {
            return column * self.copies;
        }
        let first = self.parity(stripe);
        match self.kind {
            ParityLayout::LeftSymmetric | ParityLayout::RightSymmetric => {
                let slot = first + self.parities + column;
                if slot >= self.members { slot - self.members } else { slot }
            }
            ParityLayout::LeftAsymmetric | ParityLayout::RightAsymmetric => {
                // Where P is the last member, Q is the first.
                let wraps = self.parities == 2 && first == self.members - 1;
                match column {
                    _ if wraps => column + 1,
                    c if c >= first => c + self.parities,
                    c => c,
                }
            }
        }
    }

    /// The slot of a stripe's P, if it has one. Q is at the next, or at the first after the last.
    #[inline]
    pub fn parity(&self, stripe: u64) -> u32 {
        let turn = narrow(stripe % self.members as u64);
        match self.kind {
            ParityLayout::LeftSymmetric | ParityLayout::LeftAsymmetric => self.members - 1 - turn,
            ParityLayout::RightSymmetric | ParityLayout::RightAsymmetric => turn,
        }
    }

    /// The slot of a stripe's Q, if it has one.
    #[inline]
    pub fn second_parity(&self, stripe: u64) -> u32 {
        let slot = self.parity(stripe) + 1;
        if slot == self.members { 0 } else { slot }
    }

    /// The slots of a stripe's parity chunks as a set.
    #[inline]
    pub fn parity_slots(&self, stripe: u64) -> u64 {
        match self.parities {
            0 => 0,
            1 => 1 << self.parity(stripe),
            _ => 1 << self.parity(stripe) | 1 << self.second_parity(stripe),
        }
    }

    /// The slots of a set of columns, all copies.
    #[inline]
    pub fn slots(&self, stripe: u64, columns: u64) -> u64 {
        let (mut rest, mut slots) = (columns, 0);
        let copies = u64::MAX >> (64 - self.copies);
        while rest != 0 {
            let column = rest.trailing_zeros();
            rest &= rest - 1;
            slots |= copies << self.slot(stripe, column);
        }
        slots
    }

    /// What the member of a slot holds of a stripe.
    pub fn role(&self, stripe: u64, slot: u32) -> Role {
        if self.parities == 0 {
            return Role::Data { column: slot / self.copies, copy: slot % self.copies };
        }
        let n = self.members;
        let first = self.parity(stripe);
        if slot == first {
            return Role::P;
        }
        if self.parities == 2 && slot == self.second_parity(stripe) {
            return Role::Q;
        }
        let column = match self.kind {
            ParityLayout::LeftSymmetric | ParityLayout::RightSymmetric => {
                (slot + n - first - self.parities) % n
            }
            _ if self.parities == 2 && first == n - 1 => slot - 1,
            _ if slot > first => slot - self.parities,
            _ => slot,
        };
        Role::Data { column, copy: 0 }
    }

    /// The place on the volume of a row of a member, if it holds data there.
    pub fn volume_place(&self, slot: u32, row: u64) -> Option<u64> {
        let (stripe, inside) = self.by_chunk(row);
        match self.role(stripe, slot) {
            Role::Data { column, .. } => {
                Some((stripe * self.columns as u64 + column as u64) * self.chunk + inside as u64)
            }
            Role::P | Role::Q => None,
        }
    }

    /// The first part of a range of the volume as bands of equal columns, at most three, and where
    /// the next part begins. A run of whole stripes is one band, of at most `most_rows` rows and at
    /// least one stripe.
    pub fn bands(&self, start: u64, end: u64, most_rows: u32) -> ([Option<Band>; 3], u64) {
        let stripe_bytes = self.stripe_bytes();
        let from = self.locate(start);
        let first = from.stripe * stripe_bytes;
        let row = from.stripe * self.chunk;
        let all = self.all_columns();
        if start == first && end - start >= stripe_bytes {
            let whole = ((end - start) / stripe_bytes).min((most_rows as u64 / self.chunk).max(1));
            let band = Band { row, rows: narrow(whole * self.chunk), columns: all };
            return ([Some(band), None, None], start + whole * stripe_bytes);
        }
        let stop = end.min(first + stripe_bytes);
        let last = self.locate(stop - 1);
        let (a, b) = (from.inside, last.inside + 1);
        // Columns from the first to the last, without the first, without the last.
        let set = |low: u32, high: u32| {
            let upto = |n: u32| if n == 0 { 0 } else { u64::MAX >> (64 - n) };
            upto(high) & !upto(low)
        };
        let chunk = narrow(self.chunk);
        let (low, high) = (from.column, last.column);
        let pieces = if low == high {
            [(a, b, set(low, high + 1)), (0, 0, 0), (0, 0, 0)]
        } else if a < b {
            [(0, a, set(low + 1, high + 1)), (a, b, set(low, high + 1)), (b, chunk, set(low, high))]
        } else {
            [(0, b, set(low + 1, high + 1)), (b, a, set(low + 1, high)), (a, chunk, set(low, high))]
        };
        let band = |(from, to, columns): (u32, u32, u64)| {
            let rows = to.saturating_sub(from);
            (rows > 0 && columns != 0).then(|| Band { row: row + from as u64, rows, columns })
        };
        (pieces.map(band), stop)
    }
}

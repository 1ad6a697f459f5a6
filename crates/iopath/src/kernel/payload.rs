//! What a unit of data carries. Fast runs carry nothing; tests carry a version number, so that
//! what a drive promised to keep can be compared with what a read returns.

use crate::kernel::galois::product;
use std::fmt::Debug;

/// A tag stored with each mapping unit.
pub trait Payload: Copy + Default + Eq + Debug + 'static {
    /// Whether there is anything to carry. Where this is false, all that handles tags is compiled
    /// to nothing.
    const CARRIED: bool;

    /// The tag of the next write; `counter` counts the writes of the machine.
    fn next(counter: &mut u32) -> Self;

    /// The tag of the parity over two units with these tags. The default tag is the neutral
    /// element, as zeros are in real parity.
    fn xor(self, other: Self) -> Self;

    /// The tag times a factor, byte by byte in the field that RAID 6 calculates in.
    fn times(self, factor: u8) -> Self;
}

/// No payload: costs no memory and no time.
impl Payload for () {
    const CARRIED: bool = false;

    fn next(_counter: &mut u32) -> Self {}

    fn xor(self, _other: Self) -> Self {}

    fn times(self, _factor: u8) -> Self {}
}

/// A version number, for tests; 0 means "never written".
impl Payload for u32 {
    const CARRIED: bool = true;

    fn next(counter: &mut u32) -> Self {
        *counter += 1;
        *counter
    }

    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    fn times(self, factor: u8) -> Self {
        u32::from_le_bytes(self.to_le_bytes().map(|byte| product(byte, factor)))
    }
}

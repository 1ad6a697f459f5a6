//! What a unit of data carries. Fast runs carry nothing; tests carry a version number, so that
//! what a drive promised to keep can be compared with what a read returns.

use std::fmt::Debug;

/// A tag stored with each mapping unit.
pub trait Payload: Copy + Default + Eq + Debug + 'static {
    /// The tag of the next write; `counter` counts the writes of the machine.
    fn next(counter: &mut u32) -> Self;
}

/// No payload: costs no memory and no time.
impl Payload for () {
    fn next(_counter: &mut u32) -> Self {}
}

/// A version number, for tests; 0 means "never written".
impl Payload for u32 {
    fn next(counter: &mut u32) -> Self {
        *counter += 1;
        *counter
    }
}

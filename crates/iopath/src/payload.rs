//! What a unit of data carries. Fast runs carry nothing; tests carry a version number, so that
//! what a drive promised to keep can be compared with what a read returns.

use std::fmt::Debug;

/// A tag stored with each mapping unit.
pub trait Payload: Copy + Default + Eq + Debug + 'static {}

/// No payload: costs no memory and no time.
impl Payload for () {}

/// A version number, for tests; 0 means "never written".
impl Payload for u32 {}

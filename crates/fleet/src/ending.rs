//! How a drive leaves its slot.

/// Why a drive is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A weak drive failed early.
    Infant,
    /// It failed, as may happen at any time.
    Random,
    /// Its flash gave out.
    WearOut,
    /// It was taken out at the wear at which drives are replaced, and has not failed.
    Retired,
}

impl Cause {
    /// All of them, in order.
    pub const ALL: [Cause; 4] = [Cause::Infant, Cause::Random, Cause::WearOut, Cause::Retired];

    /// Whether the drive failed.
    pub fn is_failure(self) -> bool {
        self != Cause::Retired
    }
}

/// A drive is gone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ending {
    /// When, s after the start.
    pub at: f64,
    /// Why.
    pub cause: Cause,
}

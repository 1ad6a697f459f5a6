//! How long transfers take on one interface. Most are as long as the one before, and a division
//! costs more than a look at its answer.

use crate::time::Duration;
use crate::units::Bandwidth;

/// A bandwidth, and the time of the last transfer.
#[derive(Clone, Copy, Debug)]
pub struct TransferTime {
    rate: Bandwidth,
    bytes: u64,
    time: Duration,
}

impl TransferTime {
    /// Transfers at a rate above zero.
    pub fn new(rate: Bandwidth) -> Self {
        TransferTime { rate, bytes: 0, time: Duration::ZERO }
    }

    /// Time that so many bytes take, rounded up ([`Bandwidth::time_for`]).
    ///
    /// # Panics
    /// If the bandwidth is zero: validated models never hold one.
    #[inline]
    pub fn of(&mut self, bytes: u64) -> Duration {
        if bytes != self.bytes {
            (self.bytes, self.time) = (bytes, self.rate.time_for(bytes));
        }
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn it_is_the_time_at_the_bandwidth(
            rate in 1..u64::MAX,
            transfers in proptest::collection::vec(0..4_u64 << 20, 1..9),
        ) {
            let rate = Bandwidth::from_base(rate);
            let mut time = TransferTime::new(rate);
            for bytes in transfers.into_iter().flat_map(|bytes| [bytes, bytes]) {
                proptest::prop_assert_eq!(time.of(bytes), rate.time_for(bytes));
            }
        }
    }
}

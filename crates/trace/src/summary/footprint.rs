//! Which parts of a drive were touched: a bit for each 4 KiB, in chunks that are made when needed.

use crate::request::Request;
use std::collections::BTreeMap;

const UNIT: u64 = 4096;
const WORDS: usize = 64;
/// Units of a chunk: 16 MiB.
const UNITS: u64 = WORDS as u64 * 64;
/// Chunks at most, some 300 MB: beyond, what is new is not counted.
const MOST: usize = 1 << 19;

/// The touched units of all devices.
#[derive(Default)]
pub(super) struct Footprint {
    chunks: BTreeMap<(u32, u64), Box<[u64; WORDS]>>,
    full: bool,
}

impl Footprint {
    /// Marks what a request touches; returns the bytes that are new.
    pub(super) fn touch(&mut self, request: &Request) -> u64 {
        let (mut unit, end) = (request.offset / UNIT, request.end().div_ceil(UNIT));
        let mut fresh = 0;
        while unit < end {
            let chunk = unit / UNITS;
            let stop = end.min((chunk + 1) * UNITS);
            fresh += self.mark(request.device, chunk, unit % UNITS, stop - unit);
            unit = stop;
        }
        fresh * UNIT
    }

    fn mark(&mut self, device: u32, chunk: u64, first: u64, count: u64) -> u64 {
        let key = (device, chunk);
        if self.chunks.len() >= MOST && !self.chunks.contains_key(&key) {
            self.full = true;
            return 0;
        }
        let words = self.chunks.entry(key).or_insert_with(|| Box::new([0; WORDS]));
        let mut fresh = 0;
        let (mut bit, end) = (first, first + count);
        while bit < end {
            let word = &mut words[(bit / 64) as usize];
            let low = bit % 64;
            let span = (64 - low).min(end - bit);
            let mask = if span == 64 { u64::MAX } else { ((1 << span) - 1) << low };
            fresh += u64::from((mask & !*word).count_ones());
            *word |= mask;
            bit += span;
        }
        fresh
    }

    /// Whether everything was counted.
    pub(super) fn is_exact(&self) -> bool {
        !self.full
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_footprint_is_the_set_of_touched_units(
            list in proptest::collection::vec(
                (0..3_u32, 0..50_000_000_u64, 1..9_000_000_u64), 1..12)
        ) {
            let mut footprint = Footprint::default();
            let mut set = BTreeSet::new();
            let mut bytes = 0;
            for (device, offset, len) in list {
                let request =
                    Request { at_ns: 0, device, op: Op::Read, offset, len, response_ns: None };
                bytes += footprint.touch(&request);
                set.extend((offset / UNIT..(offset + len).div_ceil(UNIT)).map(|u| (device, u)));
            }
            prop_assert_eq!(bytes, set.len() as u64 * UNIT);
        }
    }
}

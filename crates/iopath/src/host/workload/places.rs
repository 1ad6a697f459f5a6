//! The places of a region: which comes next, and how far a thread has come in it.

use super::cover::Cover;
use super::pattern::Pattern;
use super::spec::{Region, ThreadSpec, Zones};
use engine::{Stream, narrow};

/// Places that are drawn for an I/O of a direction with larger blocks than those of the map before
/// it takes the next that is free, as fio does at once.
const MOST_DRAWS: u32 = 64;

/// A region and how far its thread has come in it.
pub(super) struct Places {
    pub(super) region: Region,
    /// Behind the last I/O of each direction; a pair of trim and write counts as one.
    follows: [u64; 3],
    /// Byte of the region at which the present zone begins.
    zone_at: u64,
    /// Bytes that were moved in it.
    zone_bytes: u64,
    /// What a pass of random I/Os of several sizes has touched.
    cover: Option<Cover>,
}

impl Places {
    pub(super) fn new(region: Region) -> Self {
        Places {
            follows: [region.first; 3],
            zone_at: 0,
            zone_bytes: 0,
            cover: region.map.and_then(|block| Cover::new(block, region.span)),
            region,
        }
    }

    /// True if both are on the same device.
    pub(super) fn shares_device(&self, other: &Places) -> bool {
        let device = |places: &Places| (places.region.target, places.region.namespace);
        device(self) == device(other)
    }

    /// The next place of a direction, in bytes of the device.
    #[inline]
    pub(super) fn next(
        &mut self,
        s: usize,
        spec: &ThreadSpec,
        run_left: &mut u32,
        stream: &mut Stream,
    ) -> (u64, u32) {
        let (base, span) = match self.region.zones {
            Some(zones) => self.zone(zones, run_left),
            None => (0, self.region.span),
        };
        let (at, len) = self.next_within((s, span), spec, run_left, stream);
        self.zone_bytes += u64::from(len);
        (self.region.start + base + at, len)
    }

    /// The present zone, or the next one if enough was moved in it: where it begins, and its bytes.
    fn zone(&mut self, zones: Zones, run_left: &mut u32) -> (u64, u64) {
        if self.zone_bytes >= zones.bytes {
            let next = self.zone_at + zones.range + zones.skip;
            self.zone_at = if next < self.region.span { next } else { 0 };
            self.zone_bytes = 0;
            (self.follows, *run_left) = ([0; 3], 0);
        }
        (self.zone_at, zones.range.min(self.region.span - self.zone_at))
    }

    /// The next place of a direction within so many bytes.
    #[inline]
    fn next_within(
        &mut self,
        (s, span): (usize, u64),
        spec: &ThreadSpec,
        run_left: &mut u32,
        stream: &mut Stream,
    ) -> (u64, u32) {
        let len = (spec.sizes[s].draw(stream) as u64).min(span);
        let percent = spec.random_percent[s];
        let random = match &self.region.pattern[s] {
            Pattern::Sequential => false,
            Pattern::Random(_) => {
                let drawn = percent >= 100 || stream.below(100) < percent as u64;
                drawn && *run_left == 0 || self.follows[s] + len > span
            }
        };
        let (at, len) = match random {
            true => {
                *run_left = spec.run.saturating_sub(1);
                self.at_random(s, (span, len), spec, stream)
            }
            false => {
                *run_left = run_left.saturating_sub(1);
                self.in_order(s, (span, len), spec, stream)
            }
        };
        (at, narrow(len))
    }

    /// The place behind the last one of the direction, or the first where nothing is left.
    #[inline]
    fn in_order(
        &mut self,
        s: usize,
        (span, len): (u64, u64),
        spec: &ThreadSpec,
        stream: &mut Stream,
    ) -> (u64, u64) {
        let (mut at, mut len) = (self.follows[s], len);
        if at + len > span {
            // A smaller one may fit into what is left, and then it is drawn again until one does.
            match at + u64::from(spec.sizes[s].smallest()) <= span {
                true => {
                    while at + len > span {
                        len = u64::from(spec.sizes[s].draw(stream));
                    }
                }
                false => at = 0,
            }
        }
        let next = (at + len) as i64 + spec.skip;
        let wrapped = next < 0 || next as u64 >= span;
        self.follows[s] = if !wrapped {
            next as u64
        } else if next < 0 {
            span.saturating_sub(len) / len.max(1) * len
        } else {
            0
        };
        (at, len)
    }

    #[inline]
    fn at_random(
        &mut self,
        s: usize,
        (span, len): (u64, u64),
        spec: &ThreadSpec,
        stream: &mut Stream,
    ) -> (u64, u64) {
        let align = spec.align[s];
        let Pattern::Random(sampler) = &mut self.region.pattern[s] else { return (0, len) };
        let mut at = sampler.draw(stream) * align;
        let mut len = len;
        match &mut self.cover {
            Some(cover) => {
                let mut drawn = 1;
                while !cover.is_free(at) {
                    // All places that this direction can draw may be touched, and others not.
                    if drawn == MOST_DRAWS && align > cover.block() {
                        at = cover.next_free(at);
                        break;
                    }
                    at = sampler.draw(stream) * align;
                    drawn += 1;
                }
                len = cover.take(at, len.min(span - at));
            }
            None if at + len > span => at = (span - len) / align * align,
            None => {}
        }
        self.follows[s] = at + len;
        (at, len)
    }
}

//! A constructor of the steady state that uniform random writes lead to, without writing.
//!
//! Under uniform random writes each closed group loses valid units at a rate proportional to what
//! it still holds, while groups enter full and leave as victims: the flux of groups through each
//! level is constant, so a level i holds groups in proportion to 1/i, from full down to the
//! victim's v (gc_theory: n_i = U/(i(b-v)); Bux and Iliadis 2010, Desnoyers 2014). By rank the
//! level is therefore b (v/b)^x, x from 0 (youngest) to 1 (oldest).

use super::Ftl;
use super::map::Map;
use super::stream::Source;
use super::wear::OpenFirst;
use crate::kernel::payload::Payload;
use engine::{Permutation, Stream, index, narrow, whole};

impl<P: Payload> Ftl<P> {
    /// Replaces the state by the steady state of uniform random writes over logical units
    /// `0..live`; the rest of the logical space is empty. Counters stay as they are. The writes are
    /// of `run` units each, aligned, which are side by side on a page; what is longer than a page
    /// is taken as one, because its pages part anyway.
    ///
    /// # Panics
    /// If `live` is zero or does not fit, or the policies leave gaps in groups
    /// ([`super::policies::FtlPolicies::fills_groups`]).
    pub fn construct_steady(&mut self, live: u32, run: u32, stream: &mut Stream) {
        assert!(self.policies.fills_groups(), "the law is about groups full of data");
        assert!(live > 0 && live <= self.map.logical_units(), "the live set must fit");
        let (ledger, seed) = (self.ledger, self.seed);
        let (policies, keep_undo) = (self.policies.clone(), self.undo.is_some());
        let logical = self.map.logical_units();
        let tag = P::default();
        // The old state is dropped before the new one is built: memory matters here.
        self.map = Map::new(0, 0, 0);
        self.tags = Vec::new();
        *self = Ftl::new(self.layout.clone(), logical, policies, keep_undo);
        self.seed = seed;

        let run = self.run_on_a_page(run, live);
        let order = Permutation::new((live / run) as u64, stream.bits());
        let per_stripe = self.layout.stripe_data_units() as u64;
        let total = self.layout.groups as u64 * self.layout.group_data_units as u64;
        // Two stripes stay open (half full on average), the reserve stays free.
        let closed_stripes = (total - self.threshold as u64) / per_stripe - 1;
        let closed = narrow::<u32>(closed_stripes) * self.layout.lanes;
        let open_data = per_stripe.min(live as u64 / 2);
        let cached = self.cached_when_steady(live).min(live as u64 - open_data - 1);
        let native = live as u64 - open_data - cached;
        let levels = levels(closed, self.layout.group_data_units, native);

        let mut owners = Owners::new(order, live as u64, run);
        let (mut groups, mut rest) = (Vec::new(), 0);
        // Oldest first, so that the order of closing is that of age.
        for stripe in (0..index(closed_stripes)).rev() {
            self.pool.open_stripe(&mut groups, OpenFirst::Oldest);
            for (lane, &group) in groups.iter().enumerate() {
                let level = levels[stripe * self.layout.lanes as usize + lane] + rest;
                rest = level % run;
                self.fill_group(group, level - rest, &mut owners, stream);
                self.pool.close(group);
            }
            self.space -= per_stripe as i64;
        }
        self.fill_stale_cache();
        self.place_open(&mut owners, open_data);
        while let Some(logical) = owners.next(&self.map) {
            self.write(logical, tag);
        }
        self.forget_untimed();
        // The map is as if it had been written long ago.
        self.write_map();
        self.ledger = ledger;
    }

    /// The open stripes of host and copies hold current data only.
    fn place_open(&mut self, owners: &mut Owners, units: u64) {
        let mut to_host = true;
        for _ in 0..units {
            let Some(logical) = owners.next(&self.map) else { return };
            if to_host || !self.copies.is_open() && self.host.is_open() {
                self.place_host(logical, P::default());
            } else {
                self.place_copy(logical, P::default());
            }
            to_host = !to_host;
        }
    }

    fn place_copy(&mut self, logical: u32, tag: P) {
        let shared = self.is_shared();
        let stream = if shared { &mut self.host } else { &mut self.copies };
        if !stream.is_open() {
            stream.open_stripe(&self.layout, &mut self.pool, &mut self.ready);
        }
        let unit = stream.place(Source::Copy, 1, &self.layout, &mut self.pool, &mut self.ready);
        self.bind(logical, unit, 1, tag);
    }

    /// The units of a write that are side by side: the greatest power of two that fits into it and
    /// divides a page.
    fn run_on_a_page(&self, run: u32, live: u32) -> u32 {
        let most = run.min(live).max(1);
        let mut fitting = 1;
        while 2 * fitting <= most && self.layout.slots.is_multiple_of(2 * fitting) {
            fitting *= 2;
        }
        fitting
    }

    /// Makes `level` random data units of a group valid, in whole runs (selection sampling, Knuth
    /// 3.4.2 S).
    fn fill_group(&mut self, group: u32, level: u32, owners: &mut Owners, stream: &mut Stream) {
        let first = group * self.layout.group_units;
        let run = owners.run;
        let (mut need, mut left) =
            ((level / run) as u64, (self.layout.group_data_units / run) as u64);
        let mut spare_draw = None;
        for unit in (first..first + self.layout.group_units).step_by(run as usize) {
            if need == 0 {
                break;
            }
            if self.layout.geometry.parity_period > 0 {
                let die = self.layout.place(unit).die;
                if self.layout.is_parity(die, group) {
                    continue;
                }
            }
            let draw = match spare_draw.take() {
                Some(draw) => draw,
                None => {
                    let bits = stream.bits();
                    spare_draw = Some(bits >> 32);
                    bits & 0xffff_ffff
                }
            };
            if draw * left < need << 32 {
                for slot in 0..run {
                    if let Some(logical) = owners.next(&self.map) {
                        self.map.set(logical, unit + slot);
                        self.pool.add_valid(group, 1);
                    }
                }
                need -= 1;
            }
            left -= 1;
        }
    }
}

/// The logical units in random order of their runs. The map's lines are asked for some steps before
/// they are needed: without that, each step would wait for memory.
struct Owners {
    order: Permutation,
    live: u64,
    run: u32,
    drawn: u64,
    ahead: [u32; AHEAD],
    at: usize,
    filled: usize,
}

/// How many logical units are drawn ahead.
const AHEAD: usize = 64;

impl Owners {
    fn new(order: Permutation, live: u64, run: u32) -> Self {
        Owners { order, live, run, drawn: 0, ahead: [0; AHEAD], at: 0, filled: 0 }
    }

    #[inline]
    fn next(&mut self, map: &Map) -> Option<u32> {
        if self.at == self.filled {
            self.filled = index((self.live - self.drawn).min(AHEAD as u64));
            for slot in &mut self.ahead[..self.filled] {
                *slot = match self.run {
                    1 => narrow(self.order.map(self.drawn)),
                    // What is left of the last run comes last, in its place.
                    run if self.drawn < self.live / run as u64 * run as u64 => {
                        let of = self.drawn / run as u64;
                        narrow(self.order.map(of) * run as u64 + self.drawn % run as u64)
                    }
                    _ => narrow(self.drawn),
                };
                map.prefetch(*slot);
                self.drawn += 1;
            }
            self.at = 0;
            if self.filled == 0 {
                return None;
            }
        }
        self.at += 1;
        Some(self.ahead[self.at - 1])
    }
}

/// Valid units of `groups` groups of `b` units by rank, fullest first, that sum to `total`.
fn levels(groups: u32, b: u32, total: u64) -> Vec<u32> {
    let capacity = groups as u64 * b as u64;
    assert!(0 < total && total < capacity, "the live set does not fit into the closed groups");
    let level = |v: f64, k: u32| -> u32 {
        let x = (k as f64 + 0.5) / groups as f64;
        let i = b as f64 * libm::pow(v / b as f64, x);
        narrow(whole(libm::round(i)).min(b as u64))
    };
    // The mean of b (v/b)^x over x in 0..1 is (b - v) / ln(b/v), which rises with v.
    let wanted = total as f64 / groups as f64;
    let (mut low, mut high) = (b as f64 * 1e-12, b as f64 * (1.0 - 1e-12));
    for _ in 0..100 {
        let v = (low + high) / 2.0;
        let mean = (b as f64 - v) / libm::log(b as f64 / v);
        if mean < wanted { low = v } else { high = v }
    }
    let mut levels: Vec<u32> = (0..groups).map(|k| level(high, k)).collect();
    // Rounding leaves a small remainder; it goes evenly over the ranks.
    let mut excess = levels.iter().map(|&l| l as i64).sum::<i64>() - total as i64;
    let mut step = 0;
    while excess != 0 {
        // All ranks if the last pass met only levels that cannot change.
        step = if step > 1 { 1 } else { narrow((groups as i64 / excess.abs()).max(1)) };
        // From the oldest on: a young group may be full and unable to take one more.
        for k in (0..groups as usize).rev().step_by(step) {
            if excess > 0 && levels[k] > 0 {
                levels[k] -= 1;
                excess -= 1;
            } else if excess < 0 && levels[k] < b {
                levels[k] += 1;
                excess += 1;
            }
        }
    }
    levels
}

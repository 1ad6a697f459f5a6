//! A constructor of the steady state that random writes lead to, without writing.

mod law;
mod owners;

use super::Ftl;
use super::map::{Implied, Map, Scatter};
use super::stream::Source;
use super::wear::OpenFirst;
use crate::device::flash::geometry::Layout;
use crate::kernel::payload::Payload;
use crate::kernel::spread::Spread;
use engine::{Stream, index, narrow, whole};
use law::{Level, Mix};
use owners::Owners;

impl<P: Payload> Ftl<P> {
    /// Replaces the state by the steady state of random writes over logical units `0..live`; the
    /// rest of the logical space is empty. Counters stay as they are. The writes are of `run` units
    /// each, aligned, which are side by side on a page; what is longer than a page is taken as one,
    /// because its pages part anyway. They are uniform, or as `spread` says if its windows are
    /// whole runs.
    ///
    /// # Panics
    /// If `live` is zero or does not fit, or the policies leave gaps in groups
    /// ([`super::policies::FtlPolicies::fills_groups`]).
    pub fn construct_steady(
        &mut self,
        live: u32,
        run: u32,
        spread: Option<&Spread>,
        stream: &mut Stream,
    ) {
        assert!(self.policies.fills_groups(), "the law is about groups full of data");
        assert!(live > 0 && live <= self.map.logical_units(), "the live set must fit");
        let ledger = self.ledger;
        self.start_over();

        let unit = u64::from(self.layout.geometry.unit_bytes);
        let run = self.run_on_a_page(run, live);
        let spread = spread.and_then(|spread| Owners::spread(spread, live, run, unit, stream));
        let mut owners = spread.unwrap_or_else(|| Owners::uniform(live, run, stream));
        let per_stripe = self.layout.stripe_data_units() as u64;
        let total = self.layout.groups as u64 * self.layout.group_data_units as u64;
        // Two stripes stay open (half full on average), the reserve stays free.
        let closed_stripes = (total - self.threshold as u64) / per_stripe - 1;
        let open_data = per_stripe.min(live as u64 / 2);
        let cached = self.cached_when_steady(live).min(live as u64 - open_data - 1);
        let native = live as u64 - open_data - cached;
        let levels = self.levels(narrow(closed_stripes), native, &owners);

        let (mut groups, mut rest) = (Vec::new(), 0);
        let mut scatters = owners.scatters(&self.layout);
        // Oldest first, so that the order of closing is that of age.
        for stripe in (0..index(closed_stripes)).rev() {
            self.pool.open_stripe(&mut groups, OpenFirst::Oldest);
            for (lane, &group) in groups.iter().enumerate() {
                let level = levels[stripe * self.layout.lanes as usize + lane];
                let valid = level.valid + rest;
                rest = valid % run;
                let level = Level { valid: valid - rest, ..level };
                self.fill_group(group, level, &mut owners, &mut scatters, stream);
                self.pool.close(group);
            }
            self.space -= per_stripe as i64;
        }
        self.map.imply(Implied::Scattered(owners.in_order(scatters)));
        self.fill_stale_cache();
        let warm = owners.shares.map_or(0.0, |[cold, warm, _]| warm / (cold + warm));
        self.place_open(&mut owners, open_data, warm, stream);
        while let Some(logical) = owners.next(likely(warm), stream) {
            self.write(logical, P::default());
        }
        self.forget_untimed();
        // The map is as if it had been written long ago.
        self.write_map();
        self.ledger = ledger;
    }

    /// Drops the state. The old one is gone before the new one is built: memory matters here.
    fn start_over(&mut self) {
        let seed = self.seed;
        let (policies, keep_undo) = (self.policies.clone(), self.undo.is_some());
        let logical = self.map.logical_units();
        self.map = Map::new(0, 0, 0);
        self.tags = Vec::new();
        *self = Ftl::new(self.layout.clone(), logical, policies, keep_undo);
        self.seed = seed;
    }

    /// Levels of the closed groups that hold `native` units of these owners.
    fn levels(&self, stripes: u32, native: u64, owners: &Owners) -> Vec<Level> {
        let (lanes, size) = (self.layout.lanes, self.layout.group_data_units);
        let Some([cold, warm, _]) = owners.shares else {
            return law::uniform(stripes * lanes, size, native);
        };
        let counts = owners.counts();
        let part = native as f64 / (counts[0] + counts[1]).max(1) as f64;
        let live_warm = whole(libm::round(counts[1] as f64 * part)).min(native);
        let live = [native - live_warm, live_warm];
        let mix = Mix { live, shares: [cold, warm], shared: self.is_shared() };
        law::mixed(stripes, lanes, size, &mix)
    }

    /// The open stripes of host and copies hold current data only.
    fn place_open(&mut self, owners: &mut Owners, units: u64, warm: f64, stream: &mut Stream) {
        let mut to_host = true;
        let mut log = owners.take_log();
        for _ in 0..units.max(log.len() as u64) {
            let next = log.next().or_else(|| owners.next(likely(warm), stream));
            let Some(logical) = next else { return };
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

    /// Makes random data units of a group valid, in whole runs; who owns them follows.
    fn fill_group(
        &mut self,
        group: u32,
        level: Level,
        owners: &mut Owners,
        scatters: &mut [Scatter],
        stream: &mut Stream,
    ) {
        let (run, warm, pool) = (owners.run, likely(level.warm), &mut self.pool);
        scatters.iter_mut().for_each(|scatter| scatter.open(group));
        choose_runs(&self.layout, group, level.valid / run, run, stream, |first, stream| {
            for unit in first..first + run {
                if let Some(class) = owners.next_class(warm, stream) {
                    scatters[class].add(unit);
                    pool.add_valid(group, 1);
                }
            }
        });
    }
}

/// Chooses so many random runs of `run` units of a group (selection sampling, Knuth 3.4.2 S).
fn choose_runs(
    layout: &Layout,
    group: u32,
    runs: u32,
    run: u32,
    stream: &mut Stream,
    mut take: impl FnMut(u32, &mut Stream),
) {
    let (mut need, mut left) = (u64::from(runs), u64::from(layout.group_data_units / run));
    let mut spare_draw = None;
    let firsts = layout.data_runs(group).flat_map(|units| units.step_by(run as usize));
    for first in firsts {
        if need == 0 {
            break;
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
            take(first, stream);
            need -= 1;
        }
        left -= 1;
    }
}

/// A probability as a bound of draws of 32 bits.
fn likely(probability: f64) -> u64 {
    whole(libm::round(probability.clamp(0.0, 1.0) * 4_294_967_296.0))
}

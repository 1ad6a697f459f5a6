//! A constructor of the steady state that random writes lead to, without writing.

mod filling;
mod law;
mod owners;
mod subset;

use super::Ftl;
use super::map::{Implied, Map, Scatter};
use super::stream::Source;
use super::wear::OpenFirst;
use crate::kernel::payload::Payload;
use crate::kernel::spread::Spread;
use engine::{Stream, index, narrow, whole};
use filling::{Chosen, Filling};
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
    /// If `live` is zero or does not fit, or [`Ftl::has_law`] says that no law is known.
    pub fn construct_steady(
        &mut self,
        live: u32,
        run: u32,
        spread: Option<&Spread>,
        stream: &mut Stream,
    ) {
        assert!(live > 0 && live <= self.map.logical_units(), "the live set must fit");
        let filling = self.filling(run, live).expect("the state must follow from a law");
        let ledger = self.ledger;
        self.start_over();

        let unit = u64::from(self.layout.geometry.unit_bytes);
        let spread =
            spread.and_then(|spread| Owners::spread(spread, live, filling.run, unit, stream));
        let mut owners = spread.unwrap_or_else(|| Owners::uniform(live, filling.run, stream));
        let per_stripe = self.layout.stripe_data_units() as u64;
        let total = self.layout.groups as u64 * self.layout.group_data_units as u64;
        // Two stripes stay open (half full on average), the reserve stays free.
        let closed_stripes = (total - self.threshold as u64) / per_stripe - 1;
        let open_data = self.open_when_steady(closed_stripes, live, &filling).min(live as u64 / 2);
        let cached = self.cached_when_steady(live).min(live as u64 - open_data - 1);
        let native = live as u64 - open_data - cached;
        let (filling, levels) = self.levels(narrow(closed_stripes), native, filling, &owners);

        let (mut groups, mut rest) = (Vec::new(), 0);
        let (mut scatters, mut chosen) = (owners.scatters(&self.layout), Chosen::default());
        // Oldest first, so that the order of closing is that of age.
        for stripe in (0..index(closed_stripes)).rev() {
            self.pool.open_stripe(&mut groups, OpenFirst::Oldest);
            for (lane, &group) in groups.iter().enumerate() {
                let level = levels[stripe * self.layout.lanes as usize + lane];
                let valid = level.valid + rest;
                rest = valid % filling.run;
                let level = Level { valid: valid - rest, ..level };
                let given = (&mut owners, scatters.as_mut_slice());
                self.fill_group(group, level, &filling, given, (&mut chosen, stream));
                self.pool.close(group);
            }
            self.space -= per_stripe as i64;
        }
        self.map.imply(Implied::Scattered(owners.in_order(scatters)));
        self.fill_stale_cache();
        let warm = owners.shares.map_or(0.0, |[cold, warm, _]| warm / (cold + warm));
        if filling.is_padded() {
            self.place_open_pages(&mut owners, open_data, &filling, stream);
        } else {
            self.place_open(&mut owners, open_data, warm, stream);
        }
        while let Some(logical) = owners.next(likely(warm), stream) {
            self.write(logical, P::default());
            self.end_command();
        }
        self.forget_untimed();
        // The map is as if it had been written long ago.
        self.write_map();
        self.ledger = ledger;
    }

    /// True if a law says what writes of `run` units each leave over the first `live` ones, so that
    /// [`Ftl::construct_steady`] can be used. Where pages are padded, it is about writes that are
    /// all alike.
    pub fn has_law(&self, live: u32, run: u32, spread: Option<&Spread>) -> bool {
        let is_known = |filling: Filling| !filling.is_padded() || spread.is_none();
        self.filling(run, live).is_some_and(is_known)
    }

    /// How such writes fill groups, if that is known.
    fn filling(&self, run: u32, live: u32) -> Option<Filling> {
        Filling::of(&self.policies, &self.layout, run, self.run_on_a_page(run, live))
    }

    /// Units of data in stripes that are being filled beside so many closed ones: half of each of
    /// two. Where pages of both kinds fill the same stripe, it has just become full, so that the
    /// reserve is as far used as it is with two.
    fn open_when_steady(&self, stripes: u64, live: u32, filling: &Filling) -> u64 {
        if !filling.is_padded() {
            return u64::from(self.layout.stripe_data_units());
        }
        let (lanes, size) = (self.layout.lanes, self.layout.group_data_units);
        let groups = narrow::<u32>(stripes + 1) * lanes;
        let v = law::victims(groups, size, u64::from(live), |v| filling.first(v));
        u64::from(filling.with_victims(v, 0).units()) * u64::from(lanes)
    }

    /// Drops the state, if there is one. The old one is gone before the new one is built: memory
    /// matters here.
    fn start_over(&mut self) {
        let all = i64::from(self.layout.groups) * i64::from(self.layout.group_data_units);
        if self.map.is_untouched() && self.space == all {
            return;
        }
        let seed = self.seed;
        let (policies, keep_undo) = (self.policies.clone(), self.undo.is_some());
        let logical = self.map.logical_units();
        self.map = Map::new(0, 0, 0);
        self.tags = Vec::new();
        *self = Ftl::new(self.layout.clone(), logical, policies, keep_undo);
        self.seed = seed;
    }

    /// How the closed groups that hold `native` units of these owners were filled, and what they
    /// hold now.
    fn levels(
        &self,
        stripes: u32,
        native: u64,
        filling: Filling,
        owners: &Owners,
    ) -> (Filling, Vec<Level>) {
        let (lanes, size) = (self.layout.lanes, self.layout.group_data_units);
        let Some([cold, warm, _]) = owners.shares else {
            let groups = stripes * lanes;
            let v = law::victims(groups, size, native, |v| filling.first(v));
            let filling = filling.with_victims(v, narrow(native.div_ceil(u64::from(groups))));
            let levels = law::uniform(groups, filling.units(), v, native);
            return (filling, levels);
        };
        let counts = owners.counts();
        let part = native as f64 / (counts[0] + counts[1]).max(1) as f64;
        let live_warm = whole(libm::round(counts[1] as f64 * part)).min(native);
        let live = [native - live_warm, live_warm];
        let mix = Mix { live, shares: [cold, warm], shared: self.is_shared() };
        (filling, law::mixed(stripes, lanes, size, &mix))
    }

    /// The open stripe that host and copies share holds current data on pages of both kinds.
    fn place_open_pages(
        &mut self,
        owners: &mut Owners,
        units: u64,
        filling: &Filling,
        stream: &mut Stream,
    ) {
        let (mut placed, mut owed) = (0, 0);
        while placed < units {
            let (page, is_copy) = filling.next_page(&mut owed);
            for _ in 0..page {
                let Some(logical) = owners.next(0, stream) else { return };
                if is_copy {
                    self.place_copy(logical, P::default());
                } else {
                    self.place_host(logical, P::default());
                }
            }
            self.end_command();
            placed += u64::from(page);
        }
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
        filling: &Filling,
        (owners, scatters): (&mut Owners, &mut [Scatter]),
        (chosen, stream): (&mut Chosen, &mut Stream),
    ) {
        scatters.iter_mut().for_each(|scatter| scatter.open(group));
        filling.choose(level.valid / filling.run, chosen, stream);
        let (warm, mut valid) = (likely(level.warm), 0);
        filling.each_piece(&self.layout, group, chosen, |first, mut units| {
            if let [scatter] = &mut *scatters {
                scatter.add_all(first, units);
                valid += units.count_ones();
                return;
            }
            while units != 0 {
                if let Some(class) = owners.next_class(warm, stream) {
                    scatters[class].add(first + units.trailing_zeros());
                    valid += 1;
                }
                units &= units - 1;
            }
        });
        if scatters.len() == 1 {
            owners.draw_alike(valid);
        }
        self.pool.add_valid(group, valid);
    }
}

/// A probability as a bound of draws of 32 bits.
fn likely(probability: f64) -> u64 {
    whole(libm::round(probability.clamp(0.0, 1.0) * 4_294_967_296.0))
}

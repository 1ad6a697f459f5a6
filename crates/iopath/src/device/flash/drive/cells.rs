//! What the cells of a drive have been through, group by group, and what a read of each page type
//! costs now.
//!
//! A read costs one look into a table. The table of a group is recomputed when its reads have
//! doubled, when it was written again, and when the time since then has grown by a half; in between
//! a few reads more or a few minutes make no difference. A group that was half full when the drive
//! got its age counts as old as its first data.

use crate::device::flash::cell::age::Age;
use crate::device::flash::cell::{CellModel, Curve};
use crate::device::flash::config::Cells;
use crate::device::flash::ftl::pool::Pool;
use crate::device::flash::geometry::Layout;
use crate::device::flash::nand::{Fate, PageRead};
use engine::{Duration, Instant, Stream, narrow, single, whole};
use rustc_hash::FxHashMap;

/// What a group has been through since it was written.
#[derive(Clone, Copy, Default)]
struct Past {
    /// Reads in this run.
    reads: u32,
    /// Reads at which the table is recomputed.
    again_at: u32,
    /// Erases when it was last seen.
    erases: u32,
    /// When it was written; 0 with `old` for data from before the run.
    written_ps: u64,
    /// Written before the run.
    old: bool,
}

/// The outcome of a page read.
#[derive(Clone, Copy, Default)]
struct Entry {
    retries: u8,
    /// Probability that a codeword is lost.
    failure: f32,
}

/// Cycles and hours are distinguished in steps of one over this, on a logarithmic scale.
const STEPS: f64 = 200.0;

/// The cells of a drive that has an age.
pub(super) struct CellState {
    cells: Cells,
    model: CellModel,
    age: Age,
    past: Vec<Past>,
    table: Vec<Entry>,
    types: usize,
    /// When time alone makes the tables old.
    epoch: Instant,
    /// The last time that anything was looked at.
    seen: Instant,
    /// Reads of a real block for each read of a group.
    block_reads: f64,
    curves: FxHashMap<(u64, u64), Curve>,
    random: Stream,
}

impl CellState {
    /// The cells of a drive whose groups have been through `age`.
    pub(super) fn new(
        cells: Cells,
        age: Age,
        layout: &Layout,
        erase_bytes: u64,
        pool: &Pool,
        random: Stream,
    ) -> Self {
        let model = CellModel::new(cells.cell.clone());
        let types = model.pages() as usize;
        // A group spreads its reads over its blocks; a scaled block represents a longer one, which
        // would see as many more.
        let blocks = layout.group_units as f64 * layout.geometry.unit_bytes as f64
            / (layout.die_block_bytes() as f64 / layout.geometry.planes as f64);
        let shortened = (erase_bytes as f64 / layout.die_block_bytes() as f64).max(1.0);
        let past =
            pool.erases().iter().map(|&erases| Past { erases, old: true, ..Past::default() });
        CellState {
            past: past.collect(),
            table: vec![Entry::default(); pool.groups() as usize * types],
            types,
            epoch: Instant::ZERO,
            seen: Instant::ZERO,
            block_reads: shortened / blocks.max(1.0),
            curves: FxHashMap::default(),
            random,
            model,
            cells,
            age,
        }
    }

    /// Whether lost pages are rebuilt.
    pub(super) fn rebuilds(&self) -> bool {
        self.cells.rebuild
    }

    /// A group has been opened for writing: its previous data is gone.
    pub(super) fn written(&mut self, group: u32, erases: u32, now: Instant) {
        self.past[group as usize] =
            Past { erases, written_ps: now.ps(), old: false, ..Past::default() };
    }

    /// Groups may have been written in zero time; their data counts as new.
    pub(super) fn catch_up(&mut self, pool: &Pool) {
        for (group, &erases) in pool.erases().iter().enumerate() {
            if self.past[group].erases != erases {
                self.written(narrow(group), erases, self.seen);
            }
        }
    }

    /// Decides what becomes of a read of `group`. Returns true if the group is to be refreshed.
    #[inline]
    pub(super) fn read(&mut self, read: &mut PageRead, group: u32, now: Instant) -> bool {
        // Blocks that hold one bit a cell have margin in plenty: their reads are clean.
        if read.page_type as usize >= self.types {
            return false;
        }
        let past = &mut self.past[group as usize];
        past.reads = past.reads.saturating_add(1);
        let due = (past.reads >= past.again_at || now >= self.epoch) && self.look(group, now);
        let entry = self.table[group as usize * self.types + read.page_type as usize];
        read.retries = entry.retries;
        if entry.failure > 0.0 && read.fate == Fate::Whole {
            let words = read.bytes.div_ceil(self.cells.cell.ecc.data_bytes.max(1));
            let kept = libm::pow(1.0 - entry.failure as f64, words as f64);
            if self.random.unit() >= kept {
                read.fate = Fate::Lost;
            }
        }
        due
    }

    /// Recomputes the table of a group. Returns true if it is to be refreshed.
    #[cold]
    fn look(&mut self, group: u32, now: Instant) -> bool {
        self.seen = now;
        if now >= self.epoch {
            // The loss follows the logarithm of time: half as long again, a minute at least.
            let minute = 60_000_000_000_000;
            self.epoch = now + Duration::from_ps((now.ps() / 2).max(minute));
            self.past.iter_mut().for_each(|past| past.again_at = 0);
            self.curves.clear();
        }
        let past = &mut self.past[group as usize];
        past.again_at = past.reads.saturating_mul(2).max(64);
        let past = *past;
        let hours = now.ps().saturating_sub(past.written_ps) as f64 / 3.6e15
            + if past.old { self.age.hours } else { 0.0 };
        let before = if past.old { self.age.reads } else { 0.0 };
        let reads = before + past.reads as f64 * self.block_reads;
        let cycles = self.age.cycles + past.erases as f64;
        // Groups that are nearly as old as each other share what does not depend on reads.
        let steps = |x: f64| libm::round(libm::log1p(x) * STEPS);
        let (worn, aged) = (steps(cycles), steps(hours));
        let model = &self.model;
        let curve = self
            .curves
            .entry((whole(worn), whole(aged)))
            .or_insert_with(|| model.curve(libm::expm1(worn / STEPS), libm::expm1(aged / STEPS)));
        let (limit, ecc) = (model.limit(), model.config().ecc);
        let mut due = false;
        for page in 0..self.types {
            let reading = model.read_with(curve, narrow(page), reads);
            // Within what the code corrects nothing is lost in a time that can be simulated.
            let failure = if reading.within { 0.0 } else { reading.failure(ecc) };
            let entry =
                Entry { retries: narrow(reading.retries.min(255)), failure: single(failure) };
            self.table[group as usize * self.types + page] = entry;
            due |= self.cells.refresh.is_some_and(|policy| policy.is_due(&reading, limit, reads));
        }
        if let Some(policy) = self.cells.refresh
            && due
        {
            // What would be as bad right after it was written gains nothing from being written
            // again.
            let new = model.curve(cycles, 0.0);
            due = (0..narrow(self.types))
                .all(|page| !policy.is_due(&model.read_with(&new, page, 0.0), limit, 0.0));
        }
        due
    }

    /// Looks at every group that holds data, as a drive does when it is switched on; returns those
    /// that are to be refreshed.
    pub(super) fn patrol(&mut self, pool: &Pool, now: Instant) -> Vec<u32> {
        let held = (0..pool.groups()).filter(|&group| pool.valid(group) > 0);
        held.filter(|&group| self.look(group, now)).collect()
    }
}

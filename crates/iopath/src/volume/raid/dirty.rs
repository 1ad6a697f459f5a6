//! Which regions of an array may differ between members: they are marked before they are written,
//! and marked clean when they have not been written for a while and the members were flushed.
//! Without a bitmap the whole array is one region.

use engine::{Duration, Instant, index};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Clean,
    /// The mark is on its way to the members.
    Setting,
    Set,
    /// The members are being flushed, so that the mark can go.
    Clearing,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    mark: Mark,
    /// Writes in flight.
    pending: u32,
    last: Instant,
    /// To be made to agree after an unclean stop.
    todo: bool,
}

/// The marks of all regions.
#[derive(Clone, Debug)]
pub struct Regions {
    bytes: u64,
    regions: Vec<Region>,
    marked: u32,
    after: Duration,
    /// Marks cost a write to the members.
    costs: bool,
}

impl Regions {
    /// Regions of `bytes` over members of `member_bytes`; all are clean.
    pub fn new(bytes: u64, member_bytes: u64, after: Duration, costs: bool) -> Self {
        let clean = Region { mark: Mark::Clean, pending: 0, last: Instant::ZERO, todo: false };
        let count = index(member_bytes.div_ceil(bytes).max(1));
        Regions { bytes, regions: vec![clean; count], marked: 0, after, costs }
    }

    fn range(&self, row: u64, rows: u64) -> std::ops::RangeInclusive<usize> {
        index(row / self.bytes)..=index((row + rows - 1) / self.bytes)
    }

    /// Rows are about to be written. True if they may be at once; else the marks must be written
    /// first.
    pub fn enter(&mut self, row: u64, rows: u64, now: Instant) -> bool {
        let mut ready = true;
        for i in self.range(row, rows) {
            let region = &mut self.regions[i];
            region.pending += 1;
            region.last = now;
            match region.mark {
                Mark::Clean => {
                    self.marked += 1;
                    region.mark = if self.costs { Mark::Setting } else { Mark::Set };
                }
                Mark::Clearing => region.mark = Mark::Set,
                Mark::Setting | Mark::Set => {}
            }
            ready &= region.mark == Mark::Set;
        }
        ready
    }

    /// The marks of these rows are on the members.
    pub fn written(&mut self, row: u64, rows: u64) {
        for i in self.range(row, rows) {
            if self.regions[i].mark == Mark::Setting {
                self.regions[i].mark = Mark::Set;
            }
        }
    }

    /// A write of these rows has ended.
    pub fn leave(&mut self, row: u64, rows: u64, now: Instant) {
        for i in self.range(row, rows) {
            self.regions[i].pending -= 1;
            self.regions[i].last = now;
        }
    }

    /// How long a region must be quiet.
    pub fn after(&self) -> Duration {
        self.after
    }

    /// True if any region is marked.
    pub fn is_dirty(&self) -> bool {
        self.marked > 0
    }

    /// Begins to clear what has been quiet for long enough; true if there is any.
    pub fn begin_clearing(&mut self, now: Instant) -> bool {
        let mut any = false;
        for region in &mut self.regions {
            let quiet = region.pending == 0 && region.last + self.after <= now && !region.todo;
            if region.mark == Mark::Set && quiet {
                region.mark = Mark::Clearing;
                any = true;
            }
        }
        any
    }

    /// The members were flushed: what was not written meanwhile is clean.
    pub fn flushed(&mut self) {
        for region in &mut self.regions {
            if region.mark == Mark::Clearing {
                region.mark = Mark::Clean;
                self.marked -= 1;
            }
        }
    }

    /// Power was cut: nothing is in flight, and what is marked is to be made to agree if `resync`.
    pub fn power_cut(&mut self, resync: bool) {
        for region in &mut self.regions {
            region.pending = 0;
            if region.mark != Mark::Clean {
                region.mark = Mark::Set;
                region.todo = resync;
            }
        }
    }

    /// The first row from `row` on that is to be made to agree.
    pub fn next_todo(&self, row: u64) -> Option<u64> {
        let first = index(row / self.bytes);
        let at = self.regions.iter().skip(first).position(|region| region.todo)? + first;
        Some(row.max(at as u64 * self.bytes))
    }

    /// Bytes of each member that are to be made to agree from `row` on.
    pub fn todo_bytes(&self, row: u64, member_bytes: u64) -> u64 {
        let regions = self.regions.iter().zip(0u64..).filter(|(region, _)| region.todo);
        let bytes = |i: u64| {
            let end = ((i + 1) * self.bytes).min(member_bytes);
            end.saturating_sub(row.max(i * self.bytes))
        };
        regions.map(|(_, i)| bytes(i)).sum()
    }

    /// True if some of these rows are to be made to agree.
    pub fn is_todo(&self, row: u64, rows: u64) -> bool {
        self.range(row, rows).any(|i| self.regions[i].todo)
    }

    /// Everything agrees, or never will.
    pub fn nothing_todo(&mut self) {
        for region in &mut self.regions {
            region.todo = false;
        }
    }
}

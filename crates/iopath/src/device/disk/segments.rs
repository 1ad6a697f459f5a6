//! The cache of what was read: a few runs of sectors, the one used longest ago gives way.

/// A run of sectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Segment {
    start: u64,
    end: u64,
    used: u64,
}

/// All runs.
#[derive(Clone, Debug)]
pub struct Segments {
    runs: Vec<Segment>,
    count: usize,
    /// Sectors over all runs, at most.
    most: u64,
    uses: u64,
}

impl Segments {
    /// Room for `count` runs of at most `most` sectors together.
    pub fn new(count: u32, most: u64) -> Self {
        Segments { runs: Vec::new(), count: count as usize, most, uses: 0 }
    }

    /// Whether sectors `start` to `end` are all in one run, which counts as a use of it.
    pub fn holds(&mut self, start: u64, end: u64) -> bool {
        let found = self.runs.iter_mut().find(|run| run.start <= start && end <= run.end);
        self.uses += 1;
        let uses = self.uses;
        found.map(|run| run.used = uses).is_some()
    }

    /// Whether sectors `start` to `end` are all in one run; no use of it.
    pub fn has(&self, start: u64, end: u64) -> bool {
        self.runs.iter().any(|run| run.start <= start && end <= run.end)
    }

    /// Whether a run ends at a sector or holds it: a read that begins there continues it.
    pub fn goes_on(&self, sector: u64) -> bool {
        self.runs.iter().any(|run| run.start < sector && sector <= run.end)
    }

    /// Sectors `start` to `end` were read. They join the runs that they touch. Where there are too
    /// many sectors, those of the run used longest ago are forgotten, from its begin.
    pub fn add(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        self.uses += 1;
        let mut run = Segment { start, end, used: self.uses };
        self.runs.retain(|old| {
            let apart = old.end < start || end < old.start;
            if !apart {
                run.start = run.start.min(old.start);
                run.end = run.end.max(old.end);
            }
            apart
        });
        self.runs.push(run);
        let mut over = self.runs.iter().map(|run| run.end - run.start).sum::<u64>();
        over = over.saturating_sub(self.most);
        while over > 0 || self.runs.len() > self.count {
            let oldest = self.runs.iter().enumerate().min_by_key(|(_, run)| run.used);
            let Some((i, &old)) = oldest else { return };
            let length = old.end - old.start;
            if over < length && self.runs.len() <= self.count {
                self.runs[i].start += over;
                return;
            }
            self.runs.swap_remove(i);
            over = over.saturating_sub(length);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.runs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_grow_and_the_begin_of_the_oldest_is_forgotten() {
        let mut cache = Segments::new(4, 8);
        cache.add(100, 104);
        cache.add(104, 106);
        assert!(cache.holds(100, 106) && !cache.holds(99, 100) && !cache.holds(104, 107));
        assert!(cache.goes_on(106) && cache.goes_on(103) && !cache.goes_on(100));
        cache.add(200, 204);
        assert!(cache.holds(102, 106) && !cache.holds(101, 106), "eight sectors over all");
        cache.add(106, 112);
        assert!(cache.holds(104, 112) && !cache.holds(103, 112) && !cache.holds(203, 204));
        cache.add(300, 320);
        assert!(cache.holds(312, 320) && !cache.holds(311, 320) && !cache.holds(111, 112));
    }

    #[test]
    fn the_run_used_longest_ago_gives_way() {
        let mut cache = Segments::new(2, 100);
        cache.add(0, 4);
        cache.add(100, 104);
        assert!(cache.holds(0, 4));
        cache.add(200, 204);
        assert!(cache.holds(0, 4) && cache.holds(200, 204) && !cache.holds(100, 104));
    }

    #[test]
    fn runs_that_meet_are_one() {
        let mut cache = Segments::new(3, 100);
        cache.add(0, 4);
        cache.add(10, 14);
        cache.add(3, 11);
        assert!(cache.holds(0, 14));
    }

    /// A file that is read again and again and is larger than the cache finds nothing in it.
    #[test]
    fn a_scan_longer_than_the_cache_never_hits() {
        let mut cache = Segments::new(4, 32);
        for sector in 0..400 {
            let sector = sector % 40;
            assert!(!cache.holds(sector, sector + 1));
            cache.add(sector, sector + 1);
        }
    }
}

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
    /// Sectors of a run, at most.
    longest: u64,
    uses: u64,
}

impl Segments {
    /// Room for `count` runs of at most `longest` sectors.
    pub fn new(count: u32, longest: u64) -> Self {
        Segments { runs: Vec::new(), count: count as usize, longest, uses: 0 }
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

    /// Whether a run ends at a sector or holds it: a read that begins there goes on with one.
    pub fn goes_on(&self, sector: u64) -> bool {
        self.runs.iter().any(|run| run.start < sector && sector <= run.end)
    }

    /// Sectors `start` to `end` were read. They join the run that they continue; of a run that is
    /// too long the begin is forgotten.
    pub fn add(&mut self, start: u64, end: u64) {
        if self.longest == 0 || start >= end {
            return;
        }
        self.uses += 1;
        let joined = self.runs.iter().position(|run| run.start <= start && start <= run.end);
        let mut run = match joined {
            Some(i) => self.runs.swap_remove(i),
            None => Segment { start, end, used: 0 },
        };
        run.end = run.end.max(end);
        run.start = run.start.max(run.end.saturating_sub(self.longest));
        run.used = self.uses;
        if self.runs.len() == self.count {
            let oldest = self.runs.iter().enumerate().min_by_key(|(_, run)| run.used);
            if let Some((i, _)) = oldest {
                self.runs.swap_remove(i);
            }
        }
        self.runs.push(run);
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
    fn runs_grow_at_their_end_and_forget_their_begin() {
        let mut cache = Segments::new(2, 8);
        cache.add(100, 104);
        cache.add(104, 106);
        assert!(cache.holds(100, 106) && !cache.holds(99, 100) && !cache.holds(104, 107));
        assert!(cache.goes_on(106) && cache.goes_on(103) && !cache.goes_on(100));
        cache.add(106, 112);
        assert!(cache.holds(104, 112) && !cache.holds(103, 105), "eight sectors at most");
    }

    #[test]
    fn the_run_used_longest_ago_gives_way() {
        let mut cache = Segments::new(2, 8);
        cache.add(0, 4);
        cache.add(100, 104);
        assert!(cache.holds(0, 4));
        cache.add(200, 204);
        assert!(cache.holds(0, 4) && cache.holds(200, 204) && !cache.holds(100, 104));
    }
}

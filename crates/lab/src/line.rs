//! What the steps of a method did, one after the other.

use metric::Series;
use stats::{PhaseKind, Timeline};

/// Stretches of the line of a method at most, and one for each of its phases.
const MOST: usize = 300;

/// The line of a session.
#[derive(Debug, Default)]
pub struct Line {
    line: Timeline,
    /// Sweeps under way.
    sweeps: u32,
    /// Whether something in it represents a volume.
    pub(super) volume: bool,
}

impl Line {
    /// A sweep begins: its points are not part of the line.
    pub fn pause(&mut self) {
        self.sweeps += 1;
    }

    /// It has ended.
    pub fn resume(&mut self) {
        self.sweeps = self.sweeps.saturating_sub(1);
    }

    /// Adds what a step did.
    pub(super) fn add(&mut self, other: &Timeline, name: &str, kind: Option<PhaseKind>) {
        if self.sweeps == 0 {
            self.line.append(other, name, kind, 1.0, 1.0);
        }
    }

    /// Something that takes no simulated time.
    pub fn mark(&mut self, name: &str) {
        if self.sweeps == 0 {
            self.line.begin(name, Some(PhaseKind::Untimed));
        }
    }

    /// The line, if it shows more than the curves of single steps do: two steps that take time, or
    /// one that represents a volume and has no curve. Of a model that only measures a rate it would
    /// be flat; a real drive has its temperature and its neighbours.
    pub fn series(&self, curves: &[Series], real: bool) -> Option<Series> {
        let phases = self.line.timed_phases();
        let alone = phases == 1 && curves.is_empty();
        let told = phases >= 2 || alone && (self.volume || real);
        told.then(|| {
            let mut line = self.line.clone();
            line.thin(MOST);
            line.series("timeline")
        })
    }
}

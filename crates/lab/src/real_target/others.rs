//! What others do on the drives while fio runs: their counters, less what fio moved.

use engine::{index, whole};
use real::device::Device;
use real::{Moved, System};
use stats::{Direction, Gate, Judged, RunResult, Windows};

/// Share of all bytes that others may move before it is said.
const MOST: f64 = 0.005;
/// Bytes that are nobody's load: the kernel looks for partitions when a drive is closed.
const LOOKED_AT: f64 = 8e6;
/// Least share of what fio moved that the counters of the drives must have seen: older kernels
/// do not count for namespaces that several controllers may reach.
const SEEN_LEAST: f64 = 0.5;

/// The drives that belong to a test alone.
pub(super) struct Others {
    devices: Vec<Device>,
    /// What they had moved when a run began, and after each second of it.
    seconds: Vec<Option<u64>>,
}

impl Others {
    /// Of block devices that are tested; on a drive below a file others may do as they please.
    pub(super) fn of(devices: Vec<Device>) -> Self {
        Self { devices, seconds: Vec::new() }
    }

    /// The drives.
    pub(super) fn devices(&self) -> &[Device] {
        &self.devices
    }

    fn moved(&self, system: &System) -> Option<u64> {
        Moved::of_all(system, &self.devices).map(Moved::both)
    }

    /// A run begins.
    pub(super) fn begin(&mut self, system: &System) {
        self.seconds = vec![self.moved(system)];
    }

    /// A second of it is over.
    pub(super) fn second(&mut self, system: &System) {
        self.seconds.push(self.moved(system));
    }

    /// A run without a ramp has ended: bytes that were not fio's, if the drives count at all.
    pub(super) fn end(&self, system: &System, result: &RunResult) -> Option<f64> {
        let (before, now) = ((*self.seconds.first()?)?, self.moved(system)?);
        let (moved, own) = (now.checked_sub(before)? as f64, fio(result));
        (moved >= SEEN_LEAST * own).then(|| (moved - own).max(0.0))
    }

    /// Bytes of others in each second that fio measured, after a ramp of so many seconds; none if
    /// the drives do not count.
    pub(super) fn curve(&self, ramp_s: usize, windows: &Windows) -> Vec<Option<f64>> {
        least(self.seconds.get(ramp_s..).unwrap_or_default(), &by_second(windows))
    }
}

/// What fio moved in each whole second that it measured.
fn by_second(windows: &Windows) -> Vec<f64> {
    let seconds = windows.window_ps as f64 / 1e12;
    let length = index(whole((1.0 / seconds.max(1e-3)).round())).max(1);
    let [read, written] =
        [Direction::Read, Direction::Write].map(|side| windows.bytes_per_s(Some(side)));
    let all: Vec<f64> = read.iter().zip(&written).map(|(a, b)| (a + b) * seconds).collect();
    all.chunks_exact(length).map(|second| second.iter().sum()).collect()
}

/// What a drive moved in each second, less the most that fio did in that second or in one beside
/// it: fio and the counters do not begin at the same instant, so this is the least that others
/// moved.
fn least(counts: &[Option<u64>], fio: &[f64]) -> Vec<Option<f64>> {
    let total = |(last, first): (u64, u64)| last.saturating_sub(first) as f64;
    let ends = counts.last().copied().flatten().zip(counts.first().copied().flatten());
    if ends.map(total).is_some_and(|moved| moved < SEEN_LEAST * fio.iter().sum::<f64>()) {
        return Vec::new();
    }
    let pairs = counts.windows(2).zip(0..fio.len());
    let one = |(pair, i): (&[Option<u64>], usize)| {
        let moved = pair[1]?.checked_sub(pair[0]?)? as f64;
        let beside = &fio[i.saturating_sub(1)..(i + 2).min(fio.len())];
        let own = beside.iter().copied().fold(0.0, f64::max);
        Some((moved - own).max(0.0))
    };
    pairs.map(one).collect()
}

/// Whether others moved so little beside fio that a run counts.
pub(super) fn judged(bytes: f64, result: &RunResult) -> Judged {
    let own = fio(result).max(1.0);
    Judged { gate: Gate::OthersIo, found: bytes / own, limit: MOST + LOOKED_AT / own }
}

fn fio(result: &RunResult) -> f64 {
    let sides = result.jobs.iter().map(|job| job.read().io_bytes + job.write().io_bytes);
    sides.sum::<u64>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1_000_000;

    fn counts(moved: &[u64]) -> Vec<Option<u64>> {
        let sums = moved.iter().scan(7 * MB, |sum, mb| {
            *sum += mb * MB;
            Some(Some(*sum))
        });
        std::iter::once(Some(7 * MB)).chain(sums).collect()
    }

    #[test]
    fn a_second_in_which_others_were_busy_is_seen() {
        let fio = [100e6, 100e6, 100e6, 100e6];
        let seen = least(&counts(&[100, 100, 160, 100]), &fio);
        assert_eq!(seen, [Some(0.0), Some(0.0), Some(60e6), Some(0.0)]);
    }

    /// fio wrote fast, then slowly; the counters see the change a second later.
    #[test]
    fn counters_that_lag_are_nobodys_load() {
        let fio = [300e6, 300e6, 50e6, 50e6];
        let seen = least(&counts(&[250, 300, 290, 50]), &fio);
        assert_eq!(seen, [Some(0.0); 4]);
    }

    #[test]
    fn what_cannot_be_counted_is_not_known() {
        let mut counted = counts(&[100, 100]);
        counted[1] = None;
        assert_eq!(least(&counted, &[100e6, 100e6]), [None, None]);
        assert_eq!(least(&[], &[100e6]), []);
        assert_eq!(least(&counts(&[100]), &[100e6, 100e6]), [Some(0.0)], "fio ran for longer");
        assert_eq!(least(&counts(&[49, 50]), &[100e6, 100e6]), [], "no such drive counts");
        assert_eq!(least(&counts(&[50, 50]), &[100e6, 100e6]), [Some(0.0); 2]);
    }
}

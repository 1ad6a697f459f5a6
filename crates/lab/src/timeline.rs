//! A method over time: what its steps did, one after the other, in one line.
//!
//! Times, bytes and I/Os of a step that represents a volume are multiplied up to the real drive;
//! those of a step that measures a rate are as they were simulated. Points of a sweep are tests of
//! their own and do not become a line; pilot runs and what is built without time take none of it.

use super::session::Session;
use super::target::{Ran, Sensed};
use engine::index;
use engine::time::PS_PER_SECOND;
use metric::Series;
use stats::stretch::columns;
use stats::{Direction, Limit, PhaseKind, Stretch, Timeline, Windows};

impl Session<'_> {
    /// Adds what was just run to the line, as a phase of this name; `volume`: its time stands for
    /// a volume. Returns it as of the real drive.
    pub fn follow(&mut self, name: &str, ran: Option<&Ran>, volume: bool) -> Timeline {
        self.follow_as(name, None, ran, volume)
    }

    /// The same for a phase of a given kind.
    pub fn follow_as(
        &mut self,
        name: &str,
        kind: Option<PhaseKind>,
        ran: Option<&Ran>,
        volume: bool,
    ) -> Timeline {
        if let Some(limit) = ran.and_then(|ran| ran.limit.as_ref()) {
            let point = self.point();
            let of = if point.is_empty() { name.to_owned() } else { point };
            // Of what is done again, as in rounds, the last counts.
            self.limits.retain(|known| known.of != of);
            self.limits.push(Limit { of, ..limit.clone() });
        }
        let seen = self.target.take_timeline();
        let known = || ran.and_then(|ran| Some(seen_by_fio(ran.windows.as_ref()?, &ran.sensed)));
        let Some(seen) = seen.or_else(known) else { return Timeline::new() };
        let level = 1.0 / self.target.scale();
        let factor = if volume { level } else { 1.0 };
        let mut whole = Timeline::new();
        whole.append(&seen, name, kind, factor, level);
        self.line.volume |= volume;
        self.line.add(&whole, name, kind);
        whole
    }

    /// Adds a line that is as of the real drive already.
    pub fn follow_line(&mut self, name: &str, kind: Option<PhaseKind>, line: &Timeline) {
        self.line.volume = true;
        self.line.add(line, name, kind);
    }
}

/// Timeline of a drive of which only the bytes over time are known, and what was seen of it once a
/// second.
fn seen_by_fio(windows: &Windows, sensed: &[Sensed]) -> Timeline {
    let mut line = Timeline::new();
    line.begin("run", None);
    let seconds = windows.window_ps as f64 / 1e12;
    for i in 0..windows.full() {
        let bytes = Direction::ALL.map(|side| windows.columns(side).bytes[i] as f64);
        let second = index(i as u64 * windows.window_ps / PS_PER_SECOND);
        let seen = sensed.get(second).or(sensed.last()).copied().unwrap_or_default();
        let others_bytes = seen.others_bytes.map(|bytes| bytes * seconds);
        line.push(Stretch {
            seconds,
            bytes,
            celsius: seen.celsius,
            power_state: seen.power_state,
            others_bytes,
            ..Stretch::default()
        });
    }
    line
}

/// A curve with the state of the drive of a line that has the same beginning.
pub fn with_state(curve: Series, line: &Timeline) -> Series {
    if line.is_empty() || curve.is_empty() {
        return curve;
    }
    let state = columns(&line.resampled(&curve.time_s));
    let mut phases = line.series("").phases;
    phases.retain(|phase| phase.to_s > phase.from_s);
    phases.truncate(1);
    for phase in &mut phases {
        phase.name.clone_from(&curve.name);
        phase.to_s = curve.time_s.last().copied().unwrap_or(phase.to_s);
    }
    Series {
        write_amplification: state.write_amplification,
        collecting: state.collecting,
        moved_bytes_per_s: state.moved_bytes_per_s,
        slc_used_bytes: state.slc_used_bytes,
        slc_room_bytes: state.slc_room_bytes,
        mapped: state.mapped,
        celsius: state.celsius,
        power_state: state.power_state,
        others_bytes_per_s: state.others_bytes_per_s,
        watts: state.watts,
        phases,
        ..curve
    }
}

//! What happened over time, as sums over stretches of time: a [`Series`] under construction.
//!
//! Stretches are merged by adding them up, so that a curve of any length stays small and its sums
//! stay what they were. A line is kept in parts, one a phase, and no stretch reaches over the end
//! of its part. [`Timeline::halve`] doubles the length of a sample while a run of unknown length is
//! in progress; [`Timeline::thin`] leaves a given number of stretches in the end.

use crate::series::{PhaseKind, Series, SeriesPhase};
use crate::stretch::{Stretch, columns, fine};

/// A phase of a line.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    name: String,
    /// `None`: what its bytes say.
    kind: Option<PhaseKind>,
    stretches: Vec<Stretch>,
}

impl Part {
    fn kind(&self) -> PhaseKind {
        let all = self.stretches.iter().copied().reduce(Stretch::then);
        self.kind.unwrap_or_else(|| all.map_or(PhaseKind::Untimed, |all| all.kind()))
    }

    fn seconds(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.seconds).sum()
    }

    /// At most `most` stretches of about equal length.
    fn thin(&mut self, most: usize) {
        if self.stretches.len() <= most.max(1) {
            return;
        }
        let width = self.seconds() / most.max(1) as f64;
        let (mut kept, mut end): (Vec<Stretch>, f64) = (Vec::new(), 0.0);
        let mut open: Option<Stretch> = None;
        for stretch in &self.stretches {
            end += stretch.seconds;
            let all = open.map_or(*stretch, |open| open.then(*stretch));
            // A millionth of a stretch more or less is rounding.
            let full = end >= (kept.len() as f64 + 1.0 - 1e-6) * width;
            open = (!full).then_some(all);
            if full {
                // A long stretch may have filled more than one place.
                kept.push(all);
            }
        }
        match (kept.last_mut(), open) {
            (Some(last), Some(open)) => *last = last.then(open),
            (None, Some(open)) => kept.push(open),
            _ => {}
        }
        self.stretches = kept;
    }
}

/// Stretches by phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    parts: Vec<Part>,
}

impl Timeline {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What follows belongs to this phase; without a kind its bytes say what it is. A phase like
    /// the one before it continues with that.
    pub fn begin(&mut self, name: &str, kind: Option<PhaseKind>) {
        let same = |last: &Part| last.name == name && last.kind == kind;
        if !self.parts.last().is_some_and(same) {
            self.parts.push(Part { name: name.to_owned(), kind, stretches: Vec::new() });
        }
    }

    /// Adds a stretch. One without a length is added to the one before it.
    pub fn push(&mut self, stretch: Stretch) {
        if self.parts.is_empty() {
            self.begin("run", None);
        }
        let Some(part) = self.parts.last_mut() else { return };
        if stretch.seconds > 0.0 {
            part.stretches.push(stretch);
        } else if let Some(last) = part.stretches.last_mut() {
            *last = last.then(stretch);
        }
    }

    /// Adds the last stretch of the last phase to the one before it if it is shorter than so many
    /// seconds.
    pub fn join_rest(&mut self, seconds: f64) {
        let Some(part) = self.parts.last_mut() else { return };
        if let [.., before, rest] = part.stretches.as_mut_slice()
            && rest.seconds < seconds
        {
            *before = before.then(*rest);
            part.stretches.pop();
        }
    }

    /// Adds what another line has, scaled as [`Stretch::scaled`] says, under `name`, as `kind` if
    /// there is one; ramps keep to themselves.
    pub fn append(
        &mut self,
        other: &Timeline,
        name: &str,
        kind: Option<PhaseKind>,
        volume: f64,
        level: f64,
    ) {
        for part in other.parts.iter().filter(|part| !part.stretches.is_empty()) {
            self.begin(name, kind.or(part.kind));
            for stretch in &part.stretches {
                self.push(stretch.scaled(volume, level));
            }
        }
    }

    /// Number of stretches.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.stretches.len()).sum()
    }

    /// Whether no time has passed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its length, s.
    pub fn seconds(&self) -> f64 {
        self.parts.iter().map(Part::seconds).sum()
    }

    /// Phases that take time, ramps left out.
    pub fn timed_phases(&self) -> usize {
        let timed = |part: &&Part| part.kind != Some(PhaseKind::Ramp) && !part.stretches.is_empty();
        self.parts.iter().filter(timed).count()
    }

    /// Everything but ramps as one stretch, with what is known of all of it.
    pub fn total(&self) -> Option<Stretch> {
        let parts = self.parts.iter().filter(|part| part.kind != Some(PhaseKind::Ramp));
        parts.flat_map(|part| &part.stretches).copied().reduce(Stretch::then)
    }

    /// Makes one of every two stretches of a phase.
    pub fn halve(&mut self) {
        for part in &mut self.parts {
            let pair = |pair: &[Stretch]| pair.iter().copied().reduce(Stretch::then);
            part.stretches = part.stretches.chunks(2).filter_map(pair).collect();
        }
    }

    /// Leaves at most `most` stretches, and one for each phase that takes time. Phases with few
    /// keep what they have, so that a short one does not vanish beside a long one; the others have
    /// equal numbers.
    pub fn thin(&mut self, most: usize) {
        let kept = |cap: usize| -> usize {
            self.parts.iter().map(|part| part.stretches.len().min(cap)).sum()
        };
        let (mut low, mut high) = (1, most.max(1));
        while low < high {
            let cap = (low + high).div_ceil(2);
            if kept(cap) <= most { low = cap } else { high = cap - 1 }
        }
        for part in &mut self.parts {
            part.thin(low);
        }
    }

    /// The same line with stretches that end at these times, s since its beginning, ascending: what
    /// a stretch holds is shared out evenly over its time, and levels are those of the stretch in
    /// which a time is.
    #[must_use]
    pub fn resampled(&self, ends: &[f64]) -> Vec<Stretch> {
        let mut all = self.parts.iter().flat_map(|part| &part.stretches).copied();
        let (mut now, mut from) = (all.next(), 0.0);
        let mut cut = Vec::with_capacity(ends.len());
        let mut start = 0.0;
        for &end in ends {
            let mut here: Option<Stretch> = None;
            while let Some(stretch) = now {
                let to = from + stretch.seconds;
                let share = (to.min(end) - from.max(start)).max(0.0) / stretch.seconds;
                let part = stretch.scaled(share, 1.0);
                here = Some(here.map_or(part, |here| here.then(part)));
                if to > end {
                    break;
                }
                (now, from) = (all.next(), to);
            }
            cut.push(here.unwrap_or_default());
            start = end;
        }
        cut
    }

    /// The curve in columns, its numbers rounded to six figures (times and positions to nine).
    pub fn series(&self, name: &str) -> Series {
        let stretches: Vec<Stretch> =
            self.parts.iter().flat_map(|part| &part.stretches).copied().collect();
        let mut series = columns(&stretches);
        series.name = name.to_owned();
        let mut end = 0.0;
        for part in &self.parts {
            let from_s = fine(end);
            end += part.seconds();
            let (name, kind) = (part.name.clone(), part.kind());
            series.phases.push(SeriesPhase { name, kind, from_s, to_s: fine(end) });
        }
        // Sums in another order end a few units of the last place apart.
        if let (Some(phase), Some(last)) = (series.phases.last_mut(), series.time_s.last()) {
            phase.to_s = *last;
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stretch::{StretchFlash, StretchIos};
    use proptest::prelude::*;

    fn write(seconds: f64, ios: f64) -> Stretch {
        let ios_of = StretchIos { count: [0.0, ios, 0.0], latency_s: [0.0, ios * 1e-4, 0.0] };
        let flash = StretchFlash {
            host_bytes: ios * 4096.0,
            flash_bytes: ios * 8192.0,
            moved_bytes: ios * 4096.0,
            moving_s: seconds / 2.0,
            slc_used_bytes: ios,
            slc_room_bytes: 1e6,
            mapped: 0.5,
        };
        Stretch {
            seconds,
            bytes: [0.0, ios * 4096.0, 0.0],
            ios: Some(ios_of),
            flash: Some(flash),
            joules: Some(5.0 * seconds),
            celsius: Some(40.0),
            power_state: None,
            others_bytes: None,
        }
    }

    fn line(phases: &[(&str, usize)]) -> Timeline {
        let mut line = Timeline::new();
        for (name, count) in phases {
            line.begin(name, None);
            (0..*count).for_each(|i| line.push(write(0.5, 100.0 + i as f64)));
        }
        line
    }

    #[test]
    fn a_line_becomes_columns() {
        let mut line = line(&[("fill", 2)]);
        line.begin("format", Some(PhaseKind::Untimed));
        line.begin("idle", Some(PhaseKind::Idle));
        line.push(Stretch { bytes: [0.0; 3], ios: Some(StretchIos::default()), ..write(3.0, 0.0) });
        let series = line.series("timeline");
        assert_eq!(series.check(), Ok(()));
        assert_eq!(series.time_s, [0.5, 1.0, 4.0]);
        assert_eq!(series.iops, [200.0, 202.0, 0.0]);
        assert_eq!(series.latency_mean_s, [Some(1e-4), Some(1e-4), None]);
        assert_eq!(series.write_amplification, [Some(2.0), Some(2.0), None]);
        assert_eq!((series.watts[0], series.collecting[0], series.mapped[2]), (5.0, 0.5, 0.5));
        let kinds: Vec<PhaseKind> = series.phases.iter().map(|phase| phase.kind).collect();
        assert_eq!(kinds, [PhaseKind::Write, PhaseKind::Untimed, PhaseKind::Idle]);
        assert!(series.read_iops.is_empty(), "one direction only");
    }

    #[test]
    fn a_short_rest_joins_the_stretch_before_it_in_its_phase() {
        let mut line = Timeline::new();
        line.begin("a", None);
        for (seconds, ios) in [(1.0, 10.0), (0.5, 4.0), (0.1, 3.0)] {
            line.push(write(seconds, ios));
        }
        line.join_rest(0.1);
        assert_eq!(line.len(), 3, "it is not shorter");
        line.join_rest(0.2);
        let last = line.parts[0].stretches[1];
        assert_eq!((line.len(), last.seconds), (2, 0.6));
        assert!((last.ios.unwrap().count[1] - 7.0).abs() < 1e-9);
        line.begin("b", None);
        line.push(write(0.1, 1.0));
        line.join_rest(0.2);
        assert_eq!(line.len(), 3, "a phase keeps its only stretch");
    }

    #[test]
    fn what_is_not_known_everywhere_is_not_reported() {
        let mut line = line(&[("fill", 2)]);
        line.push(Stretch { seconds: 1.0, bytes: [1.0, 0.0, 0.0], ..Stretch::default() });
        let series = line.series("timeline");
        assert_eq!((series.iops.len(), series.watts.len(), series.mapped.len()), (0, 0, 0));
        assert_eq!((series.len(), series.read_bytes_per_s.len()), (3, 3));
        assert_eq!(series.check(), Ok(()));
    }

    #[test]
    fn a_short_phase_does_not_vanish_beside_a_long_one() {
        let mut line = line(&[("short", 10), ("long", 1000), ("longer", 2000)]);
        line.thin(100);
        assert_eq!(line.len(), 100);
        let series = line.series("timeline");
        let lengths: Vec<f64> = series.lengths().collect();
        assert_eq!(lengths[9], 0.5);
        // 45 of each long one are left.
        assert!((lengths[54] - 500.0 / 45.0).abs() <= 0.5 && lengths[99] > 21.5, "{lengths:?}");
        let mut tiny = line.clone();
        tiny.thin(0);
        assert_eq!(tiny.len(), 3, "one for each phase is left");
    }

    #[test]
    fn a_volume_is_scaled_and_a_level_too() {
        let mut whole = Timeline::new();
        whole.append(&line(&[("x", 2), ("y", 1)]), "scan", None, 8.0, 8.0);
        let total = whole.total().unwrap();
        assert_eq!((total.seconds, total.joules), (12.0, Some(60.0)));
        assert_eq!(total.flash.unwrap().slc_used_bytes, 800.0);
        assert_eq!(whole.timed_phases(), 1, "the phases of a step are one");
    }

    proptest! {
        /// However a line is merged, resampled or halved: its sums stay.
        #[test]
        fn nothing_is_lost(
            counts in prop::collection::vec(1usize..60, 1..6), most in 1usize..80
        ) {
            let names = ["a", "b", "c", "d", "e", "f"];
            let phases: Vec<(&str, usize)> = names.into_iter().zip(counts).collect();
            let line = line(&phases);
            let same = |other: &Timeline| -> Result<(), TestCaseError> {
                let (a, b) = (line.total().unwrap(), other.total().unwrap());
                prop_assert!((a.seconds - b.seconds).abs() < 1e-9);
                prop_assert_eq!(a.ios.unwrap().count, b.ios.unwrap().count);
                prop_assert_eq!(a.flash.unwrap().slc_used_bytes, b.flash.unwrap().slc_used_bytes);
                prop_assert_eq!(other.series("x").check(), Ok(()));
                Ok(())
            };
            let mut thin = line.clone();
            thin.thin(most);
            prop_assert!(thin.len() <= most.max(phases.len()));
            same(&thin)?;
            let mut half = line.clone();
            half.halve();
            same(&half)?;
            let ends: Vec<f64> = (1..=7).map(|i| line.seconds() * f64::from(i) / 7.0).collect();
            let cut = line.resampled(&ends);
            let count: f64 = cut.iter().map(|s| s.ios.map_or(0.0, |ios| ios.count[1])).sum();
            prop_assert!((count / line.total().unwrap().ios.unwrap().count[1] - 1.0).abs() < 1e-9);
        }
    }
}

//! What is seen of drives once a second while fio runs: temperature, power state, what others do.

use super::others::Others;
use super::quality::Watched;
use crate::fio_windows::windows;
use crate::target::Sensed;
use engine::index;
use real::device::Device;
use real::{PowerStates, System, Thermometer, Tools};
use stats::RunResult;

/// The sensors of the drives of a test, and what they said over its last run.
pub(super) struct Sensors {
    thermometers: Vec<Thermometer>,
    power: PowerStates,
    others: Others,
    /// Temperatures at the beginning of each second.
    celsius: Vec<Option<f64>>,
    /// Power states likewise.
    states: Vec<Option<u8>>,
}

impl Sensors {
    /// Those of drives; `alone` are the ones of them that belong to the test alone.
    pub(super) fn of(
        system: &System,
        tools: &Tools,
        drives: &[Device],
        alone: Vec<Device>,
    ) -> Self {
        Self {
            thermometers: drives.iter().filter_map(Thermometer::of).collect(),
            power: PowerStates::of(system, tools, drives),
            others: Others::of(alone),
            celsius: Vec::new(),
            states: Vec::new(),
        }
    }

    /// The drives that belong to the test alone.
    pub(super) fn alone(&self) -> &[Device] {
        self.others.devices()
    }

    /// A run begins.
    pub(super) fn begin(&mut self, system: &System) {
        self.celsius = vec![Thermometer::warmest(&self.thermometers)];
        self.states.clear();
        self.power.deepest();
        self.others.begin(system);
    }

    /// Whole seconds that were seen since it began.
    pub(super) fn seconds(&self) -> usize {
        self.states.len()
    }

    /// A second of it is over.
    pub(super) fn second(&mut self, system: &System) {
        self.celsius.push(Thermometer::warmest(&self.thermometers));
        // The answer is that to the question which was put when the second began.
        let before = self.states.last().copied().flatten();
        self.states.push(self.power.deepest().or(before));
        self.others.second(system);
    }

    /// What was seen while fio measured, after a ramp.
    pub(super) fn over_time(&self, system: &System, result: &RunResult, ramp_us: u64) -> Watched {
        let ramp_s = index(ramp_us / 1_000_000);
        let windows = windows(result);
        let others = windows.map(|windows| self.others.curve(ramp_s, &windows)).unwrap_or_default();
        let others_bytes = match ramp_us {
            0 => self.others.end(system, result),
            // What fio moved before it began to measure is in none of its counts.
            _ => others.iter().copied().sum::<Option<f64>>().filter(|_| !others.is_empty()),
        };
        let celsius = self.celsius.get(ramp_s..).unwrap_or_default();
        let states = self.states.get(ramp_s..).unwrap_or_default();
        let seconds = 0..celsius.len().max(others.len());
        let sensed = seconds.map(|i| Sensed {
            celsius: at(celsius, i),
            power_state: at(states, i),
            others_bytes: at(&others, i),
        });
        Watched { sensed: sensed.collect(), others_bytes, ..Watched::default() }
    }
}

/// What was seen in a second; of one that was not seen whole, what was seen last.
fn at<T: Copy>(seen: &[Option<T>], second: usize) -> Option<T> {
    seen.get(second).or(seen.last()).copied().flatten()
}

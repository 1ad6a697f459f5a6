//! What the flash has done since the start.

use engine::Duration;
use std::iter::Sum;

/// Sums over all dies.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct NandCounters {
    /// Page senses begun.
    pub senses: u64,
    /// Reads that needed none, because their page was still in its plane's register.
    pub kept: u64,
    /// Of the senses, those again with other references.
    pub retries: u64,
    /// Pages that could not be read.
    pub lost: u64,
    /// Word line programs begun.
    pub programs: u64,
    /// Block erases begun (each over the planes of a die).
    pub erases: u64,
    /// Suspensions.
    pub suspends: u64,
    /// Bytes moved from the flash.
    pub read_bytes: u64,
    /// Bytes programmed, parity and padding included.
    pub program_bytes: u64,
    /// Energy above idle, in picojoules.
    pub energy_pj: u64,
    /// Time that dies had a program in flight, suspended or held back by power too, summed over
    /// dies, in picoseconds.
    pub programming_ps: u128,
    /// Time that collection ran, in picoseconds.
    pub collecting_ps: u128,
    /// Time that planes sensed, summed over planes, in picoseconds.
    pub sensing_ps: u128,
    /// Channel time used, summed over channels, in picoseconds.
    pub bus_busy_ps: u128,
}

impl NandCounters {
    /// Some time passes in which so many dies program, and collection runs or not.
    #[inline]
    pub(super) fn pass(&mut self, time: Duration, programming: u32, collecting: bool) {
        let ps = u128::from(time.ps());
        self.programming_ps += u128::from(programming) * ps;
        self.collecting_ps += u128::from(collecting) * ps;
    }
}

impl Sum for NandCounters {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| NandCounters {
            senses: a.senses + b.senses,
            kept: a.kept + b.kept,
            retries: a.retries + b.retries,
            lost: a.lost + b.lost,
            programs: a.programs + b.programs,
            erases: a.erases + b.erases,
            suspends: a.suspends + b.suspends,
            read_bytes: a.read_bytes + b.read_bytes,
            program_bytes: a.program_bytes + b.program_bytes,
            energy_pj: a.energy_pj + b.energy_pj,
            programming_ps: a.programming_ps + b.programming_ps,
            collecting_ps: a.collecting_ps + b.collecting_ps,
            sensing_ps: a.sensing_ps + b.sensing_ps,
            bus_busy_ps: a.bus_busy_ps + b.bus_busy_ps,
        })
    }
}

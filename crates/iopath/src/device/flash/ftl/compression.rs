//! Units of different length: a controller that compresses keeps a part of each mapping unit only.
//!
//! A page is divided into grains; a mapping unit takes as many as its data needs after compression,
//! and never crosses a page. The physical units of the FTL are the grains then: the map leads to
//! the first grain of a unit, and space, valid units and the ledger count grains. Without
//! compression a mapping unit is one physical unit, and nothing of this is kept.

use engine::narrow;

/// How many grains each stored unit has, by its first one.
#[derive(Clone)]
pub(super) struct Sizes {
    grains: Vec<u8>,
    /// Grains of a unit that does not compress.
    full: u8,
}

impl Sizes {
    /// For `physical` grains, of which an incompressible unit takes `full`.
    pub(super) fn new(physical: u32, full: u8) -> Self {
        Sizes { grains: vec![0; physical as usize], full }
    }

    #[inline]
    pub(super) fn get(&self, unit: u32) -> u32 {
        self.grains[unit as usize] as u32
    }

    #[inline]
    pub(super) fn set(&mut self, unit: u32, grains: u32) {
        self.grains[unit as usize] = narrow(grains);
    }

    /// Grains of a unit that does not compress.
    pub(super) fn full(&self) -> u32 {
        self.full as u32
    }
}

/// Turns shares into whole grains such that their mean over many units is exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounding {
    /// Millionths of a grain that are owed.
    owed: u64,
}

impl Rounding {
    /// Grains of a unit of `full` grains of which `kept_ppm` millionths are kept; at least one.
    pub fn grains(&mut self, full: u32, kept_ppm: u64) -> u32 {
        self.owed += full as u64 * kept_ppm.min(1_000_000);
        let grains = (self.owed / 1_000_000).clamp(1, full as u64);
        self.owed = self.owed.saturating_sub(grains * 1_000_000);
        narrow(grains)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_rounded_units_is_the_share() {
        for kept in [125_000, 333_333, 500_000, 999_000, 1_000_000] {
            let mut rounding = Rounding::default();
            let sum: u64 = (0..9000).map(|_| rounding.grains(8, kept) as u64).sum();
            let mean = sum as f64 / 9000.0 / 8.0;
            assert!((mean - kept as f64 / 1e6).abs() < 1e-3, "{kept}: {mean}");
        }
    }

    #[test]
    fn something_is_always_kept() {
        let mut rounding = Rounding::default();
        assert!((0..100).all(|_| rounding.grains(8, 0) == 1));
    }
}

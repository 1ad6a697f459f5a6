//! Logical units that are written alike: windows of each period, and what comes after the periods.

use crate::kernel::spread::Spread;
use engine::index;

/// Numbers the logical units of a class.
#[derive(Clone, Debug)]
pub struct Places {
    /// Units of a window, and of a period.
    window: u64,
    period: u64,
    /// The windows of a period that belong to it, in their order.
    windows: Vec<u64>,
    /// Units of the class in the periods, the last of which may be cut.
    inside: u64,
    /// The end of the periods.
    end: u64,
    /// Runs of units after them: first and number.
    after: Vec<(u64, u64)>,
}

impl Places {
    /// Units `0..live`.
    pub fn all(live: u64) -> Self {
        Places {
            window: live,
            period: live,
            windows: vec![0],
            inside: live,
            end: live,
            after: Vec::new(),
        }
    }

    /// The windows of a set, over the first `units` units of `unit` bytes, and behind them these
    /// runs of units.
    pub fn of(spread: &Spread, set: u64, unit: u64, units: u64, after: Vec<(u64, u64)>) -> Self {
        let window = spread.window / unit;
        let period = window * u64::from(spread.period);
        let windows: Vec<u64> =
            (0..u64::from(spread.period)).filter(|at| set >> at & 1 != 0).collect();
        let rest = units % period;
        let cut = windows.iter().map(|at| rest.saturating_sub(at * window).min(window));
        let inside = units / period * window * windows.len() as u64 + cut.sum::<u64>();
        Places { window, period, windows, inside, end: units, after }
    }

    /// How many units there are.
    pub fn count(&self) -> u64 {
        self.inside + self.after.iter().map(|(_, units)| units).sum::<u64>()
    }

    /// The unit of a number below [`Places::count`].
    #[inline]
    pub fn at(&self, number: u64) -> u64 {
        if self.is_all() {
            return number;
        }
        if number < self.inside {
            let each = self.window * self.windows.len() as u64;
            let (period, rest) = (number / each, number % each);
            let window = self.windows[index(rest / self.window)];
            return period * self.period + window * self.window + rest % self.window;
        }
        let mut left = number - self.inside;
        for &(first, units) in &self.after {
            if left < units {
                return first + left;
            }
            left -= units;
        }
        unreachable!("a number beyond the class")
    }

    /// The number of a unit, if it is one of the class.
    #[inline]
    pub fn number(&self, unit: u64) -> Option<u64> {
        if self.is_all() {
            return (unit < self.inside).then_some(unit);
        }
        if unit < self.end {
            let (period, rest) = (unit / self.period, unit % self.period);
            let window = self.windows.binary_search(&(rest / self.window)).ok()? as u64;
            let each = self.window * self.windows.len() as u64;
            return Some(period * each + window * self.window + rest % self.window);
        }
        let mut number = self.inside;
        for &(first, units) in &self.after {
            if (first..first + units).contains(&unit) {
                return Some(number + unit - first);
            }
            number += units;
        }
        None
    }

    fn is_all(&self) -> bool {
        self.window == self.period && self.after.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Two sets that are all windows together, and what is behind the periods but for a log.
        #[test]
        fn each_unit_has_one_number_in_one_class(
            (window, period, set) in (1..5_u64, 1..7_u32, any::<u64>()),
            (units, log, rest) in (0..100_u64, 0..9_u64, 0..20_u64),
        ) {
            let spread = Spread {
                window: 512 * window,
                period,
                warm: set,
                bytes: 512 * units,
                log: None,
                written: [1, 1, 0],
            };
            let live = units + log + rest;
            let after = vec![(units, 0), (units + log, rest)];
            let all = u64::MAX >> (u64::BITS - period);
            let classes = [
                Places::of(&spread, all & !set, 512, units, after),
                Places::of(&spread, all & set, 512, units, Vec::new()),
                Places::all(live),
            ];
            prop_assert_eq!(classes[0].count() + classes[1].count(), live - log);
            for class in &classes {
                for number in 0..class.count() {
                    prop_assert_eq!(class.number(class.at(number)), Some(number));
                }
                let numbered = (0..live + 10).filter(|unit| class.number(*unit).is_some());
                prop_assert_eq!(numbered.count() as u64, class.count());
            }
        }
    }
}

//! Units in random order of their runs.

use super::places::Places;
use engine::{Permutation, Stream};

/// The units of a class in random order, those of a run side by side. What is left of the last run
/// comes last, in its place.
#[derive(Clone, Debug)]
pub struct RunOrder {
    places: Places,
    /// The order of the whole runs; `None` if there are none.
    order: Option<Permutation>,
    count: u64,
    run: u64,
}

impl RunOrder {
    /// An order drawn from the stream; a run is one unit at least.
    pub fn new(places: Places, run: u32, stream: &mut Stream) -> Self {
        let (count, run) = (places.count(), u64::from(run.max(1)));
        let runs = count / run;
        let order = (runs > 0).then(|| Permutation::new(runs, stream.bits()));
        RunOrder { places, order, count, run }
    }

    /// How many units there are.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The unit that comes after so many others.
    #[inline]
    pub fn at(&self, turn: u64) -> u64 {
        self.places.at(self.by_run(turn, Permutation::map))
    }

    /// How many come before a unit, if it is one of them.
    #[inline]
    pub fn turn(&self, unit: u64) -> Option<u64> {
        self.places.number(unit).map(|number| self.by_run(number, Permutation::rank))
    }

    #[inline]
    fn by_run(&self, n: u64, moved: impl Fn(&Permutation, u64) -> u64) -> u64 {
        match &self.order {
            Some(order) if self.run == 1 => moved(order, n),
            Some(order) if n < self.count / self.run * self.run => {
                moved(order, n / self.run) * self.run + n % self.run
            }
            _ => n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_unit_has_one_turn_and_runs_stay_together(
            count in 1..500_u64, run in 1..9_u32, seed: u64
        ) {
            let mut stream = Stream::new(seed, "order");
            let order = RunOrder::new(Places::all(count), run, &mut stream);
            let units: Vec<u64> = (0..count).map(|turn| order.at(turn)).collect();
            for (turn, unit) in (0..).zip(&units) {
                prop_assert_eq!(order.turn(*unit), Some(turn));
            }
            prop_assert_eq!(order.turn(count), None);
            for run in units.chunks_exact(run as usize) {
                prop_assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1));
            }
        }
    }
}

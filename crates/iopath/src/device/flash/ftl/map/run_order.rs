//! Units in random order of their runs.

use engine::{Permutation, Stream};

/// The numbers below `count` in random order, those of a run side by side. What is left of the last
/// run comes last, in its place.
#[derive(Clone, Copy, Debug)]
pub struct RunOrder {
    /// The order of the whole runs; `None` if there are none.
    order: Option<Permutation>,
    count: u64,
    run: u64,
}

impl RunOrder {
    /// An order of `count` numbers, drawn from the stream; a run is one number at least.
    pub fn new(count: u64, run: u32, stream: &mut Stream) -> Self {
        let run = u64::from(run.max(1));
        let runs = count / run;
        let order = (runs > 0).then(|| Permutation::new(runs, stream.bits()));
        RunOrder { order, count, run }
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number at a place.
    #[inline]
    pub fn at(&self, place: u64) -> u64 {
        self.by_run(place, Permutation::map)
    }

    /// The place of a number.
    #[inline]
    pub fn place(&self, number: u64) -> u64 {
        self.by_run(number, Permutation::rank)
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
        fn each_number_has_one_place_and_runs_stay_together(
            count in 1..500_u64, run in 1..9_u32, seed: u64
        ) {
            let order = RunOrder::new(count, run, &mut Stream::new(seed, "order"));
            let numbers: Vec<u64> = (0..count).map(|place| order.at(place)).collect();
            for (place, number) in (0..).zip(&numbers) {
                prop_assert_eq!(order.place(*number), place);
            }
            for run in numbers.chunks_exact(run as usize) {
                prop_assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1));
            }
        }
    }
}

//! Each position once, and some of them soon again.

use crate::permutation::{Permutation, mix};
use crate::rng::Stream;
use std::collections::VecDeque;

/// Draws in parts of equal length. What a part draws comes again at the beginning of the next one,
/// each with the chance of its part; what is left of a part are positions that were not drawn yet,
/// in random order. Behind the last part, or the last position, all begins anew in another order.
#[derive(Clone, Debug)]
pub struct Repeats {
    /// The chance of each part, from 0 to 1.
    chances: Vec<f64>,
    /// Draws of a part.
    length: u64,
    seed: u64,
    order: Permutation,
    /// Positions that were drawn for the first time.
    fresh: u64,
    part: usize,
    /// Draws that are left of this part.
    left: u64,
    /// What this part draws again, and what the next one will.
    again: VecDeque<u64>,
    later: VecDeque<u64>,
}

impl Repeats {
    /// `n` positions, in one part of `length` draws for each of `chances`.
    ///
    /// # Panics
    /// If there are no positions or more than 2^62, no chances, or no draws in a part.
    pub fn new(n: u64, length: u64, chances: Vec<f64>, seed: u64) -> Self {
        assert!(length > 0 && !chances.is_empty(), "parts have draws");
        Repeats {
            chances,
            length,
            seed,
            order: Permutation::new(n, seed),
            fresh: 0,
            part: 0,
            left: length,
            again: VecDeque::new(),
            later: VecDeque::new(),
        }
    }

    /// The next position.
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        if self.left == 0 {
            self.next_part();
        }
        if self.again.is_empty() && self.fresh == self.order.len() {
            self.begin_anew();
        }
        self.left -= 1;
        let position = match self.again.pop_front() {
            Some(position) => position,
            None => {
                self.fresh += 1;
                self.order.map(self.fresh - 1)
            }
        };
        if stream.unit() < self.chances[self.part] {
            self.later.push_back(position);
        }
        position
    }

    fn next_part(&mut self) {
        self.part += 1;
        if self.part == self.chances.len() {
            return self.begin_anew();
        }
        self.left = self.length;
        // With a chance of 1 more may wait than a part has draws: they come first in the next one.
        self.again.append(&mut self.later);
    }

    fn begin_anew(&mut self) {
        let (n, length, seed) = (self.order.len(), self.length, mix(self.seed ^ self.length));
        *self = Repeats::new(n, length, std::mem::take(&mut self.chances), seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn drawn(repeats: &mut Repeats, draws: u64) -> Vec<u64> {
        let mut stream = Stream::new(7, "repeats");
        (0..draws).map(|_| repeats.draw(&mut stream)).collect()
    }

    #[test]
    fn without_chances_each_position_comes_once() {
        let mut all = drawn(&mut Repeats::new(1000, 100, vec![0.0; 10], 3), 1000);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..1000));
    }

    /// A part of chance 1 comes again whole, and nothing else is in the next one.
    #[test]
    fn what_a_part_drew_comes_again_in_the_next_one() {
        let all = drawn(&mut Repeats::new(1000, 100, vec![0.0, 1.0, 0.0, 0.0], 3), 400);
        assert_eq!(all[100..200], all[200..300], "in its order");
        assert!(all[..100].iter().chain(&all[300..]).all(|at| !all[100..200].contains(at)));
    }

    /// Of 20,000 draws a quarter is chosen: 5,000, with a deviation of 61.
    #[test]
    fn as_many_come_again_as_the_chance_says() {
        let all = drawn(&mut Repeats::new(50_000, 20_000, vec![0.25, 0.0], 3), 40_000);
        let mut times = BTreeMap::new();
        all.iter().for_each(|at| *times.entry(*at).or_insert(0) += 1);
        let twice = times.values().filter(|times| **times == 2).count();
        assert!(twice.abs_diff(5000) < 250, "{twice}");
        assert!(times.values().all(|times| *times <= 2));
    }

    #[test]
    fn behind_the_last_position_all_begins_anew_in_another_order() {
        let all = drawn(&mut Repeats::new(100, 40, vec![0.0; 5], 3), 200);
        let (mut first, mut second) = (all[..100].to_vec(), all[100..].to_vec());
        assert_ne!(first, second);
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!(first, second);
    }
}

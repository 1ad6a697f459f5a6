//! Random subsets: a bit for each of many things says whether it is chosen.

use engine::{Stream, narrow};

/// Binary digits of the share that is drawn first. More cost a draw a word each, fewer leave more
/// bits to correct one by one.
const DIGITS: u32 = 6;

/// So many of so many things, each choice of them as likely as any other.
#[derive(Default)]
pub(super) struct Subset {
    words: Vec<u64>,
    of: u32,
}

impl Subset {
    /// Chooses `need` of `of` things, in the place of what was chosen before.
    ///
    /// First each thing is chosen by itself, with about the right probability: a bit of a word
    /// that is true with probability 0.b1b2...bn follows from n random words, or for a one and and
    /// for a zero, from the last digit on. Then things drawn at random are added or dropped until
    /// their number is right. Neither step knows one thing from another, so that all choices of
    /// the same number stay equally likely, whatever the probability was.
    ///
    /// # Panics
    /// If there are fewer than `need`.
    pub fn draw(&mut self, need: u32, of: u32, stream: &mut Stream) {
        assert!(need <= of, "{need} of {of} things");
        self.of = of;
        self.words.clear();
        let share = share(need, of);
        self.words.extend((0..of.div_ceil(u64::BITS)).map(|_| likely_bits(share, stream)));
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), of % u64::BITS) {
            *last &= (1 << rest) - 1;
        }
        let mut chosen: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        while chosen != need {
            let adds = chosen < need;
            let at = narrow::<u32>(stream.below(u64::from(of)));
            if self.has(at) != adds {
                self.words[(at / u64::BITS) as usize] ^= 1 << (at % u64::BITS);
                chosen = if adds { chosen + 1 } else { chosen - 1 };
            }
        }
    }

    /// True if a thing is chosen.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        self.words[(number / u64::BITS) as usize] >> (number % u64::BITS) & 1 == 1
    }

    /// The bits of 1 to 64 things from a number on.
    #[inline]
    pub fn bits(&self, from: u32, count: u32) -> u64 {
        debug_assert!((1..=u64::BITS).contains(&count) && from + count <= self.of);
        let (word, bit) = ((from / u64::BITS) as usize, from % u64::BITS);
        let mut bits = self.words[word] >> bit;
        if bit + count > u64::BITS {
            bits |= self.words[word + 1] << (u64::BITS - bit);
        }
        bits & (u64::MAX >> (u64::BITS - count))
    }
}

/// The share of `need` in `of` things, rounded, in parts of 2 to the [`DIGITS`].
fn share(need: u32, of: u32) -> u32 {
    let whole = u64::from(of.max(1));
    narrow(((u64::from(need) << DIGITS) + whole / 2) / whole)
}

/// A word whose bits are true with this probability, each by itself.
#[inline]
fn likely_bits(share: u32, stream: &mut Stream) -> u64 {
    if share >> DIGITS == 1 {
        return u64::MAX;
    }
    // Digits behind the last one change nothing.
    let first = share.trailing_zeros().min(DIGITS);
    (first..DIGITS).fold(0, |word, digit| match share >> digit & 1 {
        1 => word | stream.bits(),
        _ => word & stream.bits(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// All 15 pairs of six things come about equally often: chi squared of 14 degrees of freedom
    /// is below 36.1 in 999 cases of 1000.
    #[test]
    fn every_choice_is_as_likely_as_any_other() {
        let (mut stream, mut seen, draws) = (Stream::new(7, "pairs"), BTreeMap::new(), 30_000);
        let mut subset = Subset::default();
        for _ in 0..draws {
            subset.draw(2, 6, &mut stream);
            *seen.entry(subset.bits(0, 6)).or_insert(0.0) += 1.0;
        }
        let wanted = f64::from(draws) / 15.0;
        let chi: f64 = seen.values().map(|n: &f64| (n - wanted) * (n - wanted) / wanted).sum();
        assert!(seen.len() == 15 && chi < 36.1, "{} pairs, {chi:.1}", seen.len());
    }

    /// How many of the first half are chosen follows the hypergeometric distribution: mean n K / N,
    /// variance n K (N - K) (N - n) / (N^2 (N - 1)).
    #[test]
    fn halves_vary_as_much_as_they_have_to() {
        let (mut stream, mut subset) = (Stream::new(3, "halves"), Subset::default());
        for need in [3_u32, 100, 500, 723, 999] {
            let (all, half, draws) = (1000.0, 500.0, 4000);
            let counts: Vec<f64> = (0..draws)
                .map(|_| {
                    subset.draw(need, 1000, &mut stream);
                    (0..500).filter(|at| subset.has(*at)).count() as f64
                })
                .collect();
            let mean = counts.iter().sum::<f64>() / f64::from(draws);
            let square = |count: &f64| (count - mean) * (count - mean);
            let found = counts.iter().map(square).sum::<f64>() / f64::from(draws - 1);
            let need = f64::from(need);
            let variance = need * half * half * (all - need) / (all * all * (all - 1.0));
            let error = libm::sqrt(variance / f64::from(draws));
            assert!((mean - need / 2.0).abs() < 4.0 * error, "{need}: {mean}");
            // The relative error of a variance is sqrt(2 / n), 2.2 % here.
            assert!((found / variance - 1.0).abs() < 0.1, "{need}: {found} for {variance}");
        }
    }

    proptest! {
        #[test]
        fn so_many_are_chosen_and_words_say_which(
            (of, part, seed) in (1..300_u32, 0..=100_u32, any::<u64>()), from in 0..300_u32,
        ) {
            let need = of * part / 100;
            let mut subset = Subset::default();
            // What was chosen before leaves nothing behind.
            subset.draw(300, 300, &mut Stream::new(seed, "before"));
            subset.draw(need, of, &mut Stream::new(seed, "subset"));
            prop_assert_eq!((0..of).filter(|at| subset.has(*at)).count(), need as usize);
            let from = from % of;
            let count = (of - from).min(64);
            let bits = subset.bits(from, count);
            for at in 0..64 {
                prop_assert_eq!(bits >> at & 1 == 1, at < count && subset.has(from + at));
            }
            prop_assert_eq!(subset.words.len(), of.div_ceil(64) as usize);
        }
    }
}

//! What is usual: how likely numbers of dies and channels are before anything is measured, by the
//! drives of the library.

use super::bench::Draft;
use std::collections::BTreeMap;

/// How often each kind is there.
#[derive(Default)]
struct Tally(BTreeMap<u32, u32>);

/// What a kind that was never seen counts as (Jeffreys).
const UNSEEN: f64 = 0.5;

impl Tally {
    fn add(&mut self, kind: u32) {
        *self.0.entry(kind).or_default() += 1;
    }

    /// What a kind costs against the most frequent one, as a chi square: minus twice the logarithm
    /// of the ratio of how often they are there.
    fn rarity(&self, kind: u32) -> f64 {
        let seen = |kind: &u32| f64::from(self.0.get(kind).copied().unwrap_or(0)) + UNSEEN;
        let most = self.0.keys().map(seen).fold(UNSEEN, f64::max);
        2.0 * (most / seen(&kind)).ln()
    }
}

/// How the drives of the library are built.
#[derive(Default)]
pub struct Usual {
    /// Odd factors of the numbers of dies: 1 where it is a power of two.
    dies: Tally,
    /// The same of channels.
    channels: Tally,
    /// Whether the dies are shared out evenly over the channels, as 1 or 0.
    even: Tally,
}

impl Usual {
    /// The drives of the library but those named in `not`.
    pub fn in_library(not: &[String]) -> Self {
        let mut usual = Usual::default();
        for slug in library::flash_drives().filter(|slug| !not.iter().any(|other| other == slug)) {
            let draft = Draft::of(slug);
            if let (Some(dies), Some(channels)) = (draft.count(DIES), draft.count(CHANNELS)) {
                usual.add(dies, channels);
            }
        }
        usual
    }

    fn add(&mut self, dies: u32, channels: u32) {
        self.dies.add(odd_part(dies));
        self.channels.add(odd_part(channels));
        self.even.add(u32::from(dies.is_multiple_of(channels.max(1))));
    }

    /// What a number of dies costs against the most frequent kind of number, as a chi square.
    pub fn rarity_of_dies(&self, dies: u32) -> f64 {
        self.dies.rarity(odd_part(dies))
    }

    /// What a number of channels costs that share so many dies, as a chi square.
    pub fn rarity_of_channels(&self, channels: u32, dies: u32) -> f64 {
        let even = u32::from(dies.is_multiple_of(channels.max(1)));
        self.channels.rarity(odd_part(channels)) + self.even.rarity(even)
    }
}

/// The key of the number of dies.
pub const DIES: &str = "flash.dies";
/// The key of the number of channels.
pub const CHANNELS: &str = "flash.channels";

/// What is left of a number without its factors of two; 1 of 0.
fn odd_part(number: u32) -> u32 {
    (number >> number.trailing_zeros().min(31)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_usual_and_uneven_shares_are_not() {
        assert_eq!([1, 8, 96, 40, 18, 0].map(odd_part), [1, 1, 3, 5, 9, 1]);
        let usual = Usual::in_library(&[]);
        let costs = [128, 40, 96, 56].map(|dies| usual.rarity_of_dies(dies));
        assert!(costs[0] == 0.0 && costs.is_sorted(), "{costs:?}");
        let channels = |count| usual.rarity_of_channels(count, 128);
        assert!(channels(16) == 0.0 && channels(8) == 0.0);
        assert!(channels(12) > 4.0 && channels(18) > channels(12), "of 128 dies");
        assert!(usual.rarity_of_channels(10, 40) < usual.rarity_of_channels(10, 128));
    }

    /// Twice as often is twice the logarithm of two.
    #[test]
    fn what_is_rare_costs_by_how_rare_it_is() {
        let mut tally = Tally::default();
        (0..8).for_each(|_| tally.add(1));
        tally.add(3);
        assert_eq!(tally.rarity(1), 0.0);
        assert!((tally.rarity(3) - 2.0 * (8.5_f64 / 1.5).ln()).abs() < 1e-12);
        assert!((tally.rarity(5) - 2.0 * (8.5_f64 / 0.5).ln()).abs() < 1e-12);
    }
}

//! Draws of the values of models.

use super::value::Value;
use engine::rng::Stream;

/// So many models of each drive, drawn from what is known of its values. Draws of the same number
/// agree in what two drives share: a drive and a variation of it, or two drives with the same
/// flash, are off in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ensemble {
    draws: u16,
    seed: u64,
}

/// How often a draw is taken nearer to the file if no such model can be built.
const NEARER: u32 = 6;

/// The place of what a file says.
const MIDDLE: f64 = 0.5;

/// Values that are correlated one with the next, at most.
const CHAIN: u32 = 8;

impl Ensemble {
    /// An ensemble of so many draws.
    pub fn new(draws: u16, seed: u64) -> Self {
        Ensemble { draws, seed }
    }

    /// How many draws there are.
    pub fn draws(&self) -> u16 {
        self.draws
    }

    /// What values are in a draw, as `--set` takes them; those `given` are already set and stay. If
    /// no such model can be built, the draw lies half as far from the file, and so on; at last it
    /// is the file.
    pub fn draw(
        &self,
        values: &[Value],
        given: &[(String, String)],
        number: u16,
        can_be: impl Fn(&[(String, String)]) -> bool,
    ) -> Vec<(String, String)> {
        let is_free = |value: &&Value| given.iter().all(|(key, _)| *key != value.key);
        let free: Vec<&Value> = values.iter().filter(is_free).collect();
        let place = |value: &Value| {
            let places = self.places(value, &free, CHAIN);
            places.get(usize::from(number)).copied().unwrap_or(MIDDLE)
        };
        let places: Vec<(&Value, f64)> = free.iter().map(|value| (*value, place(value))).collect();
        let mut share = 1.0;
        for _ in 0..NEARER {
            let set = |(value, place): &(&Value, f64)| {
                Some((value.key.clone(), value.at(MIDDLE + (place - MIDDLE) * share)?))
            };
            let set: Vec<_> = given.iter().cloned().chain(places.iter().filter_map(set)).collect();
            if can_be(&set) {
                return set;
            }
            share /= 2.0;
        }
        given.to_vec()
    }

    /// Where in its range a value lies in each draw, 0 to 1. The range is cut into as many parts as
    /// there are draws, and each part comes once (a Latin hypercube: McKay, Beckman and Conover,
    /// Technometrics 21, 1979), so that few draws cover all of it. A value that is correlated with
    /// another one has the ranks of a sum of both (Iman and Conover, Commun. Stat. B 11, 1982), so
    /// that its own parts come once too.
    fn places(&self, value: &Value, all: &[&Value], chain: u32) -> Vec<f64> {
        let own = self.alone(value);
        let partner = value.correlated.as_ref().filter(|_| chain > 0).and_then(|(key, r)| {
            let partner = all.iter().find(|other| other.key == *key)?;
            Some((self.places(partner, all, chain - 1), *r))
        });
        let Some((partner, r)) = partner else { return own };
        let rest = libm::sqrt((1.0 - r * r).max(0.0));
        let both = |(own, partner): (&f64, &f64)| rest * (own - MIDDLE) + r * (partner - MIDDLE);
        let sums: Vec<f64> = own.iter().zip(&partner).map(both).collect();
        let mut ranks: Vec<usize> = (0..sums.len()).collect();
        ranks.sort_by(|a, b| sums[*a].total_cmp(&sums[*b]));
        let mut places = own;
        for (rank, draw) in ranks.into_iter().enumerate() {
            places[draw] = self.middle(rank);
        }
        places
    }

    /// The places of a value by itself.
    fn alone(&self, value: &Value) -> Vec<f64> {
        let mut stream = Stream::new(self.seed, &format!("prior/{}", value.of));
        let mut parts: Vec<usize> = (0..usize::from(self.draws)).collect();
        for last in (1..parts.len()).rev() {
            let other = usize::try_from(stream.below(last as u64 + 1)).unwrap_or(0);
            parts.swap(last, other);
        }
        parts.into_iter().map(|part| self.middle(part)).collect()
    }

    /// The middle of a part of a range.
    fn middle(&self, part: usize) -> f64 {
        (part as f64 + 0.5) / f64::from(self.draws.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::{of_system, of_workload};
    use super::*;
    use library::{System, Workload};

    fn value(of: &str) -> Value {
        Value {
            key: of.into(),
            text: "60 us".into(),
            source: "assumed".into(),
            range: None,
            of: of.into(),
            correlated: None,
            whole: false,
        }
    }

    #[test]
    fn each_part_of_a_range_comes_once() {
        let ensemble = Ensemble::new(16, 1);
        let mut places = ensemble.alone(&value("a"));
        let other = ensemble.alone(&value("b"));
        assert_ne!(places, other, "values are off for themselves");
        places.sort_by(f64::total_cmp);
        let wanted: Vec<f64> = (0..16).map(|i| (f64::from(i) + 0.5) / 16.0).collect();
        assert_eq!(places, wanted);
    }

    #[test]
    fn what_was_fitted_together_is_off_together() {
        let ensemble = Ensemble::new(64, 1);
        let one = value("a");
        for r in [-0.95, -0.5, 0.0, 0.8] {
            let other = Value { correlated: Some(("a".into(), r)), ..value("b") };
            let (of_one, of_other) = (
                ensemble.places(&one, &[], CHAIN),
                ensemble.places(&other, &[&one, &other], CHAIN),
            );
            let off =
                |places: &[f64]| places.iter().map(|place| place - MIDDLE).collect::<Vec<_>>();
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (a, b) = (off(&of_one), off(&of_other));
            let seen = product(&a, &b) / product(&a, &a);
            assert!((seen - r).abs() < 0.15, "{r}: {seen}");
            let mut sorted = of_other.clone();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(sorted[0], 0.5 / 64.0, "each part comes once");
            assert!(sorted.is_sorted_by(|a, b| a < b));
            // Without the other it is drawn by itself, and two that name each other end.
            assert_eq!(ensemble.places(&other, &[&other], CHAIN), ensemble.alone(&value("b")));
            let back = Value { correlated: Some(("b".into(), r)), ..value("a") };
            assert_eq!(ensemble.places(&other, &[&back, &other], CHAIN).len(), 64);
        }
    }

    #[test]
    fn a_draw_is_of_all_that_is_not_known_and_leaves_what_is_given() {
        let system = of_system(&System::named("pm9a3-7.68tb", &[]).unwrap());
        let given = [("nand.erase".to_owned(), "7 ms".to_owned())];
        let ensemble = Ensemble::new(8, 1);
        let draw = ensemble.draw(&system, &given, 3, |_| true);
        assert_eq!(draw[0], given[0]);
        assert_eq!(draw.iter().filter(|(key, _)| key == "nand.erase").count(), 1);
        assert!(draw.len() > 10, "{draw:?}");
        assert_eq!(draw, ensemble.draw(&system, &given, 3, |_| true), "the same seed, the same");
        let exact = ensemble.draw(&system, &given, 3, |_| false);
        assert_eq!(exact, given, "what cannot be built is drawn nearer, and at last not at all");
    }

    #[test]
    fn the_models_of_every_drive_can_be_drawn() {
        for slug in library::drives() {
            let system = System::named(slug, &[]).unwrap();
            let can_be = |set: &[(String, String)]| System::named(slug, set).is_ok();
            for number in [0, 7] {
                let draw = Ensemble::new(8, 1).draw(&of_system(&system), &[], number, can_be);
                assert!(!draw.is_empty(), "{slug}: nothing of it is uncertain, or nothing fits");
            }
        }
    }

    #[test]
    fn two_drives_with_the_same_flash_share_what_is_not_known_of_it() {
        let draw = |slug: &str| {
            let system = System::named(slug, &[]).unwrap();
            Ensemble::new(8, 1).draw(&of_system(&system), &[], 5, |_| true)
        };
        let of = |draw: &[(String, String)], key: &str| {
            draw.iter().find(|(own, _)| own == key).map(|(_, value)| value.clone())
        };
        let (small, large) = (draw("d7-p5520-7.68tb"), draw("d7-p5520-15.36tb"));
        assert!(of(&small, "nand.erase").is_some());
        assert_eq!(of(&small, "nand.erase"), of(&large, "nand.erase"));
    }

    #[test]
    fn what_is_not_known_of_a_workload_is_drawn_too() {
        for name in library::workloads() {
            let values = of_workload(name);
            let spec = |set: &[(String, String)]| {
                let set: Vec<_> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("{name}@{}", set.join(","))
            };
            let can_be = |set: &[(String, String)]| Workload::named(&spec(set)).is_ok();
            for number in 0..8 {
                let draw = Ensemble::new(8, 1).draw(&values, &[], number, can_be);
                assert_eq!(draw.len(), values.len(), "{name}: {draw:?}");
            }
        }
    }
}

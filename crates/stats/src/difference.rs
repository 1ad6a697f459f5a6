//! Whether two sets of repeated measurements differ by more than chance, and by how much.
//!
//! Two tests. Where the runs of both sides are made independently, Welch's two-sample t interval,
//! which does not take the variances for equal: standard error sqrt(sa^2/na + sb^2/nb), degrees of
//! freedom (sa^2/na + sb^2/nb)^2 / ((sa^2/na)^2/(na-1) + (sb^2/nb)^2/(nb-1)) (B. L. Welch,
//! Biometrika 34, 1947, 28; F. E. Satterthwaite, Biometrics Bulletin 2, 1946, 110). Where run i of
//! both shares its seed, Student's interval of the n differences, n - 1 degrees (Student,
//! Biometrika 6, 1908, 1): what the seed does to both falls out. Both take the means as normally
//! distributed. A table of many comparisons is corrected after S. Holm (Scandinavian Journal of
//! Statistics 6, 1979, 65), whatever the comparisons have to do with each other.

use crate::student;
use serde::{Deserialize, Serialize};

/// How the runs of two sides belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// Run i of one side shares its seed with run i of the other.
    Paired,
    /// They share nothing.
    Independent,
}

/// One side minus the other, with its uncertainty, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Mean of the second side minus mean of the first.
    pub difference: f64,
    /// Half the width of its interval.
    pub half_width: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// Probability of a difference at least as large if there were none.
    pub p: f64,
}

impl Difference {
    /// `second` less `first` with the interval that holds the truth with probability `confidence`
    /// (0.95). `None` with fewer than two values a side, values that are not numbers, or pairs of
    /// which one is missing.
    pub fn new(first: &[f64], second: &[f64], pairing: Pairing, confidence: f64) -> Option<Self> {
        match pairing {
            Pairing::Independent => welch(first, second, confidence),
            Pairing::Paired => paired(first, second, confidence),
        }
    }

    fn of(difference: f64, error: f64, degrees: f64, confidence: f64) -> Self {
        // Without any scatter a difference is certain, and none is none.
        if error <= 0.0 {
            let p = if difference == 0.0 { 1.0 } else { 0.0 };
            return Self { difference, half_width: 0.0, degrees, p };
        }
        let p = student::two_sided(difference / error, degrees);
        let half_width = student::critical(1.0 - confidence, degrees) * error;
        Self { difference, half_width, degrees, p }
    }
}

/// Mean and variance (divisor n - 1) of at least two finite values.
pub fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let n = values.len() as f64;
    // About the first value: values that are all the same have that mean and no variance, exactly.
    let first = values[0];
    let shift = values.iter().map(|value| value - first).sum::<f64>() / n;
    let mean = first + shift;
    let squares = values.iter().map(|value| value - mean).map(|rest| rest * rest).sum::<f64>();
    Some((mean, squares / (n - 1.0)))
}

/// Half the width of the interval of a mean (Student), 0 of fewer than two values.
pub fn half_width_of_mean(values: &[f64], confidence: f64) -> f64 {
    let Some((_, variance)) = mean_and_variance(values) else { return 0.0 };
    let n = values.len() as f64;
    match variance > 0.0 {
        true => student::critical(1.0 - confidence, n - 1.0) * libm::sqrt(variance / n),
        false => 0.0,
    }
}

fn welch(first: &[f64], second: &[f64], confidence: f64) -> Option<Difference> {
    let ((a, va), (b, vb)) = (mean_and_variance(first)?, mean_and_variance(second)?);
    let (na, nb) = (first.len() as f64, second.len() as f64);
    let (ea, eb) = (va / na, vb / nb);
    let sum = ea + eb;
    let degrees = match sum > 0.0 {
        // Divided through, so that tiny variances do not vanish when squared.
        true => {
            let (wa, wb) = (ea / sum, eb / sum);
            1.0 / (wa * wa / (na - 1.0) + wb * wb / (nb - 1.0))
        }
        false => na + nb - 2.0,
    };
    Some(Difference::of(b - a, libm::sqrt(sum), degrees, confidence))
}

fn paired(first: &[f64], second: &[f64], confidence: f64) -> Option<Difference> {
    if first.len() != second.len() {
        return None;
    }
    let differences: Vec<f64> = second.iter().zip(first).map(|(b, a)| b - a).collect();
    let (mean, variance) = mean_and_variance(&differences)?;
    let n = differences.len() as f64;
    Some(Difference::of(mean, libm::sqrt(variance / n), n - 1.0, confidence))
}

/// Holm's adjusted probabilities, in the order of `p`: those at most alpha are differences, and
/// the chance that even one of them is none is at most alpha.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut reached: f64 = 0.0;
    for (place, index) in order.into_iter().enumerate() {
        let factor = (p.len() - place) as f64;
        reached = reached.max((p[index] * factor).min(1.0));
        adjusted[index] = reached;
    }
    adjusted
}

/// Relative standard uncertainty of a value behind its 95 % interval, which is 1.96 standard
/// deviations to each side.
pub fn relative_sigma(low: f64, high: f64, value: f64) -> f64 {
    (high - low).abs() / 2.0 / 1.96 / value.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hours of sleep gained with two drugs by ten patients: the data on which Student (1908)
    /// showed his test. The results are those of R's manual, `example(sleep)`.
    const FIRST: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const SECOND: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    fn near(a: f64, b: f64, within: f64) -> bool {
        (a - b).abs() <= within
    }

    #[test]
    fn students_own_data_give_the_published_results() {
        let all = |pairing| Difference::new(&FIRST, &SECOND, pairing, 0.95).unwrap();
        let welch = all(Pairing::Independent);
        assert!(near(welch.difference, 1.58, 1e-9) && near(welch.degrees, 17.776, 1e-3));
        assert!(near(welch.p, 0.07939, 1e-5), "{}", welch.p);
        assert!(near(welch.difference - welch.half_width, -0.205_483_2, 1e-6));
        let paired = all(Pairing::Paired);
        assert!(near(paired.p, 0.002_833, 1e-6) && paired.degrees == 9.0);
        assert!(near(paired.difference - paired.half_width, 0.700_114_2, 1e-6));
    }

    #[test]
    fn without_scatter_a_difference_is_certain_and_none_is_none() {
        let of = |b: f64, pairing| Difference::new(&[0.1; 3], &[b; 3], pairing, 0.95).unwrap();
        for pairing in [Pairing::Paired, Pairing::Independent] {
            assert_eq!((of(0.1, pairing).p, of(0.1, pairing).half_width), (1.0, 0.0));
            assert_eq!((of(0.2, pairing).p, of(0.2, pairing).half_width), (0.0, 0.0));
        }
    }

    #[test]
    fn one_value_or_none_says_nothing() {
        for pairing in [Pairing::Paired, Pairing::Independent] {
            assert_eq!(Difference::new(&[1.0], &[2.0], pairing, 0.95), None);
            assert_eq!(Difference::new(&[1.0, f64::NAN], &[2.0, 3.0], pairing, 0.95), None);
        }
        assert_eq!(Difference::new(&[1.0, 2.0], &[2.0; 3], Pairing::Paired, 0.95), None);
        assert!(Difference::new(&[1.0, 2.0], &[2.0; 3], Pairing::Independent, 0.95).is_some());
    }

    #[test]
    fn holm_is_bonferroni_for_the_first_and_gentler_for_the_rest() {
        // Smallest times 3, next times 2, last times 1; never less than the one before.
        assert_eq!(holm(&[0.01, 0.03, 0.02]), [0.03, 0.04, 0.04]);
        assert_eq!(holm(&[0.5, 0.9]), [1.0, 1.0]);
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }

    /// Normal deviates by Box and Muller over splitmix64: enough for counting how often.
    struct Chance(u64);

    impl Chance {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
            let (u, v) = (1.0 - self.uniform(), self.uniform());
            let radius = libm::sqrt(-2.0 * libm::log(u));
            mean + deviation * radius * libm::cos(std::f64::consts::TAU * v)
        }

        fn sample(&mut self, n: usize, mean: f64, deviation: f64) -> Vec<f64> {
            (0..n).map(|_| self.normal(mean, deviation)).collect()
        }
    }

    /// Share of `runs` in which something happens; the sampling error of 20 000 at 5 % is 0.15 %.
    fn share(runs: u32, mut happens: impl FnMut() -> bool) -> f64 {
        f64::from((0..runs).filter(|_| happens()).count() as u32) / f64::from(runs)
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let mut chance = Chance(1);
        // Variances 1 : 16 and unlike numbers, where the classical test is wrong by a factor.
        let covered = share(20_000, || {
            let (a, b) = (chance.sample(5, 10.0, 1.0), chance.sample(8, 13.0, 4.0));
            let d = Difference::new(&a, &b, Pairing::Independent, 0.95).unwrap();
            (d.difference - 3.0).abs() <= d.half_width
        });
        assert!(near(covered, 0.95, 0.01), "{covered}");
        let covered = share(20_000, || {
            let a = chance.sample(5, 10.0, 4.0);
            let b: Vec<f64> = a.iter().map(|a| a + chance.normal(0.5, 0.1)).collect();
            let d = Difference::new(&a, &b, Pairing::Paired, 0.95).unwrap();
            (d.difference - 0.5).abs() <= d.half_width
        });
        assert!(near(covered, 0.95, 0.005), "{covered}");
    }

    #[test]
    fn a_table_without_differences_raises_one_false_alarm_in_twenty() {
        let mut chance = Chance(2);
        let mut table = |corrected: bool| {
            let mut p = |_| {
                let (a, b) = (chance.sample(5, 1.0, 0.1), chance.sample(5, 1.0, 0.1));
                Difference::new(&a, &b, Pairing::Independent, 0.95).unwrap().p
            };
            let rows: Vec<f64> = (0..10).map(&mut p).collect();
            let least = |list: &[f64]| list.iter().copied().fold(1.0, f64::min);
            least(&if corrected { holm(&rows) } else { rows }) <= 0.05
        };
        let corrected = share(5_000, || table(true));
        let plain = share(5_000, || table(false));
        // 1 - 0.95^10 = 40 % without the correction.
        assert!((0.03..=0.06).contains(&corrected), "{corrected}");
        assert!((0.33..=0.43).contains(&plain), "{plain}");
    }
}

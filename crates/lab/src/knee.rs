//! Knees of a sustained-write curve: where a plateau ends and another begins.
//!
//! The curve is cut in two where that lowers the sum of squared distances from the means of both
//! sides most, and the parts again, as long as a cut pays (binary segmentation; Scott and Knott
//! 1974, Vostrikova 1981). A cut pays if it lowers the sum by more than 3 ln(n) times the variance
//! of the noise (Schwarz's criterion for two more parameters and a place, as Yao 1988 has it), and
//! the rates of both sides differ by 10 % or more. The noise is what neighbours differ by (median
//! of the absolute differences over 0.954), which a step does not disturb.

use super::curve::Curve;

/// Least number of points of a plateau.
const SHORTEST: usize = 3;
/// Least difference of the rates of neighbours, as a share of the larger.
const APART: f64 = 0.1;

/// A stretch at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// Bytes written before it.
    pub from_bytes: f64,
    /// Mean rate.
    pub bytes_per_s: f64,
}

/// The plateaus of a curve in order; at least one of a curve with points.
pub fn plateaus(curve: &Curve) -> Vec<Plateau> {
    let rates = curve.rates();
    if rates.is_empty() {
        return Vec::new();
    }
    let mut cuts = vec![0, rates.len()];
    let noise = noise(&rates);
    let penalty = 3.0 * libm::log(rates.len() as f64) * noise * noise;
    let mut open = vec![(0, rates.len())];
    while let Some((from, to)) = open.pop() {
        let Some(cut) = best_cut(&rates[from..to], penalty) else { continue };
        cuts.push(from + cut);
        open.extend([(from, from + cut), (from + cut, to)]);
    }
    cuts.sort_unstable();
    merge(&rates, &mut cuts);
    let plateau = |pair: &[usize]| Plateau {
        from_bytes: curve.bytes[..pair[0]].iter().sum(),
        bytes_per_s: mean(&rates[pair[0]..pair[1]]),
    };
    cuts.windows(2).map(plateau).collect()
}

/// Where a cut pays most.
fn best_cut(rates: &[f64], penalty: f64) -> Option<usize> {
    let (n, total) = (rates.len() as f64, rates.iter().sum::<f64>());
    let mut sum = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for (i, rate) in rates.iter().enumerate().take(rates.len().saturating_sub(SHORTEST)) {
        sum += rate;
        let left = i as f64 + 1.0;
        if i + 1 < SHORTEST {
            continue;
        }
        // What the sum of squares falls by: n1 n2 / n times the square of the means' distance.
        let apart = sum / left - (total - sum) / (n - left);
        let gain = left * (n - left) / n * apart * apart;
        if best.is_none_or(|(known, _)| gain > known) {
            best = Some((gain, i + 1));
        }
    }
    let (gain, cut) = best?;
    let (left, right) = (mean(&rates[..cut]), mean(&rates[cut..]));
    (gain > penalty && distinct(left, right)).then_some(cut)
}

/// Takes out cuts between plateaus that are no longer apart: a cut may have been made for the
/// sake of what is a plateau of its own by now.
fn merge(rates: &[f64], cuts: &mut Vec<usize>) {
    let mut i = 1;
    while i + 1 < cuts.len() {
        let left = mean(&rates[cuts[i - 1]..cuts[i]]);
        let right = mean(&rates[cuts[i]..cuts[i + 1]]);
        if distinct(left, right) {
            i += 1;
        } else {
            cuts.remove(i);
            i = 1;
        }
    }
}

fn distinct(a: f64, b: f64) -> bool {
    (a - b).abs() >= APART * a.abs().max(b.abs())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Standard deviation of the noise. Differences of neighbours have twice its variance, and half of
/// them are below 0.6745 of their deviation: 0.6745 x sqrt(2) = 0.954.
fn noise(rates: &[f64]) -> f64 {
    let mut steps: Vec<f64> = rates.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).map_or(0.0, |median| median / 0.954)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    fn curve(parts: &[(usize, f64)], jitter: f64) -> Curve {
        let mut stream = Stream::new(7, "knee");
        let mut draw = || (stream.below(2001) as f64 - 1000.0) / 1000.0;
        let bytes = parts
            .iter()
            .flat_map(|(count, rate)| std::iter::repeat_n(*rate, *count))
            .map(|rate| rate * (1.0 + jitter * draw()))
            .collect();
        Curve { step_s: 1.0, bytes, ..Curve::default() }
    }

    #[test]
    fn a_level_curve_has_one_plateau() {
        for jitter in [0.0, 0.02, 0.3] {
            let found = plateaus(&curve(&[(240, 500.0)], jitter));
            assert_eq!(found.len(), 1, "{jitter}: {found:?}");
            assert!((found[0].bytes_per_s / 500.0 - 1.0).abs() < 0.03);
        }
        assert!(plateaus(&Curve::default()).is_empty());
    }

    #[test]
    fn knees_are_found_where_they_are() {
        for jitter in [0.0, 0.05, 0.15] {
            let made = curve(&[(30, 2200.0), (60, 800.0), (150, 440.0)], jitter);
            let found = plateaus(&made);
            assert_eq!(found.len(), 3, "{jitter}: {found:?}");
            for (plateau, (points, rate)) in
                found.iter().zip([(0, 2200.0), (30, 800.0), (90, 440.0)])
            {
                let at: f64 = made.bytes[..points].iter().sum();
                assert!((plateau.from_bytes - at).abs() <= 2.0 * 2200.0, "{jitter}: {plateau:?}");
                assert!((plateau.bytes_per_s / rate - 1.0).abs() < 0.05, "{jitter}: {plateau:?}");
            }
        }
    }

    /// A step of a tenth is a knee, a smaller one is not, however clear it is.
    #[test]
    fn a_step_counts_from_a_tenth_on() {
        assert_eq!(plateaus(&curve(&[(100, 100.0), (100, 89.9)], 0.0)).len(), 2);
        assert_eq!(plateaus(&curve(&[(100, 100.0), (100, 90.1)], 0.0)).len(), 1);
        assert_eq!(plateaus(&curve(&[(200, 100.0), (SHORTEST, 50.0)], 0.0)).len(), 2);
    }
}

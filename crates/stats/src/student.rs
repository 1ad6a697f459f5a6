//! Student's t distribution: how likely a deviation is by chance, and which one has a given chance.
//!
//! Own code, since the packages that have it use the logarithms of the platform, and a verdict must
//! not depend on them; only the incomplete beta function below is needed.

/// Terms of the continued fraction at most; it needs some tens.
const TERMS_MAX: u32 = 10_000;
/// Relative change of a term's factor at which the continued fraction has arrived.
const ARRIVED: f64 = 1e-15;
/// Stands for a denominator of zero.
const TINY: f64 = 1e-300;

/// Probability that Student's t with `degrees` (> 0) of freedom deviates from 0 by at least
/// `|t|`, to either side: the incomplete beta function I_x(degrees/2, 1/2) at
/// x = degrees / (degrees + t^2) (Abramowitz and Stegun, 26.7.1 and 26.5.27).
pub fn two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    // Of the two complementary arguments the smaller one is computed without cancellation.
    let square = t * t;
    let (x, rest) = (degrees / (degrees + square), square / (degrees + square));
    incomplete_beta(x, rest, degrees / 2.0, 0.5)
}

/// The deviation that Student's t with `degrees` (> 0) of freedom exceeds to either side with
/// probability `alpha` (0 to 1, exclusive): 2.776 for 4 degrees and 0.05.
pub fn critical(alpha: f64, degrees: f64) -> f64 {
    if !(alpha > 0.0 && alpha < 1.0 && degrees > 0.0) {
        return f64::NAN;
    }
    let mut high = 1.0;
    while two_sided(high, degrees) > alpha && high < 1e300 {
        high *= 2.0;
    }
    let mut low = 0.0;
    // The function falls: halving pins it down to the last bit.
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        match two_sided(middle, degrees) > alpha {
            true => low = middle,
            false => high = middle,
        }
    }
}

/// Standard deviations to each side that hold a share (0 to 1, exclusive) of a normal distribution:
/// 1.645 for 0.9.
pub fn deviations(share: f64) -> f64 {
    // Student's t with so many degrees is normal to six digits.
    critical(1.0 - share, 1e7)
}

/// The regularised incomplete beta function I_x(a, b), `rest` = 1 - x: the continued fraction
/// DLMF 8.17.22, evaluated by Lentz's method in Thompson and Barnett's form (J. Comput. Phys. 64,
/// 1986, 490).
fn incomplete_beta(x: f64, rest: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    // Where the fraction converges slowly, the mirrored one converges fast.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(rest, x, b, a);
    }
    let beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log(rest) - beta) / a;
    let sound = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / sound(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..=TERMS_MAX {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / sound(1.0 + even * d);
        c = sound(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / sound(1.0 + odd * d);
        c = sound(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < ARRIVED {
            break;
        }
    }
    front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, two-sided 5 % and 1 %.
    const TABLE: [(f64, f64, f64); 8] = [
        (1.0, 12.706, 63.657),
        (2.0, 4.303, 9.925),
        (3.0, 3.182, 5.841),
        (4.0, 2.776, 4.604),
        (8.0, 2.306, 3.355),
        (10.0, 2.228, 3.169),
        (30.0, 2.042, 2.750),
        (100.0, 1.984, 2.626),
    ];

    #[test]
    fn quantiles_are_those_of_the_published_table() {
        for (degrees, five, one) in TABLE {
            assert!((critical(0.05, degrees) - five).abs() < 5e-4, "{degrees} at 5 %");
            assert!((critical(0.01, degrees) - one).abs() < 5e-4, "{degrees} at 1 %");
        }
        // The limit is the normal distribution.
        assert!((critical(0.05, 1e7) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn one_and_two_degrees_have_closed_forms() {
        // Cauchy: 1 - 2 atan(t) / pi. Two degrees: 1 - t / sqrt(2 + t^2).
        for t in [1e-6, 0.01, 0.5, 1.0, 3.0, 40.0, 1e5] {
            let cauchy = 2.0 * libm::atan(1.0 / t) / std::f64::consts::PI;
            assert!((two_sided(t, 1.0) / cauchy - 1.0).abs() < 1e-12, "{t}");
            let two = 2.0 / (2.0 + t * t + t * libm::sqrt(2.0 + t * t));
            assert!((two_sided(t, 2.0) / two - 1.0).abs() < 1e-12, "{t}");
        }
        assert_eq!(two_sided(0.0, 7.0), 1.0);
        assert_eq!(two_sided(f64::INFINITY, 7.0), 0.0);
    }

    #[test]
    fn quantile_and_probability_are_inverse_and_fractions_lie_between() {
        for degrees in [1.0, 3.7, 17.776, 200.5] {
            for alpha in [0.9, 0.05, 1e-3, 1e-9] {
                let back = two_sided(critical(alpha, degrees), degrees);
                assert!((back / alpha - 1.0).abs() < 1e-9, "{degrees} {alpha}: {back}");
            }
        }
        let between = critical(0.05, 4.5);
        assert!(critical(0.05, 5.0) < between && between < critical(0.05, 4.0));
    }

    #[test]
    fn what_makes_no_sense_is_no_number() {
        assert!(two_sided(f64::NAN, 3.0).is_nan() && two_sided(1.0, 0.0).is_nan());
        assert!(critical(0.0, 3.0).is_nan() && critical(1.0, 3.0).is_nan());
        assert!(critical(0.05, -1.0).is_nan());
    }
}

//! How long the arm takes: a square root for short distances, over which it speeds up and slows
//! down, and a line for long ones, on which it moves at full speed, joined without a corner.
//!
//! t(d) = a + b sqrt(d) up to a distance D, and t(d) = t(D) + b (d - D) / (2 sqrt(D)) beyond it
//! (Ruemmler and Wilkes, "An introduction to disk drive modeling", Computer 27(3), 1994). Data
//! sheets give t(N) and the mean over pairs of cylinders at random, whose distance x N has the
//! density 2 (1 - x); with the time `a` to settle after a short seek they determine b and D. The
//! step to the next cylinder, for which the arm hardly moves, has a time of its own.

use super::config::{ArmConfig, Fault, need};
use engine::{Duration, whole};

/// The curve of one disk.
#[derive(Clone, Copy, Debug)]
pub struct SeekCurve {
    /// Picoseconds to the next cylinder.
    first: f64,
    /// Picoseconds to settle.
    base: f64,
    /// Picoseconds for the root of a cylinder.
    root: f64,
    /// Cylinders from which on it is a line.
    knee: f64,
}

impl SeekCurve {
    /// Whether a curve of this kind can have these three times.
    pub(super) fn check(arm: &ArmConfig, cylinders: u32) -> Result<(), Fault> {
        if cylinders < 64 {
            return Ok(());
        }
        let (least, most) = (arm.settle.ps() as f64, arm.full_stroke.ps() as f64);
        let help = "give the longest seek";
        need(least <= most, "arm.full_stroke", "it is below `settle`", help)?;
        // A line has the mean of x over the density 2 (1 - x), 1/3, and a root that of sqrt(x),
        // 8/15.
        let share = (arm.average.ps() as f64 - least) / (most - least).max(1.0);
        let help = "give settle + 34 % to 53 % of (full_stroke - settle)";
        let fits = most == least && share == 0.0 || (0.34..0.53).contains(&share);
        need(fits, "arm.average", "no seek curve has this mean with these ends", help)
    }

    /// The curve through the three times of an arm over this many cylinders.
    pub fn new(arm: &ArmConfig, cylinders: u32) -> Self {
        let longest = f64::from(cylinders.max(2) - 1);
        let average = arm.average.ps() as f64;
        // The mean rises with the knee, from that of a line to that of a root.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..64 {
            let middle = (low + high) / 2.0;
            let curve = Self::with_knee(arm, longest, middle);
            if curve.mean(longest) < average { low = middle } else { high = middle }
        }
        Self::with_knee(arm, longest, (low + high) / 2.0)
    }

    /// The curve through both ends with a knee at a share of the distance, on a scale of square
    /// roots.
    fn with_knee(arm: &ArmConfig, longest: f64, share: f64) -> Self {
        let (base, full) = (arm.settle.ps() as f64, arm.full_stroke.ps() as f64);
        let knee = (share * share * longest).max(1.0);
        let way = (libm::sqrt(knee) + longest / libm::sqrt(knee)) / 2.0;
        SeekCurve { first: arm.track_to_track.ps() as f64, base, root: (full - base) / way, knee }
    }

    /// Picoseconds over a distance above one cylinder.
    fn at(&self, distance: f64) -> f64 {
        if distance <= self.knee {
            return self.base + self.root * libm::sqrt(distance);
        }
        let knee = libm::sqrt(self.knee);
        self.base + self.root * (knee + (distance - self.knee) / (2.0 * knee))
    }

    /// Mean over pairs of cylinders at random, in picoseconds, in closed form: with c = D / N,
    /// the integral of 2 (1 - x) sqrt(x N) to c and of 2 (1 - x) (sqrt(c N) + (x - c) N / (2
    /// sqrt(c N))) from c to 1.
    pub fn mean(&self, longest: f64) -> f64 {
        let c = (self.knee / longest).min(1.0);
        let rc = libm::sqrt(c);
        let short = libm::sqrt(longest) * (4.0 / 3.0 * c * rc - 4.0 / 5.0 * c * c * rc);
        let rest = (1.0 - c) * (1.0 - c);
        let knee = libm::sqrt(self.knee);
        let long = knee * rest + longest / (2.0 * knee) * rest * (1.0 - c) / 3.0;
        self.base + self.root * (short + long)
    }

    /// The time to move over this many cylinders; nothing for none.
    pub fn time(&self, cylinders: u32) -> Duration {
        match cylinders {
            0 => Duration::ZERO,
            1 => Duration::from_ps(whole(self.first)),
            d => Duration::from_ps(whole(libm::round(self.at(f64::from(d)).max(0.0)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    fn arm() -> ArmConfig {
        ArmConfig {
            track_to_track: Duration::from_us(800),
            average: Duration::from_us(8_500),
            settle: Duration::from_ms(2),
            full_stroke: Duration::from_us(14_700),
            write_settle: Duration::from_ms(1),
            head_switch: Duration::from_us(800),
        }
    }

    #[test]
    fn the_curve_goes_through_what_the_data_sheet_says() {
        let n = 400_000;
        let curve = SeekCurve::new(&arm(), n);
        assert_eq!(curve.time(0), Duration::ZERO);
        assert_eq!(curve.time(1), Duration::from_us(800));
        assert!(curve.time(2).as_s() - 2e-3 < 5e-5, "{:?}", curve.time(2));
        assert_eq!((curve.time(n - 1).ps() + 500) / 1000, 14_700_000);
        let mean = curve.mean(f64::from(n - 1)) / 1e9;
        assert!((mean - 8.5).abs() < 1e-6, "{mean}");
    }

    /// The mean over drawn pairs is the integral of the curve over the density 2 (1 - x).
    #[test]
    fn random_pairs_have_the_mean_of_the_integral() {
        let n = 400_000;
        let curve = SeekCurve::new(&arm(), n);
        let mut stream = Stream::new(1, "pairs");
        let draws = 400_000;
        let mut sum = 0.0;
        for _ in 0..draws {
            let (a, b) = (stream.below(n.into()) as u32, stream.below(n.into()) as u32);
            sum += curve.time(a.abs_diff(b)).as_s();
        }
        let mean = sum / f64::from(draws);
        assert!((mean / 8.5e-3 - 1.0).abs() < 0.003, "{mean}");
    }

    #[test]
    fn it_rises_and_has_no_corner() {
        let curve = SeekCurve::new(&arm(), 400_000);
        let knee = curve.knee;
        assert!(knee > 2.0 && knee < 399_000.0, "{knee}");
        let slope = |d: f64| (curve.at(d + 1.0) - curve.at(d - 1.0)) / 2.0;
        assert!((slope(knee - 2.0) / slope(knee + 2.0) - 1.0).abs() < 1e-3);
        let times: Vec<_> = (0..400).map(|i| curve.time(i * 1000)).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn a_mean_outside_root_and_line_is_refused() {
        let of = |average| SeekCurve::check(&ArmConfig { average, ..arm() }, 400_000);
        assert!(of(Duration::from_us(8_500)).is_ok());
        assert_eq!(of(Duration::from_us(6_000)).unwrap_err().key, "arm.average");
        assert_eq!(of(Duration::from_us(8_800)).unwrap_err().key, "arm.average");
        let full_stroke = Duration::from_ms(1);
        let short = ArmConfig { full_stroke, ..arm() };
        assert_eq!(SeekCurve::check(&short, 400_000).unwrap_err().key, "arm.full_stroke");
    }
}

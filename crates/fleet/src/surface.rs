//! Write amplification by how full a drive is, from a few simulations.

/// A curve through points, in the logarithm of its values: monotone where they are (Fritsch and
/// Carlson 1980).
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Places, rising, and the logarithms there.
    at: Vec<f64>,
    logs: Vec<f64>,
    slopes: Vec<f64>,
}

impl Surface {
    /// The curve through these places (rising) and values (above 0).
    ///
    /// # Panics
    /// If there is no point.
    pub fn new(points: &[(f64, f64)]) -> Self {
        assert!(!points.is_empty(), "a curve needs a point");
        let at: Vec<f64> = points.iter().map(|point| point.0).collect();
        let logs: Vec<f64> = points.iter().map(|point| libm::log(point.1)).collect();
        let slopes = slopes(&at, &logs);
        Self { at, logs, slopes }
    }

    /// The value at a place; beyond the ends, that of the end.
    pub fn value(&self, place: f64) -> f64 {
        let last = self.at.len() - 1;
        let place = place.clamp(self.at[0], self.at[last]);
        let next = self.at.partition_point(|at| *at <= place).min(last);
        let Some(before) = next.checked_sub(1) else { return libm::exp(self.logs[0]) };
        let width = self.at[next] - self.at[before];
        let t = (place - self.at[before]) / width;
        let (square, cube) = (t * t, t * t * t);
        let log = (2.0 * cube - 3.0 * square + 1.0) * self.logs[before]
            + (cube - 2.0 * square + t) * width * self.slopes[before]
            + (3.0 * square - 2.0 * cube) * self.logs[next]
            + (cube - square) * width * self.slopes[next];
        libm::exp(log)
    }

    /// How far each point but the ends is from the curve through the others, as a share of it: the
    /// greatest of them; `None` of fewer than three points.
    pub fn left_out(&self) -> Option<f64> {
        let points = || self.at.iter().zip(&self.logs).map(|(at, log)| (*at, libm::exp(*log)));
        let without = |out: usize| {
            let rest = points().enumerate().filter(|(place, _)| *place != out);
            let rest: Vec<(f64, f64)> = rest.map(|(_, point)| point).collect();
            (Surface::new(&rest).value(self.at[out]) / libm::exp(self.logs[out]) - 1.0).abs()
        };
        (1..self.at.len().saturating_sub(1)).map(without).reduce(f64::max)
    }
}

/// The slope at each point: none where values turn, else a mean of those beside it that keeps the
/// curve from going beyond the points.
fn slopes(at: &[f64], logs: &[f64]) -> Vec<f64> {
    let steps: Vec<(f64, f64)> = (1..at.len())
        .map(|i| (at[i] - at[i - 1], (logs[i] - logs[i - 1]) / (at[i] - at[i - 1])))
        .collect();
    let inner = |i: usize| {
        let ((left, before), (right, after)) = (steps[i - 1], steps[i]);
        if before * after <= 0.0 {
            return 0.0;
        }
        let (near, far) = (2.0 * right + left, right + 2.0 * left);
        (near + far) / (near / before + far / after)
    };
    let end = |step: Option<&(f64, f64)>| step.map_or(0.0, |step| step.1);
    let of = |i: usize| match i {
        0 => end(steps.first()),
        i if i + 1 == at.len() => end(steps.last()),
        i => inner(i),
    };
    (0..at.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The curve meets its points, and does not go beyond those beside a place.
        #[test]
        fn it_meets_its_points_and_stays_between_them(
            steps in prop::collection::vec((0.01..0.5_f64, 0.0..2.0_f64), 1..9),
            share in 0.0..1.0_f64,
        ) {
            let (mut at, mut log) = (0.1, 0.0);
            let points: Vec<(f64, f64)> = steps
                .iter()
                .map(|(width, rise)| {
                    at += width;
                    log += rise;
                    (at, libm::exp(log))
                })
                .collect();
            let surface = Surface::new(&points);
            for (place, value) in &points {
                prop_assert!((surface.value(*place) / value - 1.0).abs() < 1e-9);
            }
            for pair in points.windows(2) {
                let value = surface.value(pair[0].0 + share * (pair[1].0 - pair[0].0));
                let (low, high) = (pair[0].1 * (1.0 - 1e-9), pair[1].1 * (1.0 + 1e-9));
                prop_assert!(low <= value && value <= high);
            }
            prop_assert_eq!(surface.value(0.0), surface.value(points[0].0));
            prop_assert_eq!(surface.value(99.0), surface.value(at));
        }
    }

    #[test]
    fn what_is_left_out_tells_how_well_it_lies_between_points() {
        let points: Vec<(f64, f64)> =
            (1..8).map(|i| (i as f64, libm::exp(0.3 * i as f64))).collect();
        assert!(Surface::new(&points).left_out().unwrap() < 1e-9, "a straight line in logarithms");
        let bent = [(1.0, 1.0), (2.0, 1.0), (3.0, 4.0)];
        assert!(Surface::new(&bent).left_out().unwrap() > 0.5);
        assert_eq!(Surface::new(&bent[..2]).left_out(), None);
    }
}

//! Derivatives of noisy, piecewise constant figures by central differences.

use super::problem::{Problem, Seen, Simulate};
use nalgebra::DMatrix;

/// Derivatives at a point, and how far they stand out from noise.
#[derive(Clone, Debug)]
pub(super) struct Jacobian {
    /// Change of the logarithm of each figure (row) with the coordinate of each parameter
    /// (column), over the figure's standard uncertainty.
    pub(super) weighted: DMatrix<f64>,
    /// Of each parameter the largest change of a figure between the two points, over the noise of
    /// their difference.
    pub(super) signal: Vec<f64>,
}

/// A step as long as this, in the coordinate, shows a change of a figure whose relative noise is
/// `noise`: the noise of a central difference is `noise / h`, its error of form `h^2 f''' / 6`, and
/// their sum is least at the cube root of `3 noise / f'''` (Moré and Wild 2012), where the third
/// derivative of a logarithm with a logarithm is taken as 1.
pub(super) fn step(noise: f64) -> f64 {
    libm::cbrt(3.0 * noise).clamp(0.03, 0.2)
}

/// Derivatives at a point. `sigma` is the uncertainty of each figure, `centre` what is seen there.
pub(super) fn jacobian<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    point: &[f64],
    centre: &[Seen],
    sigma: &[f64],
) -> Result<Jacobian, S::Error> {
    let mut noises: Vec<f64> = centre.iter().map(|seen| seen.noise).collect();
    noises.sort_by(f64::total_cmp);
    let step = step(noises.get(noises.len() / 2).copied().unwrap_or(0.0));
    let mut points = Vec::new();
    for (j, parameter) in problem.parameters.iter().enumerate() {
        // A share moves by the same part of its bounds as a time by a part of itself, at most.
        let at = parameter.coordinate(point[j]);
        for side in [-1.0, 1.0] {
            let mut value = parameter.settle(parameter.value(at + side * step));
            if value == parameter.settle(point[j]) && parameter.start.is_count() {
                value = parameter.settle(value + side);
            }
            let mut moved = point.to_vec();
            moved[j] = value;
            points.push(moved);
        }
    }
    let seen = simulate.simulate(&points)?;
    let (rows, columns) = (problem.figures.len(), problem.parameters.len());
    let mut weighted = DMatrix::zeros(rows, columns);
    let mut signal = vec![0.0; columns];
    for (j, parameter) in problem.parameters.iter().enumerate() {
        // Where one side cannot be built, the difference is one-sided.
        let side = |k: usize| match &seen[2 * j + k] {
            Some(seen) => (points[2 * j + k][j], &seen[..]),
            None => (point[j], centre),
        };
        let ((below, low), (above, high)) = (side(0), side(1));
        let run = parameter.coordinate(above) - parameter.coordinate(below);
        if run <= 0.0 {
            continue;
        }
        let (low_misses, high_misses) = (problem.misses(Some(low)), problem.misses(Some(high)));
        for i in 0..rows {
            let change = high_misses[i] - low_misses[i];
            weighted[(i, j)] = change / run / sigma[i];
            let noise = libm::hypot(low[i].noise, high[i].noise).max(1e-4);
            signal[j] = f64::max(signal[j], change.abs() / noise);
        }
    }
    Ok(Jacobian { weighted, signal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_grows_with_the_noise_within_limits() {
        assert_eq!(step(0.0), 0.03);
        assert!((step(1e-3) - 0.144).abs() < 1e-3);
        assert_eq!(step(0.5), 0.2);
    }
}

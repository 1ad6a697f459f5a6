//! How sure the fitted values are, and what each figure contributes.

use nalgebra::DMatrix;

/// What the derivatives at the fitted point say.
#[derive(Clone, Debug, PartialEq)]
pub struct Certainty {
    /// Standard uncertainty of each parameter's coordinate: relative for those on a logarithmic
    /// axis, a part of the width of the bounds for the others.
    pub sigma: Vec<f64>,
    /// Correlation of each pair of parameters.
    pub correlation: Vec<Vec<f64>>,
    /// Of each parameter the share of the information that each figure holds, the other
    /// parameters known.
    pub information: Vec<Vec<f64>>,
    /// Of each figure how much of its own prediction it determines, 0 to 1.
    pub leverage: Vec<f64>,
    /// Sum of squares over the degrees of freedom; `None` if there is none left.
    pub reduced_chi_square: Option<f64>,
}

/// Inverse of the normal matrix; `None` if it is singular.
pub(super) fn inverse(weighted: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let normal = weighted.transpose() * weighted;
    // Columns of unit length first: the parameters' scales must not decide what is singular.
    let lengths: Vec<f64> = (0..normal.nrows()).map(|j| normal[(j, j)].sqrt()).collect();
    if lengths.iter().any(|length| *length <= 0.0 || !length.is_finite()) {
        return None;
    }
    let unit = |i: usize, j: usize| normal[(i, j)] / lengths[i] / lengths[j];
    let scaled = DMatrix::from_fn(normal.nrows(), normal.ncols(), unit);
    let inverse = scaled.cholesky()?.inverse();
    let back = |i: usize, j: usize| inverse[(i, j)] / lengths[i] / lengths[j];
    Some(DMatrix::from_fn(normal.nrows(), normal.ncols(), back))
}

/// Uncertainty from the derivatives and what is left (weighted residuals). `None` if the figures
/// do not fix the parameters.
///
/// The covariance is the inverse of the normal matrix; where the residuals are larger than the
/// uncertainties of the figures explain, it grows by the reduced sum of squares (the scale factor
/// of Birge), and it never shrinks.
pub(super) fn certainty(weighted: &DMatrix<f64>, residuals: &[f64]) -> Option<Certainty> {
    let (figures, parameters) = weighted.shape();
    let inverse = inverse(weighted)?;
    let chi_square: f64 = residuals.iter().map(|r| r * r).sum();
    let freedom = figures.saturating_sub(parameters);
    let reduced = (freedom > 0).then(|| chi_square / freedom as f64);
    let scale = reduced.unwrap_or(1.0).max(1.0);
    let sigma: Vec<f64> = (0..parameters).map(|j| (inverse[(j, j)] * scale).sqrt()).collect();
    let correlate =
        |i: usize, j: usize| inverse[(i, j)] / (inverse[(i, i)] * inverse[(j, j)]).sqrt();
    let correlation =
        (0..parameters).map(|i| (0..parameters).map(|j| correlate(i, j)).collect()).collect();
    let share = |j: usize| {
        let all: f64 = weighted.column(j).norm_squared();
        (0..figures).map(|i| weighted[(i, j)] * weighted[(i, j)] / all).collect()
    };
    let hat = weighted * &inverse * weighted.transpose();
    Some(Certainty {
        sigma,
        correlation,
        information: (0..parameters).map(share).collect(),
        leverage: (0..figures).map(|i| hat[(i, i)].clamp(0.0, 1.0)).collect(),
        reduced_chi_square: reduced,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A straight line through n points: the textbook's standard errors.
    #[test]
    fn a_straight_line_has_the_standard_errors_of_the_textbook() {
        let x: Vec<f64> = (0..11).map(f64::from).collect();
        let design = DMatrix::from_fn(11, 2, |i, j| if j == 0 { 1.0 } else { x[i] });
        let sure = certainty(&design, &[0.0; 11]).unwrap();
        let (n, mean) = (11.0, 5.0);
        let spread: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
        assert!((sure.sigma[1] - (1.0 / spread).sqrt()).abs() < 1e-12);
        assert!((sure.sigma[0] - (1.0 / n + mean * mean / spread).sqrt()).abs() < 1e-12);
        assert!((sure.leverage.iter().sum::<f64>() - 2.0).abs() < 1e-9, "parameters in all");
        assert!((sure.information[0].iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn residuals_larger_than_their_uncertainty_widen_it_and_smaller_ones_do_not_narrow_it() {
        let design = DMatrix::from_element(5, 1, 1.0);
        let with = |r: f64| certainty(&design, &[r; 5]).unwrap().sigma[0];
        assert!((with(0.0) - 1.0 / 5f64.sqrt()).abs() < 1e-12);
        assert!((with(4.0) / with(0.0) - (80.0f64 / 4.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn equal_columns_have_no_uncertainty() {
        assert_eq!(certainty(&DMatrix::from_element(5, 2, 1.0), &[0.0; 5]), None);
        assert_eq!(certainty(&DMatrix::from_element(5, 1, 0.0), &[0.0; 5]), None);
    }
}

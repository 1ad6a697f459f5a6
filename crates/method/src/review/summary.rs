//! Counts and errors, fitted and predicted figures apart.

use serde::Serialize;

use super::claim_verdict::ClaimResult;
use super::figure::Basis;
use super::figure_verdict::FigureResult;
use super::verdict::{Verdict, relative_error};

/// The figures of one basis. Only fitted and predicted figures that are no bounds have errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BasisSummary {
    /// Figures of this basis, bounds included.
    pub count: usize,
    /// Median relative error as a fraction.
    pub median_error: Option<f64>,
    /// Largest relative error as a fraction.
    pub worst_error: Option<f64>,
    /// Figures that the errors are over.
    pub compared: usize,
    /// Of these, figures within the aim.
    pub hits: usize,
    /// Bounds that are kept.
    pub bounds_held: usize,
    /// Bounds that are broken.
    pub bounds_failed: usize,
}

/// The sums over a reproduction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Figures with which a parameter was chosen.
    pub fitted: BasisSummary,
    /// Figures with which none was.
    pub predicted: BasisSummary,
    /// Values that the model contains.
    pub input: BasisSummary,
    /// Values that the model says nothing about.
    pub not_modelled: BasisSummary,
    /// Claims that hold.
    pub claims_held: usize,
    /// Claims that do not.
    pub claims_failed: usize,
    /// Claims that cannot be checked.
    pub claims_unchecked: usize,
    /// Figures whose run went wrong.
    pub figures_not_run: usize,
}

impl Summary {
    pub(super) fn of(figures: &[FigureResult], claims: &[ClaimResult]) -> Self {
        let [fitted, predicted, input, not_modelled] =
            Basis::ALL.map(|basis| BasisSummary::of(basis, figures));
        let said = |held: Option<bool>| claims.iter().filter(|claim| claim.held == held).count();
        Self {
            fitted,
            predicted,
            input,
            not_modelled,
            claims_held: said(Some(true)),
            claims_failed: said(Some(false)),
            claims_unchecked: said(None),
            figures_not_run: count(figures, |figure| figure.verdict == Verdict::NotRun),
        }
    }

    /// The summary of one basis.
    pub fn basis(&self, basis: Basis) -> &BasisSummary {
        match basis {
            Basis::Fitted => &self.fitted,
            Basis::Predicted => &self.predicted,
            Basis::Input => &self.input,
            Basis::NotModelled => &self.not_modelled,
        }
    }
}

impl BasisSummary {
    fn of(basis: Basis, figures: &[FigureResult]) -> Self {
        let mine: Vec<&FigureResult> = figures.iter().filter(|f| f.basis == basis).collect();
        let verdicts = |wanted: Verdict| mine.iter().filter(|f| f.verdict == wanted).count();
        let mut errors: Vec<f64> = mine
            .iter()
            .filter(|figure| matches!(figure.verdict, Verdict::Hit | Verdict::Miss))
            .filter_map(|figure| relative_error(figure.published, figure.simulated?))
            .collect();
        errors.sort_by(f64::total_cmp);
        Self {
            count: mine.len(),
            median_error: median(&errors),
            worst_error: errors.last().copied(),
            compared: errors.len(),
            hits: verdicts(Verdict::Hit),
            bounds_held: verdicts(Verdict::Held),
            bounds_failed: verdicts(Verdict::Failed),
        }
    }
}

fn count(figures: &[FigureResult], wanted: impl Fn(&FigureResult) -> bool) -> usize {
    figures.iter().filter(|figure| wanted(figure)).count()
}

/// The middle of sorted values; of an even number the mean of the two in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0]), Some(1.0));
        assert_eq!(median(&[1.0, 3.0]), Some(2.0));
        assert_eq!(median(&[1.0, 3.0, 100.0]), Some(3.0));
    }
}

//! Counts and errors, fitted and predicted figures apart.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::claim_verdict::{ClaimResult, Said};
use super::figure::Basis;
use super::figure_verdict::FigureResult;
use super::verdict::Verdict;

/// The figures of one basis. Only fitted and predicted figures that are not limits have errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BasisSummary {
    /// Figures of this basis, bounds included.
    pub count: usize,
    /// Numbers that those of them state which were judged: what is one number counts once.
    pub independent: usize,
    /// Median of the sizes of the errors, those of open figures too, as a fraction.
    pub median_error: Option<f64>,
    /// Largest error as a fraction.
    pub worst_error: Option<f64>,
    /// Figures that were called hit or miss.
    pub compared: usize,
    /// Of these, figures within the aim.
    pub hits: usize,
    /// Bounds and ranges that are kept.
    pub bounds_held: usize,
    /// Bounds and ranges that are broken.
    pub bounds_failed: usize,
    /// Figures whose limit is within the interval of the simulated value.
    pub open: usize,
    /// Figures that their own review refutes.
    pub refuted: usize,
}

/// Predictions that test the model: none that says little, and what is one number once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Informative {
    /// Numbers of which every row is right.
    pub right: usize,
    /// Numbers of which a row is wrong.
    pub wrong: usize,
    /// Numbers that are neither: a row is open.
    pub open: usize,
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
    /// The predictions that test the model.
    pub informative: Informative,
    /// Claims that hold.
    pub claims_held: usize,
    /// Claims that do not.
    pub claims_failed: usize,
    /// Claims that the runs leave open.
    pub claims_open: usize,
    /// Claims that cannot be checked.
    pub claims_unchecked: usize,
    /// Figures that could not be run.
    pub figures_not_run: usize,
}

impl Summary {
    pub(super) fn of(figures: &[FigureResult], claims: &[ClaimResult]) -> Self {
        let [fitted, predicted, input, not_modelled] =
            Basis::ALL.map(|basis| BasisSummary::of(basis, figures));
        let said = |said: Said| claims.iter().filter(|claim| claim.verdict == said).count();
        Self {
            fitted,
            predicted,
            input,
            not_modelled,
            informative: Informative::of(figures),
            claims_held: said(Said::Held),
            claims_failed: said(Said::Failed),
            claims_open: said(Said::Open),
            claims_unchecked: said(Said::Unchecked),
            figures_not_run: figures.iter().filter(|f| f.verdict == Verdict::NotRun).count(),
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

impl Informative {
    fn of(figures: &[FigureResult]) -> Self {
        let mut numbers: BTreeMap<&str, Vec<Verdict>> = BTreeMap::new();
        for figure in figures.iter().filter(|figure| figure.informative) {
            numbers.entry(&figure.number).or_default().push(figure.verdict);
        }
        let wrong = |verdicts: &&Vec<Verdict>| verdicts.iter().any(|v| v.is_wrong());
        let right = |verdicts: &&Vec<Verdict>| verdicts.iter().all(|v| v.is_right());
        let (wrong, right) =
            (numbers.values().filter(wrong).count(), numbers.values().filter(right).count());
        Self { right, wrong, open: numbers.len() - right - wrong }
    }
}

impl BasisSummary {
    fn of(basis: Basis, figures: &[FigureResult]) -> Self {
        let mine: Vec<&FigureResult> = figures.iter().filter(|f| f.basis == basis).collect();
        let verdicts = |wanted: Verdict| mine.iter().filter(|f| f.verdict == wanted).count();
        let judged = || mine.iter().filter(|figure| figure.verdict.is_judged());
        let numbers: BTreeSet<&str> = judged().map(|figure| figure.number.as_str()).collect();
        let mut errors: Vec<f64> =
            judged().filter_map(|figure| figure.error).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        Self {
            count: mine.len(),
            independent: numbers.len(),
            median_error: median(&errors),
            worst_error: errors.last().copied(),
            compared: verdicts(Verdict::Hit) + verdicts(Verdict::Miss),
            hits: verdicts(Verdict::Hit),
            bounds_held: verdicts(Verdict::Held),
            bounds_failed: verdicts(Verdict::Failed),
            open: verdicts(Verdict::Open),
            refuted: verdicts(Verdict::Refuted),
        }
    }
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

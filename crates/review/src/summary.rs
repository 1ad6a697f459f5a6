//! Counts and errors, fitted and predicted figures apart.

use std::collections::{BTreeMap, BTreeSet};

use answer::reproduction::{
    Basis, BasisSummary, Claim, Figure, Informative, Said, Summary, Verdict,
};
use stats::median;

/// The totals of a reproduction.
pub(super) fn summary(figures: &[Figure], claims: &[Claim]) -> Summary {
    let [fitted, predicted, input, not_modelled] = Basis::ALL.map(|basis| of_basis(basis, figures));
    let said = |said: Said| claims.iter().filter(|claim| claim.said() == said).count();
    Summary {
        fitted,
        predicted,
        input,
        not_modelled,
        informative: informative(figures),
        claims_held: said(Said::Held),
        claims_failed: said(Said::Failed),
        claims_open: said(Said::Open),
        claims_unchecked: said(Said::Unchecked),
        figures_not_run: figures.iter().filter(|f| f.verdict == Verdict::NotRun).count(),
    }
}

/// The predictions that test the model. What comes out the same to the last digit on one target is
/// one number, by whatever tool it is asked for: the model met one limit several times.
fn informative(figures: &[Figure]) -> Informative {
    let mut same: BTreeMap<(&str, u64), &str> = BTreeMap::new();
    let mut numbers: BTreeMap<&str, Vec<Verdict>> = BTreeMap::new();
    for figure in figures.iter().filter(|figure| figure.informative) {
        let value = figure.simulated.unwrap_or(f64::NAN).to_bits();
        let number = *same.entry((&figure.target, value)).or_insert(&figure.number);
        numbers.entry(number).or_default().push(figure.verdict);
    }
    let wrong = |verdicts: &&Vec<Verdict>| verdicts.iter().any(|v| v.is_wrong());
    let right = |verdicts: &&Vec<Verdict>| verdicts.iter().all(|v| v.is_right());
    let (wrong, right) =
        (numbers.values().filter(wrong).count(), numbers.values().filter(right).count());
    Informative { right, wrong, open: numbers.len() - right - wrong }
}

fn of_basis(basis: Basis, figures: &[Figure]) -> BasisSummary {
    let mine: Vec<&Figure> = figures.iter().filter(|f| f.basis == basis).collect();
    let verdicts = |wanted: Verdict| mine.iter().filter(|f| f.verdict == wanted).count();
    let judged = || mine.iter().filter(|figure| figure.verdict.is_judged());
    let numbers: BTreeSet<&str> = judged().map(|figure| figure.number.as_str()).collect();
    let differ = || mine.iter().filter(|figure| figure.verdict == Verdict::Differs);
    // An input has no error: how far it is off all the same is told by its ratio.
    let off = differ().filter_map(|figure| figure.ratio).map(|ratio| ratio - 1.0);
    let errors = judged().filter_map(|figure| figure.error).chain(off);
    let mut errors: Vec<f64> = errors.map(f64::abs).collect();
    errors.sort_by(f64::total_cmp);
    BasisSummary {
        count: mine.len(),
        independent: numbers.len(),
        median_error: median(&errors),
        worst_error: errors.last().copied(),
        compared: verdicts(Verdict::Hit) + verdicts(Verdict::Miss),
        hits: verdicts(Verdict::Hit),
        bounds_held: verdicts(Verdict::Held),
        bounds_failed: verdicts(Verdict::Failed),
        differ: differ().count(),
        open: verdicts(Verdict::Open),
        refuted: verdicts(Verdict::Refuted),
    }
}

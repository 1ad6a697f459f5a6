//! What is one number, however many rows state it.
//!
//! Two rows state one number if one run gives both: the same metric, or two that are each other's
//! reciprocal (rate and latency of a closed loop: their product is the number of threads). So do a
//! row that names another with `same_as`, and a quotient whose two sides have rows of their own.

use std::collections::BTreeMap;

use super::figure::Figure;
use answer::reproduction::Basis;
use lab::Run;
use metric::Metric;
use metric::Params;

/// What is measured of which runs, in relation to what.
type Key<'f> = (Vec<&'f Run>, String, Option<&'f String>, Option<&'f Params>);

/// For each figure the first one that states the same number.
pub(super) fn numbers(figures: &[Figure]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..figures.len()).collect();
    let mut seen: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let ids: BTreeMap<&str, usize> =
        figures.iter().enumerate().map(|(i, figure)| (figure.id.as_str(), i)).collect();
    for (i, figure) in figures.iter().enumerate() {
        if let Some(known) = figure.standing.same_as.as_deref().and_then(|id| ids.get(id)) {
            join(&mut first, i, *known);
        }
        if figure.basis == Basis::NotModelled || figure.subject.runs().is_empty() {
            continue;
        }
        let runs: Vec<&Run> = figure.subject.runs().iter().collect();
        let kind = runs.first().map_or(figure.metric.name(), |run| kind(run, &figure.metric));
        let (to, params) = (figure.relative_to.as_ref(), figure.relative_params.as_ref());
        let known = *seen.entry((runs, kind.to_owned(), to, params)).or_insert(i);
        join(&mut first, i, known);
    }
    for (i, figure) in figures.iter().enumerate() {
        if let Some(known) = numerator(figure, &seen) {
            join(&mut first, i, known);
        }
    }
    (0..first.len()).map(|i| root(&first, i)).collect()
}

/// The row about the first side of a quotient, if the second side has a row too.
fn numerator(figure: &Figure, seen: &BTreeMap<Key<'_>, usize>) -> Option<usize> {
    let [run] = figure.subject.runs() else { return None };
    let second = figure.second(run).filter(|_| figure.basis != Basis::NotModelled)?;
    let metric = figure.metric.versus().map_or_else(|| figure.metric.clone(), |v| v.of);
    let row = |run: &Run| {
        let key = (vec![run], kind(run, &metric).to_owned(), None, None);
        seen.iter().find(|(known, _)| **known == key).map(|(_, i)| *i)
    };
    // Of two rows the later one is what the quotient repeats: the other precedes both.
    Some(row(run)?.max(row(&second)?))
}

/// The name of what a metric is one spelling of under this load.
fn kind<'m>(run: &Run, metric: &'m Metric) -> &'m str {
    let rate = match metric.name() {
        "peak_iops" | "latency_at_peak" => "peak_iops",
        "tps" | "mean_ms" => "tps",
        "iops" | "bandwidth" | "gb_per_day" | "tb_per_day" | "lat_mean" => "iops",
        "read_iops" | "read_bandwidth" | "read_lat_mean" if pure(run, 1.0) => "iops",
        "write_iops" | "write_bandwidth" | "write_lat_mean" if pure(run, 0.0) => "iops",
        other => other,
    };
    let all = ["corner", "mixed", "load-curve", "sysbench-oltp"];
    // Where the rate is held, the latency is another number.
    let closed = all.contains(&run.method.as_str()) && run.params.bandwidth("rate").is_none();
    if closed { rate } else { metric.name() }
}

fn pure(run: &Run, share: f64) -> bool {
    run.params.read_share() == Some(share)
}

fn root(first: &[usize], mut i: usize) -> usize {
    while first[i] != i {
        i = first[i];
    }
    i
}

fn join(first: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(first, a), root(first, b));
    first[a.max(b)] = a.min(b);
}

//! A run of a method as Records keep it: what was measured on one target with one set of
//! parameters.

use crate::source::Source;
use answer::measured::{Certainty, Number};
use answer::{Answer, Origin, measured};
use stats::{Convergence, Limit, NamedHistogram, Series};
use std::collections::BTreeMap;

/// A point of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The parameters that were swept.
    pub at: BTreeMap<String, String>,
    /// What was measured there.
    pub metrics: BTreeMap<String, Number>,
}

/// What a method measured on a target.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The target.
    pub target: String,
    /// The method.
    pub method: String,
    /// Its parameters.
    pub params: BTreeMap<String, String>,
    /// Values by metric.
    pub metrics: BTreeMap<String, Number>,
    /// Points of a sweep.
    pub points: Vec<Point>,
    /// Curves over time.
    pub series: Vec<Series>,
    /// Distributions.
    pub histograms: Vec<NamedHistogram>,
    /// How rounds came to rest.
    pub convergence: Vec<Convergence>,
    /// What limits it: of a sweep, each point.
    pub limited_by: Vec<Limit>,
    /// What to be careful with.
    pub warnings: Vec<String>,
    /// How sure the method is.
    pub provenance: Certainty,
    /// Why there is nothing, if the run failed.
    pub failed: Option<String>,
    /// Whether it was measured or comes out of a model.
    pub origin: Origin,
}

impl Measured {
    /// The targets of the answer of `test`.
    pub fn of_method(source: &Source) -> Vec<Self> {
        let Answer::Tested(tested) = &source.answer else { return Vec::new() };
        let of = |measured: &measured::Measured| Self {
            method: tested.method.clone(),
            params: tested.params.clone(),
            ..Self::of(source, measured)
        };
        tested.targets.iter().map(of).collect()
    }

    /// The runs of a reproduction.
    pub fn of_reproduction(source: &Source) -> Vec<Self> {
        let Answer::Reproduction(reproduction) = &source.answer else { return Vec::new() };
        reproduction.runs.iter().map(|run| Self::of(source, run)).collect()
    }

    fn of(source: &Source, measured: &measured::Measured) -> Self {
        let measured = measured.clone();
        let point = |point: measured::Point| Point {
            at: point.at.iter().map(|(name, at)| (name.to_owned(), at.clone())).collect(),
            metrics: point.metrics,
        };
        Self {
            origin: source.origin(&measured.target, measured.origin),
            target: measured.target,
            method: measured.method.unwrap_or_default(),
            params: measured.params.unwrap_or_default(),
            metrics: measured.metrics,
            points: measured.points.into_iter().map(point).collect(),
            series: measured.series,
            histograms: measured.histograms,
            convergence: measured.convergence,
            limited_by: measured.limited_by,
            warnings: measured.warnings,
            provenance: measured.provenance,
            failed: measured.failed,
        }
    }
}

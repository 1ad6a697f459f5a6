//! A bench on which some models have values set and the others are as they are.

use crate::{Bench, Figure};
use lab::ModelBench;
use lab::Run;
use metric::{MeasureError, Measurement, Params};
use std::collections::{BTreeMap, BTreeSet};

/// See the module.
#[derive(Clone, Debug)]
pub struct Shaken<'a> {
    usual: &'a ModelBench,
    moved: BTreeMap<String, ModelBench>,
}

impl<'a> Shaken<'a> {
    /// The bench `usual`, as it is.
    pub fn new(usual: &'a ModelBench) -> Self {
        Shaken { usual, moved: BTreeMap::new() }
    }

    /// The same with values set in the model of `target`.
    #[must_use]
    pub fn with(mut self, target: &str, set: Vec<(String, String)>) -> Self {
        self.moved.insert(target.to_owned(), self.usual.clone().with_set(set));
        self
    }

    /// The bench on which a target is measured.
    pub fn of(&self, target: &str) -> &ModelBench {
        self.moved.get(target).unwrap_or(self.usual)
    }
}

impl Bench for Shaken<'_> {
    fn check(&self, run: &Run) -> Result<(), MeasureError> {
        self.of(&run.target).check(run)
    }

    fn measure(
        &self,
        target: &str,
        method: &str,
        params: &Params,
    ) -> Result<Measurement, MeasureError> {
        self.of(target).measure(target, method, params)
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        self.of(target).fact(target, metric)
    }

    fn fitted_on(&self, target: &str) -> BTreeSet<String> {
        self.usual.fitted_on(target)
    }

    fn inputs(&self, figure: &Figure) -> Option<String> {
        self.usual.inputs(figure)
    }
}

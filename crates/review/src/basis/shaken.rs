//! A bench on which one model has values set and the others are as they are.

use crate::{Bench, Figure};
use lab::ModelBench;
use lab::Run;
use metric::{MeasureError, Measurement, Params};
use std::collections::BTreeSet;

/// See the module.
#[derive(Clone, Debug)]
pub struct Shaken<'a> {
    usual: &'a ModelBench,
    moved: ModelBench,
    target: &'a str,
}

impl<'a> Shaken<'a> {
    /// The bench `usual`, with values set in the model of `target`.
    pub fn new(usual: &'a ModelBench, target: &'a str, set: Vec<(String, String)>) -> Self {
        Shaken { usual, moved: usual.clone().with_set(set), target }
    }

    fn of(&self, target: &str) -> &ModelBench {
        if target == self.target { &self.moved } else { self.usual }
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

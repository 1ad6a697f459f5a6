//! Figures measured on the models of the library.

use super::bench::Bench;
use super::figure::Figure;
use lab::{ModelBench, Run};
use library::System;
use metric::{MeasureError, Measurement, Params};
use std::collections::BTreeSet;

impl Bench for ModelBench {
    fn check(&self, run: &Run) -> Result<(), MeasureError> {
        ModelBench::check(self, run)
    }

    fn measure(
        &self,
        target: &str,
        method: &str,
        params: &Params,
    ) -> Result<Measurement, MeasureError> {
        ModelBench::measure(self, target, method, params)
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        ModelBench::fact(self, target, metric)
    }

    fn fitted_on(&self, target: &str) -> BTreeSet<String> {
        self.system(target).map(|system| system.fitted_on()).unwrap_or_default()
    }

    fn inputs(&self, figure: &Figure) -> Option<String> {
        let runs: Vec<Run> = figure.runs().collect();
        let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
        let systems: Result<Vec<System>, _> =
            targets.into_iter().map(|target| self.system(target)).collect();
        let systems = systems.ok()?;
        Some(super::basis::inputs(&systems.iter().collect::<Vec<_>>(), &runs))
    }
}

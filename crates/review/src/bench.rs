//! The interface through which figures are measured again.

use super::figure::Figure;
use lab::Run;
use metric::{MeasureError, Measurement, Params};
use std::collections::BTreeSet;

/// Something that can measure: the models of the library, or a stand-in in a test.
pub trait Bench {
    /// Whether this run could be made; asked for every run before the first starts, with the
    /// method `facts` too.
    ///
    /// # Errors
    /// Why the run cannot be made: an unknown target or method, or something that is not modelled.
    fn check(&self, run: &Run) -> Result<(), MeasureError> {
        let _ = run;
        Ok(())
    }

    /// Makes one run.
    ///
    /// # Errors
    /// Why there are no values: the run cannot be made, or it failed.
    fn measure(
        &self,
        target: &str,
        method: &str,
        params: &Params,
    ) -> Result<Measurement, MeasureError>;

    /// A property that the model of a target contains, in the base unit of the metric.
    fn fact(&self, target: &str, metric: &str) -> Option<f64>;

    /// Ids of the figures with which a parameter of the target's model was chosen.
    fn fitted_on(&self, target: &str) -> BTreeSet<String> {
        let _ = target;
        BTreeSet::new()
    }

    /// A fingerprint of the models, methods and workloads behind a figure, by which a label that
    /// was derived is known to be theirs ([`crate::basis::inputs`]); `None` where there are none.
    fn inputs(&self, figure: &Figure) -> Option<String> {
        let _ = figure;
        None
    }
}

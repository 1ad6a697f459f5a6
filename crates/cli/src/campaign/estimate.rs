//! What tests take on a real drive, told by the rates of a model that is like it.

use super::plan::{Plan, Run};
use crate::render::Failure;
use answer::campaign::Estimate;
use lab::{BenchOptions, ModelBench, Rates};
use library::Scale;
use metric::{MeasureError, Params};

/// I/Os of a measurement: rates are wanted to some percent.
const IOS: u64 = 50_000;
/// Simulated part of a drive.
const SCALE: Scale = Scale::Units(4 << 20);

/// A model with its rates.
pub struct Like {
    rates: Rates,
    /// Its user capacity, bytes.
    capacity: Option<f64>,
    /// Writes that it is rated for, or else those that its cells last for when written at random,
    /// bytes.
    tbw: Option<f64>,
}

impl Like {
    /// Measures a model.
    ///
    /// # Errors
    /// If it is no flash drive or disk of which the corners can be measured.
    pub fn new(model: &str) -> Result<Self, Failure> {
        let options = BenchOptions { ios: IOS, scale: Some(SCALE), ..BenchOptions::default() };
        let bench = ModelBench::new(options);
        let rate = |op: &'static str, random: bool| -> Result<f64, Failure> {
            let (pattern, block, metric) = match random {
                true => ("rand", "4 KiB", "iops"),
                false => ("seq", "128 KiB", "bandwidth"),
            };
            let pairs = [("op", op), ("pattern", pattern), ("block", block), ("qd", "32")];
            let mut params = Params::from_pairs(pairs).map_err(Failure::wrong)?;
            lab::complete("corner", &mut params).map_err(Failure::wrong)?;
            let measured = bench.measure(model, "corner", &params)?;
            let missing = || MeasureError::Failed(format!("no {metric} of {model}"));
            Ok(measured.metrics.get(metric).ok_or_else(missing)?.value)
        };
        Ok(Self {
            rates: Rates {
                read: rate("read", false)?,
                write: rate("write", false)?,
                random_read: rate("read", true)?,
                random_write: rate("write", true)?,
            },
            capacity: bench.fact(model, "capacity"),
            tbw: bench.fact(model, "tbw").or_else(|| bench.fact(model, "tbw_random")),
        })
    }

    /// What a run takes on a drive of so many bytes, or of the capacity of the model; `one_pass`
    /// brings it into its steady state.
    ///
    /// # Errors
    /// If the method cannot run on a real drive.
    pub fn estimate(
        &self,
        plan: &Plan,
        run: &Run,
        bytes: Option<u64>,
        one_pass: bool,
    ) -> Result<Option<Estimate>, Failure> {
        let capacity = self.capacity.map(engine::whole);
        let (Some(method), Some(bytes)) = (run.method, bytes.or(capacity)) else { return Ok(None) };
        let (least, most) = lab::cost(method, &run.params, bytes, self.rates, one_pass)?;
        let rated = plan.drive(run).tbw.map(|bytes| bytes.base() as f64).or(self.tbw);
        Ok(Some(Estimate {
            seconds_least: least.seconds,
            seconds_most: most.seconds,
            written_most: most.write_bytes,
            wear_most: rated.map(|rated| most.write_bytes / rated),
        }))
    }
}

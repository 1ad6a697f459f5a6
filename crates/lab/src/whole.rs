//! Jobs that end by themselves.

use super::failure::Failure;
use super::load::Load;
use super::metrics;
use super::session::Session;
use super::target::Work;
use super::values::Values;
use engine::Duration;
use metric::MetricValue;

impl Session<'_> {
    /// Runs a job that ends by itself; beside the usual numbers its `time` and its `bytes`. `name`
    /// is what it is called over time.
    pub(super) fn measure_whole(
        &mut self,
        name: &str,
        load: &Load,
        keep_size: bool,
    ) -> Result<Values, Failure> {
        let window = Duration::from_ms(100);
        let work = Work { keep_size, ..Work::pass(load, window) };
        let ran = self.measure(&work)?;
        self.follow(name, Some(&ran), false);
        let mut values = metrics::of(&ran);
        let bytes: u64 = ran.run.jobs.iter().map(|j| j.read().io_bytes + j.write().io_bytes).sum();
        values.insert("time".to_owned(), MetricValue::exact(ran.measured_s));
        values.insert("bytes".to_owned(), MetricValue::exact(bytes as f64));
        Ok(values)
    }
}

//! Transactions of a database.

use crate::measure::session::{Session, Values};
use crate::measure::target::Failure;
use crate::review::{MetricValue, Params, State};
use crate::simulate::{Served, ServersAsked};
use engine::Duration;
use iopath::oltp::Rows;
use iopath::probe::{Cause, Part};
use serde::Deserialize;
use stats::PercentileEstimate;

/// Runs sysbench's read-write transactions on database servers: modelled ones on a model, real ones
/// on a directory. What they are asked is in the parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oltp {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// State of a modelled drive before; `steady` is that of random writes to the databases' disks,
    /// with the rest of the drive as formatted.
    pub state: String,
    /// Bytes that a transaction logs.
    pub log_each: String,
    /// I/Os of a virtual disk at once.
    pub queue_depth: u32,
}

/// I/Os of a transaction, with which the I/Os that a measurement asks for become transactions.
const IOS_EACH: u64 = 30;
/// Parts of the measured time over which the interval of the rate is taken.
const BATCHES: usize = 20;

impl Oltp {
    pub(super) fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let asked = self.asked(session)?;
        session.tell("preparing the databases", 0.0);
        let state = match session.text(&self.state).as_deref() {
            Some("fresh") => State::Fresh,
            Some("filled") => State::Filled,
            _ => State::Steady,
        };
        let (told, (from, to)) = (session.watch, session.part);
        let watch = |share: f64| {
            if let Some(told) = told {
                told("transactions", from + (to - from) * share);
            }
        };
        let served = session.target.serve(&asked, state, &watch)?;
        session.state = state;
        session.written = true;
        if !stats::enough_samples(99.0, served.tally.done) {
            session.warn("too few transactions for a 99th percentile: take a larger budget");
        }
        session.results.insert(self.name.clone(), values(&served));
        Ok(())
    }

    fn asked(&self, session: &Session<'_>) -> Result<ServersAsked, Failure> {
        let params = &session.params;
        let missing = |name: &str| Failure::failed(format!("the method needs `{name}`"));
        let count = |name: &str| params.count(name).ok_or_else(|| missing(name));
        let small = |name: &str| count(name).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let bytes = |name: &str| params.bytes(name).ok_or_else(|| missing(name));
        let log_each = session.bytes(&self.log_each)?.unwrap_or(0);
        Ok(ServersAsked {
            vms: small("vms")?,
            threads: small("threads_per_vm")?,
            disk_bytes: bytes("db")?,
            tables: small("tables")?,
            rows: count("rows")?,
            pool_bytes: bytes("pool")?,
            old_time: time(params, "old_blocks_time"),
            log_bytes: bytes("log")?,
            log_each,
            file_per_table: params.flag("file_per_table").unwrap_or(true),
            doublewrite: params.flag("doublewrite").unwrap_or(true),
            cpus: small("cpus")?,
            cpu: time(params, "cpu"),
            distribution: match params.get("distribution").map(|word| word.to_string()).as_deref() {
                Some("special") => Rows::Special,
                _ => Rows::Uniform,
            },
            queue_depth: self.queue_depth,
            path: time(params, "vm_latency"),
            adapter: time(params, "vm_adapter"),
            transactions: (session.options.ios / IOS_EACH).max(1000),
            longest: match params.duration_ns() {
                Some(ns) => Duration::from_ns(ns),
                None => Duration::from_s(3600),
            },
        })
    }
}

fn time(params: &Params, name: &str) -> Duration {
    Duration::from_ns(params.time(name).unwrap_or(0))
}

fn values(served: &Served) -> Values {
    let mut values = Values::new();
    let (tally, seconds) = (&served.tally, served.seconds.max(1e-12));
    let mut put = |name: &str, value: MetricValue| {
        values.insert(name.to_owned(), value);
    };
    let samples = Some(tally.done);
    let (rates, means) = batches(served);
    let rate = tally.done as f64 / seconds;
    put("tps", MetricValue { value: rate, samples, interval95: interval(rate, &rates) });
    let mean = tally.response.moments.mean() / 1e9;
    put("mean_ms", MetricValue { value: mean, samples, interval95: interval(mean, &means) });
    let moments = Some(&tally.response.moments);
    if let Some(p99) = PercentileEstimate::new(&tally.response.histogram, moments, 99.0) {
        let ends = p99.low_ns.zip(p99.high_ns);
        let interval95 = ends.map(|(low, high)| (low as f64 / 1e9, high as f64 / 1e9));
        put("p99_ms", MetricValue { value: p99.value_ns as f64 / 1e9, samples, interval95 });
    }
    let each = |ns: u64| MetricValue::exact(ns as f64 / 1e9 / tally.done.max(1) as f64);
    put("processor_time", each(tally.parts_ns[Part::Processor as usize]));
    put("page_wait", each(tally.parts_ns[Part::Page as usize]));
    put("frame_wait", each(tally.parts_ns[Part::Frame as usize]));
    put("commit_wait", each(tally.parts_ns[Part::Log as usize]));
    let used = (tally.hits + tally.misses).max(1) as f64;
    put("buffer_hits", MetricValue::exact(tally.hits as f64 / used));
    put("processor_share", MetricValue::exact(served.processors));
    let per_s = |count: u64| MetricValue::exact(count as f64 / seconds);
    put("page_reads", per_s(tally.of(Cause::PageRead).ios));
    put("page_writes", per_s(tally.of(Cause::PageWrite).ios));
    put("doublewrites", per_s(tally.of(Cause::DoubleWrite).ios));
    put("log_writes", per_s(tally.of(Cause::LogWrite).ios));
    put("log_flushes", per_s(tally.of(Cause::LogFlush).ios));
    put("file_flushes", per_s(tally.of(Cause::FileFlush).ios));
    put("log_bandwidth", per_s(tally.of(Cause::LogWrite).bytes));
    let sum = |causes: &[Cause]| causes.iter().map(|cause| tally.of(*cause).bytes).sum();
    put("read_bandwidth", per_s(sum(&[Cause::PageRead])));
    let writes = [Cause::LogWrite, Cause::DoubleWrite, Cause::PageWrite];
    put("write_bandwidth", per_s(sum(&writes)));
    let reads = tally.of(Cause::PageRead);
    if reads.ios > 0 {
        let latency = reads.latency_ns as f64 / 1e9 / reads.ios as f64;
        put(
            "read_lat_mean",
            MetricValue { samples: Some(reads.ios), ..MetricValue::exact(latency) },
        );
    }
    values
}

/// Rate and mean response of equal parts of the measured time.
fn batches(served: &Served) -> (Vec<f64>, Vec<f64>) {
    let batches = served.tally.batches(BATCHES);
    let each = served.tally.windows.len() / BATCHES.max(1);
    let seconds = each as f64 * 0.01;
    let rates = batches.iter().map(|batch| batch.done as f64 / seconds.max(1e-12));
    let mean = |ns: u64, done: u64| ns as f64 / 1e9 / done.max(1) as f64;
    let means = batches.iter().map(|batch| mean(batch.response_ns, batch.done));
    (rates.collect(), means.collect())
}

/// The 95 % interval about a mean of which these are batches (Student's t on batch means).
fn interval(mean: f64, batches: &[f64]) -> Option<(f64, f64)> {
    let n = batches.len() as f64;
    if n < 10.0 {
        return None;
    }
    let middle = batches.iter().sum::<f64>() / n;
    let square: f64 = batches.iter().map(|value| (value - middle) * (value - middle)).sum();
    let reach = stats::student::critical(0.05, n - 1.0) * libm::sqrt(square / (n - 1.0) / n);
    Some((mean - reach, mean + reach))
}

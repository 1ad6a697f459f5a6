//! A method's fio job with the parameters of one run, still open in its times.

use engine::whole;
use fio::{Diagnostic, JobFile, LoadOptions};
use metric::{Params, Pattern};
use std::collections::BTreeMap;

/// What the jobs of methods are called in messages.
const METHOD: &str = "method";

/// The job of a step that names none.
pub(super) const UNIFORM: &str = include_str!("../../../methods/uniform.fio");

/// A job and its variables.
#[derive(Clone, Debug)]
pub struct Load {
    /// Its name in messages.
    name: String,
    text: String,
    env: BTreeMap<String, String>,
    /// Bytes of an I/O.
    pub block: u64,
    /// Order of addresses.
    pub pattern: Pattern,
    /// Share of reads, 0 to 1.
    pub read: f64,
    /// Bytes of each real device that are addressed; `None` is all.
    pub span: Option<u64>,
    /// In order, from any place: a window shows a sample of all places.
    pub anywhere: bool,
    /// Most I/Os of a run on a model; `None` is without a limit.
    pub budget_ios: Option<u64>,
}

impl Load {
    /// A load of these parameters.
    pub(super) fn new(text: &str, params: &Params, capacity: u64) -> Self {
        let pattern = params.pattern().unwrap_or(Pattern::Random);
        let block = params.block().unwrap_or(4096);
        let read = params.read_share().unwrap_or(1.0);
        Self::with(text, params, pattern, block, read, capacity)
    }

    /// The writing before a measurement.
    pub(super) fn prewrite(text: &str, params: &Params, capacity: u64) -> Self {
        let pattern = params.prewrite_pattern().unwrap_or(Pattern::Random);
        let block = params.prewrite_block().unwrap_or(4096);
        Self::with(text, params, pattern, block, 0.0, capacity)
    }

    fn with(
        text: &str,
        params: &Params,
        pattern: Pattern,
        block: u64,
        read: f64,
        capacity: u64,
    ) -> Self {
        let depth = params.queue_depth().unwrap_or(1).max(1);
        let jobs = params.jobs().unwrap_or_else(|| workers(depth)).clamp(1, depth);
        let reads = percent(read);
        let kind = match reads {
            0 => "write",
            100 => "read",
            _ => "rw",
        };
        let random = pattern == Pattern::Random;
        let rw = if random { format!("rand{kind}") } else { kind.to_owned() };
        // Sequential workers have a part of the drive each.
        let span = span_of(params, capacity);
        let (size, step) = match span {
            None if random => ("100%".to_owned(), "0%".to_owned()),
            None => {
                let part = 100 / jobs.clamp(1, 100);
                (format!("{part}%"), format!("{part}%"))
            }
            Some(span) if random => (span.to_string(), "0".to_owned()),
            Some(span) => {
                let part = (span / jobs / block).max(1) * block;
                (part.to_string(), part.to_string())
            }
        };
        let compressible = compressible(params);
        let compared = params.bandwidth("compare_rate").filter(|rate| *rate > 0);
        let compare_us = compared.map_or(0, |rate| block.saturating_mul(1_000_000) / rate);
        let tool_us = params.time("tool_time").map_or(0, |nanos| nanos.div_ceil(1000));
        let align = params.bytes("align").unwrap_or(block).min(block);
        let env = [
            ("RW", rw),
            ("READ_PERCENT", reads.to_string()),
            ("BLOCK_BYTES", block.to_string()),
            ("ALIGN_BYTES", align.to_string()),
            ("DEPTH", (depth / jobs).max(1).to_string()),
            ("JOBS", jobs.to_string()),
            ("SIZE", size),
            ("STEP", step),
            ("START_BYTES", "0".to_owned()),
            ("THINK_US", (compare_us + tool_us).to_string()),
            ("RATE", params.bandwidth("rate").map_or(0, |rate| rate / jobs).to_string()),
            ("OFFERED", offered(params, reads, jobs)),
            ("COMPRESS_PERCENT", percent(compressible).min(99).to_string()),
        ];
        let anywhere = !random && reads == 100;
        Load { block, pattern, read, anywhere, ..Self::plain(text, &env, span) }
    }

    /// A pass over the whole drive in order, which ends by its bytes.
    pub(super) fn pass(read: bool, block: u64, depth: u64, compress_percent: u64) -> Self {
        let rw = if read { "read" } else { "write" };
        let env = [
            ("RW", rw.to_owned()),
            ("BLOCK_BYTES", block.to_string()),
            ("DEPTH", depth.to_string()),
            ("COMPRESS_PERCENT", compress_percent.to_string()),
        ];
        let (read, pattern) = (if read { 1.0 } else { 0.0 }, Pattern::Sequential);
        Load { block, pattern, read, ..Self::plain(PASS, &env, None) }
    }

    /// A pass over the first `span` bytes in order, one copy of it, which ends by its bytes.
    pub(super) fn file(read: bool, span: u64, block: u64, depth: u64, params: &Params) -> Self {
        let compress = percent(compressible(params));
        let mut load = Self::pass(read, block, depth, compress.min(99));
        load.text = load.text.replace("size=100%", "size=${SIZE}");
        load.env.insert("SIZE".to_owned(), span.to_string());
        load.span = Some(span);
        load
    }

    /// Moves the start of its region, which ends where the device of `capacity` bytes does.
    pub(super) fn start_at(&mut self, start: u64, capacity: u64) {
        let bytes = capacity.saturating_sub(start) / self.block.max(1) * self.block.max(1);
        self.env.insert("START_BYTES".to_owned(), start.to_string());
        self.env.insert("SIZE".to_owned(), bytes.to_string());
    }

    /// Holds it to so many bytes a second, reads and writes each.
    pub(super) fn hold_to(&mut self, rate: u64) {
        self.text.push_str("rate=${RATE},${RATE}\n");
        self.env.insert("RATE".to_owned(), rate.to_string());
    }

    /// A job of which the variables are given as they are.
    pub(super) fn plain(text: &str, env: &[(&str, String)], span: Option<u64>) -> Self {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let (block, pattern) = (4096, Pattern::Random);
        Load {
            name: METHOD.to_owned(),
            text: text.to_owned(),
            env,
            block,
            pattern,
            read: 1.0,
            span,
            anywhere: false,
            budget_ios: None,
        }
    }

    /// A job file of the user's, with so many I/Os on a model at most. `depth` is the queue depth
    /// of one that leaves it open.
    pub(super) fn own(name: &str, text: &str, ios: u64, depth: u64) -> Self {
        let load = Self::plain(text, &[("DEPTH", depth.to_string())], None);
        Load { name: name.to_owned(), budget_ios: Some(ios), ..load }
    }

    /// One pass of fio's `sprandom` over drives with so much flash beyond what the host sees.
    pub(super) fn sprandom(over_provisioning: f64) -> Self {
        let mut load = Self::pass(false, 4096, 32, 0);
        load.text.push_str("sprandom=1\nspr_op=${SPARE}\n");
        load.env.insert("RW".to_owned(), "randwrite".to_owned());
        load.env.insert("SPARE".to_owned(), over_provisioning.to_string());
        load
    }

    /// Random 4 KiB writes to the first `span` bytes, `times` over.
    pub(super) fn scatter(span: u64, times: u64) -> Self {
        let mut load = Self::pass(false, 4096, 32, 0);
        load.text =
            load.text.replace("size=100%", "size=${SIZE}\nio_size=${VOLUME}\nnorandommap=1");
        for (name, value) in [
            ("RW", "randwrite".to_owned()),
            ("SIZE", span.to_string()),
            ("VOLUME", span.saturating_mul(times).to_string()),
        ] {
            load.env.insert(name.to_owned(), value);
        }
        load
    }

    /// The same with logs of bandwidth and I/Os, so many milliseconds a row, for a target that
    /// reports nothing else over time.
    pub(super) fn logged(&self, interval_ms: u64) -> Self {
        let mut load = self.clone();
        // Sections of a file of the user's are no single load.
        if self.budget_ios.is_some() {
            return load;
        }
        let logs = "write_bw_log=rate\nwrite_iops_log=rate\n";
        load.text.push_str(&format!("{logs}log_avg_msec={interval_ms}\n"));
        load
    }

    /// The same load on each of so many devices at once.
    pub(super) fn on_devices(&self, devices: usize) -> Self {
        Load { text: super::several::spread(&self.text, devices), ..self.clone() }
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of its job file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables of its text, with its times in microseconds.
    pub fn variables(&self, ramp_us: u64, runtime_us: u64) -> BTreeMap<String, String> {
        let mut env = self.env.clone();
        env.insert("RAMP_US".to_owned(), ramp_us.to_string());
        env.insert("RUNTIME_US".to_owned(), runtime_us.to_string());
        env
    }

    /// The job file, read.
    ///
    /// # Errors
    /// The first mistake in the text, with its place.
    pub fn parse(&self, ramp_us: u64, runtime_us: u64) -> Result<JobFile, Diagnostic> {
        let env = self.variables(ramp_us, runtime_us);
        let options = LoadOptions { env, ..LoadOptions::default() };
        fio::jobfile::parse_str(&self.name, &self.text, &options)
    }
}

/// A share in whole percent, to the nearest, as fio's options want it.
pub(super) fn percent(share: f64) -> u64 {
    whole((share * 100.0).round())
}

/// What each worker of a job offers a second, reads and writes, as fio's `rate_iops` has it: one
/// of each at least, since none is no limit there.
fn offered(params: &Params, reads: u64, jobs: u64) -> String {
    let all = params.count("offered").unwrap_or(0) as f64 / jobs as f64;
    let side = |percent: u64| whole((all * percent as f64 / 100.0).round()).max(1);
    format!("{},{}", side(reads), side(100 - reads))
}

/// Share of the data that can be compressed away.
fn compressible(params: &Params) -> f64 {
    match params.flag("compressible") {
        // fio cannot make data that vanishes; 99 % represents zeros.
        Some(true) => 0.99,
        _ => params.share("compress").unwrap_or(0.0),
    }
}

/// Bytes of the real drive that are addressed; `None` is all of it.
pub(super) fn span_of(params: &Params, capacity: u64) -> Option<u64> {
    let share = || params.share("partition").filter(|share| *share < 1.0);
    // Whole MiB, so that every block size fits.
    let part = || share().map(|share| whole(share * capacity as f64) >> 20 << 20);
    params.bytes("span").or_else(part).map(|span| span.clamp(1, capacity.max(1)))
}

/// One pass in order; it ends when all bytes are done.
const PASS: &str = "\
[global]
filename=/dev/target
ioengine=libaio
direct=1
group_reporting=1
buffer_compress_percentage=${COMPRESS_PERCENT}

[pass]
rw=${RW}
bs=${BLOCK_BYTES}
iodepth=${DEPTH}
size=100%
";

/// Workers that keep so many I/Os in flight, as many each: about one for 32 of them.
fn workers(depth: u64) -> u64 {
    let least = (depth / 32).max(1);
    (least..=depth).find(|jobs| depth.is_multiple_of(*jobs)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_share_a_depth_without_a_rest() {
        let all = [1, 31, 64, 65, 127, 256, 1000].map(workers);
        assert_eq!(all, [1, 1, 2, 5, 127, 8, 40]);
        assert!((1..2000).all(|depth| depth % workers(depth) == 0));
    }

    /// 0.29 times 100 is a little less than 29.
    #[test]
    fn a_share_is_rounded_to_whole_percent() {
        for n in 0..=100 {
            assert_eq!(percent(n as f64 / 100.0), n);
        }
    }
}

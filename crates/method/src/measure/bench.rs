//! The bench of modelled drives.

use super::{method, metrics, prewrite};
use crate::library::{Model, Overrides, Resolved, Scale};
use crate::review::{Bench, MeasureError, Measurement, Params, Pattern, Provenance, Run, State};
use crate::simulate::{HostCost, Rig, RunOptions};
use engine::{Duration, Ratio};
use fio::{Diagnostic, JobFile, LoadOptions};
use iopath::drive::DriveState;
use std::collections::{BTreeMap, BTreeSet};

/// How measurements are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BenchOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// How much of a drive is simulated.
    pub scale: Scale,
    /// I/Os that a measurement asks for, where its time is not given.
    pub ios: u64,
}

impl Default for BenchOptions {
    /// Four million I/Os on at most 16 Mi mapping units.
    fn default() -> Self {
        BenchOptions { seed: 1, scale: Scale::Units(16 << 20), ios: 4_000_000 }
    }
}

/// Measures methods on the drives of the library.
#[derive(Clone, Debug, Default)]
pub struct ModelBench {
    options: BenchOptions,
}

/// A method's job with the parameters of one run, still open in its times.
pub(super) struct JobText {
    text: String,
    env: BTreeMap<String, String>,
    /// Bytes of an I/O.
    pub(super) block: u64,
    /// Order of addresses.
    pub(super) pattern: Pattern,
    /// Cost of an I/O on the host.
    pub(super) host: HostCost,
}

/// Shortest and longest measured time where none is given, in seconds.
const RUNTIME_S: (f64, f64) = (1.0, 60.0);

impl ModelBench {
    /// A bench.
    pub fn new(options: BenchOptions) -> Self {
        ModelBench { options }
    }

    fn model(&self, target: &str) -> Result<Model, MeasureError> {
        if target.ends_with(".toml") {
            let path = std::path::Path::new(target);
            return Model::from_file(path, &[])
                .map_err(|d| MeasureError::UnknownTarget(d.to_string()));
        }
        Model::named(target, &[]).map_err(MeasureError::UnknownTarget)
    }

    fn resolve(&self, model: &Model, params: &Params) -> Result<Resolved, MeasureError> {
        let overrides = Overrides {
            give_up: Ratio::from_base((params.give_up() * 1e6).round() as u64),
            set: Vec::new(),
            power_state: params.power_state(),
        };
        model
            .resolve(self.options.scale, &overrides)
            .map_err(|d| MeasureError::NotModelled(d.to_string().replace("\n  help: ", "; ")))
    }

    fn run(&self, model: &Model, method: &str, params: &Params) -> Result<Measurement, Failure> {
        let method = method::find(method).map_err(MeasureError::UnknownMethod)?;
        let resolved = self.resolve(model, params)?;
        let scale = resolved.scale;
        let job = JobText::new(&method.job.text, params, &resolved);
        let mut rig = Rig::new(resolved.config, scale, self.options.seed);
        rig.prepare(&state(params));
        let mut warnings = Vec::new();
        if scale < 1.0 {
            warnings.push(format!("simulated at 1/{:.0} of the capacity", 1.0 / scale));
        }
        let prewrite_s = params.prewrite_ns().unwrap_or(0) as f64 / 1e9;
        if prewrite_s > 0.0 {
            let before = JobText::prewrite(&method.job.text, params, job.host);
            prewrite::write_for(&mut rig, scale, prewrite_s, &before, self.options.seed)?;
        }
        let runtime = self.runtime(&mut rig, scale, params, &job, prewrite_s > 0.0)?;
        // Time to fill the buffer and for collection to find its pace.
        let ramp = (runtime * 0.25).clamp(0.1, 1.0);
        let file = job.parse((ramp * 1e6) as u64, (runtime * 1e6) as u64)?;
        let window_s = if runtime >= 10.0 { 1.0 } else { runtime / 20.0 };
        if window_s < 1.0 {
            warnings.push("iops_cv is over windows shorter than 1 s".to_owned());
        }
        let window = Duration::from_ps((window_s * 1e12) as u64);
        let mut options = RunOptions { window, host: job.host, ..Default::default() };
        let simulated = rig.run(&file, &mut options)?;
        let broken = simulated.checks.failures();
        if !broken.is_empty() {
            return Err(MeasureError::Failed(broken.join("; ")).into());
        }
        for warning in &simulated.warnings {
            // Percentiles carry their own doubt, and the scale has been told.
            if !["few-samples", "scaled"].contains(&warning.code.as_str()) {
                warnings.push(warning.message.clone());
            }
        }
        let provenance = match method.provenance.split_once(": ") {
            Some(("exact", source)) => Provenance::Exact(source.to_owned()),
            Some((_, unknown)) => Provenance::Approximation(unknown.to_owned()),
            None => Provenance::Approximation(method.provenance.clone()),
        };
        Ok(Measurement {
            metrics: metrics::of(&simulated),
            warnings,
            method_provenance: provenance,
        })
    }

    /// Simulated seconds to measure. A short pilot run says how fast the drive is.
    fn runtime(
        &self,
        rig: &mut Rig,
        scale: f64,
        params: &Params,
        job: &JobText,
        unsteady: bool,
    ) -> Result<f64, Diagnostic> {
        let asked = params.duration_ns().map(|ns| ns as f64 / 1e9);
        if unsteady || state(params) == DriveState::Fresh && params.read_share() != Some(1.0) {
            // The state moves with what is written: a time means a volume.
            let seconds = asked.unwrap_or(60.0) * scale;
            return Ok(seconds.clamp(0.5, RUNTIME_S.1));
        }
        let file = job.parse(50_000, 50_000)?;
        let mut options = RunOptions { host: job.host, audit: false, ..Default::default() };
        let pilot = rig.run(&file, &mut options)?;
        let ios: u64 = pilot.run.jobs.iter().map(|j| j.total_ios()).sum();
        let rate = (ios as f64 / pilot.measured_s.max(1e-9)).max(1.0);
        let seconds = self.options.ios as f64 / rate;
        let longest = asked.unwrap_or(RUNTIME_S.1).max(RUNTIME_S.0);
        Ok(seconds.clamp(RUNTIME_S.0, longest.min(RUNTIME_S.1)))
    }
}

/// The state a run begins in.
fn state(params: &Params) -> DriveState {
    let reads_only = params.read_share() == Some(1.0);
    let sequential = params.pattern() == Some(Pattern::Sequential);
    match params.state() {
        Some(State::Fresh) => DriveState::Fresh,
        Some(State::Filled) => DriveState::Filled,
        // Sequential overwriting leaves nothing to copy, so its steady state is a filled drive.
        _ if reads_only || sequential => DriveState::Filled,
        _ => DriveState::Steady(1.0),
    }
}

impl JobText {
    fn new(text: &str, params: &Params, resolved: &Resolved) -> Self {
        let pattern = params.pattern().unwrap_or(Pattern::Random);
        let block = params.block().unwrap_or(4096);
        let host = HostCost { submit: resolved.host.submit };
        Self::with(text, params, pattern, block, params.read_share().unwrap_or(1.0), host)
    }

    fn prewrite(text: &str, params: &Params, host: HostCost) -> Self {
        let pattern = params.prewrite_pattern().unwrap_or(Pattern::Random);
        let block = params.prewrite_block().unwrap_or(4096);
        Self::with(text, params, pattern, block, 0.0, host)
    }

    fn with(
        text: &str,
        params: &Params,
        pattern: Pattern,
        block: u64,
        read: f64,
        host: HostCost,
    ) -> Self {
        let depth = params.queue_depth().unwrap_or(1).max(1);
        let jobs = params.jobs().unwrap_or_else(|| (depth / 32).max(1)).clamp(1, depth);
        let percent = (read * 100.0).round() as u64;
        let kind = match percent {
            0 => "write",
            100 => "read",
            _ => "rw",
        };
        let random = pattern == Pattern::Random;
        let rw = if random { format!("rand{kind}") } else { kind.to_owned() };
        // Sequential workers have a part of the drive each.
        let part = if random { 100 } else { 100 / jobs.clamp(1, 100) };
        let step = if random { 0 } else { part };
        let env = [
            ("RW", rw),
            ("READ_PERCENT", percent.to_string()),
            ("BLOCK_BYTES", block.to_string()),
            ("DEPTH", (depth / jobs).max(1).to_string()),
            ("JOBS", jobs.to_string()),
            ("SIZE_PERCENT", part.to_string()),
            ("STEP_PERCENT", step.to_string()),
        ];
        let env = env.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        JobText { text: text.to_owned(), env, block, pattern, host }
    }

    /// The job with its times, in microseconds.
    pub(super) fn parse(&self, ramp_us: u64, runtime_us: u64) -> Result<JobFile, Diagnostic> {
        let mut env = self.env.clone();
        env.insert("RAMP_US".to_owned(), ramp_us.to_string());
        env.insert("RUNTIME_US".to_owned(), runtime_us.to_string());
        let options = LoadOptions { env, ..LoadOptions::default() };
        fio::jobfile::parse_str("method", &self.text, &options)
    }
}

/// Either kind of error inside a measurement.
enum Failure {
    Measure(MeasureError),
    Job(Diagnostic),
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        Failure::Measure(error)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Job(diagnostic)
    }
}

impl Bench for ModelBench {
    fn check(&self, run: &Run) -> Result<(), MeasureError> {
        let model = self.model(&run.target)?;
        if run.method == crate::review::FACTS {
            return Ok(());
        }
        method::find(&run.method).map_err(MeasureError::UnknownMethod)?;
        self.resolve(&model, &run.params).map(|_| ())
    }

    fn measure(
        &self,
        target: &str,
        method: &str,
        params: &Params,
    ) -> Result<Measurement, MeasureError> {
        let model = self.model(target)?;
        self.run(&model, method, params).map_err(|failure| match failure {
            Failure::Measure(error) => error,
            // A job that this drive cannot run (too small a span at this scale, for example).
            Failure::Job(diagnostic) => {
                MeasureError::NotModelled(diagnostic.to_string().replace("\n  help: ", "; "))
            }
        })
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        let model = self.model(target).ok()?;
        let (drive, nand) = (&model.drive, &model.nand);
        match metric {
            "capacity" => Some(drive.body.capacity.get().base() as f64),
            "dies" => Some(drive.flash.dies.get().number as f64),
            "dram" => drive.body.dram.as_ref().map(|d| d.get().base() as f64),
            "indirection_unit" => Some(drive.ftl.unit.get().base() as f64),
            "bits_per_cell" => Some(nand.bits_per_cell.get().number as f64),
            _ => None,
        }
    }

    fn fitted_on(&self, target: &str) -> BTreeSet<String> {
        self.model(target).map(|m| m.fitted_on()).unwrap_or_default()
    }
}

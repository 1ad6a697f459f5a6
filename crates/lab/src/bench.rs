//! The bench of modelled drives.

use super::failure::Failure;
use super::method::{self, Method};
use super::model_target::ModelTarget;
use super::options::{ArrayCondition, BenchOptions, USUAL_SCALE};
use super::session::{Session, Watch};
use super::target::Target;
use crate::Run;
use engine::{Ratio, whole};
use fio::Diagnostic;
use library::{Division, Interface, Overrides, ResolvedSystem, Scale, System};
use metric::{MeasureError, Measurement, MetricValue, Params, Provenance};
use simulate::{Rig, States};

/// Measures methods on the drives of the library. Copies of a bench share the states in which
/// their drives start.
#[derive(Clone, Debug, Default)]
pub struct ModelBench {
    options: BenchOptions,
    set: Vec<(String, String)>,
    give_up: Ratio,
    drives: Option<u32>,
    namespaces: Option<Division>,
    states: States,
}

impl ModelBench {
    /// A bench.
    pub fn new(options: BenchOptions) -> Self {
        ModelBench { options, ..Self::default() }
    }

    /// How it measures.
    pub fn options(&self) -> BenchOptions {
        self.options
    }

    /// The same bench with all options others.
    #[must_use]
    pub fn with_options(self, options: BenchOptions) -> Self {
        ModelBench { options, ..self }
    }

    /// The same bench with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        ModelBench { options: BenchOptions { seed, ..self.options }, ..self }
    }

    /// The same bench with so many I/Os of a measurement.
    #[must_use]
    pub fn with_ios(self, ios: u64) -> Self {
        ModelBench { options: BenchOptions { ios, ..self.options }, ..self }
    }

    /// The same bench for models with these values set, as `--set` does: key and value.
    #[must_use]
    pub fn with_set(self, set: Vec<(String, String)>) -> Self {
        ModelBench { set, ..self }
    }

    /// The same bench for drives of which this share of the user capacity is given up as spare,
    /// whatever the method; a method that gives up more itself gives up that.
    #[must_use]
    pub fn with_give_up(self, give_up: Ratio) -> Self {
        ModelBench { give_up, ..self }
    }

    /// The same bench for jobs that draw other numbers with every seed.
    #[must_use]
    pub fn with_reseed(self) -> Self {
        ModelBench { options: BenchOptions { reseed: true, ..self.options }, ..self }
    }

    /// The same bench for arrays in a condition.
    #[must_use]
    pub fn with_array(self, array: ArrayCondition) -> Self {
        ModelBench { options: BenchOptions { array, ..self.options }, ..self }
    }

    /// The same bench for so many drives side by side, and drives divided into these namespaces,
    /// whatever the method; a method that asks for others itself gets those.
    #[must_use]
    pub fn with_devices(self, drives: Option<u32>, namespaces: Option<Division>) -> Self {
        ModelBench { drives, namespaces, ..self }
    }

    /// The system of a target: of the library, with values changed behind an `@`; or of a file.
    ///
    /// # Errors
    /// If it is not known or cannot be read.
    pub fn system(&self, target: &str) -> Result<System, MeasureError> {
        if target.ends_with(".toml") {
            let read = System::from_file(std::path::Path::new(target), &self.set);
            return read.map_err(|why| MeasureError::UnknownTarget(why.to_string()));
        }
        let (name, own) = match target.split_once('@') {
            Some((name, own)) => {
                (name, library::changes(own).map_err(MeasureError::UnknownTarget)?)
            }
            None => (target, Vec::new()),
        };
        let set: Vec<_> = self.set.iter().cloned().chain(own).collect();
        System::named(name, &set).map_err(|why| MeasureError::UnknownTarget(why.to_string()))
    }

    /// The largest user capacity of the drives in the library whose names differ in that alone.
    fn largest_of_series(&self, slug: &str) -> Option<f64> {
        let series = |slug: &str| slug.rsplit_once('-').map(|(series, _)| series.to_owned());
        let mine = series(slug);
        let kin = library::drives().filter(|other| *other == slug || series(other) == mine);
        let capacities = kin.filter_map(|other| self.fact(other, "capacity"));
        capacities.reduce(f64::max).or_else(|| self.fact(slug, "capacity"))
    }

    fn resolve(
        &self,
        system: &System,
        method: &Method,
        params: &Params,
        needed: Option<Scale>,
    ) -> Result<ResolvedSystem, MeasureError> {
        // A scale that somebody asked for counts before that of the method.
        let mut completed = params.clone();
        // Missing parameters are reported when the method runs.
        let _ = method.complete(&mut completed);
        let count = |name| count_of(method, &completed, name);
        let drives = count("drives").filter(|_| system.lone().is_some()).or(self.drives);
        let parts: u64 = system.parts().iter().map(|(_, count)| u64::from(*count)).sum();
        let all = parts.max(1).saturating_mul(u64::from(drives.unwrap_or(1)));
        let of_each = method.units_per_drive.map(|units| units.saturating_mul(all));
        let own = method.units.or(of_each).map(Scale::Units);
        let scale = needed.or(self.options.scale).or(own).unwrap_or(USUAL_SCALE);
        let may_grow = needed.is_none() && (self.options.scale.is_none() || self.options.grows);
        let asked = Ratio::from_base(whole((params.give_up() * 1e6).round()));
        let overrides = Overrides {
            give_up: asked.max(self.give_up),
            set: Vec::new(),
            power_state: params.power_state(),
            surroundings: super::surroundings::of(params).map_err(MeasureError::NotModelled)?,
            drives,
            namespaces: count("namespaces")
                .map(Division::Equal)
                .or_else(|| self.namespaces.clone()),
        };
        let resolved = resolve_from(system, scale, may_grow, &overrides)
            .map_err(|d| MeasureError::NotModelled(d.to_string().replace("\n  help: ", "; ")))?;
        super::model_array::check(self.options.array, &system.slug, &resolved.spec, method)
            .map_err(MeasureError::NotModelled)?;
        let devices = resolved.devices.len();
        match count("drives") {
            Some(asked) if system.lone().is_none() && asked as usize != devices => {
                Err(MeasureError::NotModelled(format!(
                    "drives = {asked}, but `{}` is a system that shows {devices} to the host; \
                     leave `drives` out, or name a drive instead of the system",
                    system.slug
                )))
            }
            _ => Ok(resolved),
        }
    }

    /// All that a run is made of besides its method, in full: runs that agree in it give the same.
    ///
    /// # Errors
    /// If the target cannot be built, or the run cannot be made on it.
    pub fn signature(&self, run: &Run) -> Result<String, MeasureError> {
        let system = self.system(&run.target)?;
        let method = method::find(&run.method).map_err(MeasureError::UnknownMethod)?;
        let resolved = self.resolve(&system, method, &run.params, None)?;
        let rated = (system.rated_cycles(), system.rated_writes(), system.interface());
        Ok(format!("{resolved:?} {rated:?}"))
    }

    /// Makes one run and reports its progress.
    ///
    /// # Errors
    /// See [`MeasureError`].
    pub fn measure_watched(
        &self,
        target: &str,
        method: &str,
        params: &Params,
        watch: Option<Watch<'_>>,
    ) -> Result<Measurement, MeasureError> {
        let system = self.system(target)?;
        let method = method::find(method).map_err(MeasureError::UnknownMethod)?;
        let (measured, needed) = self.measure_at(&system, method, params, None, watch)?;
        let is_fixed = self.options.scale.is_some() && !self.options.grows;
        if measured.is_ok() || needed == 0.0 || is_fixed {
            return measured.map_err(Into::into);
        }
        // The one that the loads need.
        let scale = Some(Scale::Share(needed));
        self.measure_at(&system, method, params, scale, watch)?.0.map_err(Into::into)
    }

    /// Makes one run at a scale, and says which the checked loads need at least.
    fn measure_at(
        &self,
        system: &System,
        method: &Method,
        params: &Params,
        scale: Option<Scale>,
        watch: Option<Watch<'_>>,
    ) -> Result<(Result<Measurement, Failure>, f64), MeasureError> {
        let resolved = self.resolve(system, method, params, scale)?;
        let told = resolved.warnings.clone();
        let mut target = self.target(system, resolved);
        let mut measured = measure_on(&mut target, method, params, self.options, watch);
        if let Ok(measured) = &mut measured {
            measured.warnings.splice(0..0, told);
            let rebuild = target.rebuild_time().map(MetricValue::exact);
            measured.metrics.extend(rebuild.map(|time| ("rebuild_time".to_owned(), time)));
        }
        Ok((measured, target.needed_scale()))
    }

    /// Whether a run could be made.
    ///
    /// # Errors
    /// Why it could not.
    pub fn check(&self, run: &Run) -> Result<(), MeasureError> {
        let system = self.system(&run.target)?;
        if run.method == crate::FACTS {
            return Ok(());
        }
        let method = method::find(&run.method).map_err(MeasureError::UnknownMethod)?;
        if let Some(name) = method.foreign(&run.params).first() {
            let text = format!("method `{}` has no parameter `{name}`", run.method);
            return Err(MeasureError::NotModelled(text));
        }
        self.resolve(&system, method, &run.params, None).map(|_| ())
    }

    /// Makes one run.
    ///
    /// # Errors
    /// See [`MeasureError`].
    pub fn measure(
        &self,
        target: &str,
        method: &str,
        params: &Params,
    ) -> Result<Measurement, MeasureError> {
        self.measure_watched(target, method, params, None)
    }

    /// The conditions in which a target can be: a drive only healthy, an array that lives on
    /// without one of its drives also degraded and rebuilding. One with a spare drive is never
    /// degraded for long: it rebuilds at once.
    ///
    /// # Errors
    /// A target that is not known.
    pub fn conditions(&self, target: &str) -> Result<Vec<ArrayCondition>, MeasureError> {
        let resolved = resolved(&self.system(target)?);
        Ok(resolved.map(|resolved| super::model_array::of(&resolved.spec)).unwrap_or_default())
    }

    /// The devices that a target shows to the host, each of which a method's load runs on.
    pub fn devices(&self, target: &str) -> usize {
        let resolved = self.system(target).ok().and_then(|system| resolved(&system));
        resolved.map_or(1, |resolved| resolved.devices.len())
    }

    /// A property that the model of a target contains, in the base unit of the metric.
    pub fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        let system = self.system(target).ok()?;
        if metric == "capacity" {
            return resolved(&system).map(|resolved| resolved.real_bytes as f64);
        }
        if let Some(value) = system.lone().and_then(|medium| medium.fact(metric)) {
            return Some(value);
        }
        let model = system.lone_flash()?;
        match metric {
            "power_per_tb" => {
                let rated = super::facts::of(model, "power_ps0")?;
                Some(rated / (self.fact(target, "capacity")? / 1e12))
            }
            "max_capacity" => self.largest_of_series(&system.slug),
            _ => super::facts::of(model, metric),
        }
    }

    fn target(&self, system: &System, resolved: ResolvedSystem) -> ModelTarget {
        let rig = Rig::of(&resolved, self.options.seed).sharing(self.states.clone());
        let mut target = ModelTarget::new(&system.slug, &resolved, rig, system.rated_cycles());
        target.set_rated_writes(system.rated_writes());
        target.set_age(self.options.age);
        target.set_loads(self.options.array, self.options.reseed);
        if let Some(Interface::Sata { .. }) = system.interface() {
            target.set_protocol(smart::Protocol::Ata);
        }
        target
    }
}

/// Mapping units of which some are enough for any system to be resolved, whatever the scale of the
/// bench.
const RESOLVED: [u64; 3] = [64 << 20, 1 << 30, 16 << 30];

/// A system at a scale at which it can be.
fn resolved(system: &System) -> Option<ResolvedSystem> {
    let resolve = |units: u64| system.resolve(Scale::Units(units), &Overrides::default()).ok();
    RESOLVED.into_iter().find_map(resolve)
}

/// How many times over a scale is doubled that nobody insists on.
const DOUBLINGS: u32 = 5;

/// A system at a scale, or if it may grow, at the first larger one at which the drives of the
/// system can be built: some have superblocks of which a small part of a drive has too few.
fn resolve_from(
    system: &System,
    scale: Scale,
    may_grow: bool,
    overrides: &Overrides,
) -> Result<ResolvedSystem, Diagnostic> {
    let resolved = system.resolve(scale, overrides);
    let (Err(_), true, Scale::Units(units)) = (&resolved, may_grow, scale) else { return resolved };
    let larger = (1..=DOUBLINGS).map(|times| Scale::Units(units.saturating_mul(1 << times)));
    larger.into_iter().find_map(|scale| system.resolve(scale, overrides).ok()).map_or(resolved, Ok)
}

/// A number that builds the target, if the method lists it: given, or the method's default.
fn count_of(method: &Method, params: &Params, name: &str) -> Option<u32> {
    if !method.params.contains_key(name) {
        return None;
    }
    params
        .count(name)
        .filter(|count| *count != 1)
        .map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// Runs a method on a target.
///
/// # Errors
/// What the target cannot do, or what went wrong.
pub fn measure_on(
    target: &mut dyn Target,
    method: &Method,
    params: &Params,
    options: BenchOptions,
    watch: Option<Watch<'_>>,
) -> Result<Measurement, Failure> {
    let mut all = params.clone();
    method.complete(&mut all).map_err(Failure::left_out)?;
    let texts = (&method.jobs, &method.metrics);
    let mut session = Session::new(target, texts, (params.clone(), all), options, watch);
    session.run(&method.steps)?;
    if method.path.is_some() {
        session.warn_of_missing();
    }
    let method_provenance = match method.provenance.split_once(": ") {
        Some(("exact", source)) => Provenance::Exact(source.to_owned()),
        Some((_, unknown)) => Provenance::Approximation(unknown.to_owned()),
        None => Provenance::Approximation(method.provenance.clone()),
    };
    let line = session.line.series(&session.series, !session.target.modelled());
    session.series.extend(line);
    Ok(Measurement {
        metrics: session.metrics(),
        points: session.points,
        series: session.series,
        histograms: session.histograms,
        convergence: session.convergence,
        limits: session.limits,
        warnings: session.warnings,
        method_provenance,
        about: session.target.about(),
    })
}

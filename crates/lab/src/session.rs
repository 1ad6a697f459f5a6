//! One run of a method on one target: its parameters, and what its steps have found so far.

use super::cut::Cut;
use super::failure::Failure;
use super::formula;
use super::line::Line;
use super::load::{Load, UNIFORM};
use super::options::BenchOptions;
use super::target::{Counters, Ran, Target, Work};
use super::values::Values;
use metric::{MetricValue, NamedHistogram, Params, Point, Raw, Series, State};
use stats::{Convergence, Direction, Histogram, JobResult, Limit};
use std::collections::BTreeMap;

/// Told how far a run is: what is done now, and the share that is behind it.
pub type Watch<'a> = &'a dyn Fn(&str, f64);

/// A method under way.
pub struct Session<'a> {
    /// What it runs on.
    pub target: &'a mut dyn Target,
    /// The texts of the method's jobs by their names.
    pub jobs: &'a BTreeMap<String, String>,
    /// The formulas of the method's metrics by their names.
    pub formulas: &'a BTreeMap<String, String>,
    /// Its parameters as they stand: a sweep changes them from point to point.
    pub params: Params,
    /// How measurements are made.
    pub options: BenchOptions,
    /// State that the target was last brought into.
    pub state: State,
    /// Whether it has been written for a time since.
    pub written: bool,
    /// Numbers by the name of the step that gave them.
    pub results: BTreeMap<String, Values>,
    /// Counters by the name of the step that read them.
    pub counters: BTreeMap<String, Counters>,
    /// Points of sweeps.
    pub points: Vec<Point>,
    /// Curves over time and position.
    pub series: Vec<Series>,
    /// Distributions of latencies.
    pub histograms: Vec<NamedHistogram>,
    /// How rounds came to rest.
    pub convergence: Vec<Convergence>,
    /// Bytes that measured jobs have written since the target was brought into its state, of the
    /// real target.
    pub host_written: f64,
    /// Where the jobs that go on from run to run ended, by their names: bytes of the real device.
    pub ends: BTreeMap<String, u64>,
    /// Times of jobs and pauses are so many times as long: turns of a repetition are done as one.
    pub stretched: f64,
    /// All steps over time.
    pub line: Line,
    /// What limited the measurements, in their order.
    pub limits: Vec<Limit>,
    /// What to keep in mind.
    pub warnings: Vec<String>,
    /// Measurements that were shorter than asked for.
    pub(super) cut: Cut,
    /// Rates are tried, which may be more than the target can do.
    pub trying: bool,
    /// The point of the sweeps under way.
    pub at: Vec<(String, String)>,
    /// Share that is done, from and to, of the step under way.
    pub part: (f64, f64),
    pub(super) watch: Option<Watch<'a>>,
}

impl<'a> Session<'a> {
    /// A run that has not begun: jobs and formulas of its method, the parameters that the user gave
    /// and all of them.
    pub fn new(
        target: &'a mut dyn Target,
        (jobs, formulas): (&'a BTreeMap<String, String>, &'a BTreeMap<String, String>),
        (given, params): (Params, Params),
        options: BenchOptions,
        watch: Option<Watch<'a>>,
    ) -> Self {
        Session {
            target,
            jobs,
            formulas,
            params,
            options,
            state: State::Fresh,
            written: false,
            results: BTreeMap::new(),
            counters: BTreeMap::new(),
            points: Vec::new(),
            series: Vec::new(),
            histograms: Vec::new(),
            convergence: Vec::new(),
            host_written: 0.0,
            ends: BTreeMap::new(),
            stretched: 1.0,
            line: Line::default(),
            limits: Vec::new(),
            warnings: Vec::new(),
            cut: Cut::new(given),
            trying: false,
            at: Vec::new(),
            part: (0.0, 1.0),
            watch,
        }
    }

    /// Runs a job and passes on what is warned of.
    ///
    /// # Errors
    /// As [`Target::run`].
    pub fn measure(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        let ran = self.target.run(work)?;
        for warning in &ran.warnings {
            self.warn(warning.clone());
        }
        Ok(ran)
    }

    /// Keeps the distributions of the latencies of some entries together: `read_lat`, `write_lat`,
    /// with `prefix` and a dot before it if there is one.
    pub fn keep_histograms(&mut self, prefix: &str, jobs: &[&JobResult]) {
        self.histograms.extend(distributions(prefix, jobs));
    }

    /// The point of the sweeps under way: `name=value` of each, outermost first; empty outside.
    pub fn point(&self) -> String {
        let at: Vec<String> =
            self.at.iter().map(|(name, value)| format!("{name}={value}")).collect();
        at.join(" ")
    }

    /// A measurement takes so many seconds of those that `written` asks for.
    pub fn cut_short(&mut self, written: &str, asked_s: f64, seconds: f64) {
        self.cut.shorten(parameter(written), asked_s, seconds);
    }

    /// Says what is done now, and how much of the step is behind it.
    pub fn tell(&self, what: &str, share: f64) {
        let Some(watch) = self.watch else { return };
        let point = self.point();
        let what = if point.is_empty() { what.to_owned() } else { format!("{what} {point}") };
        watch(&what, self.part.0 + (self.part.1 - self.part.0) * share);
    }

    /// Adds a warning once.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    /// A value of a step: `${name}` is the parameter's, `None` if it is not given.
    pub fn text(&self, written: &str) -> Option<String> {
        match parameter(written) {
            Some(name) => self.params.get(name).map(ToString::to_string),
            None => Some(written.to_owned()),
        }
    }

    /// A time of a step in seconds, stretched.
    ///
    /// # Errors
    /// If the text is not a duration.
    pub fn seconds(&self, written: &str) -> Result<Option<f64>, Failure> {
        let Some(text) = self.text(written) else { return Ok(None) };
        let mut one = Params::default();
        one.give("duration", &text).map_err(Failure::failed)?;
        Ok(one.duration_ns().map(|ns| ns as f64 / 1e9 * self.stretched))
    }

    /// A rate of a step in bytes a second.
    ///
    /// # Errors
    /// If the text is not a rate.
    pub fn rate(&self, written: &str) -> Result<Option<u64>, Failure> {
        let Some(text) = self.text(written) else { return Ok(None) };
        let mut one = Params::default();
        one.give("rate", &text).map_err(Failure::failed)?;
        Ok(one.bandwidth("rate"))
    }

    /// A whole number of a step.
    ///
    /// # Errors
    /// If the text is not a whole number.
    pub fn count(&self, written: &str) -> Result<Option<u64>, Failure> {
        let Some(text) = self.text(written) else { return Ok(None) };
        let wrong = |_| Failure::failed(format!("`{written}` is no whole number"));
        text.parse().map(Some).map_err(wrong)
    }

    /// A size of a step in bytes.
    ///
    /// # Errors
    /// If the text is not a size.
    pub fn bytes(&self, written: &str) -> Result<Option<u64>, Failure> {
        let Some(text) = self.text(written) else { return Ok(None) };
        let mut one = Params::default();
        one.give("block", &text).map_err(Failure::failed)?;
        Ok(one.block())
    }

    /// The parameters with those of a step put over them.
    ///
    /// # Errors
    /// If a parameter is unknown, given twice, or has a value that cannot be read.
    pub fn with(&self, given: &BTreeMap<String, String>) -> Result<Params, Failure> {
        let mut own = Params::default();
        for (name, written) in given {
            if let Some(text) = self.text(written) {
                own.insert(name, Raw::Text(&text)).map_err(Failure::failed)?;
            }
        }
        Ok(own.over(&self.params))
    }

    /// The text of a job.
    ///
    /// # Errors
    /// If the method has no job of this name.
    pub fn job(&self, name: Option<&str>) -> Result<&'a str, Failure> {
        let Some(name) = name else { return Ok(UNIFORM) };
        let known = self.jobs.get(name).map(String::as_str);
        known.ok_or_else(|| Failure::failed(format!("the method has no job `{name}`")))
    }

    /// The load of a job with these parameters.
    ///
    /// # Errors
    /// If the method has no job of this name.
    pub fn load(&self, name: Option<&str>, params: &Params) -> Result<Load, Failure> {
        Ok(Load::new(self.job(name)?, params, self.target.capacity()))
    }

    /// Whether one of these conditions holds, each as in a parameter's `when`; `true` without any.
    pub fn holds(&self, conditions: &[String]) -> bool {
        let holds = |condition: &String| super::condition::holds(condition, &self.params);
        conditions.is_empty() || conditions.iter().any(holds)
    }

    /// A number of an earlier step, written `STEP.NAME`, or a parameter in its base unit, written
    /// `${name}`.
    pub fn value(&self, path: &str) -> Option<MetricValue> {
        if let Some(name) = parameter(path.trim()) {
            return self.params.get(name)?.base().map(MetricValue::exact);
        }
        let (step, name) = path.trim().split_once('.')?;
        self.results.get(step)?.get(name).copied()
    }

    /// Warns of metrics that have no value. Those of the methods of the program may depend on the
    /// target; in a method of the user's own it may be a mistake.
    pub fn warn_of_missing(&mut self) {
        let metrics = self.metrics();
        for (name, formula) in self.formulas {
            if name != "all" && !metrics.contains_key(name) {
                let known: Vec<&str> = self.results.keys().map(String::as_str).collect();
                let steps = known.join("`, `");
                let why = format!("no step gave `{formula}`; there are numbers of `{steps}`");
                self.warn(format!("{name} has no value: {why}"));
            }
        }
    }

    /// The method's metrics.
    pub fn metrics(&self) -> Values {
        let mut all = Values::new();
        for (name, text) in self.formulas {
            if name == "all" {
                all.extend(self.results.get(text.trim()).cloned().unwrap_or_default());
                continue;
            }
            let value = formula::value(&|path| self.value(path), text);
            all.extend(value.map(|value| (name.clone(), value)));
        }
        all
    }
}

/// The distributions of reads and writes of some entries together, those that have any.
pub(super) fn distributions(prefix: &str, jobs: &[&JobResult]) -> Vec<NamedHistogram> {
    let mut all = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let (mut sum, mut max_ns) = (Histogram::new(), 0);
        for clat in jobs.iter().map(|job| &job.direction(direction).clat) {
            if let Some(histogram) = &clat.histogram {
                sum.merge(histogram);
                max_ns = max_ns.max(clat.max_ns);
            }
        }
        let dot = if prefix.is_empty() { "" } else { "." };
        if !sum.is_empty() {
            let name = format!("{prefix}{dot}{}_lat", direction.name());
            all.push(NamedHistogram::new(name, &sum, max_ns));
        }
    }
    all
}

/// The name of the parameter in `${NAME}`.
fn parameter(written: &str) -> Option<&str> {
    written.strip_prefix("${")?.strip_suffix('}')
}

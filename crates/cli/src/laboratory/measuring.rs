//! The loop that makes measurements: those that are saved are taken, the others are made at the
//! same time or one after another, saved, counted and shown.

use super::partial::Partial;
use crate::caller::{is_end, reason};
use crate::console::{self, Console};
use crate::interrupt;
use crate::progress::{Bar, Stopwatch, rate};
use crate::render::Failure;
use lab::Watch;
use metric::{MeasureError, Measurement};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a measurement gave, or why it gave nothing.
pub type Made = Result<Measurement, MeasureError>;

/// Makes one measurement and says how far it is. A failure ends the command.
type Make<'a> = Box<dyn Fn(Watch<'_>) -> Result<Made, Failure> + Send + Sync + 'a>;

/// A measurement that is wanted.
pub struct Job<'a> {
    /// Its key ([`super::run_key`]).
    key: String,
    /// What a reader calls it.
    label: String,
    /// It is made on something real: nothing may run beside it.
    alone: bool,
    /// Makes it.
    make: Make<'a>,
}

impl<'a> Job<'a> {
    /// A measurement on something real.
    pub fn real(
        key: String,
        label: String,
        make: impl Fn(Watch<'_>) -> Result<Measurement, Failure> + Send + Sync + 'a,
    ) -> Self {
        let make = move |watch: Watch<'_>| make(watch).map(Ok);
        Job { key, label, alone: true, make: Box::new(make) }
    }

    /// A measurement on models. A bug in one must not cost the results of the others.
    pub fn modelled(
        key: String,
        label: String,
        make: impl Fn(Watch<'_>) -> Made + Send + Sync + 'a,
    ) -> Self {
        let make = move |watch: Watch<'_>| Ok(caught(|| make(watch)));
        Job { key, label, alone: false, make: Box::new(make) }
    }
}

/// Measurements under way.
pub struct Measuring<'a> {
    partial: &'a Partial,
    pool: &'a rayon::ThreadPool,
    bar: Bar,
    done: AtomicUsize,
    /// How many there are in all, where that is known.
    all: Option<usize>,
    /// Whether each that ended is a line on standard error, where nobody sees the bar.
    lines: bool,
}

impl<'a> Measuring<'a> {
    /// None is made yet; `title` says what for.
    pub fn new(
        title: &str,
        partial: &'a Partial,
        pool: &'a rayon::ThreadPool,
        console: &Console,
    ) -> Self {
        let (bar, all) = (Bar::new(console, title), partial.wanted());
        // A single measurement is the result, and needs no line of its own.
        let lines = console.speaks() && !console.draws() && all != Some(1);
        Self { partial, pool, bar, done: AtomicUsize::new(0), all, lines }
    }

    /// The same without a line for each: for values that are read and take no time.
    #[must_use]
    pub fn without_lines(mut self) -> Self {
        self.lines = false;
        self
    }

    /// So many more are wanted than was known.
    pub fn expect(&mut self, more: usize) {
        self.all = self.all.map(|all| all + more);
    }

    /// Measurements that were made or taken so far.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Says what is done, between measurements.
    pub fn say(&self, what: &str) {
        self.bar.set(0.0, what.to_owned());
    }

    /// Makes measurements, several at the same time unless one is to be made alone: then one after
    /// another in their order. The results come in the order of the jobs.
    ///
    /// # Errors
    /// The first failure in that order. A failure to save ends nothing: the rest is made before it
    /// is told.
    pub fn make(&self, jobs: &[Job<'_>]) -> Result<Vec<Made>, Failure> {
        let trouble = Mutex::new(None);
        let one = |job: &Job<'_>| self.one(job, &trouble);
        let all = match jobs.iter().any(|job| job.alone) {
            true => jobs.iter().map(one).collect::<Result<Vec<Made>, Failure>>(),
            false => self.pool.install(|| {
                let each = jobs.par_iter().with_max_len(1).map(one);
                each.collect::<Vec<Result<Made, Failure>>>().into_iter().collect()
            }),
        };
        match trouble.into_inner() {
            Ok(Some(failure)) => Err(failure),
            _ => all,
        }
    }

    fn one(&self, job: &Job<'_>, trouble: &Mutex<Option<Failure>>) -> Result<Made, Failure> {
        let watch = Stopwatch::start();
        let known = self.partial.get(&job.key);
        let fresh = known.is_none();
        let made = match known {
            Some(known) => Ok(known),
            None if interrupt::happened() => return Err(Failure::failed("interrupted")),
            None => (job.make)(&|what: &str, share: f64| self.under_way(job, what, share))?,
        };
        if let (true, Ok(measurement)) = (fresh, &made)
            && let Err(failure) = self.partial.save(&job.key, measurement)
            && let Ok(mut first) = trouble.lock()
        {
            first.get_or_insert(failure);
        }
        self.ended(job, fresh, watch);
        Ok(made)
    }

    fn under_way(&self, job: &Job<'_>, what: &str, share: f64) {
        let all = self.all.unwrap_or(1).max(1) as f64;
        self.bar.set((self.done() as f64 + share) / all, format!("{}: {what}", job.label));
    }

    fn ended(&self, job: &Job<'_>, fresh: bool, watch: Stopwatch) {
        let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        match self.all {
            Some(all) => self.bar.count(number, all, "measurements", &job.label),
            None => {
                let rate = rate(number, self.bar.seconds());
                self.bar.set(0.0, format!("{number} measurements, {rate}: {}", job.label));
            }
        }
        if !self.lines {
            return;
        }
        let took = if fresh { format!("{:.1} s", watch.seconds()) } else { "saved".to_owned() };
        let of = self.all.map_or_else(String::new, |all| format!("/{all}"));
        console::say(&format!("[{number}{of}] {} ({took})", job.label));
    }
}

impl Drop for Measuring<'_> {
    fn drop(&mut self) {
        self.bar.finish();
    }
}

/// A measurement of which a bug becomes an error.
pub fn caught(measure: impl FnOnce() -> Made) -> Made {
    catch_unwind(AssertUnwindSafe(measure)).unwrap_or_else(|cause| match is_end(&*cause) {
        true => resume_unwind(cause),
        false => Err(MeasureError::Failed(format!("a bug: {}", reason(&*cause)))),
    })
}

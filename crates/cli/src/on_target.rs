//! Many runs on one target, a model or something real.

use crate::console::Console;
use crate::laboratory::{Job, Made, Measuring, OUTPUT, Partial, key, run_key_of};
use crate::on_real::{self, RealArgs};
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use lab::{BenchOptions, ModelBench, Run, Watch};
use metric::{Measurement, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A run that is asked for.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The run.
    pub run: &'a Run,
    /// The one before leaves a drive in the state that this one needs.
    pub follows: bool,
}

/// A target, and how it is measured.
pub struct OnTarget<'a> {
    /// The command, so that what one saved is not taken by another.
    title: &'a str,
    /// The target.
    pub subject: &'a Subject,
    /// Consent, if it is real.
    real: &'a RealArgs,
    /// What is measured is saved beside this file until [`Saved::forget`].
    output: Option<&'a Path>,
    /// How a model is measured.
    options: BenchOptions,
    /// A real target is as the last run left it, which was made by this command.
    left: AtomicBool,
}

impl<'a> OnTarget<'a> {
    /// A target; what is measured is saved beside `output`.
    pub fn new(
        title: &'a str,
        (subject, real): (&'a Subject, &'a RealArgs),
        output: Option<&'a Path>,
        options: BenchOptions,
    ) -> Self {
        Self { title, subject, real, output, options, left: AtomicBool::new(false) }
    }
}

/// Where measurements are saved until all is done.
pub struct Saved {
    partial: Partial,
    steps: Option<PathBuf>,
}

impl Saved {
    /// Removes what was saved. Of several the last goes first: each leaves what it found.
    pub fn forget(self) {
        self.partial.remove();
        if let Some(steps) = self.steps {
            let _ = real::journal::remove(&steps);
        }
    }
}

impl OnTarget<'_> {
    /// Measures each run; equal ones once. Those of a real target are made one after another, each
    /// kept with its steps; one that follows the run before, if that was made by this command,
    /// finds the drive as it needs it, and hours of writing are not done again. The answers come in
    /// the order of the runs.
    ///
    /// # Errors
    /// The guard's refusal of a real target; a failure to save; what ends a real test.
    pub fn measure(
        &self,
        runs: &[Asked<'_>],
        pool: &rayon::ThreadPool,
        console: &mut Console,
    ) -> Result<(Vec<Made>, Saved), Failure> {
        let subject = self.subject;
        let texts = match subject.real {
            true => self.real.consent.key(&subject.target, console)?,
            false => target::model(&subject.target, &subject.set)?.texts(),
        };
        // What a model states is read and not measured.
        let key_of =
            |asked: &Asked<'_>| (!asked.run.is_fact()).then(|| run_key_of(asked.run, &texts));
        let wanted: Vec<Option<String>> = runs.iter().map(key_of).collect();
        let mut by_key: BTreeMap<&String, Asked<'_>> = BTreeMap::new();
        let mut keys: Vec<String> = Vec::new();
        for (key, asked) in wanted.iter().zip(runs) {
            if let Some(key) = key
                && by_key.insert(key, *asked).is_none()
            {
                keys.push(key.clone());
            }
        }
        let head = format!("{} {} {}", self.title, subject.give_up, key(&self.options));
        let mut partial = Partial::open((self.output, OUTPUT), &head, Some(&keys), console)?;
        if subject.real {
            partial = partial.with_steps();
        }
        let measuring = Measuring::new("measuring", &partial, pool, console);
        let jobs: Vec<Job<'_>> = keys.iter().map(|key| self.job(key, by_key[key], &head)).collect();
        let made = measuring.make(&jobs)?;
        drop(measuring);
        let made: BTreeMap<&String, Made> = keys.iter().zip(made).collect();
        let of = |(asked, key): (&Asked<'_>, &Option<String>)| match key {
            Some(key) => made[key].clone(),
            None => Ok(crate::test::facts(&self.bench(), asked.run)),
        };
        let made = runs.iter().zip(&wanted).map(of).collect();
        let steps = self.output.filter(|_| subject.real).map(on_real::steps_place);
        Ok((made, Saved { partial, steps }))
    }

    /// A run on the real target. What a run that failed leaves is not known.
    fn real_run(
        &self,
        run: &Run,
        follows: bool,
        steps: Option<(PathBuf, String)>,
        watch: Watch<'_>,
    ) -> Result<Measurement, Failure> {
        let mut run = run.clone();
        if follows && self.left.load(Ordering::Relaxed) {
            run.params.give("state", State::Kept.word()).map_err(Failure::wrong)?;
        }
        let made = self.real.measure(&run, self.options, steps, watch);
        self.left.store(made.is_ok(), Ordering::Relaxed);
        made
    }

    fn bench(&self) -> ModelBench {
        let bench = ModelBench::new(self.options).with_set(self.subject.pairs());
        bench.with_give_up(self.subject.give_up)
    }

    fn job(&self, key: &str, asked: Asked<'_>, head: &str) -> Job<'_> {
        let (run, label, key) = (asked.run.clone(), asked.run.label(), key.to_owned());
        if self.subject.real {
            let place = self.output.map(on_real::steps_place);
            let steps = place.map(|place| (place, format!("{head} {key}")));
            return Job::real(key, label, move |watch| {
                self.real_run(&run, asked.follows, steps.clone(), watch)
            });
        }
        let bench = self.bench();
        Job::modelled(key, label, move |watch| {
            bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
        })
    }
}

//! `drivelab test`: a method on one or more targets, side by side.

mod args;
mod asked;
mod words;

use crate::console::Console;
use crate::ensemble::{self, Drawn};
use crate::files::{self, json_text, kept};
use crate::laboratory::{
    Job, Measuring, Partial, RECORD, bench_options, budget_of, key, run_key_of, threads,
};
use crate::on_real;
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use crate::target;
use answer::{Interval90, Origin, Tested};
pub use args::TestArgs;
use asked::{Asked, asked, method_of};
use lab::{BenchOptions, FACTS, Method, ModelBench, Run, Watch};
use metric::{METRICS, MeasureError, Measurement, MetricValue, Params, Provenance};
use real::journal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use words::Measured;
pub use words::{place, too_few};

/// Runs the command.
pub fn command(args: &TestArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.bench.quiet);
    args.result.check_places(args.real.consent.overwrite)?;
    let mut options = bench_options(&args.bench);
    options.age = args.age;
    let method = method_of(args)?;
    let asked = asked(args, method)?;
    let drawn = args.interval.map(|draws| Drawn::new(draws, options.seed)).transpose()?;
    let test = Test { args, options, method, asked: &asked, drawn };
    test.check()?;
    let keys = test.keys(&mut console)?;
    let head = key(&options) + &args.devices.describe();
    let record = args.result.record.as_deref();
    let mut partial = Partial::open((record, RECORD), &head, Some(&keys), &mut console)?;
    if asked.iter().any(|asked| asked.subject.real) {
        partial = partial.with_steps();
    }
    test.say_steps(&keys, &mut console);
    let measured = test.measure(keys, &partial, &console)?;
    let tested = test.answer(&measured);
    let text = match args.result.json {
        true => json_text(&tested)?,
        false => words::shown(&measured, &mut console),
    };
    files::deliver(&text, args.result.output.as_deref())?;
    let Some(path) = &args.result.record else { return Ok(()) };
    records::save(test.outcome(&measured, &tested)?, watch.cost(), path)?;
    partial.remove();
    if asked.iter().any(|asked| asked.subject.real) {
        // Steps that stay do no harm: the next test begins them anew.
        let _ = journal::remove(&on_real::steps_place(path));
    }
    Ok(())
}

/// The method of a test that is planned and its parameters, all of it checked but the guard's
/// consent: that is asked when it begins. `None` for values that are read from a model.
pub fn planned(args: &TestArgs) -> Result<(Option<&'static Method>, Params), Failure> {
    let method = method_of(args)?;
    let asked = asked(args, method)?;
    let options = bench_options(&args.bench);
    let test = Test { args, options, method, asked: &asked, drawn: None };
    for asked in asked.iter().filter(|asked| !asked.subject.real) {
        test.bench(asked).check(&asked.run)?;
    }
    Ok((method, asked.into_iter().next().map(|asked| asked.run.params).unwrap_or_default()))
}

/// What is measured, and how.
struct Test<'a> {
    args: &'a TestArgs,
    options: BenchOptions,
    method: Option<&'static Method>,
    asked: &'a [Asked],
    /// The models that are drawn, if intervals are wanted.
    drawn: Option<Drawn>,
}

impl Test<'_> {
    /// The bench of a target.
    fn bench(&self, asked: &Asked) -> ModelBench {
        let devices = &self.args.devices;
        ModelBench::new(self.options)
            .with_set(asked.subject.pairs())
            .with_give_up(asked.subject.give_up)
            .with_devices(devices.drives, devices.namespaces.clone())
    }

    /// Refuses what cannot be measured, before anything is.
    fn check(&self) -> Result<(), Failure> {
        let (real, models): (Vec<&Asked>, Vec<&Asked>) =
            self.asked.iter().partition(|asked| asked.subject.real);
        real.into_iter().try_for_each(|asked| self.args.real.consent.check_trace(&asked.run))?;
        models.into_iter().try_for_each(|asked| Ok(self.bench(asked).check(&asked.run)?))
    }

    /// Where the steps of a measurement on something real are kept, and what they are of.
    fn steps(&self, key: &str) -> Option<(PathBuf, String)> {
        let record = self.args.result.record.as_deref()?;
        Some((on_real::steps_place(record), format!("{} {key}", env!("CARGO_PKG_VERSION"))))
    }

    /// Says how many steps of a test that was ended are taken.
    fn say_steps(&self, keys: &[String], console: &mut Console) {
        let real = self.asked.iter().zip(keys).filter(|(asked, _)| asked.subject.real);
        for (path, of) in real.filter_map(|(_, key)| self.steps(key)) {
            let (shown, steps) = (path.display(), journal::steps_at(&path, &of));
            if steps > 0 {
                console.note(&format!(
                    "{shown} holds {steps} steps; they are taken if nothing wrote since"
                ));
            }
        }
    }

    /// What makes each measurement another one, draws behind the targets. Real targets are examined
    /// for it, so that all refusals come before the first measurement.
    fn keys(&self, console: &mut Console) -> Result<Vec<String>, Failure> {
        let mut key = |asked: &Asked| {
            let (subject, run) = (&asked.subject, &asked.run);
            if subject.real {
                return Ok(run_key_of(run, &self.args.real.consent.key(&run.target, console)?));
            }
            let texts = target::model(&run.target, &subject.set)?.texts();
            let given = match subject.give_up.fraction() > 0.0 {
                true => format!("give up {} | ", subject.give_up),
                false => String::new(),
            };
            Ok(given + &run_key_of(run, &texts))
        };
        let mut keys = self.asked.iter().map(&mut key).collect::<Result<Vec<String>, Failure>>()?;
        if let Some(drawn) = &self.drawn {
            let of_draws: Vec<String> =
                self.draws().map(|(i, draw)| drawn.key(draw, &keys[i])).collect();
            keys.extend(of_draws);
        }
        Ok(keys)
    }

    /// The draws of each modelled target: which, and the number of the draw.
    fn draws(&self) -> impl Iterator<Item = (usize, u16)> + '_ {
        let draws = self.drawn.as_ref().map_or(0, Drawn::draws);
        let models = self.asked.iter().enumerate().filter(|(_, asked)| !asked.subject.real);
        models.flat_map(move |(i, _)| (0..draws).map(move |draw| (i, draw)))
    }

    /// Makes the measurements, one for each target, and those of the draws.
    fn measure(
        &self,
        keys: Vec<String>,
        partial: &Partial,
        console: &Console,
    ) -> Result<Vec<Measured>, Failure> {
        let pool = threads(&self.args.bench)?;
        let title = format!("measuring `{}`", self.args.method);
        let mut measuring = Measuring::new(&title, partial, &pool, console);
        if self.args.method == FACTS {
            measuring = measuring.without_lines();
        }
        let mut keys = keys.into_iter();
        let job = |(asked, key): (&'_ Asked, String)| {
            let (label, run) = (asked.subject.label.clone(), asked.run.clone());
            if asked.subject.real {
                let (real, options) = (&self.args.real, self.options);
                let steps = self.steps(&key);
                return Job::real(key, label, move |watch| {
                    real.measure(&run, options, steps.clone(), watch)
                });
            }
            let bench = self.bench(asked);
            Job::modelled(key, label, move |watch| measure(&bench, &run, watch))
        };
        let mut jobs: Vec<Job<'_>> = self.asked.iter().zip(keys.by_ref()).map(job).collect();
        for ((i, draw), key) in self.draws().zip(keys) {
            jobs.push(self.job_of_draw(&self.asked[i], draw, key)?);
        }
        let made: Result<Vec<Measurement>, MeasureError> =
            measuring.make(&jobs)?.into_iter().collect();
        let mut made = made?.into_iter();
        let with = |(asked, measurement): (&Asked, Measurement)| Measured {
            label: asked.subject.label.clone(),
            real: asked.subject.real,
            measurement,
            intervals: BTreeMap::new(),
            limited: limited(&asked.run.params),
        };
        let mut measured: Vec<Measured> = self.asked.iter().zip(made.by_ref()).map(with).collect();
        if let Some(drawn) = &self.drawn {
            let all = usize::from(drawn.draws());
            for one in measured.iter_mut().filter(|one| !one.real) {
                let draws: Vec<Measurement> = made.by_ref().take(all).collect();
                one.intervals = intervals(drawn, &one.measurement, &draws);
            }
        }
        Ok(measured)
    }

    /// The run of a target in a draw. All have the seed of the run itself, so that little else
    /// than the values differs.
    fn job_of_draw<'j>(
        &'j self,
        asked: &'j Asked,
        draw: u16,
        key: String,
    ) -> Result<Job<'j>, Failure> {
        let (bench, run) = match &self.drawn {
            Some(drawn) => drawn.of(self.bench(asked), &asked.run, &asked.subject.pairs(), draw)?,
            None => (self.bench(asked), asked.run.clone()),
        };
        let label = format!("{}, draw {}", asked.subject.label, draw + 1);
        Ok(Job::modelled(key, label, move |watch| measure(&bench, &run, watch)))
    }

    /// What a Record holds: the numbers, and on what they were measured.
    fn outcome(&self, measured: &[Measured], tested: &Tested) -> Result<stats::Outcome, Failure> {
        let mut targets = Vec::new();
        for (asked, measured) in self.asked.iter().zip(measured) {
            targets.push(match measured.real {
                true => on_real::target(&measured.label, measured.measurement.about.clone()),
                false => {
                    asked.subject.kept(self.options.simulated(), self.args.devices.overrides())?
                }
            });
        }
        let simulated = measured.iter().any(|measured| !measured.real);
        let budget = match simulated {
            true => kept(&budget_of(&self.args.bench, &self.options))?,
            false => Value::Null,
        };
        Ok(stats::Outcome {
            kind: stats::Kind::Method,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            targets,
            seed: simulated.then_some(self.options.seed),
            budget,
            job_text: self.method.map(|method| method.text.clone()),
            data: kept(tested)?,
            ..stats::Outcome::default()
        })
    }

    fn answer(&self, measured: &[Measured]) -> Tested {
        let given = self.asked.first().into_iter().flat_map(|asked| asked.run.params.iter());
        let of = |one: &Measured| {
            let origin = Origin::of_real(one.real);
            let mut answer = answer::Measured::new(&one.label, origin, &one.measurement);
            for (name, number) in &mut answer.metrics {
                number.interval90 = one.intervals.get(name).cloned();
            }
            answer
        };
        Tested {
            method: self.method.map_or(FACTS, |method| &method.name).to_owned(),
            file: self.method.and_then(|method| method.path.clone()),
            params: given.map(|(name, value)| (name.to_owned(), value)).collect(),
            targets: measured.iter().map(of).collect(),
            age: self.args.age.as_ref().map(crate::age::as_answered),
        }
    }
}

/// The interval of each number that all draws have.
fn intervals(
    drawn: &Drawn,
    own: &Measurement,
    draws: &[Measurement],
) -> BTreeMap<String, Interval90> {
    let of = |(name, metric): (&String, &MetricValue)| {
        let answers = draws.iter().map(|draw| Some(draw.metrics.get(name)?.value));
        let answers: Vec<f64> = answers.collect::<Option<_>>()?;
        let noise = metric
            .interval95
            .map_or(0.0, |(low, high)| ensemble::noise_of_run(low, high, metric.value));
        Some((name.clone(), drawn.interval(name, &answers, noise)?))
    };
    own.metrics.iter().filter_map(of).collect()
}

fn measure(bench: &ModelBench, run: &Run, watch: Watch<'_>) -> Result<Measurement, MeasureError> {
    if !run.is_fact() {
        let (target, method) = (&run.target, &run.method);
        return bench.measure_watched(target, method, &run.params, Some(watch));
    }
    Ok(facts(bench, run))
}

/// The values that the model of a target states.
pub fn facts(bench: &ModelBench, run: &Run) -> Measurement {
    let known = METRICS.iter().filter(|spec| spec.fact);
    let metrics = known.filter_map(|spec| {
        let value = bench.fact(&run.target, spec.name)?;
        Some((spec.name.to_owned(), MetricValue::exact(value)))
    });
    Measurement {
        metrics: metrics.collect(),
        points: Vec::new(),
        series: Vec::new(),
        histograms: Vec::new(),
        convergence: Vec::new(),
        limits: Vec::new(),
        warnings: Vec::new(),
        method_provenance: Provenance::Exact("the model's own values".to_owned()),
        about: serde_json::Value::Null,
    }
}

/// The metric that a parameter of the method holds to a limit.
fn limited(params: &Params) -> Option<String> {
    let limit = metric::Requirement::parse(&params.get("limit")?.to_string()).ok()?;
    Some(limit.metric)
}

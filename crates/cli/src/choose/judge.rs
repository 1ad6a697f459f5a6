//! From the runs to the answer.

use super::measure::Measured;
use super::offered::Offered;
use super::plan::{self, Plan, RATE_KEPT, REBUILD_TIME};
use crate::ensemble::noise_of_mean;
use crate::laboratory::usual_budget_of;
use crate::lifespan::{self, AMPLIFICATION, LIFETIME, RATED_LIFE};
use answer::choice::{Candidate, Choice, Condition, Limit, Use, Verdict};
use answer::sweep::{Sought, SweepValue};
use lab::ArrayCondition;
use metric::{Dimension, Measurement, Metric, MetricValue, Requirement, YEAR_S};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use sweep::{Estimate, Standing};

/// Capacities that are so many times apart are said.
const MUCH_MORE: f64 = 2.5;

/// Values by name.
type Values = BTreeMap<String, Estimate>;

/// The answer.
pub fn choice(plan: &Plan<'_>, measured: &[Vec<Measured>]) -> Choice {
    let both = plan.candidates.iter().zip(measured);
    let mut candidates: Vec<Candidate> = both.map(|(one, of)| candidate(plan, one, of)).collect();
    candidates.sort_by(|a, b| order(plan, a, b));
    let unit = match plan.objective.metric.as_str() {
        "cost" => plan.currency.clone(),
        name => sweep::judge::unit(name).to_owned(),
    };
    let params = plan.load.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let budget = usual_budget_of(&plan.args.bench, plan::BUDGET, &plan.bench.options());
    Choice {
        schema: Choice::SCHEMA.to_owned(),
        load: plan.args.load.clone(),
        method: plan.load.method.clone(),
        params: params.collect(),
        offered_iops: plan.offered.rates().map(|rates| rates.all(1)),
        endurance: plan.args.dwpd.zip(plan.args.years).map(|(dwpd, years)| Use { dwpd, years }),
        seeds: plan.seeds(),
        draws: plan.drawn.as_ref().map(|drawn| drawn.draws()),
        confidence: if plan.drawn.is_some() { 0.9 } else { 0.95 },
        budget: answer::Budget { seeds: Some(plan.args.repeats), ..budget },
        objective: Sought {
            metric: plan.objective.metric.clone(),
            unit,
            better: plan.objective.better,
        },
        chosen: chosen(&candidates).map(|best| best.name.clone()),
        warnings: warnings(plan, measured, &candidates),
        candidates,
    }
}

/// The one to take of candidates in order.
fn chosen(candidates: &[Candidate]) -> Option<&Candidate> {
    candidates.first().filter(|best| best.verdict != Verdict::Fails)
}

/// Which of two candidates stands first: those that keep every limit by what is sought, then those
/// of which it is open, then the others by how far they are beyond, those without a value last.
fn order(plan: &Plan<'_>, a: &Candidate, b: &Candidate) -> Ordering {
    let rank = |one: &Candidate| (one.failure.is_some(), one.verdict);
    let sought = |one: &Candidate| {
        one.objective.map_or(f64::INFINITY, |value| plan.objective.turned(value.value))
    };
    let missed = |one: &Candidate| {
        one.tightest().and_then(|(_, limit)| limit.margin).map_or(f64::INFINITY, |margin| -margin)
    };
    let value = |one: &Candidate| match one.verdict {
        Verdict::Fails => missed(one),
        _ => sought(one),
    };
    rank(a).cmp(&rank(b)).then(value(a).total_cmp(&value(b)))
}

fn candidate(plan: &Plan<'_>, one: &plan::Candidate, measured: &[Measured]) -> Candidate {
    let variant = &one.variant;
    let given_up = plan.load.params.give_up().max(variant.subject.give_up.base() as f64 / 1e6);
    let usable_capacity = variant.capacity.map(|bytes| bytes * (1.0 - given_up));
    let all = measured.iter().flat_map(|of| &of.runs);
    let failure = all.filter_map(|made| made.as_ref().err()).next();
    let mut answer = Candidate {
        name: variant.subject.label.clone(),
        drives: variant.parts.iter().map(|part| part.count).sum(),
        usable_capacity,
        verdict: Verdict::Fails,
        objective: None,
        conditions: Vec::new(),
        failure: failure.map(|error| error.reason().replace('\n', "; ")),
    };
    if answer.failure.is_some() {
        return answer;
    }
    for (condition, of) in one.conditions.iter().zip(measured) {
        let values = values(plan, one, usable_capacity, of);
        // What is sought is that of the healthy one, but for the time of a rebuild.
        if answer.objective.is_none() {
            answer.objective = values.get(&plan.objective.metric).map(SweepValue::from);
        }
        let runs = || of.runs.iter().flatten();
        let limits_of =
            plan.requirements.iter().filter(|limit| counts(plan, one, *condition, limit));
        let limits: BTreeSet<String> =
            runs().flat_map(|run| &run.limits).map(|limit| limit.by.word().to_owned()).collect();
        answer.conditions.push(Condition {
            name: condition.word().to_owned(),
            limits: limits_of.map(|limit| held(limit, &values)).collect(),
            limited_by: limits.into_iter().collect(),
            rebuild_time: values.get(REBUILD_TIME).map(|time| time.value),
        });
    }
    let all = answer.conditions.iter().flat_map(|one| &one.limits);
    answer.verdict = all.map(|limit| limit.verdict).max().unwrap_or(Verdict::Fails);
    answer
}

/// Whether a limit counts in a condition.
fn counts(
    plan: &Plan<'_>,
    one: &plan::Candidate,
    condition: ArrayCondition,
    limit: &Requirement,
) -> bool {
    match limit.metric.as_str() {
        // Nobody writes to a broken array for years.
        LIFETIME => condition == ArrayCondition::Healthy,
        // What is not rated by anybody has no such limit.
        RATED_LIFE => one.rated_writes.is_some() && condition == ArrayCondition::Healthy,
        REBUILD_TIME => condition == ArrayCondition::Rebuilding,
        // What is no array is only ever healthy.
        _ => one.conditions.len() == 1 || plan.counting.contains(&condition),
    }
}

/// A limit held against the values of a candidate.
fn held(limit: &Requirement, values: &Values) -> Limit {
    let value = values.get(&limit.metric);
    Limit {
        text: limit.text.clone(),
        metric: limit.metric.clone(),
        limit: limit.limit,
        value: value.map(SweepValue::from),
        margin: value.map(|value| limit.margin(value.value)),
        verdict: match value.map(|value| Standing::of(limit, Some(value))) {
            Some(Standing::Met) => Verdict::Keeps,
            Some(Standing::Failed) => Verdict::Fails,
            // What is not known is neither kept nor failed.
            Some(Standing::Open) | None => Verdict::Open,
        },
    }
}

/// All values of a candidate in a condition: what was measured, and what follows from it.
fn values(
    plan: &Plan<'_>,
    one: &plan::Candidate,
    usable: Option<f64>,
    measured: &Measured,
) -> Values {
    let runs: Vec<&Measurement> = measured.runs.iter().flatten().collect();
    let draws: Vec<&Measurement> = measured.draws.iter().flatten().collect();
    let names = runs.first().into_iter().flat_map(|run| run.metrics.keys());
    let mut all: Values = names
        .filter_map(|name| Some((name.clone(), estimate(plan, name, &runs, &draws)?)))
        .collect();
    let devices = one.variant.devices;
    all.extend(rate_kept(plan, devices, &runs, &draws).map(|kept| (RATE_KEPT.to_owned(), kept)));
    if let Some(usable) = usable {
        all.insert("usable_capacity".to_owned(), Estimate::exact(usable));
    }
    all.extend(lifetime(plan, one, usable, &all).map(|life| (LIFETIME.to_owned(), life)));
    let rated = written_a_second(plan, usable).zip(one.rated_writes);
    let asked = plan.args.years.map(|years| years * YEAR_S);
    let rated = rated.map(|(a_second, rated)| Estimate::exact(rated.life(a_second, asked)));
    all.extend(rated.map(|life| (RATED_LIFE.to_owned(), life)));
    let cost = plan.cost.as_ref();
    let cost = cost.and_then(|cost| cost.estimate(&one.variant.parts, all.get("power")));
    all.extend(cost.map(|cost| ("cost".to_owned(), cost)));
    all
}

/// The share of the rate asked for that a candidate keeps. Where arrivals are random, what chance
/// may have taken counts as kept; of models that were drawn the least and the most are its ends.
fn rate_kept(
    plan: &Plan<'_>,
    devices: usize,
    runs: &[&Measurement],
    draws: &[&Measurement],
) -> Option<Estimate> {
    let rates = plan.offered.rates()?;
    let each = |list: &[&Measurement]| -> Vec<(f64, f64)> {
        list.iter().filter_map(|run| rates.kept(run, devices)).collect()
    };
    let own = each(runs);
    let ios: f64 = own.iter().map(|(_, ios)| ios).sum();
    let value = own.iter().map(|(kept, _)| kept).sum::<f64>() / own.len().max(1) as f64;
    if own.is_empty() {
        return None;
    }
    let by_chance = |kept: f64, ios: f64| (kept + rates.chance(ios)).min(kept.max(1.0));
    let value = by_chance(value, ios);
    let drawn = each(draws).into_iter().map(|(kept, ios)| by_chance(kept, ios));
    let (low, high) =
        drawn.fold((value, value), |(low, high), kept| (low.min(kept), high.max(kept)));
    Some(Estimate { value, low, high, samples: None })
}

/// A metric by the runs, with the interval of the real drive if models were drawn.
fn estimate(
    plan: &Plan<'_>,
    name: &str,
    runs: &[&Measurement],
    draws: &[&Measurement],
) -> Option<Estimate> {
    let of = |list: &[&Measurement]| -> Vec<MetricValue> {
        list.iter().filter_map(|run| run.metrics.get(name).copied()).collect()
    };
    let known = of(runs);
    if known.len() < runs.len() {
        return None;
    }
    let own = Estimate::of_runs(name, &known.iter().collect::<Vec<_>>())?;
    let Some(drawn) = plan.drawn.as_ref().filter(|_| own.is_known()) else { return Some(own) };
    let answers: Vec<f64> = of(draws).iter().map(|value| value.value).collect();
    if plan.offered != Offered::Free && is_rate(name) {
        // How far models were off at their own pace says nothing of a pace that is given.
        let ends = answers.iter().fold(own, |own, answer| Estimate {
            low: own.low.min(*answer),
            high: own.high.max(*answer),
            ..own
        });
        return Some(ends);
    }
    let half = (own.high - own.low) / 2.0;
    let noise = noise_of_mean(half, own.value, plan.args.repeats);
    let real = drawn.interval(metric::tail(name), &answers, noise);
    // Where too few draws could be measured the runs are all there is.
    Some(real.map_or(own, |real| Estimate { low: real.low, high: real.high, ..own }))
}

/// Whether a metric says how much was done in a time.
fn is_rate(name: &str) -> bool {
    let dimension = Metric::parse(metric::tail(name)).map(|(metric, _)| metric.dimension());
    matches!(dimension, Ok(Dimension::Rate | Dimension::Bandwidth))
}

/// Bytes that the host writes, per second.
fn written_a_second(plan: &Plan<'_>, usable: Option<f64>) -> Option<f64> {
    Some(lifespan::written_a_second(plan.args.dwpd?, usable?))
}

/// How long a candidate lasts under the load.
fn lifetime(
    plan: &Plan<'_>,
    one: &plan::Candidate,
    usable: Option<f64>,
    values: &Values,
) -> Option<Estimate> {
    let a_second = written_a_second(plan, usable)?;
    let amplification = values.get(AMPLIFICATION)?;
    lifespan::lifetime(one.variant.flash_writes?, a_second, amplification, plan.amplified)
}

fn warnings(plan: &Plan<'_>, measured: &[Vec<Measured>], candidates: &[Candidate]) -> Vec<String> {
    let mut all: Vec<String> = of_load(plan).into_iter().collect();
    if plan.args.dwpd.is_some() {
        all.extend(of_life(plan, candidates));
    }
    let draws = measured.iter().flatten().flat_map(|of| &of.draws);
    let lost = draws.filter(|made| made.is_err()).count();
    if lost > 0 {
        all.push(format!("{lost} of the models that were drawn could not be measured"));
    }
    all.extend(of_samples(plan, measured));
    let chosen = chosen(candidates)
        .and_then(|best| plan.candidates.iter().find(|one| one.variant.subject.label == best.name));
    all.extend(chosen.and_then(|one| one.variant.assumed("the one to take")));
    all.extend(plan.candidates.iter().filter_map(of_devices));
    all.extend(of_sizes(candidates));
    all.extend(candidates.iter().filter_map(of_rebuild));
    all.extend(candidates.iter().filter_map(|one| without_rebuild(plan, one)));
    let mut told = BTreeSet::new();
    for (one, of) in plan.candidates.iter().zip(measured) {
        let label = &one.variant.subject.label;
        let runs = of.iter().flat_map(|of| &of.runs).flatten();
        // A number that nobody asked for needs no warning.
        let asked = |text: &&String| !text.starts_with("iops_cv ");
        for text in runs.flat_map(|run| &run.warnings).filter(asked) {
            if told.insert((label, text)) {
                all.push(format!("{label}: {text}"));
            }
        }
    }
    all
}

/// Percentiles that limits name, and for which there are too few I/Os.
fn of_samples(plan: &Plan<'_>, measured: &[Vec<Measured>]) -> Vec<String> {
    let runs: Vec<&Measurement> =
        measured.iter().flatten().flat_map(|of| of.runs.iter().flatten()).collect();
    let names: BTreeSet<&str> = plan.requirements.iter().map(|limit| &*limit.metric).collect();
    let unknown = |name: &&str| {
        let mut values = runs.iter().filter_map(|run| run.metrics.get(*name));
        values.any(|value| sweep::has_too_few_samples(name, value))
    };
    names.into_iter().filter(unknown).map(sweep::too_few_samples).collect()
}

/// That the load is not the same for all.
fn of_load(plan: &Plan<'_>) -> Option<String> {
    let is_file = lab::find(&plan.load.method).is_ok_and(lab::Method::is_job_file);
    let how = match is_file {
        true => "give its jobs rates (rate_iops=) to judge all at the same load",
        false => "a job file with rates (rate_iops=) judges all at the same load",
    };
    (plan.offered == Offered::Free)
        .then(|| format!("the load has no rate: each candidate takes what it can; {how}"))
}

/// That a candidate is several devices, each of which carries the load.
fn of_devices(one: &plan::Candidate) -> Option<String> {
    let (devices, label) = (one.variant.devices, &one.variant.subject.label);
    (devices > 1).then(|| {
        format!(
            "{label}: the host sees {devices} devices, and each carries the load: {devices} times \
             that of a candidate which is one device"
        )
    })
}

/// That candidates hold very different amounts: a small drive takes less power for that alone.
fn of_sizes(candidates: &[Candidate]) -> Option<String> {
    let all = || candidates.iter().filter_map(|one| one.usable_capacity);
    let (least, most) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    let shown = |bytes| metric::show(Dimension::Bytes, bytes);
    (most > MUCH_MORE * least).then(|| {
        format!(
            "candidates hold from {} to {}; say how much you need: --require 'usable_capacity >= \
             {}'",
            shown(least),
            shown(most),
            shown(most)
        )
    })
}

/// That a rebuild was too slow to be seen, or changes on the way.
fn of_rebuild(one: &Candidate) -> Option<String> {
    let of = one.conditions.iter().find(|of| of.name == ArrayCondition::Rebuilding.word())?;
    of.rebuild_time.is_none().then(|| {
        let name = &one.name;
        format!(
            "{name}: how long its rebuild takes is not seen in runs of this --budget, or changes \
             on the way (an SLC cache); `drivelab test fault-rebuild` tells"
        )
    })
}

/// That a limit of the rebuild says nothing of a candidate.
fn without_rebuild(plan: &Plan<'_>, one: &Candidate) -> Option<String> {
    let limit = plan.requirements.iter().find(|limit| limit.metric == REBUILD_TIME)?;
    let is_rebuilt = one.conditions.iter().any(|of| of.name == ArrayCondition::Rebuilding.word());
    (one.failure.is_none() && !is_rebuilt).then(|| {
        format!("{}: it has no rebuild, so that `{}` is no limit for it", one.name, limit.text)
    })
}

/// Whether a candidate was held to what its maker rates, or could not be held to anything.
fn is_rated(one: &Candidate) -> bool {
    let mut limits = one.conditions.iter().flat_map(|condition| &condition.limits);
    one.failure.is_some() || limits.any(|limit| limit.metric == RATED_LIFE)
}

/// What years rest on, and whose are not known.
fn of_life(plan: &Plan<'_>, candidates: &[Candidate]) -> Vec<String> {
    let mut all = vec![
        "how long a candidate lasts is by the cycles that its cells are rated for in its model, \
         under this load; what its data sheet rates is for another load, and is a limit of its own"
            .to_owned(),
    ];
    all.extend(plan.amplified.warning());
    let unrated: Vec<&str> =
        candidates.iter().filter(|one| !is_rated(one)).map(|one| one.name.as_str()).collect();
    if !unrated.is_empty() {
        let names = unrated.join(", ");
        all.push(format!("{names}: no rating of what the host may write is known, so none limits"));
    }
    let is_unknown = |one: &&Candidate| {
        let mut limits = one.conditions.iter().flat_map(|condition| &condition.limits);
        limits.any(|limit| limit.metric == LIFETIME && limit.value.is_none())
    };
    for one in candidates.iter().filter(is_unknown) {
        let why = match plan.candidates.iter().find(|c| c.variant.subject.label == one.name) {
            Some(known) if known.variant.flash_writes.is_none() => {
                "its model does not say how many cycles it is rated for"
            }
            _ => "the load writes nothing, so that its write amplification is not known",
        };
        all.push(format!("{}: how long it lasts is not known: {why}", one.name));
    }
    all
}

//! From simulations and draws to the answer.

use super::file::{Batches, FilePublished};
use super::measure::{Amplification, Worn, a_day};
use super::plan::{self, Plan, Purchase};
use crate::laboratory::usual_budget_of;
use ::fleet::{Fleet, Histogram, Month, Outcome, Surface, YEAR, live};
use answer::fleet::{
    Chance, Compared, FailedWear, FillPoint, FleetMonth, Gone, Losses, Published, SampledDrive,
    Simulated,
};
use engine::{narrow, whole};
use sweep::Words;

/// How far the wear of a drive may be from its simulated life before it is said.
const FAR: f64 = 0.05;
/// What 50, 95, 99 and 99.9 % of drives are below.
const SHARES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

/// The answer.
pub fn fleet(plan: &Plan<'_>, measured: &[Amplification]) -> answer::Fleet {
    let both = plan.purchases.iter().zip(measured);
    let (purchases, costs): (Vec<answer::fleet::Purchase>, Vec<Vec<f64>>) =
        both.map(|(one, of)| purchase(plan, one, of)).unzip();
    let currency = plan.cost.as_ref().map(|_| plan.currency.clone());
    answer::Fleet {
        schema: answer::Fleet::SCHEMA.to_owned(),
        time: plan.time,
        runs: plan.runs,
        seed: plan.bench.options().seed,
        inputs: inputs(plan),
        hazard_source: plan.file.hazard.source.clone(),
        budget: usual_budget_of(&plan.args.bench, plan::BUDGET, &plan.bench.options()),
        currency,
        confidence: plan.confidence,
        warnings: warnings(plan, measured, &purchases),
        compared: compared(&purchases, &costs),
        published: published(plan, &purchases),
        purchases,
    }
}

/// What field studies say, beside what becomes of the purchases.
fn published(plan: &Plan<'_>, purchases: &[answer::fleet::Purchase]) -> Vec<Published> {
    let row = |(row, published): (&FilePublished, &f64)| {
        let one = purchases.iter().find(|one| one.name == row.purchase);
        Published {
            purchase: row.purchase.clone(),
            what: row.what,
            published: *published,
            found: one.and_then(|one| row.what.of(one)),
            basis: row.basis,
            source: row.source.clone(),
            why: row.why.clone(),
        }
    };
    plan.file.published.iter().zip(&plan.published).map(row).collect()
}

/// What the plan says, as it is written.
fn inputs(plan: &Plan<'_>) -> answer::Pairs<String> {
    let words = |words: &Words| plan::texts(words).join(", ");
    let (usage, hazard) = (&plan.file.usage, &plan.file.hazard);
    let mut all = Vec::new();
    let mut add = |name: &str, text: Option<String>| {
        all.extend(text.map(|text| (name.to_owned(), text)));
    };
    add(
        "records",
        plan.records.as_ref().map(|records| {
            let drives = metric::counted(records.len(), "drive");
            format!("{} of {drives} in {}", records.names().join(", "), records.path().display())
        }),
    );
    add("writes", usage.writes.as_ref().map(words));
    let is_recorded = plan.records.as_ref().is_some_and(|records| records.has("fill"));
    let usual = (!is_recorded).then(|| "80 %".to_owned());
    add("fill", usage.fill.as_ref().map(words).or(usual));
    add("block", Some(words(&usage.block)));
    add("in order", usage.in_order.as_ref().map(|share| format!("{share} of drives")));
    add("temperature", usage.temperature.as_ref().map(words));
    add("age", usage.age.as_ref().map(words));
    add("retired at", plan.file.retire_at.clone());
    add("random failures", hazard.random.clone());
    add(
        "early failures",
        hazard.early.as_ref().map(|early| {
            format!("{} of drives, {}, shape {}", early.share, early.time, early.shape)
        }),
    );
    add(
        "wear-out",
        hazard
            .wear_out
            .as_ref()
            .map(|wear| format!("{} of the rated cycles, shape {}", wear.life, wear.shape)),
    );
    add(
        "temperature of rates",
        hazard.temperature.as_ref().map(|thermal| format!("{}, {}", thermal.at, thermal.energy)),
    );
    for (name, frailty) in [("batch", &hazard.batch), ("rack", &hazard.rack)] {
        add(name, frailty.as_ref().map(|one| format!("{}, {}", one.drives, one.deviation)));
    }
    add(
        "array",
        plan.file.array.as_ref().map(|array| {
            let mixed = if array.batches == Batches::Mixed { ", batches mixed" } else { "" };
            let (drives, spare, rebuild) = (&array.drives, &array.spare, &array.rebuild);
            format!("{drives}, of which {spare} may be missing, {rebuild}{mixed}")
        }),
    );
    add("spares after", Some(plan.file.spares.lead.clone()));
    all.into_iter().collect()
}

/// What becomes of a purchase, and what it costs in each run.
fn purchase(
    plan: &Plan<'_>,
    one: &Purchase,
    measured: &Amplification,
) -> (answer::fleet::Purchase, Vec<f64>) {
    // Where all is written in order, no drive looks at the curve.
    let surface = |points: &Vec<(f64, f64)>| match points.is_empty() {
        true => Surface::new(&[(1.0, 1.0)]),
        false => Surface::new(points),
    };
    let surfaces: Vec<Surface> = measured.random.iter().map(surface).collect();
    let fleet = Fleet {
        drives: one.drives,
        flash_writes: one.flash_writes,
        random: surfaces.clone(),
        in_order: measured.in_order.unwrap_or(1.0),
        usage: one.usage.clone(),
        hazards: plan.hazards.clone(),
        retire_at: plan.retire_at,
        groups: plan.groups,
        horizon: plan.time,
        lead: plan.lead,
    };
    let outcome = live(&fleet, plan.bench.options().seed, plan.runs);
    let runs = f64::from(plan.runs);
    let each = |gone: &[u64]| of_causes(|cause| gone[cause] as f64 / runs);
    let mut sums = [0_u64; 4];
    let months = outcome.months.iter().enumerate();
    let months = months.map(|(number, month)| {
        sums.iter_mut().zip(month.gone).for_each(|(sum, more)| *sum += more);
        of_month(number, month, each(&sums))
    });
    let months: Vec<FleetMonth> = months.collect();
    let total = |cause: usize| outcome.gone.iter().map(|gone| f64::from(gone[cause])).sum::<f64>();
    let gone = of_causes(|cause| total(cause) / runs);
    let replaced = chance(outcome.gone.iter().map(|gone| f64::from(gone.iter().sum::<u32>())));
    let costs = costs(plan, one, &outcome);
    let answer = answer::fleet::Purchase {
        name: one.name.clone(),
        drive: one.variant.subject.label.clone(),
        drives: one.drives,
        usable_capacity: one.usable,
        flash_writes: one.flash_writes,
        curve: fill_points(&measured.random, &surfaces, &plan.blocks),
        left_out: surfaces.iter().filter_map(Surface::left_out).reduce(f64::max),
        sample: measured.sample.iter().map(|worn| sampled(&fleet, worn)).collect(),
        in_order: measured.in_order,
        amplification: [0.5, 0.95].map(|share| outcome.amplification.at(share).unwrap_or(0.0)),
        months,
        read_only_after: read_only_after(&outcome),
        gone,
        replaced,
        failure_rate: gone.failed() / f64::from(one.drives) / (plan.time / YEAR),
        spares: spares(&outcome, plan.confidence),
        failed_wear: failed_wear(&outcome.failed_wear),
        cut: outcome.cut,
        losses: plan.groups.map(|groups| Losses {
            arrays: one.drives.div_ceil(groups.drives),
            mean: outcome.losses.iter().map(|n| f64::from(*n)).sum::<f64>() / runs,
            runs: outcome.losses.iter().filter(|n| **n > 0).count() as f64 / runs,
        }),
        cost: (!costs.is_empty()).then(|| chance(costs.iter().copied())),
    };
    (answer, costs)
}

/// What a purchase costs in each run: its drives, their slots, and what replaced them. Empty
/// without prices.
fn costs(plan: &Plan<'_>, one: &Purchase, outcome: &Outcome) -> Vec<f64> {
    let Some(cost) = &plan.cost else { return Vec::new() };
    let price = one.variant.parts.first().and_then(|part| cost.price(part));
    let Some(price) = price else { return Vec::new() };
    let bought = f64::from(one.drives) * (price + cost.per_slot());
    let of_run = |gone: &[u32; 4]| bought + price * f64::from(gone.iter().sum::<u32>());
    outcome.gone.iter().map(of_run).collect()
}

/// What the dearer purchases cost beside the cheapest, run by run.
fn compared(purchases: &[answer::fleet::Purchase], costs: &[Vec<f64>]) -> Vec<Compared> {
    let known = || {
        let both = purchases.iter().zip(costs);
        both.filter_map(|(one, costs)| Some((one, one.cost?.mean, costs)))
    };
    let Some((cheapest, mean, least)) = known().min_by(|(_, a, _), (_, b, _)| a.total_cmp(b))
    else {
        return Vec::new();
    };
    let compare = |(one, _, costs): (&answer::fleet::Purchase, f64, &Vec<f64>)| {
        let more: Vec<f64> = costs.iter().zip(least).map(|(cost, least)| cost - least).collect();
        let dearer = more.iter().filter(|more| **more > 0.0).count();
        let runs = more.len() as f64;
        let more = chance(more.into_iter());
        Compared {
            purchase: one.name.clone(),
            cheapest: cheapest.name.clone(),
            more,
            share: more.mean / mean,
            dearer_in: dearer as f64 / runs,
        }
    };
    known().filter(|(one, ..)| one.name != cheapest.name).map(compare).collect()
}

/// Months until 1 %, 10 % and half of the drives take no more writes.
fn read_only_after(outcome: &Outcome) -> Option<[f64; 3]> {
    let at = |share: f64| outcome.read_only_after.at(share);
    Some([at(0.01)?, at(0.1)?, at(0.5)?])
}

/// A drive that was simulated in full, beside what the fleet takes it to be.
fn sampled(fleet: &Fleet, worn: &Worn) -> SampledDrive {
    let Worn { written, block, host_writes, amplification } = *worn;
    let by_curve = fleet.amplification(&written);
    let a_year = written.writes * YEAR;
    SampledDrive {
        in_order: written.in_order,
        block,
        fill: written.fill,
        writes: written.writes,
        amplification: Simulated { simulated: amplification, fleet: by_curve },
        wear_a_year: Simulated {
            simulated: a_year / host_writes,
            fleet: a_year * by_curve / fleet.flash_writes,
        },
    }
}

/// Simulations of each size of writes, beside its curve.
fn fill_points(random: &[Vec<(f64, f64)>], surfaces: &[Surface], blocks: &[f64]) -> Vec<FillPoint> {
    let mut all = Vec::new();
    for ((points, surface), block) in random.iter().zip(surfaces).zip(blocks) {
        all.extend(points.iter().map(|&(fill, simulated)| FillPoint {
            block: Some(*block),
            fill,
            simulated,
            curve: surface.value(fill),
        }));
    }
    all
}

fn of_causes(of: impl Fn(usize) -> f64) -> Gone {
    Gone { early: of(0), random: of(1), worn_out: of(2), retired: of(3) }
}

fn of_month(number: usize, month: &Month, gone: Gone) -> FleetMonth {
    let drives = month.wear.len().max(1) as f64;
    FleetMonth {
        month: narrow::<u32>(number) + 1,
        wear: SHARES.map(|share| month.wear.at(share).unwrap_or(0.0)),
        wear_mean: month.wear.mean(),
        past_rated: month.past_rated as f64 / drives,
        gone,
    }
}

/// Mean of some runs and what nine tenths of them are between.
fn chance(runs: impl Iterator<Item = f64>) -> Chance {
    let mut runs: Vec<f64> = runs.collect();
    runs.sort_by(f64::total_cmp);
    let at = |share: f64| runs[rank(share, runs.len())];
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    Chance { mean, p5: at(0.05), p95: at(0.95) }
}

/// The place of the first of so many in order that a share of them does not exceed.
fn rank(share: f64, of: usize) -> usize {
    engine::index(whole((share * of as f64).ceil())).clamp(1, of) - 1
}

/// How worn the drives were that failed.
fn failed_wear(wear: &Histogram) -> Option<FailedWear> {
    Some(FailedWear {
        under_tenth: wear.below(0.1)?,
        over_nine_tenths: 1.0 - wear.below(0.9)?,
        p50: wear.at(0.5)?,
        p75: wear.at(0.75)?,
        p90: wear.at(0.9)?,
    })
}

/// Spares with which so many of the runs never ran out.
fn spares(outcome: &Outcome, confidence: f64) -> u32 {
    let mut most = outcome.spares.clone();
    most.sort_unstable();
    most[rank(confidence, most.len())]
}

fn warnings(
    plan: &Plan<'_>,
    measured: &[Amplification],
    purchases: &[answer::fleet::Purchase],
) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(plan.purchases.iter().zip(measured).filter_map(too_fast));
    for one in purchases {
        if one.cut > 0 {
            all.push(format!("{}: some drives fail so fast that slots were left empty", one.name));
        }
        if plan.groups.is_some_and(|groups| !one.drives.is_multiple_of(groups.drives)) {
            all.push(format!("{}: its last array has fewer drives than the others", one.name));
        }
        let apart = one.sample.iter().map(|drive| drive.wear_a_year.apart().abs());
        let worst = apart.fold(0.0, f64::max);
        if worst > FAR {
            let percent = 100.0 * worst;
            all.push(format!(
                "{}: the wear of a drive is {percent:.0} % off from that of its whole life, \
                 simulated",
                one.name
            ));
        }
    }
    let hazards = &plan.hazards;
    if hazards.random == 0.0 && hazards.infant.is_none() && hazards.wear_out.is_none() {
        all.push("no drive fails: the plan has no rates in [hazard]".to_owned());
    } else if plan.file.hazard.source.is_none() {
        all.push("the plan does not say where its rates of failures come from".to_owned());
    }
    if f64::from(plan.runs) * (1.0 - plan.confidence) < 1.0 {
        let runs = plan.runs;
        all.push(format!(
            "{runs} runs say nothing of what one in more of them needs: raise --runs for spares"
        ));
    }
    if plan.cost.as_ref().is_some_and(sweep::Cost::needs_power) {
        all.push("costs are of drives and slots: the power of this use is not known".to_owned());
    }
    let mut told: Vec<&String> = measured.iter().flat_map(|of| &of.warnings).collect();
    told.sort();
    told.dedup();
    all.extend(told.into_iter().cloned());
    all
}

/// That some of the drives are to write faster than they can.
fn too_fast((one, measured): (&Purchase, &Amplification)) -> Option<String> {
    let (_, most) = one.usage.writes.core();
    let (takes, _) = measured.takes.filter(|(takes, _)| most > *takes)?;
    Some(format!(
        "{}: some of its drives are to write {} and more, and take {} where they are fullest: they \
         would write less and last longer",
        one.name,
        a_day(most),
        a_day(takes)
    ))
}

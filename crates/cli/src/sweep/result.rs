//! From the rows of a sweep to its answer and its table.

use super::design::Design;
use super::made::Made;
use super::role::Role;
use crate::lifespan::{self, AMPLIFICATION, Amplified, LIFETIME};
use answer::sweep::{
    FactorEffect, FailedPoint, Kept, Required, Rung, Sought, SweepPoint, SweepValue,
};
use answer::{Pairs, Sweep};
use metric::{parse_quantity, split_quantity};
use report::{Cells, WideColumn};
use std::collections::{BTreeMap, BTreeSet};
use sweep::{Estimate, Judged, Point, Row, Standing, Status, judge};

/// A point with what follows from it besides what was measured.
pub fn point(design: &Design, number: usize, rows: &[&Row]) -> Point {
    let planned = &design.points[number];
    let mut point = Point::of(planned.at.clone(), rows);
    let (true, Ok(variant)) = (point.is_ok(), &planned.variant) else { return point };
    if rows.len() > 1 {
        let known = |name: &&str| point.values.get(*name).is_none_or(Estimate::is_known);
        let names = design.judged_by().filter(known);
        let all = names.filter_map(|name| Some((name.to_owned(), runs(name, rows)?)));
        point.runs = all.collect();
    }
    let given_up = planned.load.params.give_up().max(planned.give_up.base() as f64 / 1e6);
    if let Some(capacity) = variant.capacity {
        let usable = Estimate::exact(capacity * (1.0 - given_up));
        point.values.insert("usable_capacity".to_owned(), usable);
    }
    lasts(design, number, rows, &mut point);
    let Some(cost) = &design.cost else { return point };
    let whole = cost.estimate(&variant.parts, point.values.get("power"));
    point.values.extend(whole.map(|cost| ("cost".to_owned(), cost)));
    if let (true, Some(powers)) = (rows.len() > 1, runs("power", rows)) {
        let of = |power: &f64| cost.estimate(&variant.parts, Some(&Estimate::exact(*power)));
        let costs: Option<Vec<f64>> = powers.iter().map(|power| Some(of(power)?.value)).collect();
        point.runs.extend(costs.map(|costs| ("cost".to_owned(), costs)));
    }
    point
}

/// How long a point lasts under its load, if it is said how much is written a day.
fn lasts(design: &Design, number: usize, rows: &[&Row], point: &mut Point) {
    let planned = &design.points[number];
    let (Some(dwpd), Ok(variant)) = (design.asked.dwpd, &planned.variant) else { return };
    let known = (variant.flash_writes, point.values.get("usable_capacity"));
    let (Some(flash_writes), Some(usable)) = known else { return };
    if point.values.contains_key(LIFETIME) {
        return;
    }
    let amplified = design.amplified(number);
    let a_second = lifespan::written_a_second(dwpd, usable.value);
    let life = |wa: &Estimate| lifespan::lifetime(flash_writes, a_second, wa, amplified);
    let Some(all) = point.values.get(AMPLIFICATION).and_then(life) else { return };
    point.values.insert(LIFETIME.to_owned(), all);
    if let (true, Amplified::Known, Some(each)) =
        (rows.len() > 1, amplified, runs(AMPLIFICATION, rows))
    {
        let lives: Option<Vec<f64>> =
            each.iter().map(|wa| Some(life(&Estimate::exact(*wa))?.value)).collect();
        point.runs.extend(lives.map(|lives| (LIFETIME.to_owned(), lives)));
    }
}

/// The values of a metric in the runs of a point; `None` if one of them lacks it.
fn runs(name: &str, rows: &[&Row]) -> Option<Vec<f64>> {
    rows.iter().map(|row| Some(row.values.get(name)?.value)).collect()
}

/// The points of a rung with their values.
pub fn points(
    design: &Design,
    made: &Made,
    rung: usize,
    rows: &BTreeMap<String, Row>,
) -> Vec<Point> {
    let each = made.points.iter().zip(&made.runs).map(|(number, runs)| {
        let ids = design.points[*number].ids[rung].iter().take(*runs);
        let of: Vec<&Row> = ids.filter_map(|id| rows.get(id)).collect();
        point(design, *number, &of)
    });
    each.collect()
}

/// The answer. `rungs` has the points that were measured on each.
pub fn answer(design: &Design, rungs: &[Made], rows: &BTreeMap<String, Row>) -> Sweep {
    let last = rungs.len().saturating_sub(1);
    let points = points(design, &rungs[last], last, rows);
    let mut judged = judged(design, &points);
    if last > 0 || design.asked.generations > 0 {
        // Those that went on or were bred were chosen by what factors do.
        let first = Made::whole((0..design.drawn).collect(), design.seeds(0).len());
        let all = self::points(design, &first, 0, rows);
        judged.effects = self::judged(design, &all).effects;
    }
    let shown = |i: &usize| shown(design, &points[*i], judged.standings[*i]);
    let params = design.loads.shared().map(|pair| (pair.key.clone(), pair.value.clone()));
    let mut bests = judged.best.iter().map(shown);
    let (best, best_by_load) = match design.loads.are_varied() {
        true => (None, bests.collect()),
        false => (bests.next(), Vec::new()),
    };
    let halved = rungs.iter().zip(&design.rungs);
    Sweep {
        schema: Sweep::SCHEMA.to_owned(),
        load: design.loads.text(),
        method: design.loads.methods(),
        params: params.collect(),
        factors: design.space.factors().iter().map(|factor| factor.name.clone()).collect(),
        sampler: design.sampled(),
        points: design.points.len(),
        rungs: halved.map(|(made, ios)| Rung { ios: *ios, points: made.points.len() }).collect(),
        runs: design.asked.race.then(|| rungs[last].all_runs()),
        failed: points.iter().filter(|point| !point.is_ok()).count(),
        seeds: design.seeds(last),
        budget: design.budget(),
        objectives: design.objectives.iter().map(|goal| sought(design, goal)).collect(),
        requirements: required(design, &judged),
        currency: design.asked.cost.as_ref().map(|cost| cost.currency.clone()),
        best,
        best_by_load,
        pareto: judged.pareto.iter().map(shown).collect(),
        all: drawn(&points, &judged.pareto).iter().map(shown).collect(),
        effects: judged.effects.iter().cloned().map(effect).collect(),
        failures: failures(design, &points),
        warnings: warnings(design, &rungs[last].points, rows, &points, &judged),
    }
}

/// The points judged, those of different loads apart.
fn judged(design: &Design, points: &[Point]) -> Judged {
    let classes: Vec<usize> = points.iter().map(|point| design.load_number(&point.at)).collect();
    judge(&design.space, points, &classes, &design.requirements, &design.objectives)
}

/// The numbers of the points that can be drawn together: what was measured, thinned out evenly but
/// for the Pareto set if it is too much.
fn drawn(points: &[Point], pareto: &[usize]) -> Vec<usize> {
    let measured = (0..points.len()).filter(|i| points[*i].is_ok());
    let every = points.len().div_ceil(Sweep::ALL).max(1);
    measured.filter(|i| i.is_multiple_of(every) || pareto.contains(i)).collect()
}

fn sought(design: &Design, goal: &sweep::Objective) -> Sought {
    let currency = design.asked.cost.as_ref().map(|cost| cost.currency.as_str());
    let unit = match goal.metric.as_str() {
        "cost" => currency.unwrap_or_default(),
        name => sweep::judge::unit(name),
    };
    Sought { metric: goal.metric.clone(), unit: unit.to_owned(), better: goal.better }
}

fn required(design: &Design, judged: &Judged) -> Vec<Required> {
    let both = design.requirements.iter().zip(&judged.bindings);
    both.map(|(one, binding)| Required {
        text: one.text.clone(),
        failed: binding.failed,
        failed_alone: binding.alone,
        open: binding.open,
        margin: binding.margin,
    })
    .collect()
}

fn effect(effect: sweep::Effect) -> FactorEffect {
    let ((lowest_at, lowest), (highest_at, highest)) = (effect.lowest, effect.highest);
    let (factor, metric, share) = (effect.factor, effect.metric, effect.share);
    FactorEffect { factor, metric, lowest_at, lowest, highest_at, highest, share }
}

fn named(design: &Design, at: &[String]) -> Pairs<String> {
    let names = design.space.factors().iter().map(|factor| factor.name.clone());
    names.zip(at.iter().cloned()).collect()
}

/// A point with what is sought and required of it.
fn shown(design: &Design, point: &Point, standing: Standing) -> SweepPoint {
    let values = design
        .judged_by()
        .filter_map(|name| Some((name.to_owned(), SweepValue::from(point.values.get(name)?))));
    SweepPoint {
        ids: point.ids.clone(),
        at: named(design, &point.at),
        verdict: match standing {
            Standing::Met => Kept::Met,
            Standing::Open => Kept::Open,
            Standing::Failed => Kept::Failed,
        },
        values: values.collect(),
        limited_by: point.limits.clone(),
    }
}

/// The first point of each reason.
fn failures(design: &Design, points: &[Point]) -> Vec<FailedPoint> {
    let mut all: Vec<FailedPoint> = Vec::new();
    for point in points {
        let Some(message) = &point.failure else { continue };
        match all.iter_mut().find(|known| known.message == *message) {
            Some(known) => known.points += 1,
            None => {
                let (at, message) = (named(design, &point.at), message.clone());
                all.push(FailedPoint { at, message, points: 1 });
            }
        }
    }
    all
}

/// What a reader must know.
fn warnings(
    design: &Design,
    numbers: &[usize],
    rows: &BTreeMap<String, Row>,
    points: &[Point],
    judged: &Judged,
) -> Vec<String> {
    let mut all = Vec::new();
    if design.sampler.wants_a_power_of_two() && !design.asked.points.is_power_of_two() {
        let (asked, next) = (design.asked.points, design.asked.points.next_power_of_two());
        all.push(format!(
            "{asked} points of Sobol's sequence are not balanced; {next} (a power of two) are"
        ));
    }
    let set = design.roles.iter().filter_map(|role| match role {
        Role::Set(key) => Some(key),
        _ => None,
    });
    for key in set {
        all.push(format!(
            "`{key}` is varied: no source says that a drive with these values exists, and what \
             was fitted to the model's own value stays as it is"
        ));
    }
    let mut told = BTreeSet::new();
    for i in &judged.pareto {
        let Ok(variant) = &design.points[numbers[*i]].variant else { continue };
        if told.insert(&variant.subject.target) {
            all.extend(variant.assumed("in the set"));
        }
    }
    if design.judged_by().any(|name| name == LIFETIME) && design.asked.dwpd.is_some() {
        all.push(
            "how long a point lasts is by the cycles that the cells of its model are rated for, \
             under its load; what a data sheet rates is for another load (`drivelab choose`)"
                .to_owned(),
        );
        let of = judged.pareto.iter().map(|i| design.amplified(numbers[*i]));
        let told: BTreeSet<String> = of.filter_map(Amplified::warning).collect();
        all.extend(told);
    }
    let unknown = |name: &&str| {
        points.iter().filter_map(|point| point.values.get(*name)).any(|value| !value.is_known())
    };
    all.extend(design.judged_by().filter(unknown).map(sweep::too_few_samples));
    let alone = |name: &&str| {
        let ids = points.iter().filter(|point| point.ids.len() == 1).flat_map(|point| &point.ids);
        let mut values = ids.filter_map(|id| rows.get(id)?.values.get(*name));
        values.any(|value| sweep::has_no_interval(name, value))
    };
    all.extend(design.judged_by().filter(alone).map(sweep::of_one_run));
    let pareto = judged.pareto.iter().flat_map(|i| &points[*i].ids);
    let said = pareto.filter_map(|id| rows.get(id)).flat_map(|row| &row.warnings);
    // A number that nobody asked for needs no warning.
    let of_another = |text: &&String| text.starts_with("iops_cv ");
    let said = said.filter(|text| !of_another(text));
    let mut counted: BTreeMap<&String, usize> = BTreeMap::new();
    said.for_each(|text| *counted.entry(text).or_default() += 1);
    all.extend(counted.into_iter().map(|(text, count)| match count {
        1 => text.clone(),
        count => format!("{text} (of {count} runs in the set)"),
    }));
    all
}

/// The table of all runs, sorted by id: its columns, and what else is kept in the file.
pub fn table(
    design: &Design,
    rungs: &[Made],
    rows: &BTreeMap<String, Row>,
) -> (Vec<WideColumn>, Vec<(String, String)>) {
    let of_rung = |(rung, made): (usize, &Made)| -> Vec<&String> {
        let each = made.points.iter().zip(&made.runs);
        each.flat_map(|(number, runs)| design.points[*number].ids[rung].iter().take(*runs))
            .collect()
    };
    let wanted: BTreeSet<&String> = rungs.iter().enumerate().flat_map(of_rung).collect();
    let rows: Vec<&Row> = rows.values().filter(|row| wanted.contains(&row.id)).collect();
    let texts = |of: &dyn Fn(&Row) -> Option<String>| {
        Cells::Texts(rows.iter().map(|row| of(row)).collect())
    };
    let mut columns = vec![
        column("id", texts(&|row| Some(row.id.clone()))),
        column(
            "status",
            texts(&|row| Some(if row.status == Status::Ok { "ok" } else { "failed" }.to_owned())),
        ),
        column("message", texts(&|row| row.message.clone())),
        column("seed", Cells::Counts(rows.iter().map(|row| Some(row.seed)).collect())),
        column("budget_ios", Cells::Counts(rows.iter().map(|row| Some(row.ios)).collect())),
    ];
    let mut units = Vec::new();
    for factor in design.space.factors() {
        let values: Vec<Option<&String>> =
            rows.iter().map(|row| row.at.get(&factor.name)).collect();
        let (cells, unit) = factor_cells(&values);
        units.push((format!("unit:{}", factor.name), unit));
        columns.push(column(&factor.name, cells));
    }
    let metrics: BTreeSet<&String> = rows.iter().flat_map(|row| row.values.keys()).collect();
    for name in metrics {
        let of = |get: &dyn Fn(&metric::MetricValue) -> Option<f64>| {
            Cells::Numbers(rows.iter().map(|row| row.values.get(name).and_then(get)).collect())
        };
        units.push((format!("unit:{name}"), sweep::judge::unit(name).to_owned()));
        columns.push(column(name, of(&|value| Some(value.value))));
        if rows.iter().any(|row| row.values.get(name).is_some_and(|v| v.interval95.is_some())) {
            let end = |low: bool| {
                move |value: &metric::MetricValue| {
                    value.interval95.map(|(l, h)| if low { l } else { h })
                }
            };
            columns.push(column(&format!("{name}_low95"), of(&end(true))));
            columns.push(column(&format!("{name}_high95"), of(&end(false))));
        }
    }
    let joined = |list: &[String]| (!list.is_empty()).then(|| list.join("; "));
    columns.push(column("limited_by", texts(&|row| joined(&row.limits))));
    columns.push(column("warnings", texts(&|row| joined(&row.warnings))));
    (columns, units)
}

fn column(name: &str, cells: Cells) -> WideColumn {
    WideColumn { name: name.to_owned(), cells }
}

/// The values of a factor as numbers in one unit, or as they are written.
fn factor_cells(values: &[Option<&String>]) -> (Cells, String) {
    let base = |text: &str| {
        let (number, unit) = parse_quantity(text)?;
        Some((
            unit.map_or(number, |unit| unit.to_base(number)),
            unit.map_or("", |u| u.dimension.base()),
        ))
    };
    let raw = |text: &str| split_quantity(text).map(|(number, unit)| (number, unit.to_owned()));
    let all: Vec<&String> = values.iter().flatten().copied().collect();
    let known: Option<Vec<(f64, &str)>> = all.iter().map(|text| base(text)).collect();
    if let Some(unit) = known.as_deref().and_then(one_unit) {
        let number = |text: &String| base(text).map(|(number, _)| number);
        return (Cells::Numbers(values.iter().map(|v| v.and_then(number)).collect()), unit);
    }
    let known: Option<Vec<(f64, String)>> = all.iter().map(|text| raw(text)).collect();
    if let Some(unit) = known.as_deref().and_then(one_unit) {
        let number = |text: &String| raw(text).map(|(number, _)| number);
        return (Cells::Numbers(values.iter().map(|v| v.and_then(number)).collect()), unit);
    }
    (Cells::Texts(values.iter().map(|v| v.cloned()).collect()), String::new())
}

/// The unit that all share.
fn one_unit<U: AsRef<str>>(values: &[(f64, U)]) -> Option<String> {
    let first = values.first()?.1.as_ref();
    values.iter().all(|(_, unit)| unit.as_ref() == first).then(|| first.to_owned())
}

//! From the runs to the verdicts.

use super::intervals::Numbers;
use super::loads::Load;
use super::measure::{Measured, Work};
use crate::ensemble::Drawn;
use crate::subject::Subject;
use answer::comparison::{self, Compared, Limited, ShownIn, Spot, SummedUp, Tendency, Verdict};
use answer::{Comparison, Interval90};
use metric::{Better, Measurement, Metric, MetricValue, Provenance, kept_unit_of, tail};
use stats::difference::{half_width_of_mean, holm, mean_and_variance};
use stats::{Difference, Pairing};

/// Confidence of the intervals, and of all verdicts together.
const CONFIDENCE: f64 = 0.95;

/// One target's values of one metric under one load.
struct Cell {
    values: Vec<f64>,
    mean: f64,
    /// Whether a percentile rests on too few samples.
    doubtful: bool,
    /// To the baseline, where both are known.
    difference: Option<Difference>,
    /// Smaller differences cannot be seen.
    resolution: f64,
    /// The probability by chance, corrected for all comparisons.
    corrected: f64,
    /// The values of the models that were drawn; empty if one has none.
    draws: Vec<f64>,
    /// Where the value of the real drive lies.
    interval: Option<Interval90>,
    /// Where its ratio to the real baseline lies.
    ratio: Option<Interval90>,
}

/// One metric under one load.
struct Row<'a> {
    load: &'a Load,
    /// The entry of a job file's report that it is of; empty of the whole.
    entry: String,
    metric: Metric,
    cells: Vec<Option<Cell>>,
}

impl Row<'_> {
    /// The load, and the entry that the row is of.
    fn label(&self) -> String {
        match self.entry.is_empty() {
            true => self.load.label(),
            false => format!("{}: {}", self.load.label(), self.entry),
        }
    }
}

/// The comparison.
pub fn comparison(
    work: &Work<'_>,
    baseline: usize,
    measured: &Measured,
    draws: &Measured,
) -> Comparison {
    let mut rows = Vec::new();
    for ((load, by_subject), draws) in work.loads.iter().zip(measured).zip(draws) {
        for entry in entries(load) {
            let row = |name: &String| row(load, &entry, name, by_subject, draws);
            rows.extend(load.metrics.iter().filter_map(row));
        }
    }
    for row in &mut rows {
        compare(row, work.subjects, baseline);
        if let Some(drawn) = &work.drawn {
            span(row, work.subjects, baseline, drawn);
        }
    }
    let count = correct(&mut rows);
    let others = work.subjects.iter().enumerate().filter(|(i, _)| *i != baseline);
    Comparison {
        baseline: work.subjects[baseline].label.clone(),
        confidence: CONFIDENCE,
        repeats: work.args.repeats,
        comparisons: count,
        targets: work.subjects.iter().map(|s| target(work, baseline, s)).collect(),
        rows: rows.iter().map(|row| answered(row, baseline)).collect(),
        summary: others.map(|(i, s)| summed_up(&rows, i, s)).collect(),
        warnings: warnings(work, measured),
        limits: limits(work, measured),
    }
}

/// What limits each target under each load, by its first run: the seeds hardly change it.
fn limits(work: &Work<'_>, measured: &Measured) -> Vec<Limited> {
    let of_loads = work.loads.iter().zip(measured);
    let all = of_loads.flat_map(|(load, by_subject)| {
        work.subjects.iter().zip(by_subject).filter_map(|(subject, runs)| {
            let limited_by = runs.first()?.limits.clone();
            let (load, target) = (load.label(), subject.label.clone());
            (!limited_by.is_empty()).then_some(Limited { load, target, limited_by })
        })
    });
    all.collect()
}

/// What the numbers of a load are of: the whole first, then each entry of a job file's report.
fn entries(load: &Load) -> Vec<String> {
    std::iter::once(String::new()).chain(load.entries.iter().cloned()).collect()
}

/// The row of a metric, if any target gives it.
fn row<'a>(
    load: &'a Load,
    entry: &str,
    name: &str,
    by_subject: &[Vec<Measurement>],
    draws: &[Vec<Measurement>],
) -> Option<Row<'a>> {
    let key = if entry.is_empty() { name.to_owned() } else { format!("{entry}.{name}") };
    let name = tail(&key);
    let entry = key.strip_suffix(name).unwrap_or_default().trim_end_matches('.');
    let (metric, _) = Metric::parse(name).ok()?;
    let of_subjects = by_subject.iter().zip(draws);
    let cells: Vec<Option<Cell>> =
        of_subjects.map(|(runs, draws)| cell(&key, runs, draws)).collect();
    let some = cells.iter().any(Option::is_some);
    some.then(|| Row { load, entry: entry.to_owned(), metric, cells })
}

/// What a target gave of a number.
fn cell(key: &str, runs: &[Measurement], draws: &[Measurement]) -> Option<Cell> {
    let all: Option<Vec<&MetricValue>> = runs.iter().map(|run| run.metrics.get(key)).collect();
    let all = all?;
    let values: Vec<f64> = all.iter().map(|metric| metric.value).collect();
    let (mean, _) = mean_and_variance(&values)?;
    let doubtful = all.iter().any(|metric| crate::test::too_few(key, metric));
    let drawn = draws.iter().map(|draw| draw.metrics.get(key).map(|metric| metric.value));
    Some(Cell {
        values,
        mean,
        doubtful,
        difference: None,
        resolution: 0.0,
        corrected: 1.0,
        draws: drawn.collect::<Option<_>>().unwrap_or_default(),
        interval: None,
        ratio: None,
    })
}

/// Fills in where the real drives lie.
fn span(row: &mut Row<'_>, subjects: &[Subject], baseline: usize, drawn: &Drawn) {
    let metric = row.metric.name().to_owned();
    let first = row.cells[baseline].as_ref().map(|cell| (cell.values.clone(), cell.draws.clone()));
    for (i, cell) in row.cells.iter_mut().enumerate() {
        let Some(cell) = cell else { continue };
        let own = Numbers { runs: &cell.values, draws: &cell.draws };
        let interval = own.of_value(drawn, &metric);
        let ratio = first.as_ref().filter(|_| i != baseline).and_then(|(runs, draws)| {
            let is_variation = subjects[i].pairing(&subjects[baseline]) == Pairing::Paired;
            own.of_ratio(&Numbers { runs, draws }, is_variation, drawn, &metric)
        });
        (cell.interval, cell.ratio) = (interval, ratio);
    }
}

/// Fills in the differences to the baseline.
fn compare(row: &mut Row<'_>, subjects: &[Subject], baseline: usize) {
    let Some((values, mean)) = row.cells[baseline].as_ref().map(|c| (c.values.clone(), c.mean))
    else {
        return;
    };
    for (i, cell) in row.cells.iter_mut().enumerate().filter(|(i, _)| *i != baseline) {
        let Some(cell) = cell else { continue };
        let pairing = subjects[i].pairing(&subjects[baseline]);
        cell.difference = Difference::new(&values, &cell.values, pairing, CONFIDENCE);
        cell.resolution = row.metric.resolution(mean) + row.metric.resolution(cell.mean);
    }
}

/// Corrects the probabilities of the whole table for how many they are, and counts them.
fn correct(rows: &mut [Row<'_>]) -> usize {
    let cells = || {
        |row: &'_ mut Row<'_>| -> Vec<f64> {
            row.cells.iter().flatten().filter_map(|c| c.difference).map(|d| d.p).collect()
        }
    };
    let all: Vec<f64> = rows.iter_mut().flat_map(cells()).collect();
    let mut corrected = holm(&all).into_iter();
    for cell in rows.iter_mut().flat_map(|row| row.cells.iter_mut().flatten()) {
        if cell.difference.is_some() {
            cell.corrected = corrected.next().unwrap_or(1.0);
        }
    }
    all.len()
}

/// What the difference means.
fn verdict(cell: &Cell, better: Better) -> Option<Verdict> {
    let difference = cell.difference?;
    let real = cell.corrected <= 1.0 - CONFIDENCE && difference.difference.abs() > cell.resolution;
    Some(match (real, better) {
        (false, _) => Verdict::WithinNoise,
        (true, Better::Neither) => Verdict::Differs,
        (true, better) => match (better == Better::Higher) == (difference.difference > 0.0) {
            true => Verdict::Better,
            false => Verdict::Worse,
        },
    })
}

/// The row as it is answered.
fn answered(row: &Row<'_>, baseline: usize) -> comparison::Row {
    let first = row.cells[baseline].as_ref().or_else(|| row.cells.iter().flatten().next());
    let mean = first.map_or(0.0, |cell| cell.mean);
    let (scale, unit) = kept_unit_of(row.metric.name(), row.metric.dimension(), mean);
    let of = row.cells[baseline].as_ref().map(|cell| cell.mean);
    let params = row.load.params.iter();
    comparison::Row {
        load: row.label(),
        method: row.load.method.clone(),
        params: params.map(|(name, value)| (name.to_owned(), value)).collect(),
        metric: row.metric.name().to_owned(),
        unit: row.metric.dimension().base().to_owned(),
        better: match row.metric.better() {
            Better::Higher => Some(Tendency::Higher),
            Better::Lower => Some(Tendency::Lower),
            Better::Neither => None,
        },
        shown_in: Some(ShownIn { unit: unit.to_owned(), scale }),
        cells: row.cells.iter().map(|cell| Some(cell_of(cell.as_ref()?, row, of))).collect(),
    }
}

fn cell_of(cell: &Cell, row: &Row<'_>, baseline: Option<f64>) -> comparison::Cell {
    let of = baseline.map(f64::abs).filter(|of| *of > 0.0);
    let half_width = |difference: &Difference| difference.half_width.max(cell.resolution);
    let difference = cell.difference.map(|difference| comparison::Difference {
        value: difference.difference,
        half_width: half_width(&difference),
        relative: of.map(|of| difference.difference / of),
        relative_half_width: of.map(|of| half_width(&difference) / of),
        degrees: difference.degrees,
        p: difference.p,
        p_corrected: cell.corrected,
        resolution: cell.resolution,
    });
    comparison::Cell {
        mean: cell.mean,
        half_width: half_width_of_mean(&cell.values, CONFIDENCE)
            .max(row.metric.resolution(cell.mean)),
        values: cell.values.clone(),
        too_few_samples: cell.doubtful,
        difference,
        verdict: verdict(cell, row.metric.better()),
        interval90: cell.interval.clone(),
        ratio90: cell.ratio.clone(),
    }
}

fn target(work: &Work<'_>, baseline: usize, subject: &Subject) -> Compared {
    let pairing = match subject.pairing(&work.subjects[baseline]) {
        _ if *subject == work.subjects[baseline] => comparison::Pairing::Baseline,
        Pairing::Paired => comparison::Pairing::Paired,
        Pairing::Independent => comparison::Pairing::Independent,
    };
    Compared {
        name: subject.label.clone(),
        target: subject.target.clone(),
        set: subject.set.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect(),
        give_up: subject.give_up.fraction(),
        real: Some(subject.real),
        seeds: work.seeds(subject),
        pairing,
    }
}

/// In which rows a target is better, worse, or neither.
fn summed_up(rows: &[Row<'_>], i: usize, subject: &Subject) -> SummedUp {
    let spot = |row: &Row<'_>| Spot { load: row.label(), metric: row.metric.name().to_owned() };
    let certain = |row: &&Row<'_>| {
        let ratio = row.cells[i].as_ref().and_then(|cell| cell.ratio.as_ref());
        ratio.is_some_and(|ratio| !ratio.holds(1.0))
    };
    let of = |wanted: Verdict| -> Vec<Spot> {
        let is = |row: &&Row<'_>| {
            let cell = row.cells[i].as_ref();
            cell.and_then(|cell| verdict(cell, row.metric.better())) == Some(wanted)
        };
        rows.iter().filter(is).map(spot).collect()
    };
    SummedUp {
        target: subject.label.clone(),
        better: of(Verdict::Better),
        worse: of(Verdict::Worse),
        differs: of(Verdict::Differs),
        within_noise: of(Verdict::WithinNoise),
        certain: rows.iter().filter(certain).map(spot).collect(),
    }
}

/// Whether a warning is about a metric that is compared, or about no metric.
fn concerns(load: &Load, warning: &str) -> bool {
    let first = warning.split(' ').next().unwrap_or_default();
    load.metrics.iter().any(|name| name == first) || Metric::parse(first).is_err()
}

/// What a reader must know, each once.
fn warnings(work: &Work<'_>, measured: &Measured) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !list.contains(&text) {
            list.push(text);
        }
    };
    for (i, subject) in work.subjects.iter().enumerate() {
        let same = |other: &&Subject| {
            (&other.target, &other.set, other.give_up)
                == (&subject.target, &subject.set, subject.give_up)
        };
        if work.subjects[..i].iter().any(|other| same(&other)) {
            let (target, label) = (&subject.target, &subject.label);
            add(format!("{label} is {target} once more: whatever differs is chance"));
        }
    }
    for (load, by_subject) in work.loads.iter().zip(measured) {
        for (subject, runs) in work.subjects.iter().zip(by_subject) {
            for run in runs {
                if let Provenance::Approximation(what) = &run.method_provenance {
                    add(format!("approximation: {what}"));
                }
                for warning in run.warnings.iter().filter(|warning| concerns(load, warning)) {
                    add(format!("{}, {}: {warning}", subject.label, load.label()));
                }
            }
        }
    }
    list
}

//! Numbers round by round, and their means over some rounds.

use crate::steps::Step;
use crate::values::Values;
use metric::{MetricValue, Point, tail};
use stats::ByRound;

/// Numbers of the steps whose course over the rounds is worth a look.
const BESIDE: [&str; 7] = [
    "iops",
    "read_bandwidth",
    "write_bandwidth",
    "read_lat_mean",
    "read_lat_max",
    "write_lat_mean",
    "write_lat_max",
];

/// Numbers of steps without sweeps, round by round.
pub(super) fn beside(rounds: &[Values]) -> Vec<ByRound> {
    let names = rounds.first().into_iter().flat_map(Values::keys);
    names
        .filter(|name| BESIDE.contains(&tail(name)))
        .filter_map(|name| course(name, rounds))
        .collect()
}

/// A number, `STEP.NAME`, round by round; `None` if a round lacks it.
fn course(name: &str, rounds: &[Values]) -> Option<ByRound> {
    let values = rounds.iter().map(|round| Some(round.get(name)?.value)).collect::<Option<_>>()?;
    let (at, metric) = name.split_once('.').unwrap_or(("", name));
    Some(ByRound { at: at.to_owned(), metric: metric.to_owned(), values })
}

/// A number of the jobs between the sweeps, round by round: what is written before each of them.
pub(super) fn between(steps: &[Step], metric: &str, rounds: &[Values]) -> Vec<ByRound> {
    let jobs = steps.iter().filter_map(|step| match step {
        Step::Job(job) => Some(&job.name),
        _ => None,
    });
    jobs.filter_map(|job| course(&format!("{job}.{metric}"), rounds)).collect()
}

/// The mean of each number over some rounds; of maxima the greatest.
pub(super) fn mean_numbers(rounds: &[&Values]) -> Values {
    let names = rounds.first().into_iter().flat_map(|round| round.keys());
    let of = |name: &String| {
        let values: Vec<f64> =
            rounds.iter().filter_map(|round| round.get(name)).map(|value| value.value).collect();
        let samples = rounds.iter().map(|round| round.get(name)?.samples).sum();
        let value = mean(name, &values);
        (name.clone(), MetricValue { value, samples, interval95: None })
    };
    names.map(of).collect()
}

/// The mean of some values of a metric, of a maximum the greatest.
fn mean(metric: &str, values: &[f64]) -> f64 {
    match metric.ends_with("_lat_max") {
        true => values.iter().copied().fold(0.0, f64::max),
        false => values.iter().sum::<f64>() / values.len().max(1) as f64,
    }
}

/// A number of each point of the sweeps, round by round; of a mean latency the maximum too.
pub(super) fn cells(metric: &str, rounds: &[Vec<Point>]) -> Vec<ByRound> {
    let Some(first) = rounds.first() else { return Vec::new() };
    let max = metric.strip_suffix("_lat_mean").map(|side| format!("{side}_lat_max"));
    let names: Vec<String> = std::iter::once(metric.to_owned()).chain(max).collect();
    let mut all = Vec::new();
    for (i, point) in first.iter().enumerate() {
        let at: Vec<String> =
            point.at.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for name in &names {
            let of_round = |round: &Vec<Point>| Some(round.get(i)?.metrics.get(name)?.value);
            let values: Option<Vec<f64>> = rounds.iter().map(of_round).collect();
            let by = |values| ByRound { at: at.join(" "), metric: name.clone(), values };
            all.extend(values.map(by));
        }
    }
    all
}

/// The mean of each number of each point over rounds that went over the same points; of maxima the
/// greatest.
pub(super) fn means(rounds: &[&Vec<Point>]) -> Vec<Point> {
    let Some(first) = rounds.first() else { return Vec::new() };
    let of = |(i, point): (usize, &Point)| {
        let mut point = point.clone();
        for (name, value) in &mut point.metrics {
            let same = rounds.iter().filter_map(|round| round.get(i)?.metrics.get(name));
            let values: Vec<f64> = same.map(|value| value.value).collect();
            *value = MetricValue::exact(mean(name, &values));
        }
        point
    };
    first.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_a_value_a_round_and_maxima_are_not_averaged() {
        let point = |mean: f64, max: f64| Point {
            at: vec![("block".to_owned(), "4 KiB".to_owned())],
            metrics: [("write_lat_mean", mean), ("write_lat_max", max)]
                .map(|(name, value)| (name.to_owned(), MetricValue::exact(value)))
                .into(),
        };
        let rounds = [vec![point(1.0, 9.0)], vec![point(3.0, 5.0)]];
        let all = cells("write_lat_mean", &rounds);
        assert_eq!((all[0].at.as_str(), &all[0].values[..]), ("block=4 KiB", &[1.0, 3.0][..]));
        assert_eq!(all[1].values, [9.0, 5.0]);
        let mean = &means(&rounds.iter().collect::<Vec<_>>())[0].metrics;
        assert_eq!((mean["write_lat_mean"].value, mean["write_lat_max"].value), (2.0, 9.0));
    }

    /// What is written before each sweep has a course of its own.
    #[test]
    fn jobs_between_sweeps_are_followed() {
        let text = "do = 'job'\nas = 'between'";
        let steps = [toml::from_str::<Step>(text).expect("a step")];
        let round = |value: f64| {
            let numbers = ["between.iops", "tracked.iops", "between.read_iops"];
            numbers.map(|name| (name.to_owned(), MetricValue::exact(value))).into()
        };
        let all = between(&steps, "iops", &[round(1.0), round(2.0)]);
        let expected =
            ByRound { at: "between".to_owned(), metric: "iops".to_owned(), values: vec![1.0, 2.0] };
        assert_eq!(all, [expected]);
    }
}

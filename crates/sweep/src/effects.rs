//! How much each factor moves a metric by itself.

use crate::point::Point;
use crate::space::Space;
use metric::split_quantity;

/// Most values of a factor that stand for themselves; more, or so many that most have one point,
/// are put into [`CLASSES`] of equally many points.
const VALUES: usize = 8;
const CLASSES: usize = 4;

/// The main effect of a factor on a metric: the mean over all points where it has a value, for the
/// values with the lowest and the highest mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The factor.
    pub factor: String,
    /// The metric.
    pub metric: String,
    /// The value or class of values with the lowest mean, and that mean.
    pub lowest: (String, f64),
    /// The same with the highest mean.
    pub highest: (String, f64),
    /// Share of the metric's variance over all points that the factor alone explains, 0 to 1;
    /// what chance explains of as many points is taken off.
    pub share: f64,
}

/// The effects of all factors on these metrics, over the points that have them.
pub fn effects(space: &Space, points: &[Point], metrics: &[String]) -> Vec<Effect> {
    let mut all = Vec::new();
    for metric in metrics {
        for (number, factor) in space.factors().iter().enumerate() {
            let known = points.iter().filter_map(|point| {
                let value = point.values.get(metric)?.value;
                Some((point.at[number].as_str(), value)).filter(|(_, value)| value.is_finite())
            });
            let known: Vec<(&str, f64)> = known.collect();
            all.extend(effect(&factor.name, metric, &known));
        }
    }
    all
}

/// The effect of a factor; `None` if all points have one value of it.
fn effect(factor: &str, metric: &str, known: &[(&str, f64)]) -> Option<Effect> {
    let classes = classes(known);
    if classes.len() < 2 {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let all: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
    let centre = mean(&all);
    let total: f64 = all.iter().map(|value| (value - centre) * (value - centre)).sum();
    let means: Vec<(String, f64)> =
        classes.iter().map(|(name, values)| (name.clone(), mean(values))).collect();
    let within: f64 = classes
        .iter()
        .zip(&means)
        .map(|((_, values), (_, mean))| values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>())
        .sum();
    let by_value = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
    let lowest = means.iter().min_by(by_value)?.clone();
    let highest = means.iter().max_by(by_value)?.clone();
    // Epsilon squared: what is between classes, without what as many classes of noise would have.
    let (count, groups) = (all.len() as f64, classes.len() as f64);
    let noise = if count > groups { (groups - 1.0) * within / (count - groups) } else { 0.0 };
    let share = match total > 0.0 {
        true => ((total - within - noise) / total).clamp(0.0, 1.0),
        false => 0.0,
    };
    let (factor, metric) = (factor.to_owned(), metric.to_owned());
    Some(Effect { factor, metric, lowest, highest, share })
}

/// The metric's values by the values of the factor, or by classes of them.
fn classes(known: &[(&str, f64)]) -> Vec<(String, Vec<f64>)> {
    let mut named: Vec<(String, Vec<f64>)> = Vec::new();
    for (text, value) in known {
        match named.iter_mut().find(|(name, _)| name == text) {
            Some((_, values)) => values.push(*value),
            None => named.push(((*text).to_owned(), vec![*value])),
        }
    }
    let numbers: Option<Vec<(f64, &str, f64)>> = known
        .iter()
        .map(|(text, value)| split_quantity(text).map(|(number, _)| (number, *text, *value)))
        .collect();
    let is_many = named.len() > VALUES || named.len() * 2 > known.len() && known.len() >= CLASSES;
    let Some(mut numbers) = numbers.filter(|_| is_many) else { return named };
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = numbers.len().div_ceil(CLASSES);
    let class = |part: &[(f64, &str, f64)]| {
        let (from, to) = (part[0].1, part[part.len() - 1].1);
        (format!("{from} .. {to}"), part.iter().map(|(_, _, value)| *value).collect())
    };
    numbers.chunks(size).map(class).collect()
}

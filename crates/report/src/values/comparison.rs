//! Rows of a comparison: each target's mean, and its difference to the baseline.

use super::collect::Collect;
use super::measured::is_about_method;
use super::setting;
use super::warned::{Subject, Warned};
use super::{About, Row};
use answer::comparison::{Cell, Compared, Row as Line};
use answer::{Comparison, Origin};
use metric::plain;
use std::sync::Arc;

/// Confidence of the intervals that the columns are named for.
const CONFIDENCE: f64 = 0.95;

impl Collect<'_> {
    /// A row for each cell, and one more for its difference to the baseline.
    pub fn comparison(&mut self, result: &Comparison) {
        for line in &result.rows {
            for (target, cell) in result.targets.iter().zip(&line.cells) {
                if let Some(cell) = cell {
                    self.compared(result, line, target, cell);
                }
            }
        }
    }

    fn compared(&mut self, result: &Comparison, line: &Line, target: &Compared, cell: &Cell) {
        let said = of_this(line, &target.name, &result.warnings);
        let warned = Warned::of(self.source).with(said);
        let params = params(line, target);
        let pairs = || params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let about = Arc::new(About {
            method: Some(line.method.clone()).filter(|method| !method.is_empty()),
            params: setting::brief(pairs()),
            settings: setting::params(pairs()),
            ..self.of_target(target, &warned)
        });
        let mut own = Vec::new();
        if cell.too_few_samples {
            own.push("rests on too few samples".to_owned());
        }
        let confident = result.confidence == CONFIDENCE;
        let row = |metric: String, value: f64, half: f64| {
            let half = Some(half).filter(|_| confident);
            Row {
                about: about.clone(),
                warnings: warned.about(Subject { metric: &metric, ..Subject::default() }, &own),
                metric: metric.into(),
                value: Some(value),
                unit: line.unit.as_str().into(),
                low95: half.map(|half| value - half),
                high95: half.map(|half| value + half),
                verdict: cell.verdict.map(|verdict| verdict.word().into()),
                ..Row::default()
            }
        };
        self.rows.push(row(line.metric.clone(), cell.mean, cell.half_width));
        self.rows.extend(cell.difference.map(|difference| {
            let name = format!("{}.difference", line.metric);
            let point = Some(format!("to {}", result.baseline).into());
            Row { point, ..row(name, difference.value, difference.half_width) }
        }));
    }

    /// What all rows of a target share: of a variation, the scale and state of its model.
    fn of_target(&self, target: &Compared, warned: &Warned) -> About {
        let model = Some(&target.target).filter(|model| !model.is_empty());
        let named = model.unwrap_or(&target.name);
        let real = target.real.map(Origin::of_real);
        let said = Some(self.source.origin(named, real));
        let own = self.about(Some(&target.name), said, warned);
        if own.scale.is_some() {
            return own;
        }
        let known = self.about(Some(named), said, warned);
        let (scale, state, run_warnings) = (known.scale, known.state, known.run_warnings);
        About { scale, state, run_warnings, ..own }
    }
}

/// The parameters of a load as this target ran them: a variation gives up more of its capacity than
/// the load says, or has values of its own.
fn params(line: &Line, target: &Compared) -> Vec<(String, String)> {
    let of_load = line.params.iter().map(|(name, value)| (name.to_owned(), value.clone()));
    let mut params: Vec<(String, String)> = of_load.collect();
    let mut put = |name: &str, value: String| match params.iter_mut().find(|(k, _)| k == name) {
        Some((_, known)) => *known = value,
        None => params.push((name.to_owned(), value)),
    };
    if target.give_up > 0.0 {
        let percent = |text: &String| text.strip_suffix('%')?.trim().parse::<f64>().ok();
        let of_load = line.params.get("give_up").and_then(percent);
        // The larger of the two counts, as on the drive.
        if of_load.is_none_or(|of_load| of_load < target.give_up * 100.0) {
            put("give_up", format!("{} %", plain(target.give_up * 100.0)));
        }
    }
    target.set.iter().for_each(|(key, value)| put(key, value.clone()));
    params
}

/// Warnings of a comparison begin with target and load where they are about one; of this target
/// and load, and those about all.
fn of_this(line: &Line, target: &str, warnings: &[String]) -> Vec<String> {
    let own = format!("{target}, {}: ", line.load);
    let mut list: Vec<String> = Vec::new();
    for warning in warnings {
        if let Some(rest) = warning.strip_prefix(&own) {
            list.push(rest.to_owned());
        } else if is_about_method(warning) {
            list.push(warning.clone());
        }
    }
    list
}

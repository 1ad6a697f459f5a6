//! Rows of a twin: its tests as measured and as it gives them, then its values; and of drives that
//! were hidden and found again.

use super::Row;
use super::collect::Collect;
use super::warned::{Subject, Warned};
use crate::quantity::parse;
use answer::Origin;
use answer::Twin;
use answer::twin::{Blind, TwinTest};
use std::sync::Arc;

impl Collect<'_> {
    /// Tests as `measured` and `twin`, then the values of the model with the ends of their 90 %
    /// intervals.
    pub fn twin(&mut self, twin: &Twin) {
        let warned = Warned::of(self.source);
        let said = Some(self.source.run_origin());
        let measured = Arc::new(self.about(Some(&twin.target), said, &warned));
        let modelled = Arc::new(self.about(Some(&twin.target), Some(Origin::Modelled), &warned));
        for test in &twin.tests {
            let subject = Subject { metric: &test.metric, ..Subject::default() };
            let points = [
                ("measured", &measured, test.measured, None),
                ("twin", &modelled, test.twin, Some(test.measured)),
            ];
            for (point, about, value, published) in points {
                self.rows.push(Row {
                    warnings: warned.about(subject, &[]),
                    published,
                    ..of_test(test, about, point, value)
                });
            }
        }
        for value in &twin.values {
            let (low, high) = value.interval90.clone().unzip();
            let ends = [(Some(value.value.clone()), ""), (low, ".low90"), (high, ".high90")];
            for (text, ending) in ends {
                let texts = text.as_deref().unwrap_or_default().split(", ");
                let numbers: Vec<_> = texts.filter_map(parse).collect();
                let pages = numbers.len();
                for (page, (number, unit)) in numbers.into_iter().enumerate() {
                    self.rows.push(Row {
                        about: modelled.clone(),
                        point: (pages > 1).then(|| page.to_string().into()),
                        metric: format!("{}{ending}", value.key).into(),
                        value: Some(number),
                        unit: unit.into(),
                        basis: Some(value.known.word().into()),
                        ..Row::default()
                    });
                }
            }
        }
    }

    /// Of each hidden drive its tests that no twin saw, as `hidden` and `twin`, then its values,
    /// as `true` and `found`.
    pub fn blind(&mut self, blind: &Blind) {
        let warned = Warned::of(self.source);
        for drive in &blind.drives {
            let name = drive.name();
            let about = Arc::new(self.about(Some(&name), Some(Origin::Modelled), &warned));
            for test in &drive.unseen {
                let twin = Row {
                    published: Some(test.measured),
                    basis: Some("predicted".into()),
                    ..of_test(test, &about, "twin", test.twin)
                };
                self.rows.extend([of_test(test, &about, "hidden", test.measured), twin]);
            }
            for truth in &drive.truths {
                for (point, text) in [("true", &truth.truth), ("found", &truth.found)] {
                    let Some((value, unit)) = parse(text) else { continue };
                    self.rows.push(Row {
                        about: about.clone(),
                        point: Some(point.into()),
                        metric: truth.key.as_str().into(),
                        value: Some(value),
                        unit: unit.into(),
                        basis: Some(truth.known.word().into()),
                        ..Row::default()
                    });
                }
            }
        }
    }
}

fn of_test(test: &TwinTest, about: &Arc<super::About>, point: &str, value: f64) -> Row {
    Row {
        about: about.clone(),
        figure: Some(test.id.as_str().into()),
        point: Some(point.into()),
        metric: test.metric.as_str().into(),
        value: Some(value),
        unit: test.unit.as_str().into(),
        ..Row::default()
    }
}

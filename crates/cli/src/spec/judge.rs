//! Rated against measured.

use super::rows::{Row, wants_more};
use answer::spec::{SpecRow, SpecVerdict};
use metric::{MeasureError, Measurement};

/// A row with what its run gave.
pub fn judged(row: &Row, made: Option<&Result<Measurement, MeasureError>>) -> SpecRow {
    let figure = &row.figure;
    let mut answer = SpecRow {
        id: figure.id.clone(),
        source: figure.review.clone(),
        test: row.run.as_ref().map_or_else(|_| figure.metric_text.clone(), lab::Run::label),
        metric: figure.metric.name().to_owned(),
        unit: figure.metric.dimension().base().to_owned(),
        rated: figure.published(),
        measured: None,
        interval95: None,
        verdict: SpecVerdict::NotMeasured,
        why: row.run.as_ref().err().cloned(),
        note: figure.note.clone(),
    };
    match made {
        None => {}
        Some(Err(why)) => answer.why = Some(why.to_string()),
        Some(Ok(measurement)) => match measurement.metrics.get(figure.metric.name()) {
            None => answer.why = Some(format!("the run gives no {}", figure.metric.name())),
            Some(value) => {
                answer.measured = Some(value.value);
                answer.interval95 = value.interval95;
                let rounding = figure.unit.to_base(figure.rounding);
                let ends = value.interval95.unwrap_or((value.value, value.value));
                answer.verdict = verdict(wants_more(figure), answer.rated, rounding, ends);
                let limit = measurement.limits.first();
                answer.why = limit.map(|limit| format!("limited by: {limit}"));
            }
        },
    }
    answer
}

/// `rounding` is half of the last digit that the sheet prints.
fn verdict(more: bool, rated: f64, rounding: f64, ends: (f64, f64)) -> SpecVerdict {
    let good = |value: f64| match more {
        true => value >= rated - rounding,
        false => value <= rated + rounding,
    };
    match (good(ends.0), good(ends.1)) {
        (true, true) => SpecVerdict::Met,
        (false, false) => SpecVerdict::Short,
        _ => SpecVerdict::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_met_up_to_its_last_digit() {
        let rate = |value: f64| verdict(true, 3200.0, 50.0, (value, value));
        assert_eq!((rate(3150.0), rate(3149.9)), (SpecVerdict::Met, SpecVerdict::Short));
        let latency = |value: f64| verdict(false, 75.0, 0.5, (value, value));
        assert_eq!((latency(75.5), latency(75.6)), (SpecVerdict::Met, SpecVerdict::Short));
        assert_eq!(verdict(true, 100.0, 0.0, (99.0, 101.0)), SpecVerdict::Open);
    }
}

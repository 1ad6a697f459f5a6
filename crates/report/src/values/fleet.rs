//! Rows of a fleet: each month of each purchase, then what it comes to.

use super::Row;
use super::collect::Collect;
use super::warned::Warned;
use answer::Fleet;
use answer::fleet::{FleetMonth, Purchase};
use std::sync::Arc;

/// What a month says, by name.
fn of_month(month: &FleetMonth) -> [(&'static str, Option<f64>); 10] {
    let ([p50, p95, p99, p999], gone) = (month.wear, month.gone);
    [
        ("wear_mean", month.wear_mean),
        ("wear_p50", Some(p50)),
        ("wear_p95", Some(p95)),
        ("wear_p99", Some(p99)),
        ("wear_p99.9", Some(p999)),
        ("past_rated", Some(month.past_rated)),
        ("failed_early", Some(gone.early)),
        ("failed_at_random", Some(gone.random)),
        ("worn_out", Some(gone.worn_out)),
        ("retired", Some(gone.retired)),
    ]
}

impl Collect<'_> {
    /// A row for each value of each month, and for each of the sums.
    pub fn fleet(&mut self, fleet: &Fleet) {
        let warned = Warned::of(self.source);
        let about = Arc::new(self.about(None, None, &warned));
        for one in &fleet.purchases {
            let months = one.months.iter().flat_map(|month| {
                let point = format!("{}, month {}", one.name, month.month);
                of_month(month).map(|(metric, value)| (point.clone(), metric, value))
            });
            let sums = sums(one).map(|(metric, value)| (one.name.clone(), metric, value));
            for (point, metric, value) in months.chain(sums) {
                self.rows.push(Row {
                    about: about.clone(),
                    point: Some(point.as_str().into()),
                    metric: metric.into(),
                    value,
                    unit: "1".into(),
                    ..Row::default()
                });
            }
        }
    }
}

/// What it comes to, by name; nothing where there are no arrays or prices.
fn sums(one: &Purchase) -> [(&'static str, Option<f64>); 5] {
    [
        ("replaced", Some(one.replaced.mean)),
        ("failure_rate_per_year", Some(one.failure_rate)),
        ("spares", Some(f64::from(one.spares))),
        ("losses", one.losses.map(|losses| losses.mean)),
        ("cost", one.cost.map(|cost| cost.mean)),
    ]
}

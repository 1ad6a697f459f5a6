//! What a drive's capacity, writes and years cost.

use super::row::{Report, Unit};
use super::{Options, YEAR_DAYS};
use crate::interval::Interval;
use std::str::FromStr;

/// A price: `1200 USD`.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// How much, above zero.
    pub amount: f64,
    /// Of what, as written.
    pub currency: String,
}

impl FromStr for Price {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a price; write for example `1200 USD`");
        let (amount, currency) = text.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
        let amount: f64 = amount.replace('_', "").parse().map_err(|_| wrong())?;
        let currency = currency.trim();
        let named = !currency.is_empty() && currency.chars().all(|c| !c.is_ascii_digit());
        if !named || !amount.is_finite() || amount <= 0.0 {
            return Err(wrong());
        }
        Ok(Price { amount, currency: currency.to_owned() })
    }
}

/// Adds rows of cost.
pub(super) fn add(
    report: &mut Report,
    capacity_bytes: Option<u64>,
    tbw: Option<Interval>,
    life_days: Option<Interval>,
    options: &Options,
) {
    let Some(price) = &options.price else { return };
    let amount = Interval::exact(price.amount);
    let unit = |per| Unit::Money { currency: price.currency.clone(), per };
    if let Some(bytes) = capacity_bytes.filter(|bytes| *bytes > 0) {
        let cost = amount.over(Interval::exact(bytes as f64 / 1e9));
        report.add("cost_per_gb", "cost of capacity", cost, unit("GB"), "price / capacity");
    }
    if let Some(tbw) = tbw {
        let cost = amount.over(tbw.times(1e-12));
        let formula = "price / host writes over life";
        report.add("cost_per_tb_written", "cost of writes", cost, unit("TB written"), formula);
    }
    if let Some(days) = life_days {
        let cost = amount.over(days.times(1.0 / YEAR_DAYS));
        let formula = "price / life at this workload";
        report.add("cost_per_year", "cost of time", cost, unit("year"), formula);
    }
}

#[cfg(test)]
mod tests {
    use super::Price;

    #[test]
    fn a_price_names_its_currency() {
        let price: Price = " 1_200.50 USD ".parse().unwrap();
        assert_eq!((price.amount, price.currency.as_str()), (1200.5, "USD"));
        for wrong in ["1200", "USD", "-5 USD", "0 USD", "inf USD", "5 6", "nan EUR", ""] {
            assert!(wrong.parse::<Price>().is_err(), "{wrong}");
        }
    }
}

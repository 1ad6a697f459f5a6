//! What a point costs, by a table of the user's.

use crate::mistake::Mistake;
use crate::point::Estimate;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Bytes of a TB.
const TB: f64 = 1e12;

/// Prices, in one currency. They are the user's: no model has one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostTable {
    /// The currency, for people.
    #[serde(default)]
    pub currency: String,
    /// Years of use, for what is paid by the year; 5 if it is not said.
    pub years: Option<f64>,
    /// Price of a drive by its name.
    #[serde(default)]
    pub drive: BTreeMap<String, f64>,
    /// Price of a TB of a drive's capacity by the drive's name.
    #[serde(default)]
    pub per_tb: BTreeMap<String, f64>,
    /// Price of the slot, port and share of a server that a drive takes.
    #[serde(default)]
    pub per_slot: f64,
    /// Price of a W over a year, cooling included: 8.77 kWh and more.
    #[serde(default)]
    pub per_w_year: f64,
}

/// Drives of one kind in a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The drive's name in the library, or its model file.
    pub drive: String,
    /// How many.
    pub count: u32,
    /// Capacity of each, bytes.
    pub bytes: f64,
}

/// A table whose names are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    table: CostTable,
    years: f64,
}

impl Cost {
    /// A table; `named` says which drive a name of it is.
    ///
    /// # Errors
    /// A name that is no drive, a drive that is named twice, a price that is none.
    pub fn new(
        table: CostTable,
        named: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Self, Mistake> {
        let help = "prices are numbers of one currency: `drive = { p4510 = 640 }`";
        let mut known = CostTable { ..table.clone() };
        for (section, from, to) in [
            ("drive", &table.drive, &mut known.drive),
            ("per_tb", &table.per_tb, &mut known.per_tb),
        ] {
            to.clear();
            for (name, price) in from {
                let key = format!("cost.{section}.{name}");
                let slug = named(name).map_err(|why| Mistake::new(&key, why, help))?;
                check(&key, *price)?;
                if to.insert(slug.clone(), *price).is_some() {
                    return Err(Mistake::new(key, format!("`{slug}` has two prices"), help));
                }
            }
        }
        check("cost.per_slot", table.per_slot)?;
        check("cost.per_w_year", table.per_w_year)?;
        let years = table.years.unwrap_or(5.0);
        check("cost.years", years)?;
        Ok(Self { table: known, years })
    }

    /// The drive of a target that the table has no price for.
    ///
    /// # Errors
    /// The mistake that this is.
    pub fn check(&self, parts: &[Part]) -> Result<(), Mistake> {
        let missing = parts.iter().find(|part| self.price(part).is_none());
        let Some(part) = missing else { return Ok(()) };
        let drive = &part.drive;
        Err(Mistake::new(
            "cost",
            format!("the cost table has no price for `{drive}`"),
            format!("add `{drive}` to `drive` (price of one) or `per_tb` (price of a TB of it)"),
        ))
    }

    /// Whether the power that was measured counts.
    pub fn needs_power(&self) -> bool {
        self.table.per_w_year > 0.0 && self.years > 0.0
    }

    /// What a target costs over the years, with the power that it took, W. `None` if a price or
    /// the power is missing.
    pub fn of(&self, parts: &[Part], power_w: Option<f64>) -> Option<f64> {
        let mut sum = 0.0;
        for part in parts {
            let each = self.price(part)? + self.table.per_slot;
            sum += each * f64::from(part.count);
        }
        match self.needs_power() {
            true => Some(sum + self.table.per_w_year * self.years * power_w?),
            false => Some(sum),
        }
    }

    /// The same with the ends that it has by those of the power.
    pub fn estimate(&self, parts: &[Part], power: Option<&Estimate>) -> Option<Estimate> {
        let of = |end: fn(&Estimate) -> f64| self.of(parts, power.map(end));
        let (value, low, high) = (of(|p| p.value)?, of(|p| p.low)?, of(|p| p.high)?);
        Some(Estimate { value, low, high, samples: None })
    }

    /// Price of the slot that a drive takes.
    pub fn per_slot(&self) -> f64 {
        self.table.per_slot
    }

    /// Price of a drive, if there is one.
    pub fn price(&self, part: &Part) -> Option<f64> {
        let whole = self.table.drive.get(&part.drive).copied();
        whole.or_else(|| Some(self.table.per_tb.get(&part.drive)? * part.bytes / TB))
    }
}

fn check(key: &str, price: f64) -> Result<(), Mistake> {
    match price.is_finite() && price >= 0.0 {
        true => Ok(()),
        false => {
            let help = "write a number from 0 up";
            Err(Mistake::new(key, format!("`{price}` is no price"), help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> CostTable {
        CostTable {
            drive: BTreeMap::from([("a".to_owned(), 600.0)]),
            per_tb: BTreeMap::from([("b".to_owned(), 50.0)]),
            per_slot: 10.0,
            per_w_year: 2.0,
            ..CostTable::default()
        }
    }

    fn part(drive: &str, count: u32) -> Part {
        Part { drive: drive.to_owned(), count, bytes: 4e12 }
    }

    #[test]
    fn a_target_costs_its_drives_their_slots_and_their_power() {
        let cost = Cost::new(table(), |name| Ok(name.to_owned())).unwrap();
        let both = [part("a", 2), part("b", 1)];
        // 2 (600 + 10) + (4 TB 50 + 10), and 5 years of 12 W at 2.
        assert_eq!(cost.of(&both, Some(12.0)), Some(1220.0 + 210.0 + 120.0));
        assert_eq!(cost.of(&both, None), None, "power counts and is not known");
        let missing = cost.check(&[part("a", 1), part("c", 1)]).unwrap_err();
        assert!(missing.message.contains("no price for `c`") && missing.key == "cost");
    }

    #[test]
    fn one_drive_has_one_price() {
        let twice = CostTable {
            drive: BTreeMap::from([("a".to_owned(), 1.0), ("A".to_owned(), 2.0)]),
            ..CostTable::default()
        };
        let lower = |name: &str| Ok(name.to_lowercase());
        assert!(Cost::new(twice, lower).unwrap_err().message.contains("two prices"));
        let negative = CostTable { per_slot: -1.0, ..CostTable::default() };
        assert!(Cost::new(negative, lower).unwrap_err().message.contains("no price"));
        let unknown = Cost::new(table(), |name| Err(format!("no drive `{name}`"))).unwrap_err();
        assert_eq!(unknown.key, "cost.drive.a");
    }
}

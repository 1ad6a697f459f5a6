//! Quantities of heat flow: temperature, resistance, capacity, geometry of what is cooled, airflow.

use crate::narrow::whole_signed;
use crate::units::{Quantity, Spelling, UnitError, quantity, text_serde};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;
use std::str::FromStr;

quantity!(
    /// A thermal resistance, in microkelvins a watt.
    ThermalResistance, "thermal resistance", "6 K/W", &[("mK/W", 1e3), ("K/W", 1e6)],
    |v| (v as f64 / 1e6, "K/W")
);

quantity!(
    /// A heat capacity, in microjoules a kelvin.
    HeatCapacity, "heat capacity", "2.5 J/K", &[("mJ/K", 1e3), ("J/K", 1e6), ("kJ/K", 1e9)],
    |v| (v as f64 / 1e6, "J/K")
);

quantity!(
    /// A speed of rotation, in thousandths of a turn a minute.
    RotationSpeed, "speed of rotation", "1500 rpm", &[("rpm", 1e3)],
    |v| (v as f64 / 1e3, "rpm")
);

quantity!(
    /// A length, in micrometres.
    Length, "length", "80 mm", &[("um", 1.0), ("mm", 1e3), ("cm", 1e4), ("m", 1e6)],
    |v| (v as f64 / 1e3, "mm")
);

quantity!(
    /// An area, in square micrometres.
    Area, "area", "3520 mm2", &[("mm2", 1e6), ("cm2", 1e8), ("m2", 1e12)],
    |v| (v as f64 / 1e6, "mm2")
);

quantity!(
    /// A thermal conductivity, in microwatts a metre and kelvin.
    Conductivity, "thermal conductivity", "3 W/mK", &[("mW/mK", 1e3), ("W/mK", 1e6)],
    |v| (v as f64 / 1e6, "W/mK")
);

quantity!(
    /// A heat transfer coefficient between a surface and air, in microwatts a square metre and
    /// kelvin.
    HeatTransfer, "heat transfer coefficient", "10 W/m2K", &[("W/m2K", 1e6)],
    |v| (v as f64 / 1e6, "W/m2K")
);

macro_rules! si {
    ($($name:ident, $scale:literal, $what:literal;)*) => {$(
        impl $name {
            #[doc = $what]
            pub fn si(self) -> f64 {
                self.base() as f64 / $scale
            }
        }
    )*};
}

si! {
    ThermalResistance, 1e6, "In kelvins a watt.";
    HeatCapacity, 1e6, "In joules a kelvin.";
    Length, 1e6, "In metres.";
    Area, 1e12, "In square metres.";
    Conductivity, 1e6, "In watts a metre and kelvin.";
    HeatTransfer, 1e6, "In watts a square metre and kelvin.";
}

impl RotationSpeed {
    /// In turns a minute.
    pub fn rpm(self) -> f64 {
        self.base() as f64 / 1e3
    }
}

/// A temperature, in thousandths of a degree Celsius; not below absolute zero and at most 1000 C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Temperature(i64);

/// The ice point in millikelvins.
const ICE_MILLIKELVIN: i64 = 273_150;

impl Temperature {
    /// From whole degrees Celsius.
    pub const fn from_celsius(degrees: i64) -> Self {
        Temperature(degrees * 1000)
    }

    /// In degrees Celsius.
    pub fn celsius(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl FromStr for Temperature {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        const KIND: &str = "temperature";
        let trimmed = text.trim();
        let split = trimmed.find(|c: char| !(c.is_ascii_digit() || "+-._".contains(c)));
        let (number, unit) = trimmed.split_at(split.unwrap_or(trimmed.len()));
        let zero = match unit.trim() {
            "" => {
                return Err(UnitError::NoUnit { text: trimmed.to_owned(), example: "25 C" });
            }
            "C" => 0,
            "K" => ICE_MILLIKELVIN,
            other => {
                let known = "C, K".to_owned();
                return Err(UnitError::UnknownUnit { unit: other.to_owned(), kind: KIND, known });
            }
        };
        let bad = || UnitError::BadNumber { text: trimmed.to_owned(), kind: KIND };
        let value: f64 = number.replace('_', "").parse().map_err(|_| bad())?;
        let milli = libm::round(value * 1e3) - zero as f64;
        match (-(ICE_MILLIKELVIN as f64)..=1e6).contains(&milli) {
            true => Ok(Temperature(whole_signed(milli))),
            false => Err(bad()),
        }
    }
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} C", self.celsius())
    }
}

impl Quantity for Temperature {
    fn spelling() -> Spelling {
        Spelling { kind: "temperature", example: "25 C", units: vec!["C", "K"], signed: true }
    }
}

text_serde!(Temperature);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_have_a_sign_and_two_scales() {
        let celsius = |text: &str| text.parse::<Temperature>().map(Temperature::celsius);
        assert_eq!(celsius("84 C").unwrap(), 84.0);
        assert_eq!(celsius("-10.5 C").unwrap(), -10.5);
        assert_eq!(celsius("298.15 K").unwrap(), 25.0);
        assert!(celsius("-274 C").is_err(), "below absolute zero");
        assert_eq!(
            celsius("40").unwrap_err().to_string(),
            "`40` has no unit; write for example `25 C`"
        );
        assert!(celsius("40 F").unwrap_err().to_string().contains("use one of C, K"));
        assert_eq!(Temperature::from_celsius(25).to_string(), "25 C");
    }

    #[test]
    fn geometry_converts_to_si() {
        assert_eq!("80 mm".parse::<Length>().unwrap().si(), 0.08);
        assert_eq!("35.2 cm2".parse::<Area>().unwrap().si(), 0.00352);
        assert_eq!("10 W/m2K".parse::<HeatTransfer>().unwrap().si(), 10.0);
        assert_eq!("1500 rpm".parse::<RotationSpeed>().unwrap().rpm(), 1500.0);
        assert!("1500".parse::<RotationSpeed>().is_err());
    }
}

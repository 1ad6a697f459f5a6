//! What cools a modelled drive, and how warm the air is.

use clap::Args;
use engine::{RotationSpeed, Temperature};
use library::Surroundings;

/// Options about the surroundings of a modelled drive.
#[derive(Args, Debug)]
pub struct SurroundingsArgs {
    /// What cools the drive: `drivelab list coolings`, or a cooling file ending in .toml [default:
    /// what the model says]
    #[arg(long, value_name = "COOLING", help_heading = "Modelled drives")]
    pub cooling: Option<String>,
    /// Speed of the fan: `1500 rpm` [default: that of the cooling]
    #[arg(long, value_name = "SPEED", value_parser = fan, help_heading = "Modelled drives")]
    pub fan: Option<RotationSpeed>,
    /// Temperature of the air [default: 25 C]
    #[arg(long, value_name = "TEMPERATURE", value_parser = ambient, allow_hyphen_values = true)]
    #[arg(help_heading = "Modelled drives")]
    pub ambient: Option<Temperature>,
}

/// Fastest fan that is believed, turns a minute.
const FAN_RPM_MAX: f64 = 100_000.0;
/// Air that is believed, degrees Celsius.
const AMBIENT_C: std::ops::RangeInclusive<f64> = -60.0..=120.0;

fn fan(text: &str) -> Result<RotationSpeed, String> {
    let speed: RotationSpeed = text.parse().map_err(|e: engine::UnitError| e.to_string())?;
    match speed.rpm() <= FAN_RPM_MAX {
        true => Ok(speed),
        false => Err(format!("no fan turns at {speed}")),
    }
}

fn ambient(text: &str) -> Result<Temperature, String> {
    let air: Temperature = text.parse().map_err(|e: engine::UnitError| e.to_string())?;
    match AMBIENT_C.contains(&air.celsius()) {
        true => Ok(air),
        false => Err(format!("air of {air} is outside -60 C to 120 C")),
    }
}

impl SurroundingsArgs {
    /// As the library takes them.
    pub fn get(&self) -> Surroundings {
        Surroundings { cooling: self.cooling.clone(), fan: self.fan, ambient: self.ambient }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_room_has_is_refused() {
        assert_eq!(fan("1500 rpm").unwrap().rpm(), 1500.0);
        assert!(fan("1500").unwrap_err().contains("no unit"));
        assert!(fan("100001 rpm").is_err() && fan("100000 rpm").is_ok());
        assert_eq!(ambient("-10 C").unwrap().celsius(), -10.0);
        assert!(ambient("121 C").is_err() && ambient("40").unwrap_err().contains("25 C"));
    }
}

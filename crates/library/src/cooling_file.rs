//! A cooling file: how a drive is cooled.

use super::diagnose;
use super::mistakes;
use super::shipped;
use super::sourced::Sourced;
use super::sources;
use engine::{
    Area, Conductivity, HeatCapacity, HeatTransfer, Length, Ratio, RotationSpeed, Temperature,
};
use fio::Diagnostic;
use iopath::device::heat::HeatConfig;
use iopath::device::heat::cooling::{Air, Cooling, Plate};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// One kind of cooling, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoolingFile {
    /// Its full name.
    pub name: String,
    /// Air at the board or case.
    pub air: AirFile,
    /// The fan.
    pub fan: FanFile,
    /// What is on the packages.
    pub plate: Option<PlateFile>,
}

/// Air at the board or case.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirFile {
    /// Heat transfer without a fan, radiation counted in.
    pub natural: Sourced<HeatTransfer>,
    /// That of the fan alone at its reference speed.
    pub forced: Sourced<HeatTransfer>,
    /// Power of the speed with which it grows.
    pub exponent: Sourced<Ratio>,
}

/// A fan.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FanFile {
    /// Speed at which `forced` is stated.
    pub reference: Sourced<RotationSpeed>,
    /// Its default speed; 0 if there is none.
    pub speed: Sourced<RotationSpeed>,
}

/// What is on the packages.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlateFile {
    /// Conductivity.
    pub conductivity: Sourced<Conductivity>,
    /// Thickness, without fins.
    pub thickness: Sourced<Length>,
    /// Length along the drive.
    pub length: Sourced<Length>,
    /// Width.
    pub width: Sourced<Length>,
    /// Surface of the fins.
    pub fins: Sourced<Area>,
    /// Heat capacity.
    pub capacity: Sourced<HeatCapacity>,
    /// Thickness of a pad below it.
    pub pad_thickness: Option<Sourced<Length>>,
    /// Conductivity of that pad.
    pub pad_conductivity: Option<Sourced<Conductivity>>,
    /// Heat transfer at its surface without a fan.
    pub natural: Sourced<HeatTransfer>,
    /// That of the fan alone at its reference speed.
    pub forced: Sourced<HeatTransfer>,
}

/// The surroundings of a drive: what cools it, how fast the fan turns, how warm the air is.
/// Anything that is not stated stays as in the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// A cooling of the library, or the path of a cooling file.
    pub cooling: Option<String>,
    /// Speed of its fan.
    pub fan: Option<RotationSpeed>,
    /// Temperature of the air.
    pub ambient: Option<Temperature>,
}

impl Surroundings {
    /// The heat of a drive in these surroundings.
    ///
    /// # Errors
    /// If there is no such cooling.
    pub fn apply(&self, known: &HeatConfig) -> Result<HeatConfig, Diagnostic> {
        let mut cooling = match &self.cooling {
            Some(name) => CoolingFile::named(name)?.cooling(),
            None => known.cooling,
        };
        if let Some(fan) = self.fan {
            cooling.fan_rpm = fan.rpm();
        }
        let ambient_c = self.ambient.map_or(known.ambient_c, Temperature::celsius);
        Ok(known.cooled(cooling, ambient_c))
    }
}

impl CoolingFile {
    /// A cooling of the library, or one from a file of the user's.
    ///
    /// # Errors
    /// If there is none, or it is wrong.
    pub fn named(name: &str) -> Result<Self, Diagnostic> {
        if name.ends_with(".toml") {
            let text = std::fs::read_to_string(Path::new(name)).map_err(|e| {
                let why = format!("the cooling cannot be read: {e}");
                Diagnostic::new(&diagnose::place(name, "", 0), why)
                    .with_help("`models/cooling/bare.toml` is one to start from")
            })?;
            return Self::parse(name, &text);
        }
        let text = shipped::cooling_text(name).map_err(|help| {
            let why = format!("no cooling is called `{name}`");
            Diagnostic::new(&diagnose::place("cooling", "", 0), why).with_help(help)
        })?;
        Self::parse(&format!("models/cooling/{name}.toml"), text)
    }

    /// From text; `file` is named in errors.
    ///
    /// # Errors
    /// The place of what is wrong in it.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        let cooling: CoolingFile = mistakes::read(file, text, text, shipped::COOLINGS)?;
        let wrong = |at: usize, message: &str, help: &str| {
            Diagnostic::new(&diagnose::place(file, text, at), message).with_help(help)
        };
        for source in sources::of(text) {
            source.check().map_err(|(at, message)| wrong(at, &message, "`assumed: a reason`"))?;
        }
        let fan = &cooling.fan.reference;
        if fan.get().base() == 0 {
            let message = "the speed at which `forced` is stated is 0";
            return Err(wrong(fan.at(), message, "for example `1500 rpm`"));
        }
        if cooling.air.natural.get().base() == 0 {
            let message = "the heat transfer to the air is 0";
            return Err(wrong(cooling.air.natural.at(), message, "5 to 10 W/m2K in still air"));
        }
        if let Some(plate) = &cooling.plate {
            let lengths = [&plate.thickness, &plate.length, &plate.width];
            if let Some(zero) = lengths.iter().find(|length| length.get().base() == 0) {
                return Err(wrong(
                    zero.at(),
                    "a dimension of the plate is 0",
                    "give its size, or none",
                ));
            }
            if plate.conductivity.get().base() == 0 {
                let message = "the conductivity of the plate is 0";
                return Err(wrong(plate.conductivity.at(), message, "leave the plate out"));
            }
            let pad = (&plate.pad_thickness, &plate.pad_conductivity);
            if pad.0.is_some() != pad.1.is_some()
                || pad.1.as_ref().is_some_and(|value| value.get().base() == 0)
            {
                let message = "a pad needs a thickness and a conductivity above 0";
                return Err(wrong(plate.conductivity.at(), message, "give both, or none"));
            }
        }
        Ok(cooling)
    }

    /// As resolved numbers.
    pub fn cooling(&self) -> Cooling {
        let exponent = self.air.exponent.get().fraction();
        let air = |natural: &Sourced<HeatTransfer>, forced: &Sourced<HeatTransfer>| Air {
            natural_w_m2k: natural.get().si(),
            forced_w_m2k: forced.get().si(),
            exponent,
        };
        Cooling {
            air: air(&self.air.natural, &self.air.forced),
            plate: self.plate.as_ref().map(|plate| Plate {
                conductivity_w_mk: plate.conductivity.get().si(),
                thickness_m: plate.thickness.get().si(),
                length_m: plate.length.get().si(),
                width_m: plate.width.get().si(),
                fins_m2: plate.fins.get().si(),
                capacity_j_k: plate.capacity.get().si(),
                pad: plate.pad_thickness.as_ref().zip(plate.pad_conductivity.as_ref()).map(
                    |(thickness, conductivity)| (thickness.get().si(), conductivity.get().si()),
                ),
                air: air(&plate.natural, &plate.forced),
            }),
            fan_rpm: self.fan.speed.get().rpm(),
            reference_rpm: self.fan.reference.get().rpm(),
        }
    }
}

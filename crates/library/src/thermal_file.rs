//! The section `[thermal]` of a drive file: capacities, resistances, limits of the firmware.

use super::cooling_file::CoolingFile;
use super::sourced::Sourced;
use engine::{Area, Duration, HeatCapacity, Power, Temperature, ThermalResistance};
use iopath::device::heat::cooling::Body;
use iopath::device::heat::{HeatConfig, Throttle};
use schemars::JsonSchema;
use serde::Deserialize;

/// Default temperature of the air, degrees Celsius.
const AMBIENT_C: f64 = 25.0;

/// Heat of a drive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThermalFile {
    /// Heat capacity of controller and flash.
    pub package: Sourced<HeatCapacity>,
    /// Heat capacity of the board or case.
    pub body: Sourced<HeatCapacity>,
    /// Surface of the board or case that air can reach.
    pub surface: Sourced<Area>,
    /// Upper side of the packages.
    pub packages: Sourced<Area>,
    /// Resistance from the packages into the board or case.
    pub spread: Sourced<ThermalResistance>,
    /// Resistance from the packages to their upper side.
    pub top: Sourced<ThermalResistance>,
    /// Resistance through connector and screw into what it is mounted on.
    pub mount: Option<Sourced<ThermalResistance>>,
    /// Default cooling.
    pub cooling: Sourced<String>,
    /// Time between two readings of the sensor.
    pub sample: Sourced<Duration>,
    /// Temperature from which on it warns.
    pub warning: Sourced<Temperature>,
    /// Temperature from which on it may be harmed.
    pub critical: Sourced<Temperature>,
    /// Light throttling.
    pub light: Option<ThrottleFile>,
    /// Heavy throttling.
    pub heavy: Option<ThrottleFile>,
}

/// A level of throttling.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThrottleFile {
    /// Temperature at which it is entered.
    pub enter: Sourced<Temperature>,
    /// Temperature at which it is left.
    pub leave: Sourced<Temperature>,
    /// Limit of the mean power in it.
    pub cap: Sourced<Power>,
}

/// Byte offset in the drive file, message, help.
type Complaint = (usize, String, String);

impl ThermalFile {
    /// The numbers of this drive with the cooling that its file names.
    pub(super) fn resolve(&self, idle: Power) -> Result<HeatConfig, Complaint> {
        let body = Body {
            package_j_k: self.package.get().si(),
            body_j_k: self.body.get().si(),
            spread_k_w: self.spread.get().si(),
            top_k_w: self.top.get().si(),
            packages_m2: self.packages.get().si(),
            surface_m2: self.surface.get().si(),
            mount_k_w: self.mount.as_ref().map(|mount| mount.get().si()),
        };
        let bad = |at: usize, message: &str, help: &str| (at, message.to_owned(), help.to_owned());
        let cooling = CoolingFile::named(self.cooling.get())
            .map_err(|d| (self.cooling.at(), d.message, d.help.unwrap_or_default()))?
            .cooling();
        let packages = &self.packages;
        if packages.get().base() == 0 {
            return Err(bad(
                packages.at(),
                "the area of the packages is 0",
                "for example `650 mm2`",
            ));
        }
        if let Some(mount) = self.mount.as_ref().filter(|mount| mount.get().base() == 0) {
            let message = "a mount without resistance keeps the drive as cool as the air";
            return Err(bad(mount.at(), message, "leave it out if nothing is known"));
        }
        if let (None, Some(heavy)) = (&self.light, &self.heavy) {
            let message = "heavy throttling without light throttling";
            return Err(bad(heavy.enter.at(), message, "call the only level `light`"));
        }
        let levels = || [&self.light, &self.heavy].into_iter().flatten();
        if let Some(level) = levels().find(|level| *level.cap.get() <= idle) {
            let message = "a throttling level below the idle power stops all work";
            return Err(bad(level.cap.at(), message, "raise it"));
        }
        let throttle = levels().map(|level| Throttle {
            enter_c: level.enter.get().celsius(),
            leave_c: level.leave.get().celsius(),
            cap: *level.cap.get(),
        });
        let config = HeatConfig {
            network: cooling.network(&body),
            body,
            cooling,
            ambient_c: AMBIENT_C,
            throttle: throttle.collect(),
            warning_c: self.warning.get().celsius(),
            critical_c: self.critical.get().celsius(),
            sample: *self.sample.get(),
        };
        let at = self.light.as_ref().map_or(self.package.at(), |light| light.enter.at());
        config.check().map_err(|fault| (at, fault, "look at [thermal]".to_owned()))?;
        Ok(config)
    }
}

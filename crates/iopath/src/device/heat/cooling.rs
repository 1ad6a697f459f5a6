//! From geometry to resistances: surfaces in moving air, plates that spread heat, pads between.

use super::network::Network;

/// What a drive is without anything that cools it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Body {
    /// Heat capacity of controller and flash, J/K.
    pub package_j_k: f64,
    /// Heat capacity of the board or case, J/K.
    pub body_j_k: f64,
    /// Resistance from the packages into the board or case, K/W.
    pub spread_k_w: f64,
    /// Resistance from the packages to their own upper side, K/W.
    pub top_k_w: f64,
    /// Upper side of the packages, m2.
    pub packages_m2: f64,
    /// Surface of the board or case that air can reach, m2.
    pub surface_m2: f64,
    /// Resistance from the board through connector and screw into what it is mounted on, K/W.
    pub mount_k_w: Option<f64>,
}

/// Air at a surface.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Air {
    /// Heat transfer coefficient without a fan, W/m2K.
    pub natural_w_m2k: f64,
    /// That of the fan alone, at its reference speed, W/m2K.
    pub forced_w_m2k: f64,
    /// Power of the speed with which it grows: 0.5 if the flow along a plate is laminar, 0.8 if
    /// it is turbulent.
    pub exponent: f64,
}

impl Air {
    /// The coefficient, W/m2K, at a speed of the fan over its reference speed. The speed of the
    /// air is proportional to it (the fan laws). Both kinds of flow together give the third root
    /// of the sum of their third powers (S. W. Churchill, AIChE Journal 23, 1977).
    pub fn coefficient(&self, speed: f64) -> f64 {
        let forced = match speed > 0.0 {
            true => self.forced_w_m2k * libm::pow(speed, self.exponent),
            false => 0.0,
        };
        let cube = |x: f64| x * x * x;
        libm::cbrt(cube(self.natural_w_m2k) + cube(forced))
    }
}

/// A plate on the packages: a pad, a sheet, or the base of a sink with its fins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plate {
    /// Conductivity, W/mK.
    pub conductivity_w_mk: f64,
    /// Thickness, m.
    pub thickness_m: f64,
    /// Length, m.
    pub length_m: f64,
    /// Width, m.
    pub width_m: f64,
    /// Surface of its fins beyond that of the plate, m2.
    pub fins_m2: f64,
    /// Heat capacity, J/K.
    pub capacity_j_k: f64,
    /// Thickness (m) and conductivity (W/mK) of a pad between packages and plate.
    pub pad: Option<(f64, f64)>,
    /// Air at its surface.
    pub air: Air,
}

impl Plate {
    /// Resistance of the path along the plate, K/W: heat comes in at the middle, flows to both ends
    /// and is given off evenly. The mean drop in a strip of length L is that over L / 3.
    fn lateral_k_w(&self) -> f64 {
        let half = self.length_m / 2.0;
        half / (3.0 * self.conductivity_w_mk * self.thickness_m * self.width_m) / 2.0
    }

    /// Area that it covers, m2.
    fn footprint_m2(&self) -> f64 {
        self.length_m * self.width_m
    }

    /// Area that air reaches, m2: the upper side, the edges and the fins. Fins of a few
    /// millimetres of aluminium are as warm as their foot to within some percent.
    fn surface_m2(&self) -> f64 {
        let edges = 2.0 * (self.length_m + self.width_m) * self.thickness_m;
        self.footprint_m2() + edges + self.fins_m2
    }
}

/// What cools a drive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cooling {
    /// Air at the board or case.
    pub air: Air,
    /// A plate on the packages, if there is one.
    pub plate: Option<Plate>,
    /// Speed of the fan, turns a minute; 0 without one.
    pub fan_rpm: f64,
    /// Speed at which the forced coefficients are stated, above 0.
    pub reference_rpm: f64,
}

impl Cooling {
    /// The network of a drive that is cooled so.
    pub fn network(&self, body: &Body) -> Network {
        let speed = self.fan_rpm / self.reference_rpm;
        let mut spread_w_k = 1.0 / body.spread_k_w;
        let mut surface_m2 = body.surface_m2;
        let mut air_w_k = body.mount_k_w.map_or(0.0, |mount| 1.0 / mount);
        let mut body_j_k = body.body_j_k;
        if let Some(plate) = &self.plate {
            let pad = plate.pad.map_or(0.0, |(thickness, conductivity)| {
                thickness / (conductivity * body.packages_m2)
            });
            spread_w_k += 1.0 / (body.top_k_w + pad + plate.lateral_k_w());
            // What the plate covers gives no heat to the air itself, at most one side.
            surface_m2 -= plate.footprint_m2().min(body.surface_m2 / 2.0);
            air_w_k += plate.air.coefficient(speed) * plate.surface_m2();
            body_j_k += plate.capacity_j_k;
        }
        air_w_k += self.air.coefficient(speed) * surface_m2;
        Network {
            package_j_k: body.package_j_k,
            body_j_k,
            spread_k_w: 1.0 / spread_w_k,
            air_k_w: 1.0 / air_w_k,
        }
    }
}

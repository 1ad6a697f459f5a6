//! A board in air, and limits for the heat of a drive.

use super::Power;
use engine::Duration;
use iopath::device::heat::cooling::{Air, Body, Cooling};
use iopath::device::heat::network::Network;
use iopath::device::heat::{HeatConfig, Throttle};

/// A board of M.2 2280.
pub const BODY: Body = Body {
    package_j_k: 2.4,
    body_j_k: 4.5,
    spread_k_w: 6.0,
    top_k_w: 3.0,
    packages_m2: 650e-6,
    surface_m2: 3520e-6,
    mount_k_w: None,
};

/// Air at it.
pub const OPEN: Air = Air { natural_w_m2k: 10.0, forced_w_m2k: 35.0, exponent: 0.65 };

/// Nothing that cools.
pub const BARE: Cooling = Cooling { air: OPEN, plate: None, fan_rpm: 0.0, reference_rpm: 1500.0 };

pub fn watts(w: f64) -> Power {
    Power::from_base((w * 1e6).round() as u64)
}

/// A network with levels that are entered at, left at (C) and capped to (W).
pub fn heat(network: Network, levels: &[(f64, f64, f64)], sample: Duration) -> HeatConfig {
    let throttle = levels.iter().map(|(enter_c, leave_c, cap)| Throttle {
        enter_c: *enter_c,
        leave_c: *leave_c,
        cap: watts(*cap),
    });
    HeatConfig {
        network,
        body: BODY,
        cooling: BARE,
        ambient_c: 25.0,
        throttle: throttle.collect(),
        warning_c: 70.0,
        critical_c: 90.0,
        sample,
    }
}

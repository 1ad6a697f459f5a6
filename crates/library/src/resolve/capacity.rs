//! The bytes that the host sees, of the real drive and at the scale of the run.

use super::super::model::Model;
use super::super::scale::Scale;
use super::{Complaint, geometry};
use engine::{Ratio, whole};
use iopath::device::flash::geometry::{Geometry, Layout};

/// A drive that differs by less from the real one is that one.
const WHOLE: f64 = 0.02;

/// What the host sees of a drive after a share was given up.
pub(super) struct Capacity {
    /// Bytes of the real drive.
    pub real_bytes: u64,
    /// Bytes of the drive that is simulated.
    pub user_bytes: u64,
    /// All of the drive is simulated.
    whole: bool,
}

impl Capacity {
    /// Of a drive with this flash behind it, without what its SLC cache sets aside.
    pub(super) fn of(
        model: &Model,
        scale: Scale,
        give_up: Ratio,
        geometry: &Geometry,
    ) -> Result<Capacity, Complaint> {
        let capacity = &model.drive.body.capacity;
        let kept = 1.0 - give_up.fraction();
        if !(0.05..=1.0).contains(&kept) {
            let message = format!("{give_up} cannot be given up");
            return Err((capacity.at(), message, "give up 0 % to 95 %".to_owned()));
        }
        let unit = geometry.unit_bytes as u64;
        let real_bytes = whole(capacity.get().base() as f64 * kept);
        let simulated_bytes = whole(full_units(model, geometry) as f64 * kept) * unit;
        let close = (simulated_bytes as f64 / real_bytes as f64 - 1.0).abs() < WHOLE;
        let whole = close && is_whole(model, scale);
        let user_bytes = if whole { real_bytes / unit * unit } else { simulated_bytes };
        Ok(Capacity { real_bytes, user_bytes, whole })
    }

    /// Simulated over real bytes as they are.
    pub(super) fn share(&self) -> f64 {
        self.user_bytes as f64 / self.real_bytes.max(1) as f64
    }

    /// Simulated over real bytes; 1 if the whole drive is simulated.
    pub(super) fn scale(&self) -> f64 {
        if self.whole { 1.0 } else { self.user_bytes as f64 / self.real_bytes as f64 }
    }
}

/// Mapping units that the flash holds for the host if nothing is given up. What is written in the
/// open stripes, one stripe's worth, is spare as well: so much more of a drive with fewer of them
/// than the real one has.
fn full_units(model: &Model, geometry: &Geometry) -> u64 {
    let lane = Layout::new(Geometry { groups_per_lane: 1, ..*geometry });
    let per_stripe = lane.group_data_units as u64 * lane.lanes as u64;
    let outside = model.drive.ftl.policies().stripes_outside_alpha();
    let closed = f64::from(geometry.groups_per_lane - outside);
    let open = 1.0 + 1.0 / geometry::real_stripes(model, &lane);
    let alpha = model.drive.ftl.alpha.get().fraction();
    whole((closed + 1.0) * per_stripe as f64 / (alpha * open))
}

fn is_whole(model: &Model, scale: Scale) -> bool {
    let bytes = model.drive.body.capacity.get().base();
    match scale {
        Scale::Units(most) => bytes / geometry::physical_unit(model).max(1) <= most,
        Scale::Share(share) => share >= 1.0,
        Scale::Bytes(most) => most >= bytes,
    }
}

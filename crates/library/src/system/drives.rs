//! The flash drives of a system at a scale: all shrink by the same share.

use super::super::{Medium, Model, Overrides, Scale};
use super::members::Member;

/// Step in which a share is made larger until it is enough.
const STEP: f64 = 1.05;

/// The drives of a system, and how much of the flash among them is simulated.
pub(super) struct Drives<'a> {
    members: &'a [Member],
    overrides: &'a Overrides,
    /// Share of every flash drive, above 0 and at most 1.
    pub share: f64,
}

impl<'a> Drives<'a> {
    /// The share that fits the scale, or the least one that the drives can be simulated at, if that
    /// is larger: many large drives together need more units than one.
    pub(super) fn new(members: &'a [Member], scale: Scale, overrides: &'a Overrides) -> Self {
        let mut drives = Drives { members, overrides, share: 1.0 };
        drives.share = match scale {
            _ if drives.flash().count() < members.len() => 1.0,
            Scale::Share(share) => share,
            Scale::Bytes(bytes) => (bytes as f64 / drives.bytes().max(1) as f64).min(1.0),
            Scale::Units(most) => {
                let share = (most as f64 / drives.units().max(1) as f64).min(1.0);
                drives.enough(share, |model, share| {
                    model.resolve(Scale::Share(share), overrides).is_ok()
                })
            }
        };
        drives
    }

    /// The least share at which blocks hold so many programs.
    pub(super) fn share_with(&self, programs: u32) -> f64 {
        self.enough(self.share, |model, share| {
            let resolved = model.resolve(Scale::Share(share), self.overrides);
            resolved.is_ok_and(|drive| drive.config.geometry.programs() >= programs)
        })
    }

    /// Capacity of the flash drives together, bytes.
    pub(super) fn bytes(&self) -> u64 {
        let of = |(_, member): (_, &Member)| u64::from(member.count) * member.medium.capacity();
        self.flash().map(of).sum()
    }

    fn units(&self) -> u64 {
        let of = |(model, member): (&Model, &Member)| {
            let unit = model.drive.ftl.unit.get().base().max(1);
            u64::from(member.count) * (member.medium.capacity() / unit)
        };
        self.flash().map(of).sum()
    }

    fn flash(&self) -> impl Iterator<Item = (&Model, &Member)> {
        self.members.iter().filter_map(|member| match &member.medium {
            Medium::Flash(model) => Some((&**model, member)),
            _ => None,
        })
    }

    /// The first share from this one up that is enough for all flash drives, else 1.
    fn enough(&self, mut share: f64, is_enough: impl Fn(&Model, f64) -> bool) -> f64 {
        while share < 1.0 && !self.flash().all(|(model, _)| is_enough(model, share)) {
            share = (share * STEP).min(1.0);
        }
        share
    }
}

//! The steady state of random writes on drives that exist.

use super::RealTarget;
use crate::failure::Failure;
use crate::load::Load;
use crate::target::Target as _;
use engine::whole;
use real::PermitKind;
use serde_json::json;

/// Size of the writes that fill a drive before it is brought into a state, bytes.
pub(super) const FILL_BLOCK: u64 = 128 << 10;
/// Random writes that bring a real drive into its steady state, in capacities.
pub(crate) const STEADY_PASSES: u64 = 2;
/// The option of fio that needs one pass over the flash for it, from 3.41 on.
const SPRANDOM: &str = "sprandom";
/// Flash beyond what the host sees that even the leanest drive has: a GiB of it for each GB.
const LEAST_SPARE: f64 = 0.07;
/// What drives for three writes a day have, 6.4 TB of 8 TiB, and what no drive of a power of two
/// exceeds.
const MOST_SPARE: f64 = 0.4;
/// What fio assumes unless told otherwise.
const USUAL_SPARE: f64 = 0.15;

impl RealTarget {
    /// Writes to purged drives until they are in the steady state of random writes over this share:
    /// by one pass of fio's `sprandom` if it is about whole drives and the installed fio has it,
    /// else once in order and twice at random.
    pub(super) fn scatter(&mut self, share: f64) -> Result<(), Failure> {
        if share >= 1.0 && self.whole_drives()? && self.fio.has(SPRANDOM).map_err(super::failed)? {
            let spare = over_provisioning(self.bytes.iter().copied().max().unwrap_or(0));
            self.start(&Load::sprandom(spare), 0, 0)?;
            self.steps.push(json!({ "sprandom": true, "over_provisioning": spare }));
            return Ok(());
        }
        self.fill(FILL_BLOCK)?;
        let span = whole(self.capacity() as f64 * share) / 4096 * 4096;
        self.start(&Load::scatter(span.max(4096), STEADY_PASSES), 0, 0)?;
        Ok(())
    }

    /// Whether the targets are drives, and not files on one.
    fn whole_drives(&self) -> Result<bool, Failure> {
        let whole = |kind: &PermitKind| match kind {
            PermitKind::BlockDevice(device) => device.parent.is_none(),
            PermitKind::ServedDrive(_) => true,
            PermitKind::NewFile | PermitKind::OwnFile | PermitKind::ForeignFile => false,
        };
        Ok(self.permits()?.iter().all(|permit| whole(permit.kind())))
    }
}

/// Whether the installed fio brings a whole drive into its steady state by one pass; not if there
/// is none.
pub fn has_sprandom() -> bool {
    real::InstalledFio::find().and_then(|fio| fio.has(SPRANDOM)).unwrap_or(false)
}

/// Flash of a drive of so many bytes beyond those, as a share of them. Most drives have a power of
/// two of dies, which hold a power of two each; others have what is usual. What a drive has more
/// for bad blocks and parity is not known.
pub(crate) fn over_provisioning(bytes: u64) -> f64 {
    let bytes = bytes.max(1);
    let flash = bytes.checked_next_power_of_two().unwrap_or(bytes);
    let spare = flash as f64 / bytes as f64 - 1.0;
    if spare > MOST_SPARE {
        return USUAL_SPARE;
    }
    (spare.max(LEAST_SPARE) * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::over_provisioning;

    #[test]
    fn a_drive_has_the_next_power_of_two_of_flash() {
        for (gb, spare) in [(7_680, 0.1453), (15_360, 0.1453), (400, 0.3744), (1_000, 0.0995)] {
            assert_eq!(over_provisioning(gb * 1_000_000_000), spare, "{gb} GB");
        }
        assert_eq!(over_provisioning(64 << 30), 0.07, "no drive has none");
        // 320 GiB of flash.
        assert_eq!(over_provisioning(300_000_000_000), 0.15);
    }
}

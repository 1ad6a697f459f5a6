//! How far writes and collection may be apart.

use crate::device::flash::config::DriveConfig;
use crate::device::flash::geometry::Layout;

/// What part of the spare area collection may be ahead at most: where there is next to none, it has
/// none to give.
const MOST_LEAD: i64 = 8;

/// Units that collection may be behind before writes wait: an eighth of a stripe, at most a row of
/// word lines.
pub(super) fn slack(layout: &Layout) -> i64 {
    let stripe = layout.stripe_data_units();
    (stripe / 8).min(row(layout)).max(16).min(stripe).into()
}

/// Units that collection is ahead of its reserve, so that writes can be a row of word lines ahead
/// of it where stripes are shorter than eight rows. The lines of all dies fill together, those of
/// writes and those of copies, and neither may wait for the other halfway: dies would stand idle.
/// To be behind by as much would take it from the reserve, which is a part of the spare area that
/// only the scale decides.
pub(super) fn lead(config: &DriveConfig, layout: &Layout) -> i64 {
    let reserve =
        u64::from(config.policies.reserve_stripes(layout)) * u64::from(layout.stripe_data_units());
    let all = u64::from(layout.groups) * u64::from(layout.group_data_units);
    let user = config.user_bytes.div_ceil(config.geometry.unit_bytes.into());
    let spare = all.saturating_sub(reserve).saturating_sub(user);
    (i64::from(row(layout)) - slack(layout)).min(spare as i64 / MOST_LEAD).max(0)
}

/// Units of one program of every die.
fn row(layout: &Layout) -> u32 {
    layout.geometry.dies * layout.wl_units()
}

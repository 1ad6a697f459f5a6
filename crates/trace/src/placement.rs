//! Where the requests of several recorded devices are on one target.
//!
//! The devices are laid out one after the other. If they are larger than the target, first what is
//! before the first touched byte of each is left out; if that is not enough, addresses are wrapped
//! or scaled.

use crate::request::Request;
use crate::summary::Summary;
use std::str::FromStr;

/// Devices begin at multiples of this, bytes.
const COARSE: u64 = 1 << 20;
/// Scaled places are multiples of this, bytes.
const FINE: u64 = 4096;
/// A block device takes whole sectors.
const SECTOR: u64 = 512;

/// What becomes of addresses beyond the end of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// They begin again at its start: runs and distances stay, different places may become one.
    #[default]
    Wrap,
    /// All places move together: order and relative distances stay, runs overlap.
    Scale,
    /// The replay is refused.
    Refuse,
}

impl FromStr for Overflow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "wrap" => Ok(Overflow::Wrap),
            "scale" => Ok(Overflow::Scale),
            "refuse" => Ok(Overflow::Refuse),
            _ => Err(format!("`{text}` is none of wrap, scale, refuse")),
        }
    }
}

/// A recorded device on the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Where it begins on the target, before wrapping or scaling.
    pub base: u64,
    /// Recorded bytes at its start that are left out.
    pub left_out: u64,
}

/// The layout of a trace on a target.
#[derive(Clone, Debug)]
pub struct Placement {
    slots: Vec<Slot>,
    total: u128,
    capacity: u64,
    overflow: Option<Overflow>,
    trimmed: bool,
}

impl Placement {
    /// Lays the devices of a trace out on a target of `capacity` bytes. Recorded offsets are
    /// divided by `divisor` first (fio's `replay_scale`).
    ///
    /// # Errors
    /// If the largest request does not fit, or nothing may be moved and the trace is larger.
    pub fn new(
        summary: &Summary,
        capacity: u64,
        divisor: u64,
        overflow: Overflow,
    ) -> Result<Placement, String> {
        let capacity = capacity / FINE * FINE;
        let divisor = divisor.max(1);
        if summary.largest.saturating_add(2 * FINE) > capacity {
            return Err(format!(
                "a request of {} bytes does not fit into the {capacity} bytes of the target",
                summary.largest
            ));
        }
        let whole = layout(summary, divisor, false);
        if whole.1 <= u128::from(capacity) {
            return Ok(Self::from(whole, capacity, None, false));
        }
        let trimmed = layout(summary, divisor, true);
        if trimmed.1 <= u128::from(capacity) {
            return Ok(Self::from(trimmed, capacity, None, true));
        }
        if overflow == Overflow::Refuse {
            return Err(format!(
                "the trace touches {} bytes of address space, and the target has {capacity}",
                trimmed.1
            ));
        }
        Ok(Self::from(trimmed, capacity, Some(overflow), true))
    }

    fn from(
        (slots, total): (Vec<Slot>, u128),
        capacity: u64,
        overflow: Option<Overflow>,
        trimmed: bool,
    ) -> Placement {
        Placement { slots, total, capacity, overflow, trimmed }
    }

    /// The place of `len` bytes of a device: whole sectors that end before the target does.
    pub fn place(&self, device: u32, offset: u64, len: u64) -> (u64, u64) {
        let slot = self.slots.get(device as usize).copied().unwrap_or_default();
        let far = u128::from(slot.base) + u128::from(offset.saturating_sub(slot.left_out));
        let capacity = u128::from(self.capacity);
        let place = match self.overflow {
            _ if far < capacity && self.overflow != Some(Overflow::Scale) => far,
            Some(Overflow::Scale) => {
                let fine = u128::from(FINE);
                (far * capacity / self.total.max(1)).min(capacity) / fine * fine
            }
            _ => far % capacity,
        } as u64;
        let start = place / SECTOR * SECTOR;
        let end = place.saturating_add(len).div_ceil(SECTOR).saturating_mul(SECTOR);
        let span = end - start;
        (start.min(self.capacity.saturating_sub(span)), span)
    }

    /// The same for a request.
    pub fn of(&self, request: &Request) -> (u64, u64) {
        self.place(request.device, request.offset, request.len)
    }

    /// Bytes from the start of the first device to the end of the last, before anything is
    /// wrapped or scaled.
    pub fn total_bytes(&self) -> u128 {
        self.total
    }

    /// Where each recorded device begins.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// What was changed so that the trace fits, in a sentence.
    pub fn warning(&self) -> Option<String> {
        let (total, capacity) = (self.total, self.capacity);
        let times = total as f64 / capacity.max(1) as f64;
        let gb = |bytes: f64| format!("{:.1} GB", bytes / 1e9);
        let (addresses, target) = (gb(total as f64), gb(capacity as f64));
        let sizes = format!("{addresses} of addresses on a target of {target}");
        match self.overflow {
            Some(Overflow::Wrap) => Some(format!(
                "the trace is larger than the target ({sizes}): addresses beyond the end begin \
                 again at the start, so that up to {:.0} recorded places share one",
                times.ceil()
            )),
            Some(_) => Some(format!(
                "the trace is larger than the target ({sizes}): all places move together by a \
                 factor of {times:.2}, so that recorded runs overlap"
            )),
            None if self.trimmed => Some(
                "the trace would be larger than the target: what lies before the first byte that \
                 is touched on each device is left out"
                    .to_owned(),
            ),
            None => None,
        }
    }
}

/// The devices one after the other, and where the last ends.
fn layout(summary: &Summary, divisor: u64, trim: bool) -> (Vec<Slot>, u128) {
    let mut slots = vec![Slot::default(); summary.devices.len()];
    let mut end = 0_u128;
    let mut last = 0;
    for (number, device) in summary.used().filter(|(_, device)| device.end_byte > 0) {
        let left_out = if trim { device.first_byte / divisor / COARSE * COARSE } else { 0 };
        let base = u64::try_from(end).unwrap_or(u64::MAX);
        slots[number as usize] = Slot { base, left_out };
        let span = u128::from(device.end_byte.div_ceil(divisor) - left_out);
        last = end + span + u128::from(if divisor > 1 { summary.largest } else { 0 });
        end = last.div_ceil(u128::from(COARSE)) * u128::from(COARSE);
    }
    (slots, last)
}

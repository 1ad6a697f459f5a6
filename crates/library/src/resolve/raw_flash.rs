//! What the dies of a drive hold, against what its capacity takes of them.

use super::super::model::Model;
use super::Complaint;

/// Dies hold what their data sheet calls them, and capacities are rounded.
const ROUNDING: f64 = 1e-3;

/// Dies that hold this many times what is used of them hold something that the file does not name.
const TOO_MUCH: f64 = 1.35;

/// Bytes of the flash of a real drive, and what they are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawFlash {
    /// Dies.
    pub dies: u32,
    /// Bytes that all of them hold.
    pub held: f64,
    /// The pool of host data and copies: the capacity times alpha.
    pub pool: f64,
    /// Blocks set aside for the SLC cache: they hold one bit in cells of several.
    pub cache: f64,
    /// Parity over the dies, outside alpha.
    pub parity: f64,
    /// Stripes that write streams keep for themselves, outside alpha.
    pub reserve: f64,
}

impl RawFlash {
    /// That of a model.
    pub(crate) fn of(model: &Model) -> RawFlash {
        let (drive, nand) = (&model.drive, &model.nand);
        let dies = drive.flash.dies.get().number;
        let pool = drive.body.capacity.get().base() as f64 * drive.ftl.alpha.get().fraction();
        let set_aside = drive.slc.as_ref().map_or(0, |slc| slc.fixed.get().base());
        let period = f64::from(drive.ftl.parity_period.get().number);
        let block = nand.page.get().base() * u64::from(nand.pages_per_block.get().number);
        let stripe = f64::from(dies) * f64::from(nand.planes.get().number) * block as f64;
        RawFlash {
            dies,
            held: f64::from(dies) * nand.die_capacity.get().base() as f64,
            pool,
            cache: set_aside as f64 * f64::from(nand.bits_per_cell.get().number),
            parity: if period >= 2.0 { pool / (period - 1.0) } else { 0.0 },
            reserve: f64::from(drive.ftl.policies().stripes_outside_alpha()) * stripe,
        }
    }

    /// Bytes of the blocks that are written and erased in turn: those wear. Others lie idle, as
    /// replacements or because the file does not say what they are for.
    pub fn in_turn(&self) -> f64 {
        self.pool + self.parity + self.cache + self.reserve
    }

    /// Share of what the dies hold that data, copies and the cache take; parity left out.
    pub fn used(&self) -> f64 {
        (self.pool + self.cache) / self.held.max(1.0)
    }

    /// The same with parity.
    pub fn used_with_parity(&self) -> f64 {
        self.used() + self.parity / self.held.max(1.0)
    }
}

fn size(bytes: f64) -> String {
    metric::show(metric::Dimension::Bytes, bytes)
}

/// What it is that takes so much: for messages.
fn taken(model: &Model, raw: &RawFlash) -> String {
    let drive = &model.drive;
    let capacity = size(drive.body.capacity.get().base() as f64);
    let alpha = drive.ftl.alpha.get().fraction();
    let cache = match raw.cache > 0.0 {
        true => format!(" and {} of native blocks for the static SLC cache", size(raw.cache)),
        false => String::new(),
    };
    format!("{capacity} of capacity with alpha {alpha:.3} x{cache}")
}

/// Refuses a drive whose dies do not hold it.
pub(super) fn check(model: &Model) -> Result<(), Complaint> {
    let raw = RawFlash::of(model);
    if raw.used() <= 1.0 + ROUNDING {
        return Ok(());
    }
    let need = raw.pool + raw.cache;
    let die = model.nand.die_capacity.get();
    let most = model.drive.body.capacity.get().base() as f64 / raw.used();
    let message = format!(
        "{} dies of {die} hold {}, less than the {} that {} take",
        raw.dies,
        size(raw.held),
        size(need),
        taken(model, &raw)
    );
    let help = format!(
        "give it {} dies, or dies of {} GiB (nand.die_capacity), or a body.capacity of {} at most",
        (need / die.base() as f64).ceil(),
        (need / f64::from(raw.dies.max(1)) / f64::from(1 << 30)).ceil(),
        size(most)
    );
    Err((model.drive.flash.dies.at(), message, help))
}

/// Warnings about the size of the flash.
pub(crate) fn warnings(model: &Model) -> Vec<String> {
    let raw = RawFlash::of(model);
    let all = raw.pool + raw.cache + raw.parity;
    if raw.used_with_parity() > 1.0 + ROUNDING {
        return vec![format!(
            "its {} dies hold {}, and {} take {} with the parity of {}: {:.1} % more",
            raw.dies,
            size(raw.held),
            taken(model, &raw),
            size(all),
            size(raw.parity),
            100.0 * (raw.used_with_parity() - 1.0)
        )];
    }
    if raw.held > TOO_MUCH * all {
        return vec![format!(
            "its {} dies hold {}, {:.2} times the {} that {} take; what is left is never used: if \
             it is spare, set ftl.alpha to {:.3} x, else give it {} dies",
            raw.dies,
            size(raw.held),
            raw.held / all,
            size(all),
            taken(model, &raw),
            (raw.held - raw.cache) / (all - raw.cache) * model.drive.ftl.alpha.get().fraction(),
            (all / model.nand.die_capacity.get().base() as f64).ceil()
        )];
    }
    Vec::new()
}

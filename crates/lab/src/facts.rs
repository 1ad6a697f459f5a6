//! What the files of a flash drive state, or what follows from them without a run.

use engine::{Bytes, Count};
use iopath::device::flash::cell::endurance::{Class, rated_cycles};
use iopath::device::flash::cell::{CellConfig, CellModel};
use library::{Interface, Model};
use metric::YEAR_S;

/// Rounds of the law's fixed point: with the least spare area that a drive may have, 0.1 %, each
/// takes away a five-hundredth of the error.
const ROUNDS: u32 = 20_000;

/// A property in the base unit of its metric; `None` if the files say nothing about it.
pub(super) fn of(model: &Model, metric: &str) -> Option<f64> {
    let (drive, nand) = (&model.drive, &model.nand);
    let count = |value: &Count| f64::from(value.number);
    let bytes = |value: &Bytes| value.base() as f64;
    match metric {
        "dies" => Some(count(drive.flash.dies.get())),
        "channels" => Some(count(drive.flash.channels.get())),
        "packages" => drive.flash.packages.as_ref().map(|packages| count(packages.get())),
        "page" => Some(bytes(nand.page.get())),
        "dram" => drive.body.dram.as_ref().map(|dram| bytes(dram.get())),
        "indirection_unit" => Some(bytes(drive.ftl.unit.get())),
        "bits_per_cell" => Some(count(nand.bits_per_cell.get())),
        "power_ps0" => drive.power.rated.as_ref().map(|rated| rated.get().base() as f64 / 1e6),
        // The share of raw that is spare, raw being alpha times what the user has.
        "op" => Some(1.0 - 1.0 / drive.ftl.alpha.get().fraction()),
        // Timed workload counters are attributes of SATA drives with rated cells.
        "divisor" => {
            let sata = matches!(drive.link.interface.get(), Interface::Sata { .. });
            (sata && nand.cell.is_some()).then_some(smart::counter::WEAR_STEPS)
        }
        "tbw_random" => random_writes(model),
        _ => of_cell(nand.cell.as_ref()?.resolve(), metric),
    }
}

/// Bytes of random writes until the rated cycles are used: the bytes of all dies, times the cycles,
/// over the amplification of greedy collection of long groups, `1 / (1 - v)` with
/// `v = exp(-alpha (1 - v))` (docs/theory.md). `None` where pages are padded or data is compressed:
/// the law says nothing of those.
fn random_writes(model: &Model) -> Option<f64> {
    let drive = &model.drive;
    if drive.ftl.padding.is_some() || drive.compression.is_some() {
        return None;
    }
    let cycles = of_cell(model.nand.cell.as_ref()?.resolve(), "pe_cycles")?;
    let alpha = drive.ftl.alpha.get().fraction();
    let mut valid: f64 = 0.0;
    for _ in 0..ROUNDS {
        valid = libm::exp(-alpha * (1.0 - valid));
    }
    Some(cycles * model.raw_flash().held * (1.0 - valid))
}

/// What follows from the cells alone.
fn of_cell(cell: CellConfig, metric: &str) -> Option<f64> {
    let cycles = |cell: CellConfig| {
        let class = cell.class;
        rated_cycles(&CellModel::new(cell), class)
    };
    let over = |plain: CellConfig| cycles(cell.clone()) / cycles(plain);
    match metric {
        "pe_cycles" => Some(cycles(cell)),
        "reference_cycles" => Some(cell.reference_cycles),
        "retention" => Some(match cell.class {
            Class::Client => YEAR_S,
            Class::Enterprise => YEAR_S / 4.0,
        }),
        "endurance_gain" => {
            Some(over(CellConfig { programming: 1.0, screening: 1.0, ..cell.clone() }))
        }
        "gain_by_programming" => Some(over(CellConfig { programming: 1.0, ..cell.clone() })),
        "gain_by_screening" => Some(over(CellConfig { screening: 1.0, ..cell.clone() })),
        _ => None,
    }
}

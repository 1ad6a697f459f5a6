//! Physical bounds of the values of a flash drive that a fit may move. The one place for them.

use super::quantity::Quantity;

/// Bounds of a value of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Path of the value.
    pub key: &'static str,
    /// Least value.
    pub low: &'static str,
    /// Largest value.
    pub high: &'static str,
    /// Where they come from.
    pub source: &'static str,
}

const fn row(
    key: &'static str,
    low: &'static str,
    high: &'static str,
    source: &'static str,
) -> Bounds {
    Bounds { key, low, high, source }
}

const SUSPEND: &str = "published: 30 to 60 us to ready in 3D parts, 100 us in simulators of \
                       planar ones; a part that stops only between the steps of a program takes \
                       as long as a step, up to half of a program of 2 ms";
const OVERHEAD: &str = "published: 10 to 30 us of resume overhead; a factor of five around";
const LIMITS: &str = "published: 10 to 50 suspensions an operation and a least run between; a \
                      factor of five around";
const PART: &str = "derived: a part of a program, of which word lines take 0.2 to 8 ms";
const SEGMENT: &str = "derived: a part of an erase, which takes 1.5 to 15 ms";
const PROGRAM: &str = "published: 0.2 ms for SLC to 8 ms for a word line of QLC";
const ERASE: &str = "published: 0.7 ms for SLC to 15 ms for QLC";
const FIRMWARE: &str = "assumed: firmware of published drives and simulators takes 0.1 to 30 us, \
                        a random write or a copy of the first SATA drives ten times as long";
const BATCH: &str = "assumed: from a page to 16 MiB of units of 4 KiB";
const DECODE: &str = "published: 4 to 8 us for LDPC's hard decoding, 20 to 80 us for its soft one";
const BUS: &str = "published: ONFI and Toggle from asynchronous parts to generation 5";
const BUFFER: &str = "assumed: from one word line of few dies to the memory of the largest drives";
const PATH: &str = "derived: from SATA's first generation to PCIe 5.0 x4";
const PARALLEL: &str = "derived: from one die to all dies of the largest drives";
const SPARE: &str = "derived: 2 % to 100 % of spare area";
const ENERGY: &str = "published: 5 nJ/B for programs and 10 uJ a read; a factor of five around";

/// Bounds by key. A value that is assumed or was fitted and is within its bounds here is proposed
/// to a fit that names no parameters; one that is zero where its bounds are not says that there is
/// no such thing.
pub const BOUNDS: &[Bounds] = &[
    row("link.command_latency", "0.1 us", "10 us", FIRMWARE),
    row("controller.read_cost", "0.1 us", "30 us", FIRMWARE),
    row("controller.write_cost", "0.1 us", "500 us", FIRMWARE),
    row("controller.copy_cost", "0.05 us", "500 us", FIRMWARE),
    row("controller.copy_batch", "1 units", "4096 units", BATCH),
    row("controller.admin_cost", "0.5 us", "100 us", FIRMWARE),
    row("controller.read_front_end", "0.5 us", "60 us", FIRMWARE),
    row("controller.write_ack", "0.5 us", "100 us", FIRMWARE),
    row("controller.buffer_read", "0.5 us", "50 us", FIRMWARE),
    row("controller.ecc", "1 us", "80 us", DECODE),
    row("controller.write_path", "50 MB/s", "16 GB/s", PATH),
    row("controller.read_path", "50 MB/s", "16 GB/s", PATH),
    row("buffer.size", "64 KiB", "4 GiB", BUFFER),
    row("buffer.copies", "64 KiB", "4 GiB", BUFFER),
    row("flash.bus", "40 MT/s", "3600 MT/s", BUS),
    row("flash.bus_overhead", "2 %", "30 %", "derived: parity of BCH and LDPC, and spare bytes"),
    row("flash.transfer_overhead", "0.05 us", "5 us", BUS),
    row("flash.program_limit", "1 dies", "1024 dies", PARALLEL),
    row("flash.program_limit_collecting", "1 dies", "1024 dies", PARALLEL),
    row("ftl.alpha", "1.02 x", "2 x", SPARE),
    row("suspend.latency", "5 us", "1 ms", SUSPEND),
    row("suspend.closed_window", "20 us", "4 ms", PART),
    row("suspend.erase_segment", "50 us", "15 ms", SEGMENT),
    row("suspend.resume", "2 us", "150 us", OVERHEAD),
    row("suspend.max_count", "1 times", "250 times", LIMITS),
    row("suspend.min_run", "10 us", "1 ms", LIMITS),
    row("suspend.max_hold", "50 us", "10 ms", LIMITS),
    row("suspend.never", "0 %", "20 %", "derived: more would be seen in the mean"),
    row("nand.program", "0.15 ms", "10 ms", PROGRAM),
    row("nand.erase", "0.5 ms", "20 ms", ERASE),
    row("power.sense", "2 uJ", "50 uJ", ENERGY),
    row("power.transfer", "0.1 nJ/B", "20 nJ/B", ENERGY),
    row("power.program", "1 nJ/B", "25 nJ/B", ENERGY),
    row("power.erase", "0.1 mJ", "25 mJ", ENERGY),
];

/// Bounds of a value that the table does not have, as factors.
pub const ELSEWHERE: f64 = 5.0;

/// The row of a key.
pub fn find(key: &str) -> Option<&'static Bounds> {
    BOUNDS.iter().find(|row| row.key == key)
}

impl Bounds {
    /// Both bounds in the unit of a value; `None` if they are of another kind.
    pub fn in_unit_of(&self, value: &Quantity) -> Option<(f64, f64)> {
        let of = |text: &str| {
            let mut bound = Quantity::parse(text)?;
            if bound.is_count() {
                bound.unit.clone_from(&value.unit);
            }
            bound.in_unit_of(value)
        };
        Some((of(self.low)?, of(self.high)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use library::flash_drives;

    #[test]
    fn bounds_are_ordered_quantities_with_a_source() {
        for row in BOUNDS {
            let (low, high) =
                row.in_unit_of(&Quantity::parse(row.high).unwrap()).unwrap_or_default();
            assert!(low < high, "{}", row.key);
            assert!(row.source.split(':').count() > 1, "{}", row.key);
        }
    }

    /// A bound that a sourced drive does not keep is not a bound. Zero says that there is nothing.
    #[test]
    fn every_shipped_drive_is_within_the_bounds() {
        for slug in flash_drives() {
            let model = library::Model::named(slug, &[]).unwrap();
            for value in super::super::model_text::of_model(&model.text, Some(&model.nand_text)) {
                let Some(bounds) = find(&value.key) else { continue };
                let (low, high) = bounds.in_unit_of(&value.quantity).unwrap();
                let number = value.quantity.number;
                let within = number == 0.0 || low <= number && number <= high;
                assert!(within, "{slug}: {}", value.key);
            }
        }
    }
}

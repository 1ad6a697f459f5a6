//! Cells for tests.

use iopath::device::flash::cell::CellConfig;
use iopath::device::flash::cell::ecc::Ecc;
use iopath::device::flash::cell::endurance::Class;
use iopath::device::flash::cell::states::Coding;

/// Planar MLC of 25 nm. Set so that the raw bit error rate is 1e-6 new, 1e-4 after 3,000 cycles,
/// and ten times that after a year; nothing in it knows of HET.
pub fn mlc() -> CellConfig {
    CellConfig {
        coding: Coding::Mlc,
        separation: 1040.0,
        step: 400.0,
        noise: 80.0,
        growth: 29.5,
        wear_exponent: 0.4,
        reference_cycles: 3000.0,
        loss: 130.0,
        loss_spread: 0.2,
        disturb: 1.63e-9,
        programming: 1.0,
        screening: 1.0,
        ecc: Ecc { bits: 24, data_bytes: 1024 },
        retries: 8,
        retry_step: 25.0,
        class: Class::Client,
    }
}

//! The `[cell]` section of a NAND file: what its bits suffer from, and how errors are corrected.

use super::sourced::Sourced;
use engine::{Bytes, Count, Ratio, Voltage, narrow};
use iopath::device::flash::cell::CellConfig;
use iopath::device::flash::cell::ecc::Ecc;
use iopath::device::flash::cell::endurance::Class;
use iopath::device::flash::cell::states::Coding;
use schemars::JsonSchema;
use serde::Deserialize;

/// The cells of a die and their error correction, as written in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellFile {
    /// Senses of each page type: `"1-2-4"` or `"2-3-2"` for TLC.
    pub coding: Sourced<CodingName>,
    /// Distance between the means of neighbouring states.
    pub separation: Sourced<Voltage>,
    /// ISPP step at program-time factor 1.
    pub step: Sourced<Voltage>,
    /// Gaussian width of a state of a new cell.
    pub noise: Sourced<Voltage>,
    /// What the reference cycles add to that width.
    pub growth: Sourced<Voltage>,
    /// Power of cycles in that growth: `"0.4 x"`.
    pub wear_exponent: Sourced<Ratio>,
    /// The cycles at which growth, loss and disturb are stated.
    pub reference_cycles: Sourced<Count>,
    /// How far the highest state sinks in a year at 30 C after the reference cycles.
    pub loss: Sourced<Voltage>,
    /// Spread of that loss over cells, as a share of it.
    pub loss_spread: Sourced<Ratio>,
    /// Reads of a block that raise the raw bit error rate by 1e-4 at the reference cycles.
    pub disturb_reads: Sourced<Count>,
    /// How many times longer a program takes than that of the plain die: finer steps.
    pub programming: Option<Sourced<Ratio>>,
    /// How many times longer the screened die lives than a plain one.
    pub screening: Option<Sourced<Ratio>>,
    /// Bit errors of a codeword that can be corrected.
    pub ecc_bits: Sourced<Count>,
    /// User data of a codeword.
    pub ecc_data: Sourced<Bytes>,
    /// Reads after the first at most.
    pub retries: Sourced<Count>,
    /// By how much each of these lowers the highest reference.
    pub retry_step: Sourced<Voltage>,
    /// What the endurance is rated for: `"client"` or `"enterprise"`.
    pub class: Sourced<ClassName>,
}

/// A coding, by its senses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub enum CodingName {
    /// One bit.
    #[serde(rename = "1")]
    Slc,
    /// Two bits.
    #[serde(rename = "1-2")]
    Mlc,
    /// Three bits.
    #[serde(rename = "1-2-4")]
    Tlc124,
    /// Three bits, evenly.
    #[serde(rename = "2-3-2")]
    Tlc232,
    /// Four bits.
    #[serde(rename = "1-2-4-8")]
    Qlc1248,
    /// Four bits, evenly.
    #[serde(rename = "4-4-4-3")]
    Qlc4443,
}

/// A class of JESD218.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClassName {
    /// 12 months at 30 C, UBER 1e-15.
    Client,
    /// 3 months at 40 C, UBER 1e-16.
    Enterprise,
}

impl CellFile {
    /// What cannot be, if anything: byte offset in the NAND file, message, help.
    pub(super) fn check(&self, bits: u32) -> Result<(), (usize, String, String)> {
        let bad = |at: usize, message: String, help: &str| Err((at, message, help.to_owned()));
        let cell = self.resolve();
        if cell.coding.bits() != bits {
            let message = format!("this coding is for {} bits a cell", cell.coding.bits());
            return bad(self.coding.at(), message, "a coding has as many pages as a cell has bits");
        }
        for (factor, what) in [(&self.programming, "programming"), (&self.screening, "screening")] {
            if let Some(factor) = factor
                && !(0.1..=100.0).contains(&factor.get().fraction())
            {
                let message =
                    format!("a factor of {} is not possible for {what}", factor.get().fraction());
                return bad(factor.at(), message, "give 0.1 x to 100 x");
            }
        }
        if cell.noise <= 0.0 {
            let message = "a state without width is not possible".to_owned();
            return bad(self.noise.at(), message, "e.g. `80 mV`");
        }
        if cell.separation <= cell.step / cell.programming {
            let message = "a step is as large as the distance between states".to_owned();
            return bad(self.step.at(), message, "make `step` smaller or `separation` larger");
        }
        if !(0.05..=3.0).contains(&cell.wear_exponent) {
            let message = format!("wear cannot grow with a power of {}", cell.wear_exponent);
            return bad(self.wear_exponent.at(), message, "0.3 x to 0.6 x are measured");
        }
        if !(0.0..=5.0).contains(&cell.loss_spread) {
            let message = "the loss cannot spread by more than five times itself".to_owned();
            return bad(self.loss_spread.at(), message, "e.g. `20 %`");
        }
        let reads = self.disturb_reads.get().number;
        for (value, number) in [
            (&self.reference_cycles, self.reference_cycles.get().number),
            (&self.disturb_reads, reads),
        ] {
            if number == 0 {
                let message = "a count of nothing states no rate".to_owned();
                return bad(value.at(), message, "give at least one");
            }
        }
        if self.retries.get().number > 200 {
            let message = "no controller reads a page more than 200 times".to_owned();
            return bad(self.retries.at(), message, "give 0 to 200 steps");
        }
        if !(1..=65_536).contains(&self.ecc_data.get().base()) {
            let message = format!("a codeword of {} is not possible", self.ecc_data.get());
            return bad(self.ecc_data.at(), message, "e.g. `512 B` or `1 KiB`");
        }
        if self.ecc_bits.get().number > 4096 {
            let message = "a code of more than 4096 bits is not modelled".to_owned();
            return bad(self.ecc_bits.at(), message, "e.g. `24 bits`");
        }
        Ok(())
    }

    /// The numbers of the model.
    pub fn resolve(&self) -> CellConfig {
        let factor =
            |f: &Option<Sourced<Ratio>>| f.as_ref().map_or(1.0, |ratio| ratio.get().fraction());
        CellConfig {
            coding: match self.coding.get() {
                CodingName::Slc => Coding::Slc,
                CodingName::Mlc => Coding::Mlc,
                CodingName::Tlc124 => Coding::Tlc124,
                CodingName::Tlc232 => Coding::Tlc232,
                CodingName::Qlc1248 => Coding::Qlc1248,
                CodingName::Qlc4443 => Coding::Qlc4443,
            },
            separation: self.separation.get().millivolts(),
            step: self.step.get().millivolts(),
            noise: self.noise.get().millivolts(),
            growth: self.growth.get().millivolts(),
            wear_exponent: self.wear_exponent.get().fraction(),
            reference_cycles: self.reference_cycles.get().number as f64,
            loss: self.loss.get().millivolts(),
            loss_spread: self.loss_spread.get().fraction(),
            disturb: 1e-4 / self.disturb_reads.get().number as f64,
            programming: factor(&self.programming),
            screening: factor(&self.screening),
            ecc: Ecc {
                bits: self.ecc_bits.get().number,
                data_bytes: narrow(self.ecc_data.get().base()),
            },
            retries: self.retries.get().number,
            retry_step: self.retry_step.get().millivolts(),
            class: match self.class.get() {
                ClassName::Client => Class::Client,
                ClassName::Enterprise => Class::Enterprise,
            },
        }
    }
}

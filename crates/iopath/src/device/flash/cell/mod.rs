//! Cells: how often a bit is read wrong, from wear, time, heat and reads, and what error correction
//! and retries make of it.
//!
//! One model for SLC to QLC. The states of a cell are equally spaced. Programming places a cell
//! within one ISPP step above its verify level ([`programming`]); noise blurs that by a Gaussian
//! that grows with wear ([`wear`]); time lets the high states sink and widens them ([`retention`]);
//! reads of the block add errors ([`disturb`]). What is beyond a read reference is a wrong bit of
//! the page that owns the boundary ([`states`]). [`ecc`] models what the code corrects, [`retry`]
//! what the controller does about it, [`endurance`] how long the data stays readable.
//!
//! Everything here is a pure function of its arguments; voltages are in millivolts, times in hours
//! at 30 C.

pub mod age;
pub mod disturb;
pub mod ecc;
pub mod endurance;
mod normal;
pub mod programming;
pub mod refresh;
pub mod retention;
pub mod retry;
pub mod states;
pub mod wear;

use ecc::Ecc;
use endurance::Class;
use retry::Reading;
use states::Coding;

/// One kind of cell with its code and its retries, as resolved numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct CellConfig {
    /// Bits and pages.
    pub coding: Coding,
    /// Distance between the means of neighbouring states, in mV.
    pub separation: f64,
    /// ISPP step at program-time factor 1, in mV.
    pub step: f64,
    /// Gaussian width of a state of a new cell, in mV.
    pub noise: f64,
    /// What the reference cycles add to that width, in mV.
    pub growth: f64,
    /// Power of cycles in that growth, 0.3 to 0.6.
    pub wear_exponent: f64,
    /// The cycles at which growth, loss and disturb are stated, without screening.
    pub reference_cycles: f64,
    /// How far the highest state sinks in a year at 30 C after the reference cycles, in mV.
    pub loss: f64,
    /// Spread of the loss over cells, as a share of it.
    pub loss_spread: f64,
    /// Raw bit error rate that one read of the block adds at the reference cycles.
    pub disturb: f64,
    /// How many times longer a program takes than that of the plain die: steps of 1 over it.
    pub programming: f64,
    /// How many times longer a screened die lives than a plain one.
    pub screening: f64,
    /// Error correction.
    pub ecc: Ecc,
    /// Reads after the first at most.
    pub retries: u32,
    /// By how much each of these lowers the highest reference, in mV.
    pub retry_step: f64,
    /// What the endurance is rated for.
    pub class: Class,
}

/// What a block has been through.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stress {
    /// Program and erase cycles.
    pub cycles: f64,
    /// Hours at 30 C since it was programmed ([`retention::hours_at_30`]).
    pub hours: f64,
    /// Reads of the block since it was programmed.
    pub reads: f64,
}

/// Raw bit error rates of each page type after each retry step, for some wear and age.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    rber: Vec<f64>,
    steps: usize,
    /// Reference cycles of wear.
    worn: f64,
}

/// A kind of cell.
#[derive(Clone, PartialEq, Debug)]
pub struct CellModel {
    config: CellConfig,
    limit: f64,
}

impl CellModel {
    /// The model of a configuration.
    pub fn new(config: CellConfig) -> Self {
        CellModel { limit: config.ecc.limit(config.class.uber()), config }
    }

    /// Its configuration.
    pub fn config(&self) -> &CellConfig {
        &self.config
    }

    /// Page types.
    pub fn pages(&self) -> u32 {
        self.config.coding.bits()
    }

    /// The highest raw bit error rate that the code corrects at the class's UBER.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Raw bit error rate of a page type with the references lowered by `step` retry steps.
    pub fn rber(&self, stress: Stress, page: u32, step: u32) -> f64 {
        let worn = self.worn(stress.cycles);
        self.overlaps(worn, stress.hours, page, step) + self.disturbed(worn, stress.reads)
    }

    /// Mean over all pages with the default references.
    pub fn mean_rber(&self, stress: Stress) -> f64 {
        let sum: f64 = (0..self.pages()).map(|page| self.rber(stress, page, 0)).sum();
        sum / self.pages() as f64
    }

    /// Whether the rate of a page type is within a limit at any retry step.
    pub fn is_within(&self, stress: Stress, page: u32, limit: f64) -> bool {
        (0..=self.config.retries).any(|step| self.rber(stress, page, step) <= limit)
    }

    /// The outcome of a page read.
    pub fn read(&self, stress: Stress, page: u32) -> Reading {
        self.read_with(&self.curve(stress.cycles, stress.hours), page, stress.reads)
    }

    /// All that does not depend on reads, for [`CellModel::read_with`].
    pub fn curve(&self, cycles: f64, hours: f64) -> Curve {
        let worn = self.worn(cycles);
        let rber = (0..self.pages())
            .flat_map(|page| (0..=self.config.retries).map(move |step| (page, step)))
            .map(|(page, step)| self.overlaps(worn, hours, page, step))
            .collect();
        Curve { rber, steps: self.config.retries as usize + 1, worn }
    }

    /// The outcome of a page read after `reads` of its block.
    pub fn read_with(&self, curve: &Curve, page: u32, reads: f64) -> Reading {
        let first = page as usize * curve.steps;
        let steps = &curve.rber[first..first + curve.steps];
        let added = self.disturbed(curve.worn, reads);
        retry::read(steps, added, self.limit)
    }

    /// Cycles until the class's promise no longer holds.
    pub fn rated_cycles(&self) -> f64 {
        endurance::rated_cycles(self, self.config.class)
    }

    /// Wear as reference cycles of an unscreened die: screening is a factor on endurance.
    fn worn(&self, cycles: f64) -> f64 {
        cycles / (self.config.screening * self.config.reference_cycles)
    }

    fn disturbed(&self, worn: f64, reads: f64) -> f64 {
        disturb::errors(self.config.disturb, worn, reads)
    }

    /// Errors from states that reach over the references of a page.
    fn overlaps(&self, worn: f64, hours: f64, page: u32, step: u32) -> f64 {
        let c = &self.config;
        let width = programming::step(c.step, c.programming);
        let margin = programming::margin(c.separation, width);
        let sigma = wear::sigma(c.noise, c.growth, c.wear_exponent, worn);
        let sunk = retention::shift(c.loss, c.wear_exponent, worn, hours);
        let states = c.coding.states();
        let height = |state: f64| state / (states - 1) as f64;
        let lowered = step as f64 * c.retry_step;
        let wrong: f64 = c.coding.pages()[page as usize]
            .iter()
            .map(|&boundary| {
                let (below, above) = (height(boundary as f64), height(boundary as f64 + 1.0));
                let reference = lowered * height(boundary as f64 + 0.5);
                let side = |margin: f64, lost: f64| {
                    let blur = libm::hypot(sigma, c.loss_spread * lost);
                    programming::overlap(margin, width, blur)
                };
                side(margin + sunk * below - reference, sunk * below)
                    + side(margin - sunk * above + reference, sunk * above)
            })
            .sum();
        // Every state is as likely as any other: data is scrambled. A bit cannot be more than
        // random.
        (wrong / states as f64).min(0.5)
    }
}

//! A model: a drive file and its NAND file.

use super::cooling_file::Surroundings;
use super::division::Division;
use super::file::DriveFile;
use super::nand_file::NandFile;
use super::sources;
use engine::Ratio;
use iopath::device::flash::cell::{CellModel, endurance};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Rated cycles of cells that were asked for before: to find them takes as long as a tenth of a
/// point of a sweep.
static RATED: Mutex<BTreeMap<String, f64>> = Mutex::new(BTreeMap::new());

/// What a user changes about a model from the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Share of the user capacity given up as spare.
    pub give_up: Ratio,
    /// Values set by path, such as `flash.dies=64 dies`; they replace those of the file.
    pub set: Vec<(String, String)>,
    /// Power state, 0 is uncapped.
    pub power_state: u32,
    /// What cools the drive and how warm the air is.
    pub surroundings: Surroundings,
    /// Copies of a single drive side by side, each its own device; default one.
    pub drives: Option<u32>,
    /// Namespaces into which each drive that is not part of a volume is divided.
    pub namespaces: Option<Division>,
}

/// A model of a drive.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name in the library or the path of its file.
    pub slug: String,
    /// What its random streams are named by: its slug in the library, or that of the drive whose
    /// name its file bears, or that name. The path of the file is not part of it.
    pub stream: String,
    /// The file's text as used, after what the user set.
    pub text: String,
    /// The drive.
    pub drive: DriveFile,
    /// The NAND file's text.
    pub nand_text: String,
    /// Its flash.
    pub nand: NandFile,
}

impl Model {
    /// Program and erase cycles that its cells are rated for, if the model says what they are.
    pub fn rated_cycles(&self) -> Option<f64> {
        let cell = self.nand.cell.as_ref()?.resolve();
        let known = || RATED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{cell:?}");
        if let Some(cycles) = known().get(&key) {
            return Some(*cycles);
        }
        let class = cell.class;
        let cycles = endurance::rated_cycles(&CellModel::new(cell), class);
        known().insert(key, cycles);
        Some(cycles)
    }

    /// Ids of all figures on which a value of the model was fitted.
    pub fn fitted_on(&self) -> BTreeSet<String> {
        let mut ids = sources::fitted_on(&self.text);
        ids.extend(sources::fitted_on(&self.nand_text));
        ids
    }
}

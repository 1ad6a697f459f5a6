//! The library of models: readable TOML, one thing a file, every value with its unit and source.
//!
//! Two steps, as everywhere: a file is parsed ([`DriveFile`]), and resolving it at a scale gives
//! what will run ([`Resolved`]).

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod cell_file;
mod changes;
mod cooling_file;
mod diagnose;
mod disk_file;
mod division;
mod faults_file;
mod file;
mod ftl_file;
mod host_path;
mod interface;
mod jitter;
pub mod media;
mod media_word;
pub mod mistakes;
mod model;
mod modes_file;
mod nand_file;
mod parse;
mod policy_file;
mod policy_words;
mod queues_file;
mod read_ahead_file;
mod resolve;
mod scale;
mod schema;
mod set;
mod shipped;
mod size_mix;
mod sourced;
mod sources;
pub mod system;
mod thermal_file;
pub mod user_file;
mod workload;
mod xpoint_file;

pub use cell_file::CellFile;
pub use changes::{change, changes};
pub use cooling_file::{CoolingFile, Surroundings};
pub use disk_file::DiskFile;
pub use division::Division;
pub use file::DriveFile;
pub use interface::Interface;
pub use media::Medium;
pub use model::{Model, Overrides};
pub use nand_file::NandFile;
pub use resolve::Resolved;
pub use scale::Scale;
pub use shipped::canonical;
pub use shipped::{
    cooling_text, coolings, could_be, drives, find, find_system, flash_drives, names_of_models,
    nand_text, nands, series, source_text, system_text, systems,
};
pub use size_mix::SizeMix;
pub use sourced::Sourced;
pub use system::{Accesses, Least, ResolvedSystem, System, SystemFile};
pub use thermal_file::ThermalFile;
pub use workload::{Workload, workload_and_changes, workload_text, workloads};
pub use xpoint_file::XPointFile;

//! The answer of `drivelab show TARGET --drives N | --namespaces SIZES`.

use schemars::JsonSchema;
use serde::Serialize;

/// The block devices that a target shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Devices {
    /// The target.
    pub target: String,
    /// Its devices, in order.
    pub devices: Vec<Device>,
    /// What it holds without namespaces, B.
    pub capacity_bytes: u64,
    /// What its devices hold, B.
    pub held_bytes: u64,
    /// What is left as spare, B.
    pub spare_bytes: u64,
}

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Device {
    /// What jobs call it.
    pub name: String,
    /// Its size, B.
    pub bytes: u64,
}

//! The answer of `drivelab endurance`.

use crate::origin::Origin;
use crate::pairs::Pairs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a drive lasts, by its health logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Endurance {
    /// [`Endurance::SCHEMA`].
    pub schema: String,
    /// The drive.
    #[serde(default)]
    pub drive: Drive,
    /// Results by name.
    #[serde(default)]
    pub results: Pairs<Interval>,
    /// What a reader must know.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What the logs lack for more.
    pub shortfall: Option<String>,
}

impl Endurance {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/endurance/1";

    /// The drive by its model and serial number.
    pub fn name(&self) -> String {
        let model = self.drive.model.as_deref().unwrap_or("drive without a name");
        let serial = self.drive.serial.as_ref();
        serial.map_or_else(|| model.to_owned(), |serial| format!("{model} ({serial})"))
    }

    /// Whether the drive is real: the logs of a modelled one name drivelab's version as firmware.
    pub fn origin(&self) -> Origin {
        let firmware = self.drive.firmware.as_deref().unwrap_or_default();
        let version = firmware.strip_prefix("DL").unwrap_or_default();
        let numbers = version.split('.').filter(|part| part.parse::<u32>().is_ok()).count();
        Origin::of_real(numbers < 3)
    }
}

/// A drive as its logs name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drive {
    /// Its model.
    pub model: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// Its capacity, B.
    pub capacity_bytes: Option<u64>,
    /// `NVMe`, `ATA` or `SCSI`.
    pub protocol: Option<String>,
}

/// A value between bounds; `null` is no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The value.
    pub value: Option<f64>,
    /// At least.
    pub low: Option<f64>,
    /// At most.
    pub high: Option<f64>,
    /// The unit: `B`, `B/day`, `s`, `days`, `share`, `share/day`, `ratio`, `drive writes/day`,
    /// `cycles`, or a currency per something.
    #[serde(default)]
    pub unit: String,
    /// How it is computed.
    #[serde(default)]
    pub from: String,
}

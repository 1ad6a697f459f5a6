//! An XPoint file: the description of one module of 3D XPoint.

use super::host_path::HostPath;
use super::interface::Interface;
use super::sourced::Sourced;
use engine::{Bandwidth, Bytes, Count, Duration, Energy, Power};
use iopath::device::xpoint::{XPointConfig, XPointPowerConfig};
use schemars::JsonSchema;
use serde::Deserialize;

/// One module, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XPointFile {
    /// Its full name.
    pub name: String,
    /// `xpoint`.
    #[schemars(extend("const" = "xpoint"))]
    pub media: String,
    /// Other names by which it can be called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Notes on this model.
    #[serde(default)]
    pub note: String,
    /// What the host sees.
    pub body: XPointBody,
    /// The interface.
    pub link: XPointLink,
    /// The processor.
    pub controller: XPointController,
    /// The dies.
    pub dies: Dies,
    /// Its power.
    pub power: XPointPower,
}

/// What the host sees.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XPointBody {
    /// Bytes the host sees.
    pub capacity: Sourced<Bytes>,
    /// Rated bytes written over its life.
    pub endurance: Sourced<Bytes>,
}

/// The interface.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XPointLink {
    /// Kind, generation and width.
    pub interface: Sourced<Interface>,
    /// Payload of a PCIe packet.
    pub payload: Sourced<Bytes>,
    /// From doorbell to command in the controller.
    pub command_latency: Sourced<Duration>,
}

/// The processor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XPointController {
    /// Latency of a command in the controller, before and after the dies; adds no load.
    pub overhead: Sourced<Duration>,
    /// Least time from the start of a read to that of the next command.
    pub read_interval: Sourced<Duration>,
    /// Least time from the start of a write to that of the next command.
    pub write_interval: Sourced<Duration>,
    /// Rate of its data path.
    pub data_path: Sourced<Bandwidth>,
}

/// The dies.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dies {
    /// How many.
    pub count: Sourced<Count>,
    /// Read rate of one die.
    pub read: Sourced<Bandwidth>,
    /// Write rate of one die.
    pub write: Sourced<Bandwidth>,
}

/// Its power.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XPointPower {
    /// Always.
    pub idle: Sourced<Power>,
    /// Each byte read from the dies and sent.
    pub read: Sourced<Energy>,
    /// Each byte written.
    pub write: Sourced<Energy>,
}

impl XPointFile {
    /// A rated number: what its parts allow. The rated latencies are no part of it, because they
    /// contradict the media.
    pub(super) fn fact(&self, metric: &str) -> Option<f64> {
        let dies = f64::from(self.dies.count.get().number);
        let path = self.controller.data_path.get().base() as f64;
        let rate = |die: &Sourced<Bandwidth>| (die.get().base() as f64 * dies).min(path);
        let each = |interval: &Sourced<Duration>| 1.0 / interval.get().as_s();
        match metric {
            "dies" => Some(dies),
            "tbw" => Some(self.body.endurance.get().base() as f64),
            "seqread" => Some(rate(&self.dies.read)),
            "seqwrite" => Some(rate(&self.dies.write)),
            "randread" => Some(each(&self.controller.read_interval)),
            "randwrite" => Some(each(&self.controller.write_interval)),
            _ => None,
        }
    }

    /// What will run, unchecked.
    pub(super) fn config(&self, slug: &str) -> XPointConfig {
        let c = &self.controller;
        XPointConfig {
            name: slug.to_owned(),
            user_bytes: self.body.capacity.get().base(),
            dies: self.dies.count.get().number,
            die_read: *self.dies.read.get(),
            die_write: *self.dies.write.get(),
            read_interval: *c.read_interval.get(),
            write_interval: *c.write_interval.get(),
            overhead: *c.overhead.get(),
            data_path: *c.data_path.get(),
            link: (self.link.interface.get()).link(
                *self.link.payload.get(),
                *self.link.command_latency.get(),
                &HostPath::default(),
            ),
            endurance_bytes: self.body.endurance.get().base(),
            power: XPointPowerConfig {
                idle: *self.power.idle.get(),
                read_per_byte: *self.power.read.get(),
                write_per_byte: *self.power.write.get(),
            },
        }
    }
}

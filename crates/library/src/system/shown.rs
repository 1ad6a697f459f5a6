//! What the host sees of a system.

use super::super::division::Divided;
use iopath::device::flash::drive::Namespaces;
use iopath::machine::system::DeviceSpec;
use std::collections::BTreeMap;

/// What the host sees, as it is put together.
#[derive(Default)]
pub(super) struct Shown {
    /// The devices, in the order of the host.
    pub specs: Vec<DeviceSpec>,
    /// Namespaces of drives, by the places of these.
    pub tables: BTreeMap<usize, Namespaces>,
    /// Bytes of each device in reality.
    pub real: Vec<u64>,
}

impl Shown {
    /// Adds what a node shows: itself, or the namespaces of the drive at `drive` below it. `bytes`
    /// are those of the node as simulated, and in reality.
    pub fn add(&mut self, node: usize, drive: usize, bytes: (u64, u64), divided: Option<&Divided>) {
        let Some(divided) = divided else {
            self.specs.push(DeviceSpec { node, namespace: 0, start: 0, bytes: bytes.0 });
            self.real.push(bytes.1);
            return;
        };
        for (namespace, held, _) in divided.table.iter() {
            let (start, bytes) = (held.start, held.bytes);
            self.specs.push(DeviceSpec { node, namespace, start, bytes });
        }
        self.tables.insert(drive, divided.table.clone());
        self.real.extend(&divided.real);
    }
}

//! Managing the namespaces of a modelled drive between runs, as NVMe's commands do.
//!
//! The drives are at rest, and no time passes. Sizes are those of the real drive.

use super::rig::Rig;
use engine::whole;
use iopath::device::flash::drive::{NamespaceFault, Namespaces};
use iopath::kernel::Range;
use iopath::machine::system::{DeviceSpec, NodeSpec};

impl Rig {
    /// The namespaces of a flash drive, by its number from 0 in the order of the system.
    ///
    /// # Errors
    /// If there is no such drive, or it is part of a volume.
    pub fn namespaces(&self, drive: usize) -> Result<&Namespaces, String> {
        self.shown(drive)?;
        Ok(self.machine.drive(self.flash[drive]).namespaces())
    }

    /// Creates a namespace of this size, cut to whole mapping units, which is not attached yet;
    /// returns its number.
    ///
    /// # Errors
    /// What the drive refuses.
    pub fn create_namespace(&mut self, drive: usize, real_bytes: u64) -> Result<u16, String> {
        self.change(drive, |table, rig| {
            let unit = rig.unit_bytes();
            let simulated = whole(real_bytes as f64 * rig.clock().scale()) / unit * unit;
            let number = table.create(simulated)?;
            Ok((number, Some((number, real_bytes / unit * unit))))
        })
    }

    /// Deletes a namespace: its data is deallocated.
    ///
    /// # Errors
    /// If there is none of this number.
    pub fn delete_namespace(&mut self, drive: usize, number: u16) -> Result<(), String> {
        let gone = self.change(drive, |table, _| Ok((table.delete(number)?, None)))?;
        let address = self.flash[drive];
        self.machine.drive_mut(address).deallocate(gone.start, gone.bytes);
        self.machine.resume();
        Ok(())
    }

    /// Shows a namespace to the host: it is the last device of its drive from now on.
    ///
    /// # Errors
    /// If there is none of this number, or it is attached already.
    pub fn attach_namespace(&mut self, drive: usize, number: u16) -> Result<(), String> {
        self.change(drive, |table, _| Ok((table.attach(number)?, None)))
    }

    /// Hides a namespace from the host; its data stays.
    ///
    /// # Errors
    /// If there is none of this number, or it is not attached.
    pub fn detach_namespace(&mut self, drive: usize, number: u16) -> Result<(), String> {
        self.change(drive, |table, _| Ok((table.detach(number)?, None)))
    }

    /// Formats a namespace: nothing of it was ever written from now on. The others are untouched.
    ///
    /// # Errors
    /// If there is none of this number.
    pub fn format_namespace(&mut self, drive: usize, number: u16) -> Result<(), String> {
        let held = self.namespaces(drive)?.get(number).map_err(message)?;
        let address = self.flash[drive];
        self.machine.drive_mut(address).deallocate(held.start, held.bytes);
        self.machine.resume();
        Ok(())
    }

    /// Formats what is behind a device: a namespace, or a whole drive.
    ///
    /// # Errors
    /// If the device is a volume, or no flash drive.
    pub fn format_device(&mut self, device: usize) -> Result<(), String> {
        let built = self.built.devices.get(device).ok_or("there is no such device")?;
        let (leaves, namespace) =
            (self.machine.leaves(built.address, built.start, 1), built.namespace);
        let volume = || "only a flash drive or a namespace of one is formatted".to_owned();
        let [Range { address, .. }] = leaves[..] else { return Err(volume()) };
        let drive = self.flash.iter().position(|known| *known == address).ok_or_else(volume)?;
        self.format_namespace(drive, namespace)
    }

    /// The place of a drive, and the node that the host sends its commands to.
    fn shown(&self, drive: usize) -> Result<(usize, usize), String> {
        let mut places = self.blueprint.system.flash_places();
        let place = places.nth(drive).ok_or_else(|| format!("there is no flash drive {drive}"))?;
        let mut top = place;
        let over = |below: usize| {
            self.blueprint.system.nodes.iter().position(|node| match node {
                NodeSpec::Path { below: own, .. } | NodeSpec::Cache { below: own, .. } => {
                    *own == below
                }
                NodeSpec::Tier { cache, backing, .. } => [*cache, *backing].contains(&below),
                NodeSpec::Raid { members, .. } => members.contains(&below),
                _ => false,
            })
        };
        while let Some(above) = over(top) {
            if !matches!(self.blueprint.system.nodes[above], NodeSpec::Path { .. }) {
                return Err(format!("drive {drive} is part of a volume"));
            }
            top = above;
        }
        Ok((place, top))
    }

    /// Changes the namespaces of a drive, and with them the devices that the host sees. A change
    /// gives the real size of a namespace that it made.
    fn change<T>(
        &mut self,
        drive: usize,
        change: impl FnOnce(&mut Namespaces, &Self) -> Result<(T, Made), NamespaceFault>,
    ) -> Result<T, String> {
        let (place, top) = self.shown(drive)?;
        let address = self.flash[drive];
        let mut table = self.machine.drive(address).namespaces().clone();
        self.remember(place, top);
        let (result, made) = change(&mut table, self).map_err(message)?;
        if let Some((number, real)) = made {
            self.sizes.insert((place, number), real);
        }
        self.machine.drive_mut(address).set_namespaces(table.clone());
        // From now on the devices are listed, if one that is a whole node went without saying.
        if self.blueprint.system.devices.is_empty() && self.blueprint.system.namespaces.is_empty() {
            let bytes = self.built.devices[0].bytes;
            self.blueprint.system.devices =
                vec![DeviceSpec { node: top, namespace: 0, start: 0, bytes }];
        }
        let was = |device: &DeviceSpec| device.node == top;
        let at = self
            .blueprint
            .system
            .devices
            .iter()
            .position(was)
            .unwrap_or(self.blueprint.system.devices.len());
        let mut listed: Vec<(DeviceSpec, u64)> = self
            .blueprint
            .system
            .devices
            .iter()
            .copied()
            .zip(self.blueprint.real.iter().copied())
            .collect();
        listed.retain(|(device, _)| device.node != top);
        let attached = table.iter().filter(|(.., attached)| *attached);
        let own: Vec<(DeviceSpec, u64)> = attached
            .map(|(namespace, held, _)| {
                let (start, bytes) = (held.start, held.bytes);
                let real = self.sizes.get(&(place, namespace)).copied().unwrap_or(bytes);
                (DeviceSpec { node: top, namespace, start, bytes }, real)
            })
            .collect();
        listed.splice(at..at, own);
        (self.blueprint.system.devices, self.blueprint.real) = listed.into_iter().unzip();
        self.blueprint.system.namespaces.insert(place, table);
        self.built.devices = self.blueprint.system.host_devices(&self.built.addresses);
        Ok(result)
    }

    /// Keeps the real sizes of the devices of a drive, also while they are detached.
    fn remember(&mut self, place: usize, top: usize) {
        if self.blueprint.system.devices.is_empty() {
            self.sizes.insert((place, 0), self.blueprint.real[0]);
        }
        for (device, real) in self.blueprint.system.devices.iter().zip(&self.blueprint.real) {
            if device.node == top {
                self.sizes.insert((place, device.namespace), *real);
            }
        }
    }
}

/// Number and real bytes of a namespace that a change made.
type Made = Option<(u16, u64)>;

/// What a refusal means.
fn message(fault: NamespaceFault) -> String {
    match fault {
        NamespaceFault::Size => "a namespace has a size of at least one mapping unit",
        NamespaceFault::Capacity => "no gap between the namespaces is as large as this",
        NamespaceFault::Identifiers => "the drive has no more than 128 namespaces",
        NamespaceFault::Unknown => "the drive has no namespace of this number",
        NamespaceFault::Attached => "the namespace is attached already",
        NamespaceFault::Detached => "the namespace is not attached",
    }
    .to_owned()
}

//! Temperatures of the flash drives of a rig.

use super::Rig;
use iopath::device::heat::Heat;
use iopath::kernel::Device;

impl Rig {
    /// Temperature and throttling of each flash drive now that the model knows one of.
    pub fn heats(&self) -> Vec<Heat> {
        self.drives().filter_map(|drive| drive.heat(self.now())).collect()
    }

    /// Puts temperatures in, in the order of [`Rig::heats`].
    pub fn set_heats(&mut self, heats: &[Heat]) {
        let now = self.now();
        let mut heats = heats.iter();
        for &address in &self.flash {
            let drive = self.machine.drive_mut(address);
            if drive.heat(now).is_some() {
                drive.set_heat(heats.next().cloned(), now);
            }
        }
    }

    /// Keeps temperatures and throttling as they are until they are set again.
    pub fn hold_heats(&mut self) {
        let now = self.now();
        for &address in &self.flash {
            self.machine.drive_mut(address).hold_heat(now);
        }
    }

    /// Energy used so far, pJ: by everything, and by each drive of [`Rig::heats`].
    pub fn energies(&self) -> (u128, Vec<u128>) {
        let now = self.now();
        let warm = self.drives().filter(|drive| drive.heat(now).is_some());
        (self.machine.energy_pj(now), warm.map(|drive| drive.energy_pj(now)).collect())
    }
}

//! What befalls a served drive beside power cuts: age, other air, a limit of power, members that
//! fail and are replaced.

use super::LiveDrive;
use engine::{Duration, Power};
use iopath::device::flash::cell::CellConfig;
use iopath::device::flash::cell::age::Age;
use iopath::device::heat::HeatConfig;
use iopath::volume::raid::RaidStatus;

/// Why something cannot befall a drive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Immune {
    /// There is no flash in it.
    #[error("it has no flash: only flash drives have an age and a limit of power")]
    NoFlash,
    /// Nothing is known of its cells.
    #[error("the model of {0} says nothing of its cells: no age")]
    NoCells(String),
    /// Nothing is known of its heat.
    #[error("the model of {0} says nothing of its temperature")]
    NoHeat(String),
    /// The drive works for its clients.
    #[error("requests are under way: a drive gets an age while its clients rest")]
    Busy,
    /// There are fewer drives.
    #[error("it has no drive {0}: they are numbered from 0, and there are {1}")]
    NoSuchDrive(usize, usize),
    /// What is wanted cannot be.
    #[error("{0}")]
    Wrong(String),
    /// It is no array.
    #[error("it is no array: none of its drives can fail alone")]
    NoArray,
}

impl LiveDrive {
    /// Makes its flash drives older by `age`, which follows from their cells. From now on cells
    /// err.
    ///
    /// # Errors
    /// If the model has no cells, or if requests are under way.
    pub fn set_age(&mut self, age: impl Fn(&CellConfig) -> Age) -> Result<(), Immune> {
        if self.under_way() > 0 {
            return Err(Immune::Busy);
        }
        self.each_flash(|config| match &config.cells {
            Some(_) => Ok(()),
            None => Err(Immune::NoCells(config.name.clone())),
        })?;
        // Work of its own ends first: the model may be a little ahead of the clock then.
        self.machine.drain();
        let now = self.now();
        for &address in &self.flash {
            let drive = self.machine.drive_mut(address);
            if let Some(cells) = drive.config().cells.as_ref().map(|cells| cells.cell.clone()) {
                drive.set_age(age(&cells), now);
            }
        }
        self.machine.idle(Duration::ZERO);
        Ok(())
    }

    /// Other air and cooling for its flash drives, which are as warm as they were.
    ///
    /// # Errors
    /// If the model has no temperature, and what `cooled` says.
    pub fn cool(
        &mut self,
        cooled: impl Fn(&HeatConfig) -> Result<HeatConfig, String>,
    ) -> Result<(), Immune> {
        self.each_flash(|config| match &config.heat {
            Some(_) => Ok(()),
            None => Err(Immune::NoHeat(config.name.clone())),
        })?;
        let now = self.now();
        for &address in &self.flash {
            let drive = self.machine.drive_mut(address);
            if let Some(mut heat) = drive.heat(now) {
                heat.set_config(cooled(heat.config()).map_err(Immune::Wrong)?);
                drive.set_heat(Some(heat), now);
            }
        }
        Ok(())
    }

    /// Its flash drives keep their mean power below a limit from now on, whatever the power state
    /// that a host has chosen allows.
    ///
    /// # Errors
    /// If there is no flash, or if a drive draws as much at rest.
    pub fn throttle(&mut self, limit: Option<Power>) -> Result<(), Immune> {
        self.each_flash(|config| match limit.filter(|limit| *limit <= config.power.idle) {
            Some(limit) => Err(Immune::Wrong(format!(
                "{} draws {} at rest, and {limit} is no more",
                config.name, config.power.idle
            ))),
            None => Ok(()),
        })?;
        self.caps.from_outside = limit;
        self.apply_caps();
        Ok(())
    }

    /// The limit of power that was set from outside.
    pub fn limit(&self) -> Option<Power> {
        self.caps.from_outside
    }

    /// The power state that a host has chosen allows so much.
    pub fn set_power_cap(&mut self, cap: Option<Power>) {
        self.caps.of_state = cap;
        self.apply_caps();
    }

    fn apply_caps(&mut self) {
        let both = self.caps.of_state.into_iter().chain(self.caps.from_outside);
        let least = both.min();
        for &address in &self.flash {
            self.machine.drive_mut(address).set_power_cap(least);
        }
    }

    fn each_flash(
        &self,
        check: impl Fn(&iopath::device::flash::config::DriveConfig) -> Result<(), Immune>,
    ) -> Result<(), Immune> {
        match self.flash.is_empty() {
            true => Err(Immune::NoFlash),
            false => self.flash.iter().try_for_each(|&at| check(self.machine.drive(at).config())),
        }
    }

    /// How many drives are in it.
    pub fn drives(&self) -> usize {
        self.system.drive_places().count()
    }

    /// The place of a drive in the system, if it is one of several.
    fn member(&self, number: usize) -> Result<usize, Immune> {
        if self.system.array_place().is_none() {
            return Err(Immune::NoArray);
        }
        let place = self.system.drive_places().nth(number);
        place.ok_or_else(|| Immune::NoSuchDrive(number, self.drives()))
    }

    /// A drive of an array dies. The array learns of it with its next command.
    ///
    /// # Errors
    /// If it is no array, or has no such drive.
    pub fn fail_member(&mut self, number: usize) -> Result<(), Immune> {
        let place = self.member(number)?;
        self.machine.fail(self.built.addresses[place]);
        self.collect();
        Ok(())
    }

    /// A new drive of the same model comes in the place of one, and the array rebuilds it.
    ///
    /// # Errors
    /// If it is no array, or the drive is no member of one.
    pub fn replace_member(&mut self, number: usize) -> Result<(), Immune> {
        let place = self.member(number)?;
        let dead = self.built.addresses[place];
        if !self.system.replace(&mut self.machine, &mut self.built, place, self.seed) {
            return Err(Immune::NoArray);
        }
        let new = self.built.addresses[place];
        self.flash.iter_mut().filter(|drive| **drive == dead).for_each(|drive| *drive = new);
        self.apply_caps();
        self.machine.idle(Duration::ZERO);
        self.collect();
        Ok(())
    }

    /// The array nearest to the clients, if there is one.
    pub fn array(&self) -> Option<RaidStatus> {
        let place = self.system.array_place()?;
        Some(self.machine.raid(self.built.addresses[place]).status())
    }
}

//! The recorded devices, by name and number.

use crate::error::Wrong;
use std::collections::BTreeMap;

/// More devices than this and the column is hardly a device.
const MOST: usize = 1 << 16;

/// The devices of a trace in the order in which they first occur.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
    /// The one that was asked for last: mostly the next one too.
    last: u32,
}

impl Devices {
    /// How many there are so far.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether none has occurred.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a device; empty for a number that was never given.
    pub fn name(&self, device: u32) -> &str {
        self.names.get(device as usize).map_or("", String::as_str)
    }

    /// All names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a device, if it has occurred.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a device, which may be new.
    pub(crate) fn number(&mut self, name: &str) -> Result<u32, Wrong> {
        if self.names.get(self.last as usize).is_some_and(|last| last == name) {
            return Ok(self.last);
        }
        if let Some(number) = self.numbers.get(name) {
            self.last = *number;
            return Ok(*number);
        }
        if self.names.len() >= MOST {
            return Err(Wrong::new(format!("`{name}` is the device number {MOST} of the trace"))
                .with_help("this column is hardly a device: name the right format"));
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        self.last = number;
        Ok(number)
    }
}

//! What is asked of drives.

use crate::groups::Groups;
use crate::spread::Spread;
use engine::{Stream, index};

/// How drives are used, each as it is drawn, all its life and by those that take its place; what
/// the host writes to drives of one array and how full they are is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// What the host writes, B/s.
    pub writes: Spread,
    /// Share of the capacity that holds data, 0 to 1.
    pub fill: Spread,
    /// Temperature, degrees Celsius.
    pub temperature: Spread,
    /// How long slots have been in use at the start, s; what failed in them was replaced.
    pub age: Spread,
    /// Share of drives whose writes are in order, 0 to 1.
    pub in_order: f64,
    /// Sizes of random writes, as positions of their curves in a fleet: a drive has one of these,
    /// each as likely as any other. At least one.
    pub blocks: Vec<u32>,
    /// Drives whose use is on record: a drive is used as one of these, and only what a record lacks
    /// is drawn. None if there are no records.
    pub records: Vec<Record>,
}

/// What is on record of the use of one drive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// What the host wrote, B/s.
    pub writes: Option<f64>,
    /// Share of the capacity that held data, 0 to 1.
    pub fill: Option<f64>,
    /// Temperature, degrees Celsius.
    pub temperature: Option<f64>,
    /// How long it was in use, s.
    pub age: Option<f64>,
}

/// What one drive is written with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// What the host writes, B/s.
    pub writes: f64,
    /// Share of the capacity that holds data, 0 to 1.
    pub fill: f64,
    /// Its writes are in order.
    pub in_order: bool,
    /// Position of the curve of its random writes.
    pub block: u32,
}

/// What is drawn for the slots of a fleet, one after another.
pub(crate) struct Drawing<'a> {
    usage: &'a Use,
    groups: Option<Groups>,
    stream: Stream,
    /// Slots so far.
    slots: u32,
    /// What the drives of the array under way are written with.
    array: Option<Written>,
}

impl<'a> Drawing<'a> {
    /// The draws of one life of a fleet.
    pub(crate) fn new(usage: &'a Use, groups: Option<Groups>, seed: u64) -> Self {
        Self { usage, groups, stream: Stream::new(seed, "use"), slots: 0, array: None }
    }

    /// What the drive of the next slot is written with, its temperature and the age of its slot.
    /// Drives of one array are written and filled alike.
    pub(crate) fn next(&mut self) -> (Written, f64, f64) {
        let (own, celsius, age) = self.usage.draw(&mut self.stream);
        let is_first = self.groups.is_none_or(|groups| self.slots.is_multiple_of(groups.drives));
        let written = match self.array {
            Some(array) if !is_first => array,
            _ => own,
        };
        self.array = Some(written);
        self.slots += 1;
        (written, celsius, age)
    }
}

impl Use {
    /// What a drive is used for, its temperature and the age of its slot.
    fn draw(&self, stream: &mut Stream) -> (Written, f64, f64) {
        let one = |stream: &mut Stream, of: usize| index(stream.below(of as u64));
        let record = match self.records.len() {
            0 => Record::default(),
            count => self.records[one(stream, count)],
        };
        let writes = record.writes.unwrap_or_else(|| self.writes.draw(stream));
        let fill = record.fill.unwrap_or_else(|| self.fill.draw(stream)).min(1.0);
        let in_order = stream.unit() < self.in_order;
        let celsius = record.temperature.unwrap_or_else(|| self.temperature.draw(stream));
        let age = record.age.unwrap_or_else(|| self.age.draw(stream));
        let block = match self.blocks.len() {
            0 => 0,
            1 => self.blocks[0],
            count => self.blocks[one(stream, count)],
        };
        (Written { writes, fill, in_order, block }, celsius, age)
    }
}

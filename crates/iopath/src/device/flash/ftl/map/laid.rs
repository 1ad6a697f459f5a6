//! Data that was written once, in order, and fills whole stripes: where each unit is follows from
//! its number, so that no table needs to say it.

use crate::device::flash::geometry::{Layout, Place};
use engine::{Divisor, narrow};

/// Stripes that hold consecutive logical units.
#[derive(Clone)]
pub struct Laid {
    layout: Layout,
    /// The first logical unit.
    first: u32,
    /// Units of a stripe.
    by_stripe: Divisor,
    /// The groups of each stripe, stripe after stripe.
    groups: Vec<u32>,
    /// Of each group the stripe that it is in.
    stripes: Vec<Option<u32>>,
}

impl Laid {
    /// Logical units from `first` on, on stripes of these groups.
    pub fn new(layout: &Layout, first: u32, groups: Vec<u32>) -> Self {
        let mut stripes = vec![None; layout.groups as usize];
        for (index, group) in groups.iter().enumerate() {
            stripes[*group as usize] = Some(narrow::<u32>(index) / layout.lanes);
        }
        let by_stripe = Divisor::new(layout.stripe_data_units());
        Laid { layout: layout.clone(), first, by_stripe, groups, stripes }
    }

    /// How many units there are.
    pub fn units(&self) -> u32 {
        narrow::<u32>(self.groups.len()) * self.layout.group_data_units
    }

    /// The physical units that hold data, in runs of consecutive ones.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<u32>> {
        self.groups.iter().flat_map(|group| self.layout.data_runs(*group))
    }

    /// The pages that hold data: the first physical unit of each, and its units, which hold
    /// consecutive logical ones.
    pub fn pages(&self) -> impl Iterator<Item = (u32, u32)> {
        let units = self.layout.slots;
        self.runs()
            .flat_map(move |run| run.step_by(units as usize))
            .map(move |first| (first, units))
    }

    /// Where a logical unit is, if it is one of these.
    pub fn place(&self, logical: u32) -> Option<u32> {
        let index = logical.checked_sub(self.first).filter(|index| *index < self.units())?;
        let (stripe, offset) = self.by_stripe.div_rem(index);
        let lanes = self.layout.lanes as usize;
        let groups = &self.groups[stripe as usize * lanes..][..lanes];
        Some(self.layout.data_unit(groups, offset))
    }

    /// The logical unit at a physical one that holds data, if it is one of these.
    pub fn owner(&self, unit: u32) -> Option<u32> {
        let (group, Place { die, plane, row }) = self.layout.locate(unit);
        let stripe = self.stripes[group as usize]?;
        let slot = unit % self.layout.slots;
        let offset = self.layout.data_offset(group, Place { die, plane, row }, slot);
        Some(self.first + stripe * self.by_stripe.get() + offset)
    }
}

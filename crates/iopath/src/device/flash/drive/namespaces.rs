//! The namespaces of a drive: which ranges of its logical space a host sees as devices.
//!
//! A namespace is one contiguous range of whole mapping units. It is created of space that no other
//! holds, attached so that the host sees it, and deleted. What none holds is never written, so the
//! flash behind it is spare for all of them, as capacity that is given up is.

use engine::narrow;

/// A range of the drive that commands address from zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Namespace {
    /// First byte on the drive.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Namespace {
    /// First byte after it.
    pub fn end(&self) -> u64 {
        self.start + self.bytes
    }
}

/// Why a namespace command is refused; the comments name the status that NVMe has for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamespaceFault {
    /// A size of nothing, or of no whole number of mapping units (Invalid Field in Command).
    Size,
    /// Less space is free, or none in one piece (Namespace Insufficient Capacity).
    Capacity,
    /// All identifiers are in use (Namespace Identifier Unavailable).
    Identifiers,
    /// There is no namespace of this number (Invalid Namespace or Format).
    Unknown,
    /// It is attached already (Namespace Already Attached).
    Attached,
    /// It is not attached (Namespace Not Attached).
    Detached,
}

/// All namespaces of one drive, by number from 0: NVMe's identifier less one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespaces {
    unit: u64,
    bytes: u64,
    slots: Vec<Option<(Namespace, bool)>>,
}

/// Most namespaces of a drive. NVMe leaves the number to the drive (the field NN of Identify
/// Controller); 128 is what enterprise drives of 2021 state at most.
pub const MOST_NAMESPACES: usize = 128;

impl Namespaces {
    /// A drive of `bytes` with mapping units of `unit` bytes, at least 1, and no namespace.
    pub fn new(bytes: u64, unit: u64) -> Self {
        let unit = unit.max(1);
        Namespaces { unit, bytes: bytes / unit * unit, slots: Vec::new() }
    }

    /// One namespace, attached, that is the whole drive, even where its end is not a whole unit.
    pub fn whole(bytes: u64, unit: u64) -> Self {
        let all = Namespace { start: 0, bytes };
        Namespaces { unit: unit.max(1), bytes, slots: vec![Some((all, true))] }
    }

    /// Those that [`Namespaces::iter`] has listed, of a drive of `bytes` with mapping units of
    /// `unit` bytes.
    ///
    /// # Errors
    /// [`NamespaceFault::Size`] of one without bytes or within a mapping unit,
    /// [`NamespaceFault::Capacity`] if they overlap or lie outside the drive,
    /// [`NamespaceFault::Identifiers`] of a number that is too large or there twice.
    pub fn listed(
        bytes: u64,
        unit: u64,
        list: impl IntoIterator<Item = (u16, Namespace, bool)>,
    ) -> Result<Self, NamespaceFault> {
        let (mut slots, unit) = (vec![None; MOST_NAMESPACES], unit.max(1));
        for (number, namespace, attached) in list {
            let is_none = namespace.bytes == 0 || !namespace.start.is_multiple_of(unit);
            match slots.get_mut(usize::from(number)) {
                _ if is_none => return Err(NamespaceFault::Size),
                Some(slot @ None) => *slot = Some((namespace, attached)),
                _ => return Err(NamespaceFault::Identifiers),
            }
        }
        let last = slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        slots.truncate(last);
        let all = Namespaces { unit, bytes, slots };
        let held = all.in_order();
        let ends = held.iter().map(|one| one.start.checked_add(one.bytes));
        let next = held.iter().skip(1).map(|one| one.start).chain([bytes]);
        if !ends.zip(next).all(|(end, next)| end.is_some_and(|end| end <= next)) {
            return Err(NamespaceFault::Capacity);
        }
        Ok(all)
    }

    /// Bytes that all namespaces together can have (TNVMCAP).
    pub fn total(&self) -> u64 {
        self.bytes
    }

    /// Bytes that no namespace holds (UNVMCAP).
    pub fn unallocated(&self) -> u64 {
        self.bytes - self.iter().map(|(_, namespace, _)| namespace.bytes).sum::<u64>()
    }

    /// All of them in order of their numbers, and whether each is attached.
    pub fn iter(&self) -> impl Iterator<Item = (u16, Namespace, bool)> + '_ {
        let known = self.slots.iter().enumerate();
        known.filter_map(|(i, slot)| {
            slot.map(|(namespace, attached)| (narrow(i), namespace, attached))
        })
    }

    /// The namespace of a number.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, number: u16) -> Result<Namespace, NamespaceFault> {
        let slot = self.slots.get(usize::from(number)).copied().flatten();
        slot.map(|(namespace, _)| namespace).ok_or(NamespaceFault::Unknown)
    }

    /// Creates one of `bytes`, detached, in the first gap that it fits into; returns its number.
    ///
    /// # Errors
    /// [`NamespaceFault::Size`], [`NamespaceFault::Capacity`] or [`NamespaceFault::Identifiers`].
    pub fn create(&mut self, bytes: u64) -> Result<u16, NamespaceFault> {
        if bytes == 0 || !bytes.is_multiple_of(self.unit) {
            return Err(NamespaceFault::Size);
        }
        let gap = self.gaps().into_iter().find(|gap| gap.bytes >= bytes);
        let start = gap.ok_or(NamespaceFault::Capacity)?.start;
        let free = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        if free >= MOST_NAMESPACES {
            return Err(NamespaceFault::Identifiers);
        }
        if free == self.slots.len() {
            self.slots.push(None);
        }
        self.slots[free] = Some((Namespace { start, bytes }, false));
        Ok(narrow(free))
    }

    /// The ranges that no namespace holds, in order.
    pub fn gaps(&self) -> Vec<Namespace> {
        let held = self.in_order();
        let mut gaps = Vec::new();
        let mut at = 0;
        for one in held.iter().chain([&Namespace { start: self.bytes, bytes: 0 }]) {
            if one.start > at {
                gaps.push(Namespace { start: at, bytes: one.start - at });
            }
            at = one.end();
        }
        gaps
    }

    /// All of them, from the first byte of the drive to the last.
    fn in_order(&self) -> Vec<Namespace> {
        let mut held: Vec<Namespace> = self.iter().map(|(_, namespace, _)| namespace).collect();
        held.sort_by_key(|namespace| namespace.start);
        held
    }

    /// The host sees it from now on.
    ///
    /// # Errors
    /// [`NamespaceFault::Unknown`] or [`NamespaceFault::Attached`].
    pub fn attach(&mut self, number: u16) -> Result<(), NamespaceFault> {
        self.switch(number, true, NamespaceFault::Attached)
    }

    /// The host sees it no more; its data stays.
    ///
    /// # Errors
    /// [`NamespaceFault::Unknown`] or [`NamespaceFault::Detached`].
    pub fn detach(&mut self, number: u16) -> Result<(), NamespaceFault> {
        self.switch(number, false, NamespaceFault::Detached)
    }

    fn switch(
        &mut self,
        number: u16,
        to: bool,
        already: NamespaceFault,
    ) -> Result<(), NamespaceFault> {
        let slot = self.slots.get_mut(usize::from(number)).and_then(Option::as_mut);
        let (_, attached) = slot.ok_or(NamespaceFault::Unknown)?;
        if *attached == to {
            return Err(already);
        }
        *attached = to;
        Ok(())
    }

    /// Deletes it; returns the range that is free now.
    ///
    /// # Errors
    /// [`NamespaceFault::Unknown`].
    pub fn delete(&mut self, number: u16) -> Result<Namespace, NamespaceFault> {
        let gone = self.get(number)?;
        self.slots[usize::from(number)] = None;
        Ok(gone)
    }

    /// First byte on the drive of each number, for the drive's front. Commands come to attached
    /// namespaces only.
    pub(super) fn starts(&self) -> Vec<u64> {
        let start = |slot: &Option<(Namespace, bool)>| slot.map_or(0, |(one, _)| one.start);
        self.slots.iter().map(start).collect()
    }

    /// Whether a range is inside an attached namespace.
    pub(super) fn admits(&self, number: u16, start: u64, len: u64) -> bool {
        let slot = self.slots.get(usize::from(number)).copied().flatten();
        slot.is_some_and(|(one, attached)| attached && start + len <= one.bytes)
    }
}

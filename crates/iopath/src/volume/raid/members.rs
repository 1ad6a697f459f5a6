//! The members of an array: which are present, which copy is read, and what a failure means.

use super::config::ReadBalance;
use super::layout::Layout;
use engine::narrow;

/// A drive below the array.
#[derive(Clone, Debug)]
pub struct Member {
    /// The node that serves it.
    pub address: u16,
    /// It takes no commands any more.
    pub failed: bool,
    /// Commands in flight.
    pub outstanding: u32,
    /// Where the last command ended.
    pub head: u64,
}

/// Members and the slots that they fill.
#[derive(Clone, Debug)]
pub struct Members {
    /// All drives, spares too.
    pub all: Vec<Member>,
    /// The member in each slot.
    slots: Vec<Option<u16>>,
    /// Set of slots without a member.
    missing: u64,
    /// The slot that is being rebuilt: its rows from `rebuilt` on hold nothing yet.
    rebuilding: Option<u32>,
    rebuilt: u64,
}

impl Members {
    /// The first `members` of these drives fill the slots; the others are spares.
    pub fn new(addresses: &[u16], members: u32) -> Self {
        let member = |&address| Member { address, failed: false, outstanding: 0, head: 0 };
        Members {
            all: addresses.iter().map(member).collect(),
            slots: (0..narrow(members)).map(Some).collect(),
            missing: 0,
            rebuilding: None,
            rebuilt: 0,
        }
    }

    /// One more drive that waits for another to fail.
    pub fn add_spare(&mut self, address: u16) {
        self.all.push(Member { address, failed: false, outstanding: 0, head: 0 });
    }

    /// The member in a slot.
    #[inline]
    pub fn at(&self, slot: u32) -> Option<u16> {
        self.slots[slot as usize]
    }

    /// Slots without a member.
    #[inline]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Slots that cannot be read somewhere before row `end`.
    #[inline]
    pub fn unreadable(&self, end: u64) -> u64 {
        match self.rebuilding {
            Some(slot) if end > self.rebuilt => self.missing | 1 << slot,
            _ => self.missing,
        }
    }

    /// The slot that is being rebuilt.
    pub fn rebuilding(&self) -> Option<u32> {
        self.rebuilding
    }

    /// Rows of the rebuilt slot that hold what they should.
    pub fn rebuilt(&self) -> u64 {
        self.rebuilt
    }

    /// Rows of the rebuilt slot that are done.
    pub fn set_rebuilt(&mut self, row: u64) {
        self.rebuilt = row;
    }

    /// The rebuilt slot is whole.
    pub fn rebuild_done(&mut self) {
        self.rebuilding = None;
    }

    /// A member takes no more commands. Returns the slot that it filled.
    pub fn fail(&mut self, member: u16) -> Option<u32> {
        self.all[member as usize].failed = true;
        let slot = self.slots.iter().position(|&m| m == Some(member))?;
        self.slots[slot] = None;
        self.missing |= 1 << slot;
        if self.rebuilding == Some(narrow(slot)) {
            self.rebuilding = None;
        }
        Some(narrow(slot))
    }

    /// Puts a spare into the first empty slot, to be rebuilt from row 0. Returns the slot.
    pub fn take_spare(&mut self) -> Option<u32> {
        if self.missing == 0 || self.rebuilding.is_some() {
            return None;
        }
        let spare = (0..narrow(self.all.len()))
            .find(|&m| !self.all[m as usize].failed && !self.slots.contains(&Some(m)))?;
        let slot = self.missing.trailing_zeros();
        self.slots[slot as usize] = Some(spare);
        self.missing &= !(1 << slot);
        self.rebuilding = Some(slot);
        self.rebuilt = 0;
        Some(slot)
    }

    /// True if data is lost: more slots are empty than redundancy can replace.
    pub fn is_lost(&self, layout: &Layout) -> bool {
        let lost = self.unreadable(u64::MAX);
        if layout.parities() > 0 {
            return lost.count_ones() > layout.parities();
        }
        (0..layout.columns()).any(|column| {
            let slots = layout.slots(0, 1 << column);
            lost & slots == slots
        })
    }

    /// The copy of a column that is read, of those in the set `slots`.
    pub fn choose(
        &self,
        slots: u64,
        balance: ReadBalance,
        row: u64,
        place: impl FnOnce() -> u64,
    ) -> u32 {
        let first = slots.trailing_zeros();
        if slots & (slots - 1) == 0 {
            return first;
        }
        if let ReadBalance::Region { bytes } = balance {
            let mut turn = place() / bytes % slots.count_ones() as u64;
            let mut rest = slots;
            while turn > 0 {
                rest &= rest - 1;
                turn -= 1;
            }
            return rest.trailing_zeros();
        }
        let (mut best, mut least) = (first, u64::MAX);
        let mut rest = slots;
        while rest != 0 {
            let slot = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(member) = self.at(slot) else { continue };
            let member = &self.all[member as usize];
            let distance = match balance {
                ReadBalance::LeastOutstanding => member.outstanding as u64,
                ReadBalance::NearestHead => member.head.abs_diff(row),
                ReadBalance::First | ReadBalance::Region { .. } => 0,
            };
            if distance < least {
                (best, least) = (slot, distance);
            }
        }
        best
    }
}

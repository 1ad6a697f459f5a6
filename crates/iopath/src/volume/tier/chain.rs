//! Doubly linked lists over slots by index: several lists share the links, since a slot is in one
//! of them at most.

pub(super) const NONE: u32 = u32::MAX;

/// The links of all slots. They grow as slots are used.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Towards the most recent, and towards the oldest.
    links: Vec<(u32, u32)>,
}

/// One list: the most recent first.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    newest: u32,
    oldest: u32,
    len: u32,
}

impl Default for List {
    fn default() -> Self {
        List { newest: NONE, oldest: NONE, len: 0 }
    }
}

impl List {
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Inserts a slot as the most recent.
    pub(super) fn push(&mut self, links: &mut Links, slot: u32) {
        if slot as usize >= links.links.len() {
            links.links.resize(slot as usize + 1, (NONE, NONE));
        }
        links.links[slot as usize] = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = slot,
            newest => links.links[newest as usize].0 = slot,
        }
        self.newest = slot;
        self.len += 1;
    }

    /// Takes a slot out that is in this list.
    pub(super) fn remove(&mut self, links: &mut Links, slot: u32) {
        let (newer, older) = links.links[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => links.links[newer as usize].1 = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => links.links[older as usize].0 = newer,
        }
        self.len -= 1;
    }

    /// Makes a slot of this list the most recent.
    pub(super) fn renew(&mut self, links: &mut Links, slot: u32) {
        if self.newest != slot {
            self.remove(links, slot);
            self.push(links, slot);
        }
    }

    /// From the oldest to the most recent.
    pub(super) fn oldest_first<'a>(&self, links: &'a Links) -> impl Iterator<Item = u32> + 'a {
        let mut at = self.oldest;
        std::iter::from_fn(move || {
            let slot = at;
            (slot != NONE).then(|| {
                at = links.links[slot as usize].0;
                slot
            })
        })
    }
}

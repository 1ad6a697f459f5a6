//! The state of an FTL at rest as bytes: versioned, keyed by the hash of the model it belongs to,
//! and checked when it is read. Only what cannot be derived is kept: the forward map, the state
//! and age of groups, the free lists, the open streams and the ledger; the reverse map, the valid
//! counts and the space follow from them.
//!
//! A group that was being collected is kept as a closed one, and beside that how far its collection
//! has come. What units carry is not kept: they come back with the default payload.

use super::map::UNMAPPED;
use super::order::{RUNS, Run};
use super::policies::FtlPolicies;
use super::pool::GroupState;
use super::stream::WriteStream;
use super::{Ftl, UnitLedger};
use crate::device::flash::geometry::{Geometry, GroupSpan, Layout};
use crate::kernel::checked::Checked;
use crate::kernel::payload::Payload;
use engine::narrow;
use std::collections::VecDeque;
use std::io::{self, Read, Write};

const MAGIC: &[u8; 8] = b"dlabFTL\n";
/// Changes with every change of what follows.
const VERSION: u32 = 4;

/// Units between the one that is put in and the one whose place is asked for.
const AHEAD: usize = 16;

/// Stands for a group where there is none.
const NO_GROUP: u32 = u32::MAX;

/// Numbers of a victim: its group, units that were valid when it was taken, and units done.
const VICTIM: usize = 3;

/// Why bytes are no snapshot of the wanted drive.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Something else altogether.
    #[error("this is not a snapshot of a drive")]
    NotASnapshot,
    /// Written by another version.
    #[error("the snapshot has format {found}, this program reads format {VERSION}")]
    Version {
        /// The format of the file.
        found: u32,
    },
    /// Taken from a drive of another model.
    #[error("the snapshot belongs to another model")]
    OtherModel,
    /// Taken from a drive of the same model at another scale or of another shape.
    #[error("the snapshot belongs to a drive of another shape or scale")]
    OtherShape,
    /// The end is missing.
    #[error("the snapshot is truncated")]
    Truncated,
    /// The content contradicts itself.
    #[error("the snapshot is damaged: {0}")]
    Damaged(&'static str),
    /// It cannot be read.
    #[error("the snapshot cannot be read: {0}")]
    Io(io::Error),
}

impl From<io::Error> for SnapshotError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => SnapshotError::Truncated,
            _ => SnapshotError::Io(error),
        }
    }
}

/// The shape as numbers, to be compared.
fn shape(g: &Geometry, logical: u32) -> [u32; 11] {
    let span = match g.span {
        GroupSpan::Superblock => 0,
        GroupSpan::Block => 1,
    };
    [
        logical,
        g.dies,
        g.planes,
        g.page_bytes,
        g.pages_per_wl,
        g.rows,
        g.unit_bytes,
        span,
        g.groups_per_lane,
        g.parity_period,
        g.channels,
    ]
}

fn code(state: GroupState) -> u32 {
    match state {
        GroupState::Free => 0,
        GroupState::Open => 1,
        GroupState::Closed | GroupState::Victim => 2,
        GroupState::Retired => 3,
    }
}

impl<P: Payload> Ftl<P> {
    /// Writes the state; the drive must be at rest.
    ///
    /// # Errors
    /// If `to` cannot be written, if pages of a victim are in flight, or if a full word line waits
    /// for its program: its group may not be collected yet, and the file does not say so.
    pub fn save(&self, to: &mut impl Write, model_hash: [u8; 32]) -> io::Result<()> {
        let copying = self.victims.iter().any(|v| v.outstanding > 0);
        if copying || !self.ready.is_empty() || !self.pool.unsettled.is_empty() {
            return Err(io::Error::other("a snapshot is taken at rest only"));
        }
        let mut to = Checked::new(to);
        to.put_bytes(MAGIC)?;
        to.put_bytes(&VERSION.to_le_bytes())?;
        to.put_bytes(&model_hash)?;
        to.put_numbers(&shape(&self.layout.geometry, self.map.logical_units()))?;
        let l = &self.ledger;
        let counts = [l.host, l.accepted, l.copies, l.parity, l.padding, l.folding, l.refresh];
        for n in counts.into_iter().chain([self.released, self.pool.closings]) {
            to.put_long(n)?;
        }
        to.put_numbers(&self.pool.erases)?;
        let states: Vec<u32> = self.pool.state.iter().map(|&s| code(s)).collect();
        to.put_numbers(&states)?;
        for group in 0..self.layout.groups {
            to.put_long(self.pool.closed_at[group as usize])?;
        }
        for lane in &self.pool.free {
            to.put_number(narrow(lane.len()))?;
            to.put_numbers(&lane.iter().copied().collect::<Vec<_>>())?;
        }
        if let Some(slc) = &self.slc {
            let flags: Vec<u32> = slc.flags.iter().map(|&flag| u32::from(flag)).collect();
            to.put_numbers(&flags)?;
        }
        for stream in self.streams() {
            to.put_number(u32::from(stream.open))?;
            if stream.open {
                to.put_numbers(&[stream.die, stream.plane, stream.row, stream.slot])?;
                to.put_numbers(&stream.groups)?;
                to.put_numbers(stream.fill.as_flattened())?;
                let padded: Vec<u32> = stream.padded.iter().map(|&p| u32::from(p)).collect();
                to.put_numbers(&padded)?;
            }
        }
        self.save_policies(&mut to)?;
        to.put_number(narrow(self.victims.len()))?;
        for victim in &self.victims {
            to.put_numbers(&[victim.group, victim.valid_at_start, victim.processed])?;
        }
        let places = self.map.all_places();
        to.put_numbers(&places)?;
        if let Some(sizes) = &self.sizes {
            let mapped = places.iter().filter(|unit| **unit != UNMAPPED);
            to.put_numbers(&mapped.map(|unit| sizes.get(*unit)).collect::<Vec<_>>())?;
        }
        let hash = to.hash();
        to.put_long(hash)
    }

    /// Reads a state that was saved from a drive of the same shape and model.
    ///
    /// # Errors
    /// If the bytes are anything else, or damaged.
    pub fn load(
        from: &mut impl Read,
        layout: Layout,
        logical: u32,
        policies: impl Into<FtlPolicies>,
        keep_undo: bool,
        model_hash: [u8; 32],
    ) -> Result<Self, SnapshotError> {
        let mut from = Checked::new(from);
        if from.bytes::<8>()? != *MAGIC {
            return Err(SnapshotError::NotASnapshot);
        }
        let found = from.number()?;
        if found != VERSION {
            return Err(SnapshotError::Version { found });
        }
        if from.bytes::<32>()? != model_hash {
            return Err(SnapshotError::OtherModel);
        }
        if from.numbers(11)? != shape(&layout.geometry, logical) {
            return Err(SnapshotError::OtherShape);
        }
        let mut ftl = Self::new(layout, logical, policies, keep_undo);
        let mut count = || from.long();
        ftl.ledger = UnitLedger {
            host: count()?,
            accepted: count()?,
            copies: count()?,
            parity: count()?,
            padding: count()?,
            folding: count()?,
            refresh: count()?,
            ..UnitLedger::default()
        };
        ftl.released = from.long()?;
        ftl.load_pool(&mut from)?;
        let layout = ftl.layout.clone();
        if let Some(slc) = &mut ftl.slc {
            let flags = from.numbers(layout.groups as usize)?;
            slc.restore_flags(flags.iter().map(|&flag| flag != 0).collect());
        }
        load_stream(&mut ftl.host, &layout, &mut from)?;
        load_stream(&mut ftl.copies, &layout, &mut from)?;
        if let Some(slc) = &mut ftl.slc {
            load_stream(&mut slc.stream, &layout, &mut from)?;
        }
        for stream in ftl.separated.iter_mut().flat_map(|separated| &mut separated.streams) {
            load_stream(stream, &layout, &mut from)?;
        }
        if let Some(levelling) = &mut ftl.levelling {
            load_stream(&mut levelling.stream, &layout, &mut from)?;
        }
        ftl.load_policies(&mut from)?;
        let victims = ftl.load_victims(&mut from)?;
        ftl.load_map(&mut from)?;
        let hash = from.hash();
        if from.long()? != hash {
            return Err(SnapshotError::Damaged("its checksum is wrong"));
        }
        ftl.derive()?;
        for victim in victims.chunks_exact(VICTIM) {
            if !ftl.resume_victim(victim[0], victim[1], victim[2]) {
                return Err(SnapshotError::Damaged("what is collected cannot be collected"));
            }
        }
        Ok(ftl)
    }

    /// The groups whose collection has begun, [`VICTIM`] numbers each.
    fn load_victims<R: Read>(&self, from: &mut Checked<R>) -> Result<Vec<u32>, SnapshotError> {
        let count = from.number()?;
        if count > self.layout.groups {
            return Err(SnapshotError::Damaged("more groups are collected than there are"));
        }
        Ok(from.numbers(VICTIM * count as usize)?)
    }

    /// What the policies remember, as far as they are on.
    fn save_policies<W: Write>(&self, to: &mut Checked<W>) -> io::Result<()> {
        if let Some(order) = &self.order {
            to.put_numbers(&order.runs.map(|run| run.next))?;
            to.put_numbers(&order.runs.map(|run| run.units))?;
        }
        if let Some(recency) = self.separated.as_ref().and_then(|s| s.recency.as_ref()) {
            to.put_long(recency.written)?;
            let last: Vec<u32> = recency.last.iter().map(|&epoch| u32::from(epoch)).collect();
            to.put_numbers(&last)?;
        }
        if let Some(levelling) = &self.levelling {
            to.put_long(self.ledger.levelling)?;
            to.put_long(levelling.last)?;
            to.put_number(levelling.group.unwrap_or(NO_GROUP))?;
        }
        if let Some(cache) = &self.map_cache {
            let flags =
                |list: &[bool]| -> Vec<u32> { list.iter().map(|&f| u32::from(f)).collect() };
            to.put_long(self.ledger.metadata)?;
            to.put_numbers(&cache.frames)?;
            to.put_numbers(&flags(&cache.used))?;
            to.put_numbers(&flags(&cache.dirty))?;
            to.put_numbers(&[cache.hand, narrow(cache.leaving.len())])?;
            to.put_numbers(&cache.leaving.iter().copied().collect::<Vec<_>>())?;
        }
        if let Some(retirement) = &self.retirement {
            let c = &retirement.counts;
            to.put_numbers(&[c.grown, c.spare_left, c.retired_groups, u32::from(c.read_only)])?;
        }
        Ok(())
    }

    fn load_policies<R: Read>(&mut self, from: &mut Checked<R>) -> Result<(), SnapshotError> {
        if let Some(order) = &mut self.order {
            let (next, units) = (from.numbers(RUNS)?, from.numbers(RUNS)?);
            for (run, (next, units)) in order.runs.iter_mut().zip(next.into_iter().zip(units)) {
                *run = Run { next, units };
            }
        }
        if let Some(recency) = self.separated.as_mut().and_then(|s| s.recency.as_mut()) {
            recency.written = from.long()?;
            let last = from.numbers(recency.last.len())?;
            for (epoch, saved) in recency.last.iter_mut().zip(last) {
                *epoch = u16::try_from(saved)
                    .map_err(|_| SnapshotError::Damaged("a unit was written in no known epoch"))?;
            }
        }
        if let Some(levelling) = &mut self.levelling {
            self.ledger.levelling = from.long()?;
            levelling.last = from.long()?;
            levelling.group = match from.number()? {
                NO_GROUP => None,
                group if group < self.layout.groups => Some(group),
                _ => return Err(SnapshotError::Damaged("a group that is moved does not exist")),
            };
        }
        if let Some(cache) = &mut self.map_cache {
            self.ledger.metadata = from.long()?;
            let (frames, pages) = (cache.frames.len(), cache.dirty.len());
            let flags = |list: Vec<u32>| -> Vec<bool> { list.iter().map(|&f| f != 0).collect() };
            cache.frames = from.numbers(frames)?;
            cache.used = flags(from.numbers(frames)?);
            cache.dirty = flags(from.numbers(pages)?);
            let n = from.numbers(2)?;
            cache.hand = n[0];
            if n[1] as usize > pages {
                return Err(SnapshotError::Damaged(
                    "more of the map is to be written than there is",
                ));
            }
            cache.leaving = from.numbers(n[1] as usize)?.into();
            if !cache.restore() {
                return Err(SnapshotError::Damaged("the cache of the map contradicts itself"));
            }
        }
        if let Some(retirement) = &mut self.retirement {
            let n = from.numbers(4)?;
            let c = &mut retirement.counts;
            (c.grown, c.spare_left, c.retired_groups, c.read_only) = (n[0], n[1], n[2], n[3] != 0);
            if c.spare_left > c.spare_at_start {
                return Err(SnapshotError::Damaged("more spare blocks are left than there were"));
            }
        }
        Ok(())
    }

    fn load_pool<R: Read>(&mut self, from: &mut Checked<R>) -> Result<(), SnapshotError> {
        let groups = self.layout.groups as usize;
        let pool = &mut self.pool;
        pool.closings = from.long()?;
        pool.erases = from.numbers(groups)?;
        for (state, code) in pool.state.iter_mut().zip(from.numbers(groups)?) {
            *state = match code {
                0 => GroupState::Free,
                1 => GroupState::Open,
                2 => GroupState::Closed,
                3 => GroupState::Retired,
                _ => return Err(SnapshotError::Damaged("a group has no known state")),
            };
        }
        for at in &mut pool.closed_at {
            *at = from.long()?;
        }
        let mut seen = vec![false; groups];
        for lane in 0..self.layout.lanes {
            let per_lane = self.layout.geometry.groups_per_lane;
            let count = from.number()?;
            if count > per_lane {
                return Err(SnapshotError::Damaged("a lane has too many free groups"));
            }
            let free = from.numbers(count as usize)?;
            for &group in &free {
                if group / per_lane != lane
                    || pool.state[group as usize] != GroupState::Free
                    || std::mem::replace(&mut seen[group as usize], true)
                {
                    return Err(SnapshotError::Damaged("the list of free groups is wrong"));
                }
            }
            pool.supply[lane as usize] = count;
            pool.free[lane as usize] = VecDeque::from(free);
        }
        let free = pool.state.iter().filter(|&&s| s == GroupState::Free).count();
        if free != pool.free_groups() as usize {
            return Err(SnapshotError::Damaged("a free group is in no list"));
        }
        pool.least_free = pool.supply.iter().copied().min().unwrap_or(0);
        pool.least_supply = pool.least_free;
        Ok(())
    }

    /// The lengths of the mapped units, in the order of the map.
    fn load_sizes<R: Read>(
        &mut self,
        from: &mut Checked<R>,
        forward: &[u32],
    ) -> Result<(), SnapshotError> {
        let (physical, slots) = (self.map.physical_units(), self.layout.slots);
        let Some(sizes) = &mut self.sizes else { return Ok(()) };
        let mapped = || forward.iter().filter(|&&unit| unit != UNMAPPED);
        let lengths = from.numbers(mapped().count())?;
        for (&unit, size) in mapped().zip(lengths) {
            if !(1..=sizes.full()).contains(&size)
                || unit >= physical
                || unit % slots + size > slots
            {
                return Err(SnapshotError::Damaged("a unit has an impossible length"));
            }
            sizes.set(unit, size);
        }
        Ok(())
    }

    fn load_map<R: Read>(&mut self, from: &mut Checked<R>) -> Result<(), SnapshotError> {
        let forward = from.numbers((self.map.logical_units() + self.map.own_units()) as usize)?;
        self.load_sizes(from, &forward)?;
        for (logical, &physical) in forward.iter().enumerate() {
            if let Some(&later) = forward.get(logical + AHEAD) {
                self.map.prefetch_set(later);
            }
            if physical == UNMAPPED {
                continue;
            }
            if physical >= self.map.physical_units() || self.map.is_valid(physical) {
                return Err(SnapshotError::Damaged("two units are in one place, or outside"));
            }
            let group = self.layout.group_of(physical);
            if matches!(self.pool.state(group), GroupState::Free | GroupState::Retired) {
                return Err(SnapshotError::Damaged("a free group holds data"));
            }
            self.map.set(narrow(logical), physical);
            self.pool.add_valid(group, self.size_of(physical));
        }
        Ok(())
    }

    /// What follows from the rest: candidates, and the space left.
    fn derive(&mut self) -> Result<(), SnapshotError> {
        let mut open = 0;
        for stream in self.streams() {
            open += stream.groups.len() * usize::from(stream.open);
            if stream.open && stream.groups.iter().any(|&g| self.pool.state(g) != GroupState::Open)
            {
                return Err(SnapshotError::Damaged("a stream fills a group that is not open"));
            }
        }
        if self.pool.state.iter().filter(|&&s| s == GroupState::Open).count() != open {
            return Err(SnapshotError::Damaged("an open group has no stream"));
        }
        for group in 0..self.layout.groups as usize {
            if self.pool.state[group] == GroupState::Closed {
                self.pool.candidates[group] = self.pool.valid[group];
            }
        }
        let free = self.pool.free_groups() as i64 * self.layout.group_data_units as i64;
        let room = |stream: &WriteStream| stream.room_with_padding(&self.layout) as i64;
        self.space = free + self.streams().map(room).sum::<i64>();
        self.restore_fold_order();
        Ok(())
    }
}

fn load_stream<R: Read>(
    stream: &mut WriteStream,
    layout: &Layout,
    from: &mut Checked<R>,
) -> Result<(), SnapshotError> {
    let damaged = SnapshotError::Damaged("a write stream is outside its stripe");
    let g = &layout.geometry;
    match from.number()? {
        0 => return Ok(()),
        1 => {}
        _ => return Err(damaged),
    }
    stream.open = true;
    let at = from.numbers(4)?;
    (stream.die, stream.plane, stream.row, stream.slot) = (at[0], at[1], at[2], at[3]);
    stream.groups = from.numbers(layout.lanes as usize)?;
    let fill = from.numbers(3 * g.dies as usize)?;
    stream.fill = fill.chunks_exact(3).map(|units| [units[0], units[1], units[2]]).collect();
    stream.padded = from.numbers(g.dies as usize)?.iter().map(|&p| p != 0).collect();
    let lanes = stream.groups.iter().enumerate();
    let inside = stream.die < g.dies
        && stream.plane < layout.plane_slots
        && stream.row < stream.lines.rows
        && stream.slot < layout.slots
        && lanes.into_iter().all(|(lane, group)| (group / g.groups_per_lane) as usize == lane)
        && stream.fill.iter().all(|units| {
            units.iter().fold(0, |sum: u32, n| sum.saturating_add(*n)) < layout.wl_units()
        })
        && !stream.padded[stream.die as usize];
    if !inside || layout.is_parity(stream.die, stream.groups[0]) {
        return Err(damaged);
    }
    let page = layout.page_unit(&stream.groups, stream.die, stream.plane, stream.row);
    stream.next = page + stream.slot;
    Ok(())
}

//! The plain reference: what a read of each unit may return, given what was issued, acknowledged,
//! flushed and lost. It models promises, not drives.

use engine::Instant;
use iopath::device::flash::config::Protection;
use iopath::kernel::command::{Command, CommandId, Op, Status};
use iopath::kernel::probe::Probe;
use std::collections::BTreeMap;

/// One write (or trim) of one unit.
#[derive(Clone, Copy, Debug)]
struct Version {
    value: u32,
    /// When it was issued and when it ended, as running numbers.
    issued: u64,
    ended: Option<u64>,
    /// It took place for certain; a write that power interrupted may have or not.
    certain: bool,
    /// It will outlive a power cut.
    durable: bool,
}

/// A command in flight.
#[derive(Clone, Copy, Debug)]
struct Pending {
    op: Op,
    durable: bool,
    /// Units it covers, wholly or in part.
    first: u64,
    end: u64,
    issued: u64,
    /// Power has failed since: if it still ends well, its answer was on the wire then.
    interrupted: bool,
    /// Issued after the drive had failed.
    to_the_dead: bool,
}

/// Promises made and what may be read.
#[derive(Debug)]
pub struct Model {
    protection: Protection,
    unit_bytes: u64,
    units: BTreeMap<u64, Vec<Version>>,
    pending: BTreeMap<u32, Pending>,
    /// Counts everything that happens.
    clock: u64,
    writes: u32,
    pub reads_checked: u64,
    pub completed: u64,
    pub gone: u64,
    pub refused: u64,
    dead: bool,
    /// After a power cut at rest the first read of a unit decides what survived.
    settling: bool,
}

impl Model {
    pub fn new(protection: Protection, unit_bytes: u64) -> Self {
        Model {
            protection,
            unit_bytes,
            units: BTreeMap::new(),
            pending: BTreeMap::new(),
            clock: 1,
            writes: 0,
            reads_checked: 0,
            completed: 0,
            gone: 0,
            refused: 0,
            dead: false,
            settling: false,
        }
    }

    pub fn outstanding(&self) -> usize {
        self.pending.len()
    }

    /// The payload for the next write.
    pub fn next_value(&mut self) -> u32 {
        self.writes += 1;
        self.writes
    }

    fn versions(&mut self, unit: u64) -> &mut Vec<Version> {
        let never = Version { value: 0, issued: 0, ended: Some(0), certain: true, durable: true };
        self.units.entry(unit).or_insert_with(|| vec![never])
    }

    /// A command has been issued. Call it before the drive can act on it.
    pub fn issued(&mut self, id: CommandId, command: &Command<u32>) {
        self.clock += 1;
        let issued = self.clock;
        let (start, stop) = (command.start, command.start + command.len as u64);
        let (first, end) = match command.op {
            _ if command.len == 0 => (0, 0),
            // A trim gives up what it covers wholly.
            Op::Trim => {
                let first = start.div_ceil(self.unit_bytes);
                (first, (stop / self.unit_bytes).max(first))
            }
            _ => (start / self.unit_bytes, stop.div_ceil(self.unit_bytes)),
        };
        let value = if command.op == Op::Write { command.payload } else { 0 };
        if matches!(command.op, Op::Write | Op::Trim) && !self.dead {
            let version = Version { value, issued, ended: None, certain: false, durable: false };
            for unit in first..end {
                self.versions(unit).push(version);
            }
        }
        let p = Pending {
            op: command.op,
            durable: command.durable,
            first,
            end,
            issued,
            interrupted: false,
            to_the_dead: self.dead,
        };
        assert!(self.pending.insert(id.0, p).is_none(), "a slot was given twice");
    }

    fn ended(&mut self, id: CommandId, status: Status) {
        let p = self.pending.remove(&id.0).expect("completes exactly once");
        self.clock += 1;
        let now = self.clock;
        self.completed += 1;
        self.gone += u64::from(status == Status::DeviceGone);
        if self.dead {
            assert!(!p.to_the_dead || status == Status::DeviceGone, "a dead drive answered");
            return;
        }
        let ok = status == Status::Ok;
        if status == Status::WriteProtected {
            self.refused += 1;
            assert!(matches!(p.op, Op::Write | Op::Trim), "only changes can be refused");
            for unit in p.first..p.end {
                self.versions(unit).retain(|v| v.issued != p.issued);
            }
            return;
        }
        let durable = ok && (self.protection != Protection::Volatile || p.durable);
        if matches!(p.op, Op::Write | Op::Trim) {
            for unit in p.first..p.end {
                let all = self.versions(unit);
                for v in all.iter_mut().filter(|v| v.issued == p.issued) {
                    v.ended = v.ended.or(Some(now));
                    v.certain = ok && (durable || !p.interrupted);
                    v.durable = durable;
                }
            }
        }
        if p.op == Op::Flush && ok {
            for all in self.units.values_mut() {
                for v in all.iter_mut() {
                    // Acknowledged before the flush was issued.
                    v.durable |= v.certain && v.ended.is_some_and(|e| e < p.issued);
                }
            }
        }
        for unit in p.first..p.end {
            prune(self.versions(unit));
        }
    }

    /// Power has failed: what was not durable may be there or not.
    pub fn power_cut(&mut self) {
        self.clock += 1;
        let now = self.clock;
        for all in self.units.values_mut() {
            for v in all.iter_mut().filter(|v| !v.durable) {
                v.certain = false;
                v.ended = v.ended.or(Some(now));
            }
        }
        self.pending.values_mut().for_each(|p| p.interrupted = true);
    }

    /// From now on the first read of a unit decides what survived; `false` when writes continue.
    pub fn settle(&mut self, on: bool) {
        self.settling = on;
    }

    pub fn fail(&mut self) {
        self.dead = true;
    }

    /// What a read of a unit at this moment may return.
    pub fn possible(&mut self, unit: u64) -> Vec<u32> {
        let all = self.versions(unit);
        all.iter().filter(|v| possible(all, v)).map(|v| v.value).collect()
    }

    /// A read of a unit returned this.
    pub fn check_read(&mut self, unit: u64, value: u32) {
        self.reads_checked += 1;
        let settling = self.settling;
        let all = self.versions(unit);
        let found = all.iter().find(|v| v.value == value && possible(all, v)).copied();
        let Some(found) = found else {
            panic!("unit {unit} returned {value}, possible are of {all:?}");
        };
        if settling {
            *all = vec![Version { certain: true, durable: true, ..found }];
        }
    }
}

/// A version may still be read unless a later one certainly took its place.
fn possible(all: &[Version], v: &Version) -> bool {
    !all.iter().any(|w| w.certain && v.ended.is_some_and(|ended| w.issued > ended))
}

/// Drops what not even a power cut can bring back.
fn prune(all: &mut Vec<Version>) {
    let keep: Vec<bool> = all
        .iter()
        .map(|v| {
            !all.iter()
                .any(|w| w.certain && w.durable && v.ended.is_some_and(|ended| w.issued > ended))
        })
        .collect();
    let mut i = 0;
    all.retain(|_| {
        i += 1;
        keep[i - 1]
    });
}

impl Probe<u32> for Model {
    fn unit_read(&mut self, unit: u64, payload: u32) {
        self.check_read(unit, payload);
    }
    fn command_done(&mut self, id: CommandId, command: &Command<u32>, _now: Instant) {
        self.ended(id, command.status);
    }
}

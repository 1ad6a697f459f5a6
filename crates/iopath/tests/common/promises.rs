//! What reads from outside may return, given what was issued, acknowledged, made durable and lost:
//! a regular register for each 4 KiB, read when the command ends. It is independent of the device.
//! A read may return any write that was in flight with it, or the last that ended before it was
//! issued.

use super::*;
use iopath::kernel::data::UNIT;
use std::collections::BTreeMap;

/// The value of a trim: a read may return anything that was ever written there, or nothing.
const TRIMMED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Version {
    value: u32,
    issued: u64,
    ended: Option<u64>,
    /// It took place for certain.
    certain: bool,
    /// It outlives a power loss.
    durable: bool,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    op: Op,
    durable: bool,
    units: (u64, u64),
    issued: u64,
    /// A read does not see a power cut, so what it saw before is no promise any more.
    interrupted: bool,
}

/// What is promised.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// What is acknowledged is durable at once.
    pub at_once: bool,
    /// After a power loss anything that was ever written may be found.
    pub forgetful: bool,
    /// Reads may end with an error of the medium.
    pub may_lose: bool,
    /// Reads and writes may end as gone.
    pub may_be_gone: bool,
}

/// Promises made and kept.
#[derive(Debug, Default)]
pub struct Promises {
    pub terms: Terms,
    units: BTreeMap<u64, Vec<Version>>,
    /// All values ever written to a unit.
    ever: BTreeMap<u64, Vec<u32>>,
    pending: BTreeMap<u32, Pending>,
    clock: u64,
    values: u32,
    settling: bool,
    pub checked: u64,
    pub lost_reads: u64,
}

impl Promises {
    pub fn new(terms: Terms) -> Promises {
        Promises { terms, ..Promises::default() }
    }

    pub fn outstanding(&self) -> usize {
        self.pending.len()
    }

    pub fn next_value(&mut self) -> u32 {
        self.values += 1;
        self.values
    }

    fn versions(&mut self, unit: u64) -> &mut Vec<Version> {
        let never = Version { value: 0, issued: 0, ended: Some(0), certain: true, durable: true };
        self.units.entry(unit).or_insert_with(|| vec![never])
    }

    /// Marks a command that is about to be issued, so that its read can be judged.
    pub fn begin(&mut self, command: &mut Command<u32>) {
        self.clock += 1;
        command.tag = self.clock as u32;
    }

    /// A command that was marked has been issued.
    pub fn issued(&mut self, id: CommandId, command: &Command<u32>) {
        let issued = command.tag as u64;
        let units = (command.start / UNIT, (command.start + command.len as u64).div_ceil(UNIT));
        if matches!(command.op, Op::Write | Op::Trim) {
            let value = if command.op == Op::Trim { TRIMMED } else { command.payload };
            let version = Version { value, issued, ended: None, certain: false, durable: false };
            for unit in units.0..units.1 {
                self.versions(unit).push(version);
                self.ever.entry(unit).or_default().push(value);
            }
        }
        let (op, durable) = (command.op, command.durable);
        let pending = Pending { op, durable, units, issued, interrupted: false };
        assert!(self.pending.insert(id.0, pending).is_none(), "a slot was given twice");
    }

    /// Power has failed at everything.
    pub fn power_cut(&mut self) {
        self.clock += 1;
        let now = self.clock;
        let forgetful = self.terms.forgetful;
        for version in self.units.values_mut().flatten() {
            if !version.durable || forgetful {
                version.certain = false;
                version.ended = version.ended.or(Some(now));
            }
        }
        self.pending.values_mut().for_each(|pending| pending.interrupted = true);
    }

    /// While on, the first read of a unit decides what it holds.
    pub fn settle(&mut self, on: bool) {
        self.settling = on;
    }

    fn check(&mut self, unit: u64, value: u32, issued: u64) {
        self.checked += 1;
        let settling = self.settling;
        let known = value == 0 || self.ever.get(&unit).is_some_and(|all| all.contains(&value));
        let all = self.versions(unit);
        let possible = |v: &Version| {
            !all.iter().any(|w| {
                let before = w.ended.is_some_and(|ended| ended < issued);
                w.certain && before && v.ended.is_some_and(|ended| w.issued > ended)
            })
        };
        let trimmed = all.iter().find(|v| v.value == TRIMMED && possible(v) && known);
        let found = all.iter().find(|v| v.value == value && possible(v)).or(trimmed).copied();
        let Some(found) = found else {
            panic!("unit {unit} returned {value}, possible are of {all:?}");
        };
        if settling {
            *all = vec![Version {
                value,
                certain: true,
                durable: true,
                ended: found.ended.or(Some(0)),
                ..found
            }];
        }
    }
}

impl Probe<u32> for Promises {
    fn data_read(&mut self, command: &Command<u32>, units: &[u32]) {
        let first = command.start / UNIT;
        let issued = command.tag as u64;
        for i in 0..command.len as u64 / UNIT {
            let value = units.get(i as usize).copied().unwrap_or_default();
            self.check(first + i, value, issued);
        }
    }

    fn command_done(&mut self, id: CommandId, command: &Command<u32>, _now: Instant) {
        let pending = self.pending.remove(&id.0).expect("completes exactly once");
        self.clock += 1;
        let now = self.clock;
        let ok = command.status == Status::Ok;
        match command.status {
            Status::Ok => {}
            Status::MediaError => {
                assert!(self.terms.may_lose && pending.op == Op::Read, "an error for no reason");
                self.lost_reads += 1;
            }
            _ => assert!(self.terms.may_be_gone || pending.interrupted, "gone for no reason"),
        }
        if matches!(pending.op, Op::Write | Op::Trim) {
            let durable = ok && (self.terms.at_once || pending.durable);
            for unit in pending.units.0..pending.units.1 {
                let all = self.versions(unit);
                for v in all.iter_mut().filter(|v| v.issued == pending.issued) {
                    v.ended = v.ended.or(Some(now));
                    v.certain = ok && (durable || !pending.interrupted);
                    v.durable = durable;
                }
            }
        }
        if pending.op == Op::Flush && ok && !pending.interrupted {
            for v in self.units.values_mut().flatten() {
                v.durable |= v.certain && v.ended.is_some_and(|ended| ended < pending.issued);
            }
        }
    }
}

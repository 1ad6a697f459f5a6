//! Volumes over small members for tests: arrays at random, and the reference model of promises
//! held against what the volume returns instead of what a drive finds.

use super::model::Model;
use super::*;
use iopath::device::xpoint::XPointConfig;
use iopath::machine::system::{NodeSpec, SystemSpec};
use iopath::volume::raid::{
    Bitmap, Level, Lock, Modify, ParityLayout, RaidConfig, ReadBalance, StripeEngine, SyncPolicy,
    WriteLog, WritePolicy,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The model as the host sees a volume. A read may return what a unit held at any moment between
/// its issue and its end, so what was possible when it was issued is kept until then.
pub struct Volume {
    pub model: Model,
    /// By the tag of the read: the clock then, and what each unit might have returned.
    reads: BTreeMap<u32, (usize, Vec<Vec<u32>>)>,
    /// Every write and trim of a unit: value and clock.
    written: BTreeMap<u64, Vec<(u32, usize)>>,
    clock: usize,
    settling: bool,
}

impl Volume {
    pub fn new(model: Model) -> Self {
        let (reads, written) = (BTreeMap::new(), BTreeMap::new());
        Volume { model, reads, written, clock: 0, settling: false }
    }

    /// Issues a command of unique tag at a node and remembers what it may do.
    pub fn issue(m: &mut Machine<u32, Volume>, target: u16, mut c: Command<u32>) {
        let v = &mut m.context.probe;
        v.clock += 1;
        c.tag = v.clock as u32;
        c.target = target;
        let units = c.start / 4096..(c.start + c.len as u64).div_ceil(4096);
        match c.op {
            Op::Read => {
                let now = units.map(|unit| v.model.possible(unit)).collect();
                v.reads.insert(c.tag, (v.clock, now));
            }
            Op::Write | Op::Trim => {
                if c.op == Op::Write {
                    c.payload = v.model.next_value();
                }
                for unit in units {
                    v.written.entry(unit).or_default().push((c.payload, v.clock));
                }
            }
            Op::Flush => {}
        }
        let id = m.issue(c);
        m.context.probe.model.issued(id, &c);
    }

    /// From now on the first read of a unit decides what survived.
    pub fn settle(&mut self, on: bool) {
        self.settling = on;
        self.model.settle(on);
    }
}

impl Probe<u32> for Volume {
    fn command_done(&mut self, id: CommandId, command: &Command<u32>, now: Instant) {
        self.model.command_done(id, command, now);
    }
    fn data_read(&mut self, command: &Command<u32>, units: &[u32]) {
        let (then, was) = self.reads.remove(&command.tag).expect("issued once");
        for (i, was) in was.iter().enumerate() {
            let unit = command.start / 4096 + i as u64;
            let tag = units.get(i).copied().unwrap_or_default();
            let since = self.written.get(&unit);
            let since = since.is_some_and(|w| w.iter().any(|w| w.0 == tag && w.1 > then));
            if self.settling || !since && !was.contains(&tag) {
                self.model.check_read(unit, tag);
            }
        }
    }
}

/// A flash drive of this many units of 4 KiB.
pub fn flash(units: u64, protection: Protection) -> NodeSpec {
    let mut c = config(geometry(), 1.5);
    c.user_bytes = units * 4096;
    c.buffer.protection = protection;
    NodeSpec::Flash(Box::new(c))
}

/// A member of plain times: each command takes its bytes over `rate` and `overhead`, one after the
/// other, and is on the medium when it ends.
pub fn plain(bytes: u64, rate: u64, overhead: Duration) -> NodeSpec {
    let mut c: XPointConfig = super::media::xpoint_config(1);
    c.user_bytes = bytes;
    c.die_read = Bandwidth::from_base(rate);
    c.die_write = Bandwidth::from_base(rate);
    c.data_path = Bandwidth::from_base(FAST);
    c.link.down = Bandwidth::from_base(FAST);
    c.link.up = Bandwidth::from_base(FAST);
    c.link.command_latency = Duration::ZERO;
    c.read_interval = Duration::ZERO;
    c.write_interval = Duration::ZERO;
    c.overhead = overhead;
    NodeSpec::XPoint(Box::new(c))
}

/// An array over these members, and what is shared.
pub fn array(config: RaidConfig, members: Vec<NodeSpec>) -> SystemSpec {
    let places = (0..members.len()).collect();
    let mut nodes = members;
    nodes.push(NodeSpec::Raid { config: Box::new(config), members: places });
    SystemSpec { nodes, ..SystemSpec::default() }
}

/// Arrays of these levels with everything else at random.
pub fn arrays(levels: &'static [Level]) -> impl Strategy<Value = RaidConfig> {
    let shape = (proptest::sample::select(levels), 0..4u32, 1..4u32, 0..4u32, 0..3u32);
    let writes = (0..3u32, any::<bool>(), any::<bool>(), 0..3u64, 0..3u32, 0..4u32, 0..3u32);
    let rest = (0..4u32, any::<bool>(), any::<bool>(), 0..3u64, 0..4u32);
    (shape, writes, rest).prop_map(|(shape, writes, rest)| {
        let (level, more, pages, kind, balance) = shape;
        let members =
            level.least_members() + if level == Level::Raid10 { more / 2 * 2 } else { more };
        let mut c = RaidConfig::new(level, members, pages * 4096);
        c.layout = [
            ParityLayout::LeftSymmetric,
            ParityLayout::LeftAsymmetric,
            ParityLayout::RightSymmetric,
            ParityLayout::RightAsymmetric,
        ][kind as usize];
        c.reads = [
            ReadBalance::LeastOutstanding,
            ReadBalance::NearestHead,
            ReadBalance::Region { bytes: 16384 },
        ][balance as usize];
        c.writes = WritePolicy {
            modify: [Modify::Fewest, Modify::OldData, Modify::Rest][writes.0 as usize],
            lock: if writes.1 { Lock::Rows } else { Lock::Stripe },
            merge: writes.2,
            gather: us(writes.3 * 30),
            read_first: (writes.4 > 0).then_some(writes.4),
            request: (writes.5 > 0).then_some(writes.5 * 8192),
            cache_rows: [1, 7, 1000][writes.6 as usize],
        };
        if rest.1 {
            c.engine = StripeEngine {
                threads: 1 + rest.0 % 2,
                command: us(1),
                row: us(1),
                xor: Some(Bandwidth::from_base(4_000_000_000)),
                syndrome: Some(Bandwidth::from_base(2_000_000_000)),
                ..StripeEngine::default()
            };
        }
        if rest.2 {
            c.metadata = 32768;
        }
        if rest.0 > 1 {
            c.bitmap = Some(Bitmap { region: 32768, clean_after: us(3000) });
        }
        c.clean_after = us(rest.3 * 2000 + 100);
        c.sync = SyncPolicy {
            min: Bandwidth::from_base(100_000_000),
            max: Bandwidth::from_base(1_000_000_000),
            window: if rest.4 == 0 { 4096 } else { c.chunk * rest.4 },
            windows: 1 + rest.0,
            beside: rest.0 % 3,
        };
        c.log = WriteLog::None;
        c
    })
}

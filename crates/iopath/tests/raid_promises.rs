//! What arrays promise, against the plain model of promises: random arrays, random commands,
//! failed members, rebuilds and power cuts at any point.

use crate::common::array::{Volume, array, arrays, flash};
use crate::common::model::Model;
use crate::common::random::cases;
use crate::common::*;
use iopath::machine::Stop;
use iopath::volume::raid::{Level, RaidConfig, RaidHealth, WriteLog};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    /// Operation, place and length; durable.
    Issue(Op, u16, u16, bool),
    Wait(u16),
    Rest,
    /// Power fails everywhere; a member may be gone when it is back.
    PowerCut(bool),
    /// A member fails.
    Fail(u8),
}

fn steps(n: usize, cuts: u32, failures: u32) -> impl Strategy<Value = Vec<Step>> {
    let op = prop_oneof![
        7 => Just(Op::Write),
        5 => Just(Op::Read),
        1 => Just(Op::Trim),
        1 => Just(Op::Flush),
    ];
    let issue = (op, any::<u16>(), any::<u16>(), proptest::bool::weighted(0.15));
    let step = prop_oneof![
        120 => issue.prop_map(|(op, at, len, durable)| Step::Issue(op, at, len, durable)),
        24 => (0..900u16).prop_map(Step::Wait),
        3 => Just(Step::Rest),
        cuts => any::<bool>().prop_map(Step::PowerCut),
        failures => any::<u8>().prop_map(Step::Fail),
    ];
    proptest::collection::vec(step, n)
}

/// What a case allows.
#[derive(Clone, Copy)]
struct Rules {
    protection: Protection,
    /// Members that may fail for good over the whole test.
    failures: u32,
    /// A member may fail before the array has made its members agree after a power cut.
    fail_dirty: bool,
    /// Power may fail while a member is missing.
    cut_degraded: bool,
}

type M = Machine<u32, Volume>;

struct Game {
    m: M,
    top: u16,
    bytes: u64,
    stripe: u64,
    rules: Rules,
    failed: Vec<u16>,
}

impl Game {
    fn new(config: &RaidConfig, units: u64, rules: Rules) -> Game {
        let nodes = config.members + config.spares;
        let members = (0..nodes).map(|_| flash(units, rules.protection)).collect();
        let mut m = Machine::new(Volume::new(Model::new(rules.protection, 4096)));
        let top = array(config.clone(), members).build(&mut m, 1).top;
        let layout = *m.raid(top).layout();
        let (bytes, stripe) = (m.capacity(top), layout.stripe_bytes());
        Game { m, top, bytes, stripe, rules, failed: Vec::new() }
    }

    fn issue(&mut self, c: Command<u32>) {
        Volume::issue(&mut self.m, self.top, c);
    }

    fn rest(&mut self) {
        let stop = self.m.run(Instant::NEVER, 3_000_000);
        assert_eq!(stop, Stop::Idle, "does not come to rest: {}", self.m.describe());
        let outstanding = self.m.context.probe.model.outstanding();
        assert_eq!(outstanding, 0, "commands under way: {}", self.m.describe());
        assert_eq!(self.m.context.commands.outstanding(), 0, "{}", self.m.describe());
        assert!(self.m.raid(self.top).is_at_rest(), "{}", self.m.describe());
    }

    fn read_all(&mut self) {
        let mut at = 0;
        while at < self.bytes {
            let len = (64 * 4096).min(self.bytes - at);
            self.issue(command(Op::Read, at, len));
            at += len;
        }
        self.rest();
    }

    fn fail(&mut self, which: u32, nodes: u32) {
        if self.failed.len() as u32 >= self.rules.failures {
            return;
        }
        let mut member = (which % nodes) as u16;
        while self.failed.contains(&member) {
            member = (member + 1) % nodes as u16;
        }
        self.failed.push(member);
        self.m.fail(member);
    }

    fn range(&self, op: Op, at: u16, len: u16, whole: bool) -> (u64, u64) {
        let (at, len) = (at as u64, len as u64);
        if op == Op::Flush {
            return (0, 0);
        }
        let unit = if op == Op::Trim && whole { self.stripe } else { 4096 };
        let most = match len % 16 {
            0 => 40,
            1..4 => 12,
            _ => 3,
        };
        // Half of the commands meet on a few units.
        let span = if at % 2 == 0 { (16 * 4096).max(unit) } else { self.bytes };
        let start = at * 7919 * unit % span / unit * unit;
        let bytes = (len * 104_729 % most + 1) * unit;
        (start.min(self.bytes - unit), bytes.min(self.bytes - start.min(self.bytes - unit)))
    }
}

fn play(config: &RaidConfig, units: u64, rules: Rules, steps: &[Step]) -> Game {
    let mut g = Game::new(config, units, rules);
    let nodes = config.members + config.spares;
    let parity = matches!(config.level, Level::Raid5 | Level::Raid6);
    for step in steps {
        match *step {
            // An array with a log keeps what parity was calculated over.
            Step::Issue(Op::Trim, ..) if parity && config.log != WriteLog::None => {}
            Step::Issue(op, at, len, durable) => {
                let (start, bytes) = g.range(op, at, len, parity);
                let c = command::<u32>(op, start, bytes);
                g.issue(Command { durable: durable && op == Op::Write, ..c });
            }
            Step::Wait(t) => {
                let now = g.m.context.queue.now();
                g.m.run_to(now + us(t as u64));
            }
            Step::Rest => g.rest(),
            Step::PowerCut(and_fail) => {
                let whole = g.m.raid(g.top).status();
                let healthy = whole.missing == 0 && whole.rebuilt.is_none();
                if !healthy && !rules.cut_degraded {
                    continue;
                }
                g.m.context.probe.model.power_cut();
                g.m.power_cut_all();
                if and_fail && rules.fail_dirty {
                    g.fail(7, nodes);
                }
                g.rest();
                g.m.context.probe.settle(true);
                g.read_all();
                g.m.context.probe.settle(false);
            }
            Step::Fail(which) => g.fail(which as u32, nodes),
        }
        g.m.audit();
    }
    g.rest();
    g.read_all();
    g.m.audit();
    let status = g.m.raid(g.top).status();
    assert_eq!(status.at_risk, 0);
    assert_ne!(status.health, RaidHealth::Failed);
    g
}

const HEALTHY: Rules = Rules {
    protection: Protection::Protected,
    failures: 0,
    fail_dirty: false,
    cut_degraded: false,
};

const ALL: &[Level] = &[Level::Raid0, Level::Raid1, Level::Raid5, Level::Raid6, Level::Raid10];
const REDUNDANT: &[Level] = &[Level::Raid1, Level::Raid5, Level::Raid6, Level::Raid10];
const PARITY: &[Level] = &[Level::Raid5, Level::Raid6];
const MIRRORS: &[Level] = &[Level::Raid1, Level::Raid10];

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn every_level_gives_back_what_was_written(
        config in arrays(ALL), units in 40..90u64, steps in steps(250, 0, 0)
    ) {
        play(&config, units, HEALTHY, &steps);
    }

    /// After a power cut at any point everything acknowledged is there, since members keep it.
    #[test]
    fn power_cuts_cost_nothing_over_protected_members(
        config in arrays(ALL), units in 40..90u64, steps in steps(250, 2, 0)
    ) {
        play(&config, units, HEALTHY, &steps);
    }

    /// Over members that forget, everything flushed is there.
    #[test]
    fn power_cuts_leave_what_was_flushed(
        config in arrays(ALL), units in 40..90u64, steps in steps(250, 2, 0)
    ) {
        play(&config, units, Rules { protection: Protection::Volatile, ..HEALTHY }, &steps);
    }

    /// One failed member anywhere, and a rebuild if there is a spare.
    #[test]
    fn one_failure_costs_nothing(
        config in arrays(REDUNDANT), spares in 0..2u32, units in 40..90u64,
        steps in steps(250, 0, 2)
    ) {
        let config = RaidConfig { spares, ..config };
        play(&config, units, Rules { failures: 1, ..HEALTHY }, &steps);
    }

    /// Two failed members of RAID 6, during the rebuild of the first or not.
    #[test]
    fn two_failures_cost_raid_6_nothing(
        config in arrays(&[Level::Raid6]), spares in 0..3u32, units in 40..90u64,
        steps in steps(250, 0, 4)
    ) {
        let config = RaidConfig { spares, ..config };
        play(&config, units, Rules { failures: 2, ..HEALTHY }, &steps);
    }

    /// With a protected log parity survives power cuts with members missing, too.
    #[test]
    fn a_protected_log_closes_the_write_hole(
        config in arrays(PARITY), spares in 0..2u32, units in 40..90u64,
        volatile in any::<bool>(), steps in steps(250, 3, 2)
    ) {
        let config = RaidConfig { spares, log: WriteLog::Protected, ..config };
        let protection = if volatile { Protection::Volatile } else { Protection::Protected };
        let rules = Rules { protection, failures: 1, fail_dirty: true, cut_degraded: true };
        play(&config, units, rules, &steps);
    }

    /// Mirrors have no hole: a copy that is left holds all that was promised.
    #[test]
    fn mirrors_survive_a_power_cut_with_a_failure(
        config in arrays(MIRRORS), spares in 0..2u32, units in 40..90u64, steps in steps(250, 3, 2)
    ) {
        let config = RaidConfig { spares, ..config };
        let rules = Rules { failures: 1, fail_dirty: true, cut_degraded: true, ..HEALTHY };
        play(&config, units, rules, &steps);
    }

    /// Partial parity is written before data and makes parity right again after a power cut.
    #[test]
    fn a_log_of_partial_parity_needs_no_resync(
        config in arrays(&[Level::Raid5]), units in 40..90u64, steps in steps(250, 3, 0)
    ) {
        let mut config = RaidConfig { log: WriteLog::PartialParity, ..config };
        config.metadata = 32768;
        let mut g = play(&config, units, HEALTHY, &steps);
        // Parity is right everywhere: any member can be done without.
        g.m.fail(0);
        g.read_all();
    }

    /// The same after a resync: parity agrees with the data again.
    #[test]
    fn a_resync_makes_parity_right(
        config in arrays(REDUNDANT), units in 40..90u64, volatile in any::<bool>(),
        steps in steps(250, 3, 0), which in 0..3u16
    ) {
        let protection = if volatile { Protection::Volatile } else { Protection::Protected };
        let mut g = play(&config, units, Rules { protection, ..HEALTHY }, &steps);
        g.m.fail(which % config.members as u16);
        g.read_all();
    }
}

/// Same array, same commands: the same times and the same data.
#[test]
fn the_same_twice_is_the_same() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for _ in 0..20 {
        let config = arrays(REDUNDANT).new_tree(&mut runner).unwrap().current();
        let steps = steps(200, 1, 1).new_tree(&mut runner).unwrap().current();
        let rules = Rules { failures: 1, ..HEALTHY };
        let run = || {
            let g = play(&config, 60, rules, &steps);
            (g.m.context.queue.now(), g.m.context.queue.events_done())
        };
        assert_eq!(run(), run());
    }
}

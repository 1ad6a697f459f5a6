//! What a cache tier promises, against a plain model of promises: random tiers, random commands,
//! power cuts at any time, devices that fail, the cache taken away and put back, restarts.
//!
//! * Every command completes exactly once; a machine at rest has none outstanding.
//! * A read returns the last acknowledged write or one concurrent with it, whatever device has it.
//! * After a power loss all that was acknowledged is there, if the cache keeps its directory
//!   and the slow device what it acknowledges; with a slow device that forgets, what went to the
//!   cache or was flushed. What was read once stays, whatever leaves the cache later.
//! * Without the cache nothing is lost but changed data in a write-back cache, and reading that is
//!   an error, never an older version.
use iopath::kernel::Device;

use crate::common::promises::{Promises, Terms};
use crate::common::random::cases;
use crate::common::tiers::{forgetful, leaf, tiered};
use crate::common::*;
use engine::Ratio;
use iopath::machine::Stop;
use iopath::volume::tier::TierConfig;
use iopath::volume::tier::config::*;
use proptest::prelude::*;

const SPAN: u64 = 96 * 4096;

#[derive(Clone, Debug)]
enum Step {
    /// Operation, first unit, units, durable.
    Issue(Op, u16, u16, bool),
    /// Let some microseconds pass.
    Wait(u16),
    Rest,
    PowerCut,
    /// Detach the cache, or attach it again.
    Change,
    /// Restart in order.
    Restart,
}

fn steps(n: usize) -> impl Strategy<Value = Vec<Step>> {
    let op = prop_oneof![
        8 => Just(Op::Write),
        8 => Just(Op::Read),
        1 => Just(Op::Flush),
        1 => Just(Op::Trim),
    ];
    let issue = (op, any::<u16>(), any::<u16>(), proptest::bool::weighted(0.1));
    let step = prop_oneof![
        40 => issue.prop_map(|(op, at, len, durable)| Step::Issue(op, at, len, durable)),
        10 => (0..3000u16).prop_map(Step::Wait),
        2 => Just(Step::Rest),
        2 => Just(Step::PowerCut),
        1 => Just(Step::Change),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, n)
}

fn tiers(mode: impl Strategy<Value = Mode>) -> impl Strategy<Value = TierConfig> {
    let shape =
        prop_oneof![Just((4096, 512)), Just((8192, 512)), Just((8192, 4096)), Just((32768, 4096))];
    let admission = prop_oneof![
        3 => Just(AdmissionConfig::Always),
        1 => Just(AdmissionConfig::SecondTouch { ghosts: 8 }),
        1 => Just(AdmissionConfig::Hot { region: 65536, touches: 2, halve_after: 50 }),
    ];
    let two = EvictionConfig::TwoQueue { recent: Ratio::percent(25), ghosts: Ratio::percent(50) };
    let eviction = prop_oneof![Just(EvictionConfig::Lru), Just(EvictionConfig::Clock), Just(two)];
    let policies = (admission, eviction, any::<bool>(), proptest::option::of(2..40u64));
    let pace = (1..5u64, 1..100u64, 0..4u32, proptest::option::of(1..2000u64), 1..4u32, 0..20u64);
    (mode, shape, 8..14u64, policies, pace).prop_map(
        |(mode, (block, sector), slots, (admission, eviction, all, bypass), pace)| {
            let (goal, limit, fills, idle, commands, overhead) = pace;
            let admission = match admission {
                AdmissionConfig::Hot { .. } if block > 8192 => AdmissionConfig::Always,
                other => other,
            };
            let write_admission =
                if all { WriteAdmission::Always } else { WriteAdmission::AsReads };
            TierConfig {
                mode,
                block,
                sector,
                admission,
                write_admission,
                eviction,
                bypass_after: bypass.map(|units| units * 4096),
                fill_commands: fills,
                destage: DestageConfig {
                    limit: Ratio::percent(limit),
                    goal: Ratio::percent(goal.min(limit)),
                    idle_after: idle.map(us),
                    commands,
                    command_bytes: block * commands as u64,
                },
                overhead: us(overhead),
                ..TierConfig::new("tier", slots * block, 4 << 20)
            }
        },
    )
}

struct Bench {
    m: Machine<u32, Promises>,
    tier: u16,
    cache: u16,
    backing: u16,
    detached: bool,
}

impl Bench {
    fn new(config: TierConfig, slow: DriveConfig, promises: Promises) -> Bench {
        Bench::over(leaf("cache", 20, 100, Protection::Protected), config, slow, promises)
    }

    fn over(fast: DriveConfig, config: TierConfig, slow: DriveConfig, promises: Promises) -> Bench {
        let (m, built) = tiered(fast, slow, config, promises);
        let [cache, backing, tier] = built.addresses[..] else { panic!("three nodes") };
        Bench { m, tier, cache, backing, detached: false }
    }

    fn issue(&mut self, mut c: Command<u32>) {
        c.target = self.tier;
        self.m.context.probe.begin(&mut c);
        let id = self.m.issue(c);
        self.m.context.probe.issued(id, &c);
    }

    fn rest(&mut self) {
        let stop = self.m.run(Instant::NEVER, 1_000_000);
        assert_eq!(stop, Stop::Idle, "does not come to rest: {}", self.m.describe());
        assert_eq!(self.m.context.probe.outstanding(), 0, "{}", self.m.describe());
        assert_eq!(self.m.context.commands.outstanding(), 0, "{}", self.m.describe());
        assert!(self.m.tier(self.tier).is_at_rest(), "{}", self.m.describe());
        self.m.audit();
    }

    fn read_all(&mut self) {
        for unit in (0..SPAN / 4096).step_by(8) {
            self.issue(command(Op::Read, unit * 4096, 8 * 4096));
            self.rest();
        }
    }

    fn play(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
            self.m.tier(self.tier).audit();
        }
        self.rest();
        self.read_all();
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Issue(op, at, len, durable) => {
                let units = SPAN / 4096;
                // Half of the commands meet on a few units.
                let at = if at % 2 == 0 { at as u64 % 12 } else { at as u64 % units };
                let most = if len % 7 == 0 { 24 } else { 3 };
                let len = (1 + len as u64 % most).min(units - at);
                let mut c = command(op, at * 4096, len * 4096);
                if op == Op::Flush {
                    c = command(op, 0, 0);
                }
                c.durable = durable && op == Op::Write;
                if op == Op::Write {
                    c.payload = self.m.context.probe.next_value();
                }
                self.issue(c);
            }
            Step::Wait(t) => {
                let now = self.m.context.queue.now();
                self.m.run_to(now + us(t as u64));
            }
            Step::Rest => self.rest(),
            Step::PowerCut => {
                self.m.context.probe.power_cut();
                self.m.power_cut_all();
                self.rest();
                self.m.context.probe.settle(true);
                self.read_all();
                self.m.context.probe.settle(false);
            }
            Step::Change if self.detached => {
                self.m.tier_mut(self.tier).attach();
                self.detached = self.m.tier(self.tier).detached_at().is_some();
            }
            Step::Change => {
                self.m.detach(self.tier);
                self.detached = true;
            }
            Step::Restart => {
                self.rest();
                assert_eq!(self.m.tier_mut(self.tier).restart(), 0);
            }
        }
    }
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![
        2 => Just(Mode::WriteBack),
        1 => Just(Mode::WriteThrough),
        1 => Just(Mode::WriteAround),
    ]
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn what_was_acknowledged_survives_a_loss_of_power(
        config in tiers(mode()), steps in steps(120)
    ) {
        let promises = Promises::new(Terms { at_once: true, ..Terms::default() });
        let slow = leaf("backing", 300, 900, Protection::Protected);
        let mut bench = Bench::new(config, slow, promises);
        bench.play(&steps);
        prop_assert_eq!(bench.m.tier(bench.tier).counters().lost_bytes, 0);
        prop_assert!(bench.m.context.probe.checked > 0);
    }

    /// The slow device forgets what it was not told to keep, and the tier still keeps what went to
    /// the cache: data that was destaged is clean only when the slow device has been flushed.
    #[test]
    fn a_slow_device_that_forgets_is_flushed_in_time(mut config in tiers(Just(Mode::WriteBack)),
        steps in steps(120)) {
        config.bypass_after = None;
        config.write_admission = WriteAdmission::Always;
        let promises = Promises::new(Terms { at_once: true, ..Terms::default() });
        let mut bench = Bench::new(config, forgetful("backing"), promises);
        let steps: Vec<Step> =
            steps.into_iter().filter(|step| !matches!(step, Step::Change)).collect();
        bench.play(&steps);
    }

    /// What passes the cache is as safe as on the slow device alone.
    #[test]
    fn what_was_flushed_survives_in_every_mode(
        config in tiers(mode()), steps in steps(120)
    ) {
        let mut bench = Bench::new(config, forgetful("backing"), Promises::default());
        bench.play(&steps);
    }

    /// A directory that is lost takes changed data with it, but nothing is invented.
    #[test]
    fn a_lost_directory_gives_back_older_versions(
        mut config in tiers(mode()), steps in steps(120)
    ) {
        config.persistent = false;
        let terms = Terms { at_once: true, forgetful: true, ..Terms::default() };
        let promises = Promises::new(terms);
        let slow = leaf("backing", 300, 900, Protection::Protected);
        let mut bench = Bench::new(config, slow, promises);
        let steps: Vec<Step> =
            steps.into_iter().filter(|step| !matches!(step, Step::Restart)).collect();
        bench.play(&steps);
    }

    #[test]
    fn without_its_cache_a_tier_goes_on(config in tiers(mode()), steps in steps(100),
        after in 0..100usize, cuts in any::<bool>()) {
        let written_back = config.mode == Mode::WriteBack;
        let promises =
            Promises::new(Terms { at_once: true, may_lose: written_back, ..Terms::default() });
        let slow = leaf("backing", 300, 900, Protection::Protected);
        let mut bench = Bench::new(config, slow, promises);
        for (i, step) in steps.iter().enumerate() {
            if i == after {
                bench.m.fail(bench.cache);
            }
            if cuts || !matches!(step, Step::PowerCut) {
                bench.step(step);
            }
        }
        bench.rest();
        bench.read_all();
        let lost = bench.m.tier(bench.tier).counters().lost_bytes;
        prop_assert!(bench.m.context.probe.lost_reads == 0 || lost > 0);
        // What was lost can be written again.
        for unit in 0..SPAN / 4096 {
            let mut c = command(Op::Write, unit * 4096, 4096);
            c.payload = bench.m.context.probe.next_value();
            bench.issue(c);
        }
        bench.rest();
        bench.m.context.probe.terms.may_lose = false;
        bench.read_all();
    }

    #[test]
    fn without_its_slow_device_a_tier_serves_what_it_has(config in tiers(mode()),
        steps in steps(100), after in 0..100usize) {
        let terms = Terms { at_once: true, may_be_gone: true, ..Terms::default() };
        let promises = Promises::new(terms);
        let slow = leaf("backing", 300, 900, Protection::Protected);
        let mut bench = Bench::new(config, slow, promises);
        for (i, step) in steps.iter().enumerate() {
            if i == after {
                bench.m.fail(bench.backing);
            }
            bench.step(step);
        }
        bench.rest();
        bench.read_all();
    }

    #[test]
    fn a_tier_that_fails_ends_every_command_once(config in tiers(mode()), steps in steps(60),
        after in 0..60usize) {
        let terms = Terms { at_once: true, may_be_gone: true, ..Terms::default() };
        let promises = Promises::new(terms);
        let slow = leaf("backing", 300, 900, Protection::Protected);
        let mut bench = Bench::new(config, slow, promises);
        for (i, step) in steps.iter().enumerate() {
            if i == after {
                bench.m.fail(bench.tier);
            }
            if let Step::Issue(..) | Step::Wait(_) = step {
                bench.step(step);
            }
        }
        let stop = bench.m.run(Instant::NEVER, 1_000_000);
        prop_assert_eq!(stop, Stop::Idle);
        prop_assert_eq!(bench.m.context.commands.outstanding(), 0);
    }
}

/// Whatever the moment at which the cache fails during two writes: afterwards the slow device has
/// the data, or it counts as lost and reading it is an error. A write may be answered when the
/// other one tells that the cache is gone.
#[test]
fn what_a_cache_takes_with_it_is_counted_at_every_moment() {
    let mut losses = 0;
    for moment in (0..200).map(|tenths| Duration::from_ns(tenths * 100)) {
        let terms = Terms { at_once: true, may_lose: true, ..Terms::default() };
        let mut fast = leaf("cache", 20, 100, Protection::Protected);
        (fast.link.command_latency, fast.link.completion_latency) = (us(4), us(4));
        let slow = leaf("backing", 300, 900, Protection::Protected);
        let config = TierConfig::new("tier", 64 * 8192, 4 << 20);
        let mut bench = Bench::over(fast, config, slow, Promises::new(terms));
        bench.step(&Step::Issue(Op::Write, 0, 1, false));
        bench.m.run_to(Instant::ZERO + moment.min(us(3)));
        bench.step(&Step::Issue(Op::Write, 8, 1, false));
        bench.m.run_to(Instant::ZERO + moment);
        bench.m.fail(bench.cache);
        bench.rest();
        for unit in [0, 8] {
            bench.issue(command(Op::Read, unit * 4096, 8192));
            bench.rest();
        }
        let lost = bench.m.tier(bench.tier).counters().lost_bytes;
        assert_eq!(bench.m.context.probe.lost_reads * 8192, lost, "{moment:?}");
        losses += u32::from(lost > 0);
    }
    assert!((1..199).contains(&losses), "{losses}: the cache has it alone after the write");
}

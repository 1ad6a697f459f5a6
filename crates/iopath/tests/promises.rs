//! What a drive promises, against a plain model of promises: random drives, random commands,
//! power cuts and failures.
//!
//! * Every command completes exactly once, and a machine at rest has none outstanding.
//! * A read returns the last acknowledged write, or one that was concurrent with it.
//! * After a power cut: everything acknowledged is there if the buffer is protected or off; with a
//!   volatile buffer everything flushed or written with FUA, and the rest is some version not
//!   older than that, never anything else.
//! * All bookkeeping agrees after each step.

use crate::common::model::Model;
use crate::common::random::{cases, drives};
use crate::common::*;
use iopath::machine::Stop;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    /// Operation, place and length as shares of the span, in 512 byte sectors; durable.
    Issue(Op, u16, u16, bool),
    /// Let some microseconds pass.
    Wait(u16),
    /// Let everything come to rest.
    Rest,
    PowerCut,
}

fn steps(n: usize, cuts: bool) -> impl Strategy<Value = Vec<Step>> {
    let op = prop_oneof![
        6 => Just(Op::Write),
        4 => Just(Op::Read),
        1 => Just(Op::Trim),
        1 => Just(Op::Flush),
    ];
    let issue = (op, any::<u16>(), any::<u16>(), proptest::bool::weighted(0.15));
    let step = prop_oneof![
        30 => issue.prop_map(|(op, at, len, durable)| Step::Issue(op, at, len, durable)),
        6 => (0..600u16).prop_map(Step::Wait),
        1 => Just(Step::Rest),
        u32::from(cuts) => Just(Step::PowerCut),
    ];
    proptest::collection::vec(step, n)
}

/// A range of bytes: mostly whole units, sometimes sectors, now and then many units.
fn range(op: Op, at: u16, len: u16, user: u64, unit: u64) -> (u64, u64) {
    if op == Op::Flush {
        return (0, 0);
    }
    let (at, len) = (at as u64, len as u64);
    let grain = if len % 4 == 0 { 512 } else { unit };
    let most = match len % 32 {
        0 => 0,
        1..4 => 40 * unit,
        4..8 => 8 * unit,
        _ => 2 * unit,
    };
    // Half of the commands meet on a few units.
    let span = if at % 2 == 0 { (8 * unit).min(user) } else { user };
    let start = (at * 7919 * grain) % span / grain * grain;
    let bytes = (len * 104_729 * grain % (most + 1)).div_ceil(grain) * grain;
    (start, bytes.min(user - start))
}

fn play(config: DriveConfig, state: DriveState, steps: &[Step]) -> Machine<u32, Model> {
    let unit = config.unit_bytes();
    let user = config.user_bytes;
    let model = Model::new(config.buffer.protection, unit);
    let mut m = machine(config, model);
    prepare(&mut m, state);
    for step in steps {
        match *step {
            Step::Issue(op, at, len, durable) => {
                let (start, bytes) = range(op, at, len, user, unit);
                let mut c = command::<u32>(op, start, bytes);
                c.durable = durable && op == Op::Write;
                c.stream = (len % 5) as u8;
                c.queue = u32::from(at % 7);
                c.stored_ppm = u32::from(at) * 15;
                if op == Op::Write {
                    c.payload = m.context.probe.next_value();
                }
                let id = m.issue(c);
                m.context.probe.issued(id, &c);
            }
            Step::Wait(t) => {
                let now = m.context.queue.now();
                m.run_to(now + us(t as u64));
            }
            Step::Rest => rest(&mut m),
            Step::PowerCut => {
                m.context.probe.power_cut();
                m.power_cut(0);
                rest(&mut m);
                m.context.probe.settle(true);
                read_all(&mut m, user, unit);
                m.context.probe.settle(false);
            }
        }
        m.audit();
    }
    rest(&mut m);
    read_all(&mut m, user, unit);
    m.audit();
    m
}

fn rest(m: &mut Machine<u32, Model>) {
    let stop = m.run(Instant::NEVER, 2_000_000);
    assert_eq!(stop, Stop::Idle, "does not come to rest: {}", m.describe());
    let outstanding = m.context.probe.outstanding();
    assert_eq!(outstanding, 0, "at rest with commands under way: {}", m.describe());
    assert_eq!(m.context.commands.outstanding(), 0);
    assert!(m.drive(0).is_at_rest(), "{}", m.describe());
}

fn read_all(m: &mut Machine<u32, Model>, user: u64, unit: u64) {
    let mut at = 0;
    while at < user {
        let len = (64 * unit).min(user - at);
        let c = command::<u32>(Op::Read, at, len);
        let id = m.issue(c);
        m.context.probe.issued(id, &c);
        at += len;
    }
    rest(m);
}

fn states() -> impl Strategy<Value = DriveState> {
    // Tags are versions, and a prepared unit has none: its version is "never written".
    prop_oneof![
        Just(DriveState::Fresh),
        Just(DriveState::Filled),
        (0.3..1.0f64).prop_map(DriveState::Steady)
    ]
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn a_protected_buffer_keeps_everything_acknowledged(
        config in drives(Protection::Protected), state in states(), steps in steps(250, true)
    ) {
        play(config, state, &steps);
    }

    #[test]
    fn a_volatile_buffer_keeps_what_was_flushed(
        config in drives(Protection::Volatile), state in states(), steps in steps(250, true)
    ) {
        play(config, state, &steps);
    }

    #[test]
    fn without_a_buffer_everything_acknowledged_is_on_the_flash(
        config in drives(Protection::Off), state in states(), steps in steps(150, true)
    ) {
        play(config, state, &steps);
    }

    #[test]
    fn a_drive_that_fails_ends_every_command_once(
        config in drives(Protection::Volatile), steps in steps(60, true), after in 0..60usize
    ) {
        let unit = config.unit_bytes();
        let user = config.user_bytes;
        let mut m = machine(config, Model::new(Protection::Volatile, unit));
        for (i, step) in steps.iter().enumerate() {
            if i == after {
                m.context.probe.fail();
                m.fail(0);
            }
            match *step {
                Step::Issue(op, at, len, _) => {
                    let (start, bytes) = range(op, at, len, user, unit);
                    let mut c = command::<u32>(op, start, bytes);
                    if op == Op::Write {
                        c.payload = m.context.probe.next_value();
                    }
                    let id = m.issue(c);
                    m.context.probe.issued(id, &c);
                }
                Step::Wait(t) => {
                    let now = m.context.queue.now();
                    m.run_to(now + us(t as u64));
                }
                Step::Rest => rest(&mut m),
                Step::PowerCut => {
                    m.context.probe.power_cut();
                    m.power_cut(0);
                }
            }
        }
        rest(&mut m);
        prop_assert_eq!(m.context.commands.outstanding(), 0);
    }
}

//! Laws of the database server: what goes in comes out, and its speed is where queueing theory puts
//! it.

use crate::common::{Bandwidth, Duration, Machine, Node, config, geometry, us};
use iopath::device::flash::drive::{Drive, DriveState};
use iopath::host::oltp::{
    FlushConfig, Mix, Oltp, OltpConfig, PAGE_BYTES, PoolConfig, RedoConfig, Rows, Schema,
};
use iopath::kernel::probe::{Cause, DatabaseIo, Part, Probe, TransactionDone};
use iopath::machine::Stop;

/// Adds up what a server reports.
#[derive(Default)]
struct Sum {
    done: u64,
    response_ps: u128,
    parts_ps: [u128; Part::COUNT],
    hits: u64,
    misses: u64,
    ios: [u64; 7],
    bytes: [u64; 7],
}

impl Probe<()> for Sum {
    fn transaction_done(&mut self, done: &TransactionDone) {
        self.done += 1;
        let response = done.ended.since(done.began).ps();
        self.response_ps += u128::from(response);
        let parts: u64 = done.parts.iter().map(|part| part.ps()).sum();
        assert_eq!(parts, response, "a transaction computes or waits at all times");
        for (sum, part) in self.parts_ps.iter_mut().zip(done.parts) {
            *sum += u128::from(part.ps());
        }
    }
    fn page_used(&mut self, _server: u16, found: bool) {
        self.hits += u64::from(found);
        self.misses += u64::from(!found);
    }
    fn database_io(&mut self, io: &DatabaseIo) {
        assert_eq!(io.status, crate::common::Status::Ok);
        self.ios[io.cause as usize] += 1;
        self.bytes[io.cause as usize] += u64::from(io.len);
    }
}

/// 4 tables of 100,000 rows (90 MiB), a pool of a fifth, 16 clients on 4 processors.
fn server() -> OltpConfig {
    let schema = Schema::sysbench(4, 100_000);
    OltpConfig {
        name: "vm0".to_owned(),
        target: 0,
        namespace: 0,
        base: 0,
        threads: 16,
        cpus: 4,
        cpu: us(1000),
        queue_depth: 32,
        schema,
        mix: Mix::READ_WRITE,
        rows: Rows::Uniform,
        pool: PoolConfig { frames: schema.pages() / 5, old_1024: 378, old_time: Duration::ZERO },
        redo: RedoConfig {
            bytes: 16 << 20,
            per_transaction: 2500,
            align: 4096,
            start_1024: 768,
            stop_1024: 960,
        },
        flush: FlushConfig::innodb_5_5(4),
        change_buffering: true,
    }
}

/// A drive of 256 MiB on 64 dies, filled; `sense` and the write acknowledgement as given.
fn drive(sense: Duration, ack: Duration) -> crate::common::DriveConfig {
    let mut geometry = geometry();
    (geometry.channels, geometry.dies, geometry.groups_per_lane) = (8, 64, 64);
    let mut drive = config(geometry, 3.0);
    drive.nand.sense = vec![sense];
    drive.nand.program = vec![us(200)];
    drive.controller.write_ack = ack;
    drive.link.down = Bandwidth::from_base(4_000_000_000);
    drive.link.up = Bandwidth::from_base(4_000_000_000);
    drive
}

/// What a server does in some seconds, after a tenth of it.
fn run(server: OltpConfig, drive: crate::common::DriveConfig, time: Duration) -> (Sum, f64) {
    let mut machine: Machine<(), Sum> = Machine::new(Sum::default());
    machine.add(|node| Node::Drive(Box::new(Drive::new(drive, 1, node))));
    crate::common::prepare(&mut machine, DriveState::Filled);
    assert!(server.bytes() <= machine.capacity(0), "{} bytes", server.bytes());
    let address = machine.add(|node| {
        let mut server = Oltp::new(server, 1, node);
        server.warm(3);
        Node::Oltp(Box::new(server))
    });
    machine.start(address);
    let begin = engine::Instant::ZERO + time.scaled(1, 10);
    assert_ne!(machine.run(begin, u64::MAX), Stop::Idle);
    machine.context.probe = Sum::default();
    assert_ne!(machine.run(begin + time, u64::MAX), Stop::Idle, "clients never rest");
    let sum = std::mem::take(&mut machine.context.probe);
    machine.drain();
    assert_eq!(machine.server(address).running(), 0);
    machine.audit();
    (sum, time.as_s())
}

#[test]
fn clients_are_rate_times_response() {
    let (sum, seconds) = run(server(), drive(us(80), us(10)), Duration::from_s(2));
    let rate = sum.done as f64 / seconds;
    let response = sum.response_ps as f64 / 1e12 / sum.done as f64;
    assert!((rate * response / 16.0 - 1.0).abs() < 0.01, "{rate} x {response}");
    assert!(sum.done > 2000, "{}", sum.done);
}

#[test]
fn hits_are_the_share_of_the_pages_that_fit() {
    let config = server();
    let leaves = config.schema.tables * config.schema.table_leaves();
    let expected = f64::from(config.pool.frames) / f64::from(leaves);
    let (sum, _) = run(config, drive(us(80), us(10)), Duration::from_s(2));
    // Rows of a range are on two or three consecutive pages, each used once; a row that is deleted
    // and inserted again is on the same page, which is a hit the second time: one of 23.5 uses.
    let uses = (sum.hits + sum.misses) as f64;
    let again = sum.done as f64;
    let ratio = (sum.hits as f64 - again) / (uses - again);
    assert!((ratio - expected).abs() < 0.015, "{ratio} for {expected}");
    assert!((sum.ios[Cause::PageRead as usize] as f64 / sum.misses as f64 - 1.0).abs() < 0.01);
}

#[test]
fn every_dirty_page_is_written_twice() {
    let (sum, _) = run(server(), drive(us(80), us(10)), Duration::from_s(2));
    let bytes = |cause: Cause| sum.bytes[cause as usize];
    let pages = sum.ios[Cause::PageWrite as usize];
    assert_eq!(bytes(Cause::PageWrite), pages * PAGE_BYTES);
    // Apart from the batches that the window cuts.
    let cut = 2 * 128 * PAGE_BYTES;
    assert!(bytes(Cause::DoubleWrite).abs_diff(bytes(Cause::PageWrite)) <= cut);
    // Three rows are changed in a transaction. Some pages are changed twice before they leave.
    let per = pages as f64 / sum.done as f64;
    assert!((2.2..3.05).contains(&per), "{per} pages a transaction");
    let mut plain = server();
    plain.flush.doublewrite = false;
    let (sum, _) = run(plain, drive(us(80), us(10)), Duration::from_s(2));
    assert_eq!(sum.ios[Cause::DoubleWrite as usize] + sum.ios[Cause::DoubleFlush as usize], 0);
    assert!(sum.ios[Cause::PageWrite as usize] > 0);
}

/// Reads of pages that are all in the pool leave only the processors: 4 of them, 1 ms each.
#[test]
fn the_processors_bound_the_rate() {
    let mut config = server();
    config.pool.frames = config.schema.pages();
    config.mix = Mix { index_updates: 0, other_updates: 0, delete_inserts: 0, ..config.mix };
    let (sum, seconds) = run(config, drive(us(80), us(10)), Duration::from_s(2));
    let rate = sum.done as f64 / seconds;
    assert!((rate / 4000.0 - 1.0).abs() < 0.005, "{rate}");
    assert_eq!((sum.misses, sum.ios), (0, [0; 7]), "nothing is read and nothing is logged");
}

#[test]
fn faster_drives_give_more_transactions_until_processors_are_busy() {
    let rates: Vec<f64> = [1600, 800, 400, 200, 100, 50]
        .map(|sense| {
            let (sum, seconds) = run(server(), drive(us(sense), us(10)), Duration::from_s(2));
            sum.done as f64 / seconds
        })
        .to_vec();
    let gains: Vec<f64> = rates.windows(2).map(|pair| pair[1] / pair[0]).collect();
    // Far from the bound it doubles with the drive; the nearer it is the less it gains.
    assert!(gains[0] > 1.8, "{rates:?}");
    assert!(gains.windows(2).all(|pair| pair[1] < pair[0]), "{gains:?}");
    assert!(gains[4] > 1.0 && rates[5] < 4000.0, "{rates:?}");
}

/// A commit's log is flushed once, and who commits meanwhile shares the next flush.
#[test]
fn commits_share_flushes() {
    let mut slow = drive(us(80), us(10));
    slow.controller.admin_cost = us(2000);
    let mut config = server();
    config.pool.frames = config.schema.pages();
    config.redo.bytes = 128 << 20;
    let (sum, seconds) = run(config, slow, Duration::from_s(2));
    assert_eq!(sum.ios[Cause::FileFlush as usize], 0, "only the log is flushed");
    let flushes = sum.ios[Cause::LogFlush as usize] as f64 / seconds;
    assert!(flushes <= 500.0, "{flushes} flushes of 2 ms in a second");
    let shared = sum.done as f64 / sum.ios[Cause::LogFlush as usize] as f64;
    assert!(shared > 4.0, "{shared} commits a flush");
    // A commit waits for the rest of a flush and for its own: between one and two.
    let log_ms = sum.parts_ps[Part::Log as usize] as f64 / 1e9 / sum.done as f64;
    assert!((2.0..4.1).contains(&log_ms), "{log_ms} ms");
}

/// The log is a ring: when it is small, the oldest dirty pages are written in time, and nobody
/// overwrites what a page that is not on the disk still needs.
#[test]
fn a_small_log_is_kept_free() {
    let mut config = server();
    config.redo.bytes = 1 << 20;
    config.pool.frames = config.schema.pages();
    let (sum, _) = run(config, drive(us(80), us(10)), Duration::from_s(2));
    // Every page fits: what is written is written for the log only.
    assert_eq!(sum.misses, 0);
    let logged = sum.bytes[Cause::LogWrite as usize];
    assert!(logged > 6 << 20, "{logged} bytes logged in a ring of 1 MiB");
    assert!(sum.ios[Cause::PageWrite as usize] > 1000);
}

/// What is built in zero time is what time makes: a longer warm-up changes nothing.
#[test]
fn a_long_time_changes_nothing_any_more() {
    let drive = || drive(us(80), us(10));
    let (short, seconds) = run(server(), drive(), Duration::from_s(2));
    // A tenth is left out: eight seconds turn the pool over many times before.
    let (long, long_seconds) = run(server(), drive(), Duration::from_s(8));
    let rate = |sum: &Sum, seconds: f64| sum.done as f64 / seconds;
    let (a, b) = (rate(&short, seconds), rate(&long, long_seconds));
    assert!((a / b - 1.0).abs() < 0.03, "{a} and {b} a second");
    let hit = |sum: &Sum| sum.hits as f64 / (sum.hits + sum.misses) as f64;
    assert!((hit(&short) - hit(&long)).abs() < 0.01);
}

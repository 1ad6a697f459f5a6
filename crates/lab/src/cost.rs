//! What a method costs on a real drive before it is run: its time, and what it reads and writes.
//!
//! The method's own steps run on a target that does nothing but count, at the rates that a drive of
//! its kind has. How many rounds a test takes is not known beforehand: the least is that of a drive
//! that is steady at once, the most that of one that never is.

use crate::bench::measure_on;
use crate::failure::Failure;
use crate::load::Load;
use crate::method::Method;
use crate::options::BenchOptions;
use crate::real_target::{STEADY_PASSES, over_provisioning};
use crate::target::{Counters, Ran, Target, Work, Written};
use engine::whole;
use fio::workload::BlockSize;
use fio::{Job, JobFile};
use metric::{MeasureError, Params, State};
use stats::{Direction, DirectionResult, Histogram, JobResult, RunResult};

/// Bytes of an I/O that is random access: larger ones move as fast as data in order.
const IO_BYTES: f64 = 4096.0;
/// Latency that a steady target answers with, ns; only its being the same everywhere matters.
const LATENCY_NS: f64 = 100_000.0;

/// What a drive of a kind can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Bytes read a second, in order.
    pub read: f64,
    /// Bytes written a second, in order.
    pub write: f64,
    /// 4 KiB read a second, anywhere.
    pub random_read: f64,
    /// 4 KiB written a second, anywhere, in the steady state.
    pub random_write: f64,
}

impl Rates {
    /// Bytes a second of I/Os of so many bytes in one direction.
    fn of(&self, write: bool, random: bool, block: f64) -> f64 {
        let (in_order, anywhere) = match write {
            true => (self.write, self.random_write),
            false => (self.read, self.random_read),
        };
        match random {
            true => in_order.min(anywhere * block.max(IO_BYTES)),
            false => in_order,
        }
    }
}

/// What a test takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time, s.
    pub seconds: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Bytes written.
    pub write_bytes: f64,
}

/// What a method costs on a drive of so many bytes: at least and at most. `one_pass`: a pass of
/// fio's `sprandom` brings it into its steady state.
///
/// # Errors
/// If the method does not run on a real drive, or its parameters are wrong.
pub fn cost(
    method: &Method,
    params: &Params,
    bytes: u64,
    rates: Rates,
    one_pass: bool,
) -> Result<(Cost, Cost), MeasureError> {
    let counted = |steady: bool| {
        let mut counter =
            Counter { bytes, rates, one_pass, steady, runs: 0, cost: Cost::default() };
        let made = measure_on(&mut counter, method, params, BenchOptions::default(), None);
        made.map(|_| counter.cost).map_err(MeasureError::from)
    };
    Ok((counted(true)?, counted(false)?))
}

/// A drive that only counts.
struct Counter {
    bytes: u64,
    rates: Rates,
    /// Whether one pass brings it into its steady state.
    one_pass: bool,
    /// Whether each run is as the one before, or slower.
    steady: bool,
    runs: u32,
    cost: Cost,
}

/// What a job does in a second, bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Moves {
    read: f64,
    write: f64,
}

impl Counter {
    /// What one worker of a job moves, if nothing else runs.
    fn moves(&self, job: &Job) -> Moves {
        let read = match (job.rw.read, job.rw.write) {
            (true, true) => f64::from(job.rwmixread) / 100.0,
            (_, true) => 0.0,
            _ => 1.0,
        };
        let rate = |write: bool| {
            self.rates.of(write, job.rw.random, job.block_size[usize::from(write)].mean())
        };
        // Each side has the drive for its share of the time.
        let all = 1.0 / (read / rate(false) + (1.0 - read) / rate(true));
        let limited = |bytes: f64, direction: Direction| {
            job.rate[direction.index()].map_or(bytes, |most| bytes.min(most as f64))
        };
        Moves {
            read: limited(read * all, Direction::Read),
            write: limited((1.0 - read) * all, Direction::Write),
        }
    }

    /// Counts a run, and says how long it took.
    fn count(&mut self, file: &JobFile, seconds: f64) -> (f64, Moves) {
        let workers: u32 = file.jobs.iter().map(|job| job.numjobs.max(1)).sum();
        let mut moved = Moves::default();
        let mut took = seconds;
        for job in &file.jobs {
            let own = f64::from(job.numjobs.max(1));
            let rate = self.moves(job);
            if seconds > 0.0 {
                // All workers share the drive.
                let share = own / f64::from(workers.max(1));
                moved.read += rate.read * share * seconds;
                moved.write += rate.write * share * seconds;
                continue;
            }
            let size = job.io_size.or(job.size).map_or(self.bytes, |size| size.resolve(self.bytes));
            let bytes = size as f64 * own * f64::from(job.loops.max(1));
            let pass = bytes / (rate.read + rate.write);
            moved.read += rate.read * pass;
            moved.write += rate.write * pass;
            took += pass;
        }
        self.add(took, moved);
        (took, moved)
    }

    fn add(&mut self, seconds: f64, moved: Moves) {
        self.cost.seconds += seconds;
        self.cost.read_bytes += moved.read;
        self.cost.write_bytes += moved.write;
    }

    fn written(&mut self, bytes: f64, rate: f64) {
        self.add(bytes / rate, Moves { read: 0.0, write: bytes });
    }

    /// How much longer a run takes than one on a drive that is steady: always more on one that
    /// never is.
    fn slower(&mut self) -> f64 {
        self.runs += 1;
        if self.steady { 1.0 } else { f64::from(self.runs).powi(2) }
    }

    /// What fio would report of a run that took so long, with one latency.
    fn report(seconds: f64, latency_ns: u64, moved: Moves, blocks: [f64; 2]) -> RunResult {
        let mut job = JobResult::default();
        for (direction, bytes) in
            [Direction::Read, Direction::Write].into_iter().zip([moved.read, moved.write])
        {
            if bytes < 1.0 {
                continue;
            }
            let ios = whole(bytes / blocks[direction.index()].max(512.0)).max(1);
            let mut histogram = Histogram::new();
            histogram.record_n(latency_ns, ios);
            let mut side = DirectionResult { total_ios: ios, ..DirectionResult::default() };
            side.io_bytes = whole(bytes);
            side.runtime_ms = whole(seconds * 1e3).max(1);
            side.iops = ios as f64 / seconds;
            side.bw_bytes_s = whole(bytes / seconds);
            side.clat.n = ios;
            (side.clat.mean_ns, side.clat.max_ns) = (latency_ns as f64, latency_ns);
            side.clat.histogram = Some(histogram);
            *job.direction_mut(direction) = side;
        }
        RunResult { jobs: vec![job], ..RunResult::default() }
    }
}

impl Target for Counter {
    fn name(&self) -> &str {
        "a drive"
    }

    fn modelled(&self) -> bool {
        false
    }

    fn devices(&self) -> Vec<u64> {
        vec![self.bytes]
    }

    fn sector(&self) -> u64 {
        512
    }

    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure> {
        if state == State::Steady && self.one_pass && share >= 1.0 {
            // Of all its flash, of which no block is collected on the way.
            let flash = 1.0 + over_provisioning(self.bytes);
            self.written(self.bytes as f64 * flash, self.rates.write);
            return Ok(());
        }
        if matches!(state, State::Filled | State::Steady) {
            self.written(self.bytes as f64, self.rates.write);
        }
        if state == State::Steady {
            let bytes = STEADY_PASSES as f64 * self.bytes as f64 * share;
            self.written(bytes, self.rates.of(true, true, IO_BYTES));
        }
        Ok(())
    }

    fn fill(&mut self, _: u64) -> Result<(), Failure> {
        self.written(self.bytes as f64, self.rates.write);
        Ok(())
    }

    fn format(&mut self, _: usize) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        let file = work.load.parse(work.ramp_us, work.runtime_us)?;
        let timed = (work.ramp_us + work.runtime_us) as f64 / 1e6;
        let (took, moved) = self.count(&file, timed);
        let block = |direction: Direction| {
            let sizes = file.jobs.iter().map(|job| &job.block_size[direction.index()]);
            sizes.map(BlockSize::mean).fold(0.0, f64::max)
        };
        let blocks = [block(Direction::Read), block(Direction::Write)];
        let slower = self.slower();
        let seconds = took.max(1e-3) * slower;
        let run = Self::report(seconds, whole(LATENCY_NS * slower), moved, blocks);
        Ok(Ran {
            run,
            windows: None,
            measured_s: seconds,
            mean_power_w: None,
            write_amplification: None,
            heat: None,
            processors_busy: None,
            sensed: Vec::new(),
            limit: None,
            warnings: Vec::new(),
        })
    }

    fn load_for(&mut self, load: &Load, seconds: f64, _: u64) -> Result<Written, Failure> {
        let file = load.parse(0, whole(seconds * 1e6))?;
        let (_, moved) = self.count(&file, seconds);
        Ok(Written { host_bytes: moved.write })
    }

    fn idle(&mut self, seconds: f64) -> Result<(), Failure> {
        self.cost.seconds += seconds;
        Ok(())
    }

    fn counters(&mut self) -> Result<Counters, Failure> {
        Ok(Counters {
            host_read_bytes: self.cost.read_bytes,
            host_write_bytes: self.cost.write_bytes,
            flash_write_bytes: None,
            wear: None,
            wear_step: 0.0,
            seconds: self.cost.seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates =
        Rates { read: 3e9, write: 2e9, random_read: 500_000.0, random_write: 100_000.0 };
    const BYTES: u64 = 1_000_000_000_000;

    fn of(method: &str, pairs: &[(&'static str, &'static str)]) -> (Cost, Cost) {
        let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
        crate::complete(method, &mut params).unwrap();
        cost(crate::find(method).unwrap(), &params, BYTES, RATES, false).unwrap()
    }

    /// Two fills and a minute for each of 56 cells, from 5 to 25 rounds.
    #[test]
    fn a_test_in_rounds_takes_from_five_to_all_of_them() {
        let (least, most) = of("snia-iops", &[]);
        let fills = 2.0 * BYTES as f64 / RATES.write;
        let of_rounds = |rounds: f64| fills + rounds * 56.0 * 60.0;
        assert!((least.seconds / of_rounds(5.0) - 1.0).abs() < 1e-6, "{least:?}");
        assert!((most.seconds / of_rounds(25.0) - 1.0).abs() < 1e-6, "{most:?}");
        assert!(least.write_bytes > 2.0 * BYTES as f64 && most.write_bytes > least.write_bytes);
    }

    /// A minute for each of nine cells, 5 times or, if the latency rises for ever, 25 times, and 20
    /// minutes after a second of ramp.
    #[test]
    fn a_test_of_latency_takes_from_five_rounds_to_all_of_them() {
        let (least, most) = of("snia-lat", &[]);
        let around = 2.0 * BYTES as f64 / RATES.write + 1.0 + 20.0 * 60.0;
        let of_rounds = |rounds: f64| around + rounds * 9.0 * 60.0;
        assert!((least.seconds / of_rounds(5.0) - 1.0).abs() < 1e-6, "{least:?}");
        assert!((most.seconds / of_rounds(25.0) - 1.0).abs() < 1e-6, "{most:?}");
    }

    /// A minute of 4 KiB writes at 100,000 a second.
    #[test]
    fn a_corner_costs_its_time_at_the_rate_of_the_drive() {
        let pairs = [("op", "write"), ("state", "fresh"), ("duration", "60 s")];
        let (least, most) = of("corner", &pairs);
        assert_eq!(least, most);
        let written = least.write_bytes / (RATES.random_write * IO_BYTES);
        assert!((written / least.seconds - 1.0).abs() < 1e-9 && least.seconds >= 60.0, "{least:?}");
    }

    /// One pass over 1.0995 TB of flash at 2 GB/s in place of a fill and two passes at 100,000
    /// writes a second.
    #[test]
    fn one_pass_is_cheaper_than_three() {
        let method = crate::find("mixed").unwrap();
        let mut params = Params::from_pairs([("read", "70 %"), ("duration", "60 s")]).unwrap();
        crate::complete("mixed", &mut params).unwrap();
        let of = |one_pass| cost(method, &params, BYTES, RATES, one_pass).unwrap().1;
        let (three, one) = (of(false), of(true));
        let bytes = BYTES as f64;
        let spared = (three.write_bytes - one.write_bytes) / bytes;
        assert!((spared - (3.0 - 1.0995)).abs() < 1e-9, "{three:?} {one:?}");
        let random = 2.0 * bytes / (RATES.random_write * IO_BYTES);
        let saved = bytes / RATES.write + random - 1.0995 * bytes / RATES.write;
        assert!((three.seconds - one.seconds - saved).abs() < 1e-3, "{three:?} {one:?}");
    }

    /// No method that runs on real drives may be left without an estimate.
    #[test]
    fn every_method_of_a_campaign_can_be_estimated() {
        let all = [
            "snia-iops",
            "snia-tp",
            "snia-lat",
            "snia-wsat",
            "snia-hir",
            "snia-xsr",
            "snia-cbw",
            "snia-dirth",
            "corner",
            "mixed",
            "queue-depth",
            "load-curve",
            "sustained-write",
            "crystaldiskmark",
            "atto",
            "span-sweep",
        ];
        for method in all {
            let needed = crate::find(method).unwrap();
            let mut params = Params::default();
            for (name, value) in
                [("op", "read"), ("read", "70 %"), ("span", "100 GB"), ("workload", "sql")]
            {
                let is_needed = |(spec, param): (&metric::ParamSpec, &crate::Param)| {
                    spec.name == name && param.required.is_some()
                };
                if needed.specs().any(is_needed) {
                    params.give(name, value).unwrap();
                }
            }
            crate::complete(method, &mut params).unwrap();
            let method = crate::find(method).unwrap();
            let (least, most) = cost(method, &params, BYTES, RATES, false)
                .unwrap_or_else(|why| panic!("{}: {why:?}", method.name));
            assert!(least.seconds > 0.0 && most.seconds >= least.seconds, "{}", method.name);
        }
    }
}

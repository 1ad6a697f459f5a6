//! Methods on arrays, on a target that answers from a few numbers.

use lab::{
    BenchOptions, Counters, Failure, PowerLoss, Ran, Rebuilt, Target, Work, Written, find,
    measure_on,
};
use metric::{Measurement, Params, State};
use stats::{DirectionResult, JobResult, RunResult};

/// Four drives; each that is missing costs a quarter of the rate.
struct Array {
    missing: u32,
    done: Vec<String>,
}

const MEMBERS: u32 = 4;
const IOPS: u64 = 4000;

impl Array {
    fn new() -> Self {
        Array { missing: 0, done: Vec::new() }
    }

    fn ran(&self, slowed: u64) -> Ran {
        let ios = IOPS * u64::from(MEMBERS - self.missing) / u64::from(MEMBERS) / slowed;
        let side =
            || DirectionResult { total_ios: ios, io_bytes: ios * 4096, ..Default::default() };
        let mut job = JobResult::default();
        job.directions[0] = side();
        let run = RunResult { jobs: vec![job], ..RunResult::default() };
        let (measured_s, warnings) = (1.0, Vec::new());
        let (windows, mean_power_w, write_amplification, heat) = (None, None, None, None);
        let limit = None;
        Ran {
            run,
            limit,
            windows,
            measured_s,
            mean_power_w,
            write_amplification,
            heat,
            processors_busy: None,
            sensed: Vec::new(),
            warnings,
        }
    }
}

impl Target for Array {
    fn name(&self) -> &str {
        "array"
    }
    fn modelled(&self) -> bool {
        true
    }
    fn scale(&self) -> f64 {
        1.0
    }
    fn devices(&self) -> Vec<u64> {
        vec![4_000_000_000_000]
    }
    fn raw_bytes(&self) -> Option<f64> {
        None
    }
    fn sector(&self) -> u64 {
        512
    }
    fn prepare(&mut self, state: State, _: f64) -> Result<(), Failure> {
        self.done.push(format!("prepare {state:?}"));
        Ok(())
    }
    fn fill(&mut self, _block: u64) -> Result<(), Failure> {
        Ok(())
    }
    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        if !work.pilot {
            self.done.push("run".to_owned());
        }
        Ok(self.ran(1))
    }
    fn load_for(&mut self, _: &lab::Load, _: f64, _: u64) -> Result<Written, Failure> {
        Ok(Written::default())
    }
    fn idle(&mut self, _: f64) -> Result<(), Failure> {
        Ok(())
    }
    fn counters(&mut self) -> Result<Counters, Failure> {
        Ok(Counters::default())
    }
    fn rated_cycles(&self) -> Option<f64> {
        None
    }
    fn members(&self) -> u32 {
        MEMBERS
    }
    fn fail_member(&mut self, member: u32) -> Result<(), Failure> {
        self.done.push(format!("fail {member}"));
        self.missing = 1;
        Ok(())
    }
    fn rebuild(&mut self, member: u32, work: Option<&Work<'_>>) -> Result<Rebuilt, Failure> {
        self.done.push(format!("rebuild {member}"));
        let load = work.map(|_| self.ran(2));
        self.missing = 0;
        Ok(Rebuilt { seconds: 5000.0, bytes: 1e12, floor: Some(2.5e8), load })
    }
    fn power_cut(&mut self, work: &Work<'_>) -> Result<PowerLoss, Failure> {
        self.done.push(format!("cut after {} us", work.runtime_us));
        Ok(PowerLoss { lost_bytes: 8192.0, resync_bytes: 1e12, resync_s: 6000.0 })
    }
}

fn measure(method: &str, pairs: &[(&'static str, &'static str)]) -> (Measurement, Vec<String>) {
    let mut array = Array::new();
    let params = Params::from_pairs(pairs.iter().copied()).unwrap();
    let method = find(method).unwrap();
    let options = BenchOptions::default();
    let measured = measure_on(&mut array, method, &params, options, None);
    (measured.unwrap_or_else(|error| panic!("{error:?}")), array.done)
}

#[test]
fn a_drive_fails_and_is_rebuilt_under_the_same_load() {
    let (m, done) = measure("fault-rebuild", &[("member", "3")]);
    assert_eq!(done, ["prepare Steady", "run", "fail 3", "run", "rebuild 3"]);
    let value = |name: &str| m.metrics[name].value;
    assert_eq!((value("iops"), value("degraded_iops")), (4000.0, 3000.0));
    assert_eq!((value("degraded_over_sound"), value("rebuild_over_sound")), (0.75, 0.375));
    assert_eq!((value("rebuild_time"), value("rebuild_rate")), (5000.0, 2e8));
    let told = m.warnings.iter().find(|told| told.contains("below")).unwrap();
    assert!(told.contains("200 MB/s") && told.contains("250 MB/s"), "{told}");
}

/// Members are counted from 0: the last is there, one more is not.
#[test]
fn a_member_that_is_not_there_cannot_fail() {
    let params = Params::from_pairs([("member", "4")]).unwrap();
    let mut array = Array::new();
    let method = find("fault-rebuild").unwrap();
    let failure = measure_on(&mut array, method, &params, BenchOptions::default(), None);
    let text = format!("{:?}", failure.err());
    assert!(text.contains("no member 4: the target has 4"), "{text}");
    assert!(!array.done.iter().any(|done| done.starts_with("fail")));
}

#[test]
fn a_loss_of_power_is_told_in_bytes_and_time() {
    let (m, done) = measure("power-loss", &[("duration", "2 s")]);
    assert_eq!(done, ["prepare Filled", "cut after 2000000 us"]);
    let value = |name: &str| m.metrics[name].value;
    assert_eq!((value("lost_bytes"), value("resync_bytes")), (8192.0, 1e12));
    assert_eq!(value("resync_time"), 6000.0);
}

#[test]
fn what_an_array_gives_is_shared_out_over_its_drives() {
    let (m, _) = measure("raid-scaling", &[]);
    let value = |name: &str| m.metrics[name].value;
    assert_eq!((value("members"), value("read_each")), (4.0, value("max_read") / 4.0));
}

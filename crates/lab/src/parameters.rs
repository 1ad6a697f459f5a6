//! A parameter that a method declares has an effect, or is refused with a reason.
//!
//! Each parameter of each method is changed on a target that writes down what it is asked for and
//! answers with fixed numbers: something that is asked, or the answer, has to change. What the
//! target itself is built of is looked at where it is built.

use super::bench::measure_on;
use super::failure::Failure;
use super::method::{Method, Param, methods};
use super::options::BenchOptions;
use super::preconditioning::Preconditioning;
use super::soak::{SoakAsked, Soaked};
use super::target::{
    Counters, LifeAsked, Lived, PowerLoss, Ran, Rebuilt, Target, Transactions, Work, WriteLimits,
    Written,
};
use metric::{PARAMS, ParamKind, Params, State};
use simulate::ServersAsked;
use stats::{DirectionResult, Histogram, JobResult, RunResult};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`super::ModelBench`] builds the target of.
const BUILT_OF: [&str; 7] =
    ["give_up", "power_state", "drives", "namespaces", "cooling", "fan", "ambient"];

/// What a method needs besides its defaults, so that a parameter has something to act on.
const GIVEN: [(&str, &str); 9] = [
    ("read", "60 %"),
    ("qd", "64"),
    ("prewrite", "1 h"),
    ("workload", "sql-80-20"),
    ("span", "100 GB"),
    ("rate", "200 MB/s"),
    ("vms", "4"),
    ("duration", "20 s"),
    ("limit", "read_lat_mean < 1 ms"),
];

/// Writes down what it is asked for.
#[derive(Default)]
struct Scribe {
    asked: Vec<String>,
    looked: Counters,
}

impl Scribe {
    fn note(&mut self, text: impl Into<String>) {
        self.asked.push(text.into());
    }

    fn ran(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        let load = work.load.on_devices(self.devices().len());
        let file = load.parse(work.ramp_us, work.runtime_us)?;
        let jobs: Vec<String> = file.jobs.iter().map(|job| format!("{job:?}")).collect();
        self.note(format!("run {} {:?} {jobs:?}", work.keep_size, work.window));
        let mut histogram = Histogram::new();
        histogram.record_n(100_000, 100_000);
        let side = || {
            let mut side = DirectionResult { total_ios: 100_000, ..DirectionResult::default() };
            side.io_bytes = side.total_ios * 4096;
            side.clat.n = side.total_ios;
            side.clat.mean_ns = 100_000.0;
            side.clat.max_ns = 200_000;
            side.clat.histogram = Some(histogram.clone());
            side
        };
        let one = || {
            let mut job = JobResult::default();
            job.directions[0] = side();
            job.directions[1] = side();
            job
        };
        Ok(Ran {
            run: RunResult { jobs: jobs.iter().map(|_| one()).collect(), ..RunResult::default() },
            windows: None,
            measured_s: 1.0,
            mean_power_w: Some(10.0),
            write_amplification: Some(2.0),
            heat: None,
            processors_busy: None,
            sensed: Vec::new(),
            limit: None,
            warnings: Vec::new(),
        })
    }
}

impl Target for Scribe {
    fn name(&self) -> &str {
        "scribe"
    }
    fn modelled(&self) -> bool {
        true
    }
    fn devices(&self) -> Vec<u64> {
        vec![8_000_000_000_000; 6]
    }
    fn raw_bytes(&self) -> Option<f64> {
        Some(9e12)
    }
    fn sector(&self) -> u64 {
        512
    }
    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure> {
        self.note(format!("prepare {state:?} {share}"));
        Ok(())
    }
    fn prepare_in(&mut self, state: State, share: f64, block: u64) -> Result<(), Failure> {
        self.note(format!("prepare {state:?} {share} {block}"));
        Ok(())
    }
    fn fill(&mut self, block: u64) -> Result<(), Failure> {
        self.note(format!("fill {block}"));
        Ok(())
    }
    fn format(&mut self, device: usize) -> Result<(), Failure> {
        self.note(format!("format {device}"));
        Ok(())
    }
    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        self.ran(work)
    }
    fn load_for(
        &mut self,
        load: &super::Load,
        seconds: f64,
        seed: u64,
    ) -> Result<Written, Failure> {
        let file = load.parse(0, 1_000_000)?;
        self.note(format!("load for {seconds} {seed} {:?}", file.jobs));
        Ok(Written { host_bytes: 1e12 })
    }
    fn precondition(&mut self, asked: &Preconditioning) -> Result<bool, Failure> {
        self.note(format!("{asked:?}"));
        Ok(true)
    }
    fn idle(&mut self, seconds: f64) -> Result<(), Failure> {
        self.note(format!("idle {seconds}"));
        Ok(())
    }
    fn counters(&mut self) -> Result<Counters, Failure> {
        self.looked.host_write_bytes += 1e13;
        self.looked.host_read_bytes += 1e13;
        self.looked.flash_write_bytes = Some(2.0 * self.looked.host_write_bytes);
        self.looked.wear = Some(self.looked.host_write_bytes / 1e16);
        self.looked.wear_step = 1e-4;
        self.looked.seconds += 1e5;
        Ok(self.looked)
    }
    fn rated_cycles(&self) -> Option<f64> {
        Some(5000.0)
    }
    fn superblock_bytes(&self) -> Option<f64> {
        Some(1e6)
    }
    fn write_limits(&self) -> Option<WriteLimits> {
        Some(WriteLimits { link: 7e9, flash: 4e9 })
    }
    fn members(&self) -> u32 {
        4
    }
    fn restart(&mut self) -> Result<(), Failure> {
        self.note("restart");
        Ok(())
    }
    fn fail_member(&mut self, member: u32) -> Result<(), Failure> {
        self.note(format!("fail {member}"));
        Ok(())
    }
    fn rebuild(&mut self, member: u32, work: Option<&Work<'_>>) -> Result<Rebuilt, Failure> {
        self.note(format!("rebuild {member}"));
        let load = work.map(|work| self.ran(work)).transpose()?;
        Ok(Rebuilt { seconds: 5000.0, bytes: 1e12, floor: None, load })
    }
    fn power_cut(&mut self, work: &Work<'_>) -> Result<PowerLoss, Failure> {
        self.ran(work)?;
        Ok(PowerLoss::default())
    }
    fn soak(&mut self, asked: &SoakAsked<'_>) -> Result<Soaked, Failure> {
        let file = asked.load.parse(0, 1_000_000)?;
        self.note(format!("soak {} {:?}", asked.seconds, file.jobs));
        Err(Failure::left_out("written down"))
    }
    fn serve(
        &mut self,
        asked: &ServersAsked,
        state: State,
        _: &dyn Fn(f64),
    ) -> Result<Transactions, Failure> {
        self.note(format!("serve {asked:?} {state:?}"));
        Ok(Transactions::default())
    }
    fn live(&mut self, asked: &LifeAsked<'_>) -> Result<Lived, Failure> {
        let file = asked.load.parse(0, 1_000_000)?;
        let LifeAsked { windows, ios, reading_s, .. } = asked;
        self.note(format!("live {windows} {ios} {reading_s:?} {:?}", file.jobs));
        Err(Failure::left_out("written down"))
    }
}

/// What a method asks of its target with these parameters, and what it answers.
fn outcome(method: &Method, pairs: &Pairs, ios: u64) -> Result<String, String> {
    let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
    let params = Params::from_pairs(pairs)?;
    let mut scribe = Scribe::default();
    let options = BenchOptions { ios, ..BenchOptions::default() };
    let answer = match measure_on(&mut scribe, method, &params, options, None) {
        // Which numbers have to be steady is part of what is reported.
        Ok(m) => format!("{:?} {:?} {:?}", m.metrics, m.points, m.convergence),
        // A target that only writes down cannot answer all: what it was asked until then counts.
        Err(failure) => format!("{failure:?}"),
    };
    Ok(scribe.asked.join("\n") + &answer)
}

/// Other values than `now`: the first that is another run counts.
fn others(name: &str, kind: ParamKind, now: &str) -> Vec<String> {
    let all: Vec<String> = match kind {
        ParamKind::Bytes => vec!["64 KiB", "8 GiB", "96 KiB", "4 KiB", "512 B"],
        ParamKind::Time => vec!["7 s", "3 h", "2 ms", "20 us"],
        ParamKind::Bandwidth => vec!["50 MB/s"],
        ParamKind::Share => vec!["30 %", "99 %"],
        ParamKind::Count(..) => vec!["3", "2", "1", "0", "7", "200"],
        ParamKind::Word(words) => words.to_vec(),
        ParamKind::Flag => vec!["true", "false"],
        ParamKind::Text if name == "workload" => vec!["sql", "oracle"],
        ParamKind::Text => vec!["10"],
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    all.into_iter().filter(|value| value != now).collect()
}

/// Values of a run by name.
type Pairs = Vec<(&'static str, String)>;

/// Runs in which a parameter may have its effect: with what a method needs alone, with all that can
/// be given, and with each word of those that are words.
fn contexts(method: &Method) -> Vec<Pairs> {
    let pairs = |wanted: &dyn Fn(&str, &Param) -> bool| -> Pairs {
        let value = |name: &str| GIVEN.iter().find(|(own, _)| *own == name).map(|(_, v)| *v);
        let all = method.specs().filter(|(spec, param)| wanted(spec.name, param));
        all.filter_map(|(spec, _)| Some((spec.name, value(spec.name)?.to_owned()))).collect()
    };
    let needed = pairs(&|_, param| param.required.is_some());
    let given = pairs(&|_, param| param.required.is_some() || param.default.is_none());
    let mut all = vec![given.clone(), needed];
    for (spec, _) in method.specs() {
        let ParamKind::Word(words) = spec.kind else { continue };
        for word in words {
            let mut pairs = given.clone();
            pairs.retain(|(name, _)| *name != spec.name);
            pairs.push((spec.name, (*word).to_owned()));
            all.push(pairs);
        }
    }
    all
}

/// Whether a value of a parameter makes another run of it.
fn acts(method: &Method, name: &'static str, kind: ParamKind, context: &Pairs) -> bool {
    // So many I/Os that a time, where one is given, ends the measurement; and as many as are usual.
    [1 << 40, BenchOptions::default().ios].into_iter().any(|ios| {
        let usual = outcome(method, context, ios);
        let now = context.iter().find(|(own, _)| *own == name);
        let now = now.map_or(String::new(), |(_, value)| value.clone());
        others(name, kind, &now).into_iter().any(|value| {
            let mut pairs = context.clone();
            pairs.retain(|(own, _)| *own != name);
            pairs.push((name, value));
            outcome(method, &pairs, ios) != usual
        })
    })
}

/// The parameters of a method that change nothing.
fn without_effect(method: &Method) -> Vec<String> {
    let contexts = contexts(method);
    let specs = method.specs().filter(|(spec, _)| !BUILT_OF.contains(&spec.name));
    let idle = specs.filter(|(spec, _)| {
        !contexts.iter().any(|context| acts(method, spec.name, spec.kind, context))
    });
    idle.map(|(spec, _)| format!("{} {}", method.name, spec.name)).collect()
}

#[test]
fn every_declared_parameter_of_every_method_has_an_effect_or_is_refused() {
    let (next, idle) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let look = || {
        while let Some(method) = methods().get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = without_effect(method);
            idle.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(look);
        }
    });
    let idle = idle.into_inner().unwrap();
    assert!(idle.is_empty(), "no effect:\n{}", idle.join("\n"));
}

/// What a target is built of is known to the table of parameters.
#[test]
fn what_a_target_is_built_of_is_a_parameter() {
    for name in BUILT_OF {
        assert!(PARAMS.iter().any(|spec| spec.name == name), "{name}");
    }
}

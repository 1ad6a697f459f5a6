//! The loop that makes the runs of a sweep, several at a time, and keeps each when it ends.

use super::design::{Design, Planned};
use super::memory::Memory;
use super::result;
use crate::console::{self, Console};
use crate::interrupt;
use crate::laboratory::caught;
use crate::progress::{Bar, Stopwatch, time};
use crate::render::Failure;
use engine::Ratio;
use metric::{MeasureError, Measurement};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use sweep::{Row, Standing, Status, Store, StoreError};

/// How often what ended is brought to the medium.
const SYNC: Duration = Duration::from_secs(1);
/// Lines about the progress where nobody sees the bar.
const LINES: usize = 10;

/// A run: the number of its point, its rung, and the number of its seed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    point: usize,
    rung: usize,
    repeat: usize,
}

impl Wanted {
    /// Its id.
    pub fn id(self, design: &Design) -> &str {
        &design.points[self.point].ids[self.rung][self.repeat]
    }
}

/// Why a store cannot be used, as a failure.
pub fn store_failure(error: StoreError) -> Failure {
    let failure = match error.is_wrong {
        true => Failure::wrong(error.message),
        false => Failure::failed(error.message),
    };
    failure.at(error.place).with_help(error.help)
}

/// Makes those of the wanted runs that there are no rows of, and adds theirs.
///
/// # Errors
/// If a row cannot be kept.
pub fn measure(
    design: &Design,
    store: &Store,
    wanted: &[Wanted],
    rows: &mut BTreeMap<String, Row>,
    console: &mut Console,
) -> Result<(), Failure> {
    let all = wanted.len();
    let missing = wanted.iter().filter(|one| !rows.contains_key(one.id(design)));
    let asked: Vec<Wanted> = missing.copied().collect();
    let known = all - asked.len();
    if known > 0 {
        console.note(&format!("{known} of {all} runs are known already"));
    }
    interrupt::watch();
    let progress = Progress::new(design, console, known, all);
    let (sender, receiver) = channel();
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let memory = Memory::free();
    let worker = |sender: Sender<Row>| {
        let taken = || (!stop.load(Ordering::SeqCst)).then(|| next.fetch_add(1, Ordering::SeqCst));
        while let Some(one) = taken().and_then(|number| asked.get(number)) {
            if sender.send(run(design, *one, &memory)).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads(design).min(asked.len()) {
            let (sender, worker) = (sender.clone(), &worker);
            scope.spawn(move || worker(sender));
        }
        drop(sender);
        let kept = keep(store, &receiver, rows, progress);
        stop.store(true, Ordering::SeqCst);
        drop(receiver);
        kept
    })
    .map_err(store_failure)
}

/// Runs at a time.
fn threads(design: &Design) -> usize {
    let usual = || std::thread::available_parallelism().map_or(1, usize::from);
    design.asked.bench.threads.map_or_else(usual, usize::from)
}

/// The runs of some points on a rung; those of one model together, so that they share the state in
/// which it begins.
pub fn wanted(design: &Design, points: &[usize], rung: usize) -> Vec<Wanted> {
    let repeats = design.seeds(rung).len();
    let all = (0..points.len() * repeats).map(|number| Wanted {
        point: points[number / repeats],
        rung,
        repeat: number % repeats,
    });
    let mut all: Vec<Wanted> = all.collect();
    let model = |one: &Wanted| {
        let point: &Planned = &design.points[one.point];
        let texts = point.variant.as_ref().map(|variant| variant.texts.clone());
        (texts, point.give_up, one.repeat)
    };
    all.sort_by_cached_key(model);
    all
}

/// The runs of some points with one of the seeds of a rung.
pub fn round(design: &Design, points: &[usize], rung: usize, repeat: usize) -> Vec<Wanted> {
    let all = wanted(design, points, rung);
    all.into_iter().filter(|one| one.repeat == repeat).collect()
}

/// Makes one run.
fn run(design: &Design, asked: Wanted, memory: &Memory) -> Row {
    let point = &design.points[asked.point];
    let (seed, ios) = (design.seeds(asked.rung)[asked.repeat], design.rungs[asked.rung]);
    let made = match &point.variant {
        Err(why) => Err(MeasureError::NotModelled(why.clone())),
        Ok(variant) => {
            let bench = design.bench.clone().with_seed(seed).with_ios(ios);
            let bench = bench.with_set(variant.subject.pairs());
            let bench = match point.give_up > Ratio::default() {
                true => bench.with_give_up(point.give_up),
                false => bench,
            };
            let run = point.run(variant);
            let measure = || bench.measure(&run.target, &run.method, &run.params);
            memory.within(variant.memory, || caught(measure))
        }
    };
    let names = design.space.factors().iter().map(|factor| factor.name.clone());
    let row = Row {
        id: asked.id(design).to_owned(),
        at: names.zip(point.at.iter().cloned()).collect(),
        seed,
        ios,
        status: Status::Failed,
        message: None,
        values: BTreeMap::new(),
        limits: Vec::new(),
        warnings: Vec::new(),
    };
    match made {
        Ok(measured) => filled(row, measured),
        Err(error) => Row { message: Some(error.reason().replace('\n', "; ")), ..row },
    }
}

fn filled(row: Row, measured: Measurement) -> Row {
    let finite = |interval: &(f64, f64)| interval.0.is_finite() && interval.1.is_finite();
    let values = measured.metrics.into_iter().filter(|(_, value)| value.value.is_finite());
    let values = values.map(|(name, mut value)| {
        value.interval95 = value.interval95.filter(finite);
        (name, value)
    });
    let mut limits: Vec<String> =
        measured.limits.iter().map(|limit| limit.by.word().to_owned()).collect();
    limits.dedup();
    Row { status: Status::Ok, values: values.collect(), limits, warnings: measured.warnings, ..row }
}

/// Takes rows as they come, keeps and shows them.
fn keep(
    store: &Store,
    receiver: &Receiver<Row>,
    rows: &mut BTreeMap<String, Row>,
    mut progress: Progress<'_>,
) -> Result<(), StoreError> {
    let mut synced = Stopwatch::start();
    loop {
        match receiver.recv_timeout(SYNC) {
            Ok(row) => {
                store.add(&row)?;
                progress.ended(&row);
                rows.insert(row.id.clone(), row);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return store.sync(),
        }
        if synced.seconds() >= SYNC.as_secs_f64() {
            store.sync()?;
            synced = Stopwatch::start();
        }
    }
}

/// What a user sees meanwhile.
struct Progress<'a> {
    design: &'a Design,
    bar: Bar,
    lines: bool,
    known: usize,
    made: usize,
    all: usize,
    /// The best point so far, by the first objective, and what it is called.
    best: Option<(f64, String)>,
}

impl<'a> Progress<'a> {
    fn new(design: &'a Design, console: &Console, known: usize, all: usize) -> Self {
        let bar = Bar::new(console, "measuring");
        let lines = console.speaks() && !console.draws();
        let progress = Self { design, bar, lines, known, made: 0, all, best: None };
        progress.last_words();
        progress
    }

    fn last_words(&self) {
        let (done, all) = (self.known + self.made, self.all);
        interrupt::set_last_words(format!(
            "{done} of {all} runs are kept; the same command goes on from there"
        ));
    }

    fn ended(&mut self, row: &Row) {
        self.made += 1;
        self.last_words();
        self.look(row);
        let minutes = self.bar.seconds().max(1e-3) / 60.0;
        let rate = self.made as f64 / minutes;
        let left = (self.all - self.known - self.made) as f64 / rate;
        let best = self.best.as_ref().map(|(_, name)| format!("; best {name}"));
        let text = format!(
            "{} of {} runs, {rate:.0} a minute, {} left{}",
            self.known + self.made,
            self.all,
            time(left * 60.0),
            best.unwrap_or_default()
        );
        let every = self.all.div_ceil(LINES).max(1);
        if self.lines && (self.known + self.made).is_multiple_of(every) {
            console::say(&text);
        }
        let share = (self.known + self.made) as f64 / self.all.max(1) as f64;
        self.bar.set(share, text);
    }

    /// Whether a run is the best so far.
    fn look(&mut self, row: &Row) {
        let Some(goal) = self.design.objectives.first() else { return };
        let Some(place) = self.design.numbers.get(&row.id).copied() else { return };
        let point = result::point(self.design, place, &[row]);
        let keeps = |one: &metric::Requirement| {
            Standing::of(one, point.values.get(&one.metric)) != Standing::Failed
        };
        let Some(value) = point.values.get(&goal.metric) else { return };
        let turned = goal.turned(value.value);
        let better = self.best.as_ref().is_none_or(|(best, _)| turned < *best);
        if point.is_ok() && better && self.design.requirements.iter().all(keeps) {
            let shown = sweep::judge::shown(&goal.metric, value.value);
            self.best = Some((turned, format!("{} {shown}: {}", goal.metric, point.at.join(", "))));
        }
    }
}

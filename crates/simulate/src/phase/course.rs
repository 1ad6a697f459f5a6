//! How a phase runs: what is due next, and what is done when it comes.

use super::credit::Credit;
use super::{Bench, Books, PS_PER_US, Phase, SLICE};
use crate::assemble::Totals;
use crate::checks::Meter;
use crate::options::{Progress, RunOptions};
use crate::steady::Watch;
use crate::warn::warning;
use engine::{Duration, Instant, narrow};
use fio::{Diagnostic, JobFile};
use iopath::host::workload::Workload;
use iopath::machine::{Node, Stop};
use stats::PhaseKind;

/// Events between two looks at the clock if the end of one thread is to end others.
const FINE_SLICE: u64 = 64;
/// Events between two reports of progress.
const REPORT: u64 = 1 << 20;
/// Parts of its I/Os by which a measurement goes on: one of so many.
const STEPS: u64 = 4;
/// Of a phase's budget, what its ramp may take at most.
const RAMP_SHARE: u64 = 2;

/// How far a phase has come.
struct Course {
    /// What its drives had taken without work when they were looked at last, in the ramp, or when
    /// the window opened.
    credit: Credit,
    /// They took more and more without work then.
    grows: bool,
    /// I/Os of the phase at the next look, where I/Os are counted.
    look_ios: u64,
    /// Entries that wait for a steady state.
    watches: Vec<Watch>,
    /// The reading when the measured window opened, once it is open.
    meter: Option<Meter>,
    /// Events between two looks at the clock.
    slice: u64,
    /// I/Os before its beginning.
    ios_before: u64,
    /// I/Os in its ramp, once the window is open.
    ramp_ios: u64,
    /// Events before its beginning.
    events_before: u64,
    /// Reports of progress that were given.
    reported: u64,
}

/// What is to be done at a time that is known, ps.
struct Due {
    /// The first of all.
    first: Option<u64>,
    /// The measured window opens.
    opening: Option<u64>,
    /// A minute of the timed workload is full.
    minute: Option<u64>,
}

impl Due {
    /// The last time before it: what happens at a boundary belongs to what comes after it.
    fn until(&self) -> Instant {
        self.first.map_or(Instant::NEVER, |at| Instant::from_ps(at.saturating_sub(1)))
    }
}

impl Bench<'_> {
    /// Runs a phase to its end, or until its budget is spent.
    pub(super) fn phase(
        &mut self,
        phase: &mut Phase<'_>,
        books: &mut Books<'_>,
        options: &mut RunOptions<'_>,
    ) -> Result<(), Diagnostic> {
        let mut course = self.begin(phase, books);
        let cut = loop {
            if self.machine.context.probe.running == 0 {
                break false;
            }
            let exit = self.machine.context.probe.exit;
            if exit {
                self.machine.stop(phase.node);
            }
            let left = self.left(phase, &course);
            if left == 0 && course.meter.is_none() {
                if !self.still_ramps(phase, &mut course) {
                    self.open_early(phase, &mut course, books);
                }
                continue;
            }
            if left == 0 && !self.goes_on(phase, &mut course, books) {
                break true;
            }
            let due = self.due(phase, &course, books)?;
            // An I/O takes several events: so many never complete more than what is left.
            match self.machine.run(due.until(), left.min(course.slice)) {
                Stop::Events => {}
                Stop::Time => self.at_boundary(phase, &mut course, &due, books),
                Stop::Idle if self.machine.context.probe.running == 0 => {}
                Stop::Idle => return Err(self.no_progress(books.file, phase)),
            }
            let events = self.machine.context.queue.events_done() - course.events_before;
            if events / REPORT > course.reported {
                course.reported = events / REPORT;
                self.report(phase, options);
            }
        };
        self.end(phase, course.meter, cut, &mut books.totals);
        let ended = Instant::from_ps(self.machine.context.probe.last_end_ps);
        books.recorder.end(self.machine, self.flash, ended);
        books.totals.watches.extend(course.watches);
        Ok(())
    }

    /// Starts the threads of a phase; without a ramp its window opens at once.
    fn begin(&mut self, phase: &mut Phase<'_>, books: &mut Books<'_>) -> Course {
        let opens = opens(books.file, phase);
        phase.open_ps = opens.iter().min().copied().unwrap_or(phase.start_ps);
        self.machine.context.probe.begin_phase(phase.base, &opens);
        let watches = watches(books.file, phase, &opens);
        let specs = phase.threads.iter().map(|thread| thread.spec.clone()).collect();
        phase.node =
            self.machine.add(|node| Node::Workload(Box::new(Workload::new(specs, 0, node))));
        let ramp = (phase.open_ps > phase.start_ps).then_some(PhaseKind::Ramp);
        books.recorder.begin(&phase.asked.name, ramp);
        let mut meter = None;
        if phase.open_ps <= phase.start_ps {
            meter = Some(self.open(phase.start_ps));
        }
        self.machine.start(phase.node);
        let fine = phase.threads.iter().any(|t| books.file.jobs[t.job].exit_all);
        let look_ios = phase.enough.map_or(u64::MAX, |enough| match meter {
            None => enough.ramp_ios / 2,
            Some(_) => enough.ios,
        });
        Course {
            credit: self.credit(),
            grows: false,
            look_ios,
            watches,
            meter,
            slice: if fine { FINE_SLICE } else { SLICE },
            ios_before: self.machine.context.probe.ios,
            ramp_ios: 0,
            events_before: self.machine.context.queue.events_done(),
            reported: 0,
        }
    }

    /// I/Os of the phase so far.
    fn used(&self, course: &Course) -> u64 {
        self.machine.context.probe.ios - course.ios_before
    }

    /// I/Os that the budget still has, or that are still asked for: for the ramp, or for all of the
    /// phase.
    fn left(&self, phase: &Phase<'_>, course: &Course) -> u64 {
        let is_ramp = course.meter.is_none();
        let share = if is_ramp { RAMP_SHARE } else { 1 };
        let budget = phase.budget.map_or(u64::MAX, |all| all / share);
        let enough = phase.enough.map_or(u64::MAX, |enough| match is_ramp {
            true => course.look_ios.min(enough.most_ramp_ios),
            false => course.look_ios,
        });
        budget.min(enough).saturating_sub(self.used(course))
    }

    /// What the drives have taken without work so far.
    fn credit(&self) -> Credit {
        let drives = self.flash.iter().map(|&drive| self.machine.drive(drive));
        let now = Instant::from_ps(self.now_ps());
        Credit::of(drives, self.machine.context.probe.ios, now)
    }

    /// Whether a ramp that is counted in I/Os goes on: it has not come to its least number, or the
    /// drives take more and more without work.
    fn still_ramps(&self, phase: &Phase<'_>, course: &mut Course) -> bool {
        let Some(enough) = phase.enough else { return false };
        let (used, credit) = (self.used(course), self.credit());
        course.grows = credit.has_grown_since(&course.credit);
        course.credit = credit;
        course.look_ios = used.saturating_add((enough.ramp_ios / 2).max(1));
        used < enough.most_ramp_ios && (course.grows || used < enough.ramp_ios)
    }

    /// Whether a measurement that has its I/Os goes on: the drives have taken more without work
    /// since it began, or have done work for what they took before, as they do in turn where
    /// collection comes in waves. Over a whole wave it is the rate that lasts.
    fn goes_on(&self, phase: &Phase<'_>, course: &mut Course, books: &mut Books<'_>) -> bool {
        let Some(enough) = phase.enough else { return false };
        let used = self.used(course);
        let is_spent = phase.budget.is_some_and(|budget| used >= budget);
        if is_spent || !self.credit().has_moved_since(&course.credit) {
            return false;
        }
        let measured = used - course.ramp_ios;
        if measured >= enough.most_ios {
            let message = "the drive took more than it worked for while it was measured, or less: \
                another rate may be what lasts; more I/Os (--budget) come nearer to it";
            books.totals.warnings.push(warning("brief-run", "runtime", message.to_owned()));
            return false;
        }
        let step = (enough.ios / STEPS).max(1).min(enough.most_ios - measured);
        course.look_ios = used.saturating_add(step);
        true
    }

    /// What comes next, if any clock runs that long.
    fn due(
        &self,
        phase: &Phase<'_>,
        course: &Course,
        books: &Books<'_>,
    ) -> Result<Due, Diagnostic> {
        let watched = course.watches.iter().filter(|watch| !watch.attained);
        let opening = course.meter.is_none().then_some(phase.open_ps);
        let minute = self.clock.next_minute().map(Instant::ps);
        let sample = Some(books.recorder.due_ps());
        let all = watched.map(|watch| watch.next_ps).chain(opening).chain(minute).chain(sample);
        let first = all.min();
        if first.is_some_and(|at| at > Instant::HORIZON.ps()) {
            return Err(self.beyond_the_clock(books.file, phase));
        }
        Ok(Due { first, opening, minute })
    }

    /// Does what is due by now.
    fn at_boundary(
        &mut self,
        phase: &Phase<'_>,
        course: &mut Course,
        due: &Due,
        books: &mut Books<'_>,
    ) {
        let now_ps = due.first.unwrap_or(0);
        let opens = due.opening.is_some_and(|at| at <= now_ps);
        let running = self.machine.context.probe.running > 0;
        let now = Instant::from_ps(now_ps);
        if opens {
            self.end_ramp(phase, course, books, now_ps);
        } else if running && books.recorder.due_ps() <= now_ps {
            books.recorder.sample(self.machine, self.flash, now);
        }
        if due.minute == Some(now_ps) {
            self.minute();
        }
        self.sample(phase, &mut course.watches, now_ps);
    }

    /// The ramp has had its I/Os: the window opens at the next round time.
    fn open_early(&mut self, phase: &mut Phase<'_>, course: &mut Course, books: &mut Books<'_>) {
        // For every law to hold that must be the present, so what happens before it happens now.
        let now_ps = self.round_up(self.now_ps() + 1, PS_PER_US);
        self.machine.run(Instant::from_ps(now_ps - 1), u64::MAX);
        self.cut_ramp(phase, now_ps, &mut books.totals);
        self.end_ramp(phase, course, books, now_ps);
    }

    /// What comes now is measured.
    fn end_ramp(
        &mut self,
        phase: &Phase<'_>,
        course: &mut Course,
        books: &mut Books<'_>,
        now_ps: u64,
    ) {
        books.recorder.end(self.machine, self.flash, Instant::from_ps(now_ps));
        books.recorder.begin(&phase.asked.name, None);
        course.ramp_ios = self.used(course);
        course.meter = Some(self.open(now_ps));
        let Some(enough) = phase.enough else { return };
        course.credit = self.credit();
        course.look_ios = course.ramp_ios.saturating_add(enough.ios);
        if course.grows {
            let message = "when the measurement began the drive still took more than it can keep \
                up with: what lasts may be less; more I/Os (--budget) come nearer to it";
            books.totals.warnings.push(warning("brief-ramp", "ramp_time", message.to_owned()));
        }
    }

    /// The measured window begins.
    fn open(&mut self, now_ps: u64) -> Meter {
        self.machine.context.probe.open_window(now_ps);
        Meter::read(now_ps, self.machine, &self.drives())
    }

    /// The ramp has as many I/Os as are asked for, or takes more than its share of the budget.
    fn cut_ramp(&mut self, phase: &mut Phase<'_>, now_ps: u64, totals: &mut Totals) {
        self.machine.context.probe.open_early(now_ps);
        let (asked_ps, start_ps) = (phase.open_ps, phase.start_ps);
        phase.open_ps = now_ps;
        if phase.enough.is_some() {
            return;
        }
        let message = format!(
            "the budget ended the ramp of {} s after {} s",
            (asked_ps - start_ps) as f64 / 1e12,
            now_ps.saturating_sub(start_ps) as f64 / 1e12
        );
        totals.warnings.push(warning("ramp-cut", "ramp_time", message));
    }

    /// Takes the samples that are due and stops the threads of entries that are steady.
    fn sample(&mut self, phase: &Phase<'_>, watches: &mut [Watch], now_ps: u64) {
        for watch in watches.iter_mut().filter(|watch| !watch.attained) {
            if watch.next_ps > now_ps {
                continue;
            }
            let steady = watch.sample(&self.machine.context.probe.entries[watch.entry]);
            for (i, thread) in phase.threads.iter().enumerate() {
                if steady && thread.entry == watch.entry {
                    self.machine.stop_thread(phase.node, narrow(i));
                }
            }
        }
    }

    /// A minute of the timed workload of the first drive is full.
    fn minute(&mut self) {
        if let Some(&drive) = self.flash.first() {
            self.clock.minute(self.machine.drive(drive));
        }
    }

    fn report(&self, phase: &Phase<'_>, options: &mut RunOptions<'_>) {
        let budget_ios = options.budget_ios;
        let Some(progress) = options.progress.as_mut() else { return };
        progress(&Progress {
            phase: phase.number,
            phases: phase.phases,
            simulated_s: (self.now_ps() - phase.start_ps) as f64 / 1e12,
            asked_s: phase.asked_ps().map(|ps| ps as f64 / 1e12),
            ios: self.machine.context.probe.ios,
            budget_ios,
        });
    }

    /// What the jobs ask takes longer than any clock runs.
    fn beyond_the_clock(&self, file: &JobFile, phase: &Phase<'_>) -> Diagnostic {
        let job = &file.jobs[phase.threads.first().map_or(0, |thread| thread.job)];
        let message =
            format!("job `{}`: the run is longer than 100 days of simulated time", job.name);
        Diagnostic::new(&job.place, message)
            .with_help("give the jobs shorter times, fewer bytes or a higher rate")
    }

    /// No event is left, and threads are not done: the model has lost something.
    fn no_progress(&self, file: &JobFile, phase: &Phase<'_>) -> Diagnostic {
        let job = phase.threads.first().map_or(0, |thread| thread.job);
        let message = format!(
            "job `{}`: the modelled drive makes no progress: {}",
            file.jobs[job].name,
            self.machine.describe()
        );
        Diagnostic::new(&file.jobs[job].place, message)
            .with_help("give the model more spare area, or write less of it")
    }
}

/// When each thread of a phase is measured, ps.
fn opens(file: &JobFile, phase: &Phase<'_>) -> Vec<u64> {
    let open = phase.threads.iter().map(|thread| {
        let ramp = Duration::from_us(file.jobs[thread.job].ramp_time_us);
        (Instant::from_ps(phase.start_ps) + thread.spec.start_delay + ramp).ps()
    });
    open.collect()
}

/// A watch for each entry of the phase that asks for a steady state.
fn watches(file: &JobFile, phase: &Phase<'_>, opens: &[u64]) -> Vec<Watch> {
    let mut watches: Vec<Watch> = Vec::new();
    for (thread, open_ps) in phase.threads.iter().zip(opens) {
        let known = watches.iter().any(|watch| watch.entry == thread.entry);
        if let (Some(asked), false) = (file.jobs[thread.job].steady_state, known) {
            watches.push(Watch::new(asked, thread.entry, *open_ps));
        }
    }
    watches
}

//! Lets the threads of a plan run, phase by phase, and ends a phase whose budget is spent.
//!
//! # How a budget ends a phase
//! The number of events says when: at time `t` it is spent. The window then continues to the next
//! multiple of a round span, at most a twentieth of what has been measured, and every I/O that
//! completes before that boundary counts, whenever it was issued; none of those that complete later
//! is waited for. Completions inside a window of a stationary process are an unbiased sample of its
//! rate and of its latencies: I/Os cut off at the end are made up for by those that were in flight
//! at the beginning. To count only I/Os issued *and* completed inside would leave long ones out; to
//! wait for the last ones would let the queue run dry inside the window. The boundary is fixed
//! before what is beyond `t` is seen, so that the moment of stopping does not favour a fast or a
//! slow stretch. A phase that is asked for so many I/Os ends in the same way.

mod course;
mod credit;

use super::assemble::{self, Totals};
use super::checks::Meter;
use super::limit;
use super::observe::{Observer, ThreadTally};
use super::options::{Enough, RunOptions};
use super::sense;
use super::simulated::Simulated;
use super::tally::EntryTally;
use super::timeline::Recorder;
use super::translate::{Plan, Planned};
use super::warn::warning;
use crate::health::Clock;
use engine::Instant;
use fio::{Diagnostic, JobFile};
use iopath::device::flash::drive::Drive;
use iopath::machine::{Machine, Stop};

/// Events between two looks at the clock.
const SLICE: u64 = 8192;
/// A boundary is at most this part of the measured time ahead.
const OVERRUN: u64 = 20;

/// Sections by which a phase is called at most.
const NAMES: usize = 3;

const PS_PER_US: u64 = 1_000_000;

/// Where a run takes place.
pub(super) struct Bench<'a> {
    /// The machine, at rest.
    pub machine: &'a mut Machine<(), Observer>,
    /// Whether one flash drive is all there is.
    pub single: bool,
    /// The flash drives.
    pub flash: &'a [u16],
    /// Counters that the drive saves every minute.
    pub clock: &'a mut Clock,
}

/// What a run is asked for, and what it adds up.
struct Books<'a> {
    file: &'a JobFile,
    recorder: Recorder,
    totals: Totals,
}

/// What is to be watched while a phase runs.
struct Phase<'a> {
    number: u32,
    phases: u32,
    threads: &'a [Planned],
    base: usize,
    node: u16,
    start_ps: u64,
    /// When its first thread is measured, ps.
    open_ps: u64,
    budget: Option<u64>,
    /// I/Os that are enough, if that is what is asked for.
    enough: Option<Enough>,
    asked: limit::Asked,
}

impl Phase<'_> {
    /// Length of its longest thread, ps, if all of them end by time.
    fn asked_ps(&self) -> Option<u64> {
        let end = |thread: &Planned| {
            thread.spec.expected_time().map(|time| (time + thread.spec.start_delay).ps())
        };
        self.threads.iter().map(end).try_fold(0, |longest, end| end.map(|end| end.max(longest)))
    }
}

impl Bench<'_> {
    /// Runs all phases of a plan.
    pub(super) fn run(
        mut self,
        file: &JobFile,
        mut plan: Plan,
        options: &mut RunOptions<'_>,
    ) -> Result<Simulated, Diagnostic> {
        self.machine.context.probe = observer(file, &plan, options);
        let rest = self.read();
        let events_before = self.machine.context.queue.events_done();
        let run_start_ps = self.now_ps();
        let mut totals = Totals::default();
        totals.single = self.single;
        let mut books = Books { file, recorder: self.recorder(), totals };
        let threads = std::mem::take(&mut plan.threads);
        let mut first = 0;
        for number in 0..plan.phases {
            let count = threads[first..].iter().take_while(|t| t.phase == number).count();
            let done = self.machine.context.probe.ios;
            let budget = options
                .budget_ios
                .map(|all| all.saturating_sub(done) / u64::from(plan.phases - number));
            let mut phase = Phase {
                number,
                phases: plan.phases,
                threads: &threads[first..first + count],
                base: first,
                node: 0,
                start_ps: self.now_ps(),
                open_ps: 0,
                budget,
                enough: options.enough,
                asked: asked(file, &threads[first..first + count], options),
            };
            self.phase(&mut phase, &mut books, options)?;
            first += count;
        }
        let Books { recorder, mut totals, .. } = books;
        self.machine.drain();
        totals.checks = rest.checks(&self.read(), &self.drives());
        totals.checks.little = std::mem::take(&mut totals.little);
        totals.events = self.machine.context.queue.events_done() - events_before;
        totals.run_start_ps = run_start_ps;
        totals.timeline = recorder.finish();
        plan.threads = threads;
        let observer = std::mem::take(&mut self.machine.context.probe);
        Ok(assemble::assemble(file, plan, observer, totals))
    }

    fn drives(&self) -> Vec<&Drive<()>> {
        self.flash.iter().map(|&drive| self.machine.drive(drive)).collect()
    }

    fn read(&self) -> Meter {
        Meter::read(self.now_ps(), self.machine, &self.drives())
    }

    fn recorder(&self) -> Recorder {
        let now = self.machine.context.queue.now();
        Recorder::new(self.machine, self.flash, now, self.single)
    }

    fn now_ps(&self) -> u64 {
        self.machine.context.queue.now().ps()
    }

    /// The phase is done, or its budget is spent.
    fn end(&mut self, phase: &Phase<'_>, meter: Option<Meter>, cut: bool, totals: &mut Totals) {
        let mut end_ps = self.machine.context.probe.last_end_ps;
        let mut cut = cut;
        if cut {
            let now_ps = self.now_ps();
            let step = step_for(now_ps.saturating_sub(phase.open_ps));
            let since = self.round_up(now_ps.saturating_sub(phase.open_ps) + 1, step);
            let boundary = phase.open_ps + since;
            self.machine.run(Instant::from_ps(boundary - 1), u64::MAX);
            // It may have come to its own end in this last stretch.
            cut = self.machine.context.probe.running > 0;
            end_ps = if cut { boundary } else { self.machine.context.probe.last_end_ps };
        }
        let node = phase.node;
        let context = &mut self.machine.context;
        let issued: Vec<u64> = context
            .commands
            .iter()
            .filter(|(_, command)| command.parent == node)
            .map(|(_, command)| command.issued.ps())
            .collect();
        let little = context.probe.close(end_ps, issued.into_iter());
        let Some(meter) = meter else {
            let message = format!("phase {} ended inside its ramp", phase.number + 1);
            totals.warnings.push(warning("nothing-measured", "ramp_time", message));
            return;
        };
        totals.measured_ps += end_ps.saturating_sub(phase.open_ps);
        let now_ps = self.now_ps().max(end_ps);
        let drives = self.drives();
        let end = Meter::read(now_ps, self.machine, &drives);
        totals.add_meters(&meter, &end);
        let configs: Vec<_> = drives.iter().map(|drive| drive.config()).collect();
        let name = &phase.asked.name;
        totals.warnings.extend(sense::power(&meter, &end, &configs, name));
        totals.warnings.extend(sense::owed(&meter, &end));
        totals.limits.extend(limit::of_phase(&meter, &end, &configs, &little, &phase.asked));
        totals.little.push(little);
        if cut {
            if phase.enough.is_none() {
                totals.ended_early = true;
                totals.warnings.push(self.budget_warning(phase, end_ps));
            }
            // Others follow: nothing of this phase may be in flight when they begin, and no more
            // time may pass than that takes: left alone, a drive would collect meanwhile.
            self.machine.stop(node);
            self.machine.run(Instant::from_ps(self.now_ps()), u64::MAX);
            while self.machine.context.probe.outstanding > 0
                && self.machine.run(Instant::NEVER, 1) != Stop::Idle
            {}
        }
    }

    fn budget_warning(&self, phase: &Phase<'_>, end_ps: u64) -> stats::Warning {
        let simulated_s = end_ps.saturating_sub(phase.start_ps) as f64 / 1e12;
        let asked = match phase.asked_ps() {
            Some(asked_ps) => format!("{} s were asked for", asked_ps as f64 / 1e12),
            None => "its jobs end by the bytes or I/Os they move".to_owned(),
        };
        let message = format!(
            "the budget ended phase {} of {} after {simulated_s} s of simulated time; {asked}. \
             Rates and latencies are those of this shorter time, and the drive has seen less work",
            phase.number + 1,
            phase.phases
        );
        warning("budget-ended", format!("phase {}", phase.number + 1), message)
    }

    fn round_up(&self, value: u64, step: u64) -> u64 {
        value.div_ceil(step).saturating_mul(step)
    }
}

/// The greatest round span that is at most a part of what has been measured.
fn step_for(measured_ps: u64) -> u64 {
    let most = measured_ps / OVERRUN;
    let mut step = PS_PER_US;
    for factor in [2, 5, 10].into_iter().cycle() {
        let base = 10_u64.pow(step.ilog10());
        let next = base * factor;
        if next > most || next > 1_000_000 * PS_PER_US {
            break;
        }
        step = next;
    }
    step
}

fn observer(file: &JobFile, plan: &Plan, options: &RunOptions<'_>) -> Observer {
    let threads = plan.threads.iter().enumerate().map(|(i, planned)| {
        let job = &file.jobs[planned.job];
        let log = super::log::ThreadLog::new(&job.logs, i as u64 + 1);
        let tally = ThreadTally::new(planned.entry, job.exit_all, log);
        match job.latency_target {
            Some(asked) => tally.searching(asked.run),
            None => tally,
        }
    });
    let entries = plan
        .entries
        .iter()
        .map(|entry| EntryTally::new(&file.jobs[entry.job], options.window.ps()));
    Observer::new(threads.collect(), entries.collect(), options.host.submit.ps() > 0)
}

/// What the jobs of a phase ask for.
fn asked(file: &JobFile, threads: &[Planned], options: &RunOptions<'_>) -> limit::Asked {
    limit::Asked {
        name: names(file, threads),
        depth: threads.iter().map(|thread| f64::from(thread.spec.depth)).sum(),
        threads: threads.len() as f64,
        submit_ps: options.host.submit.ps() as f64,
    }
}

/// What a phase is called: its first sections.
fn names(file: &JobFile, threads: &[Planned]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for thread in threads {
        let name = file.jobs[thread.job].name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = if names.len() > NAMES { ", ..." } else { "" };
    names.truncate(NAMES);
    names.join(", ") + more
}

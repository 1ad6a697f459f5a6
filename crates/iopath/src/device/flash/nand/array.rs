//! The array of a die: when a program or erase begins, is suspended, resumed, and ends.

use super::die::{Array, ArrayKind};
use super::{Nand, Outcome, kind};
use engine::{Duration, Event, EventQueue, Instant, Priority};

impl Nand {
    /// Begins or resumes the die's array operation if its planes are free.
    pub(super) fn start_array(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        let hold = self.suspend.max_hold;
        let d = &mut self.dies[die as usize];
        let suspended = matches!(d.array, Array::Suspended { .. });
        let erases = |line: u32| self.lines[line as usize].erase_first;
        let ready = suspended || d.lines.front().is_some_and(|&line| d.loaded || erases(line));
        if !ready {
            d.wants_array_since = None;
            return;
        }
        let since = *d.wants_array_since.get_or_insert(now);
        let overdue = now.since(since) >= hold;
        let waiting = d.host_waiting != 0 || !suspended && d.copies_waiting != 0;
        if d.busy_planes != 0 || (waiting && !overdue) {
            return;
        }
        match d.array {
            Array::Suspended { kind, remaining } => {
                d.wants_array_since = None;
                // What runs is counted from the end of the resumption, so that an operation that is
                // suspended again and again advances by the least run each time.
                let since = now + self.suspend.resume;
                self.run_array(queue, now, die, kind, since, remaining);
            }
            _ => self.begin_array(queue, now, die),
        }
    }

    fn begin_array(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        let granted = matches!(self.dies[die as usize].array, Array::Granted);
        let line = self.lines[self.dies[die as usize].lines[0] as usize];
        let (line_bytes, program_time) = (self.bytes_of(&line), self.program_time(&line));
        let d = &mut self.dies[die as usize];
        let kind = if line.erase_first { ArrayKind::Erase } else { ArrayKind::Program };
        if kind == ArrayKind::Program && !granted {
            let limit =
                if self.collecting { self.limits.dies_collecting } else { self.limits.dies };
            if self.programming >= limit {
                if !d.held {
                    d.held = true;
                    self.held.push_back(die);
                }
                d.wants_array_since = None;
                // Reads that let it go first have waited for nothing.
                self.start_senses(queue, now, die);
                return;
            }
        }
        let energy = match kind {
            ArrayKind::Erase => self.power.erase.base(),
            ArrayKind::Program => line_bytes * self.power.program_per_byte.base(),
        };
        if !granted && let Some(gate) = &mut self.energy_gate {
            let at = gate.opens_at(now);
            gate.take(at, energy);
            if at > now {
                // The place in the queue for energy is taken; reads may use the die until then.
                d.array = Array::AwaitingEnergy;
                d.wants_array_since = None;
                d.generation = d.generation.wrapping_add(1);
                let argument = die << 16 | d.generation as u32;
                self.change_programming(now, i32::from(kind == ArrayKind::Program));
                let event = Event { node: self.node, kind: kind::ARRAY, argument };
                queue.push(at, Priority::Normal, event);
                self.start_senses(queue, now, die);
                return;
            }
        }
        self.counters.energy_pj += energy;
        d.wants_array_since = None;
        d.suspends = 0;
        d.may_suspend = self.suspend.never_ppm == 0
            || kind == ArrayKind::Erase
            || self.random.below(1_000_000) >= self.suspend.never_ppm as u64;
        match kind {
            ArrayKind::Erase => {
                self.counters.erases += 1;
                self.run_array(queue, now, die, kind, now, self.timing.erase);
            }
            ArrayKind::Program => {
                self.counters.programs += 1;
                self.change_programming(now, i32::from(!granted));
                let d = &mut self.dies[die as usize];
                // The register is copied into the array's latches: the next line may load.
                d.loaded = false;
                let id = d.lines.pop_front().expect("a program has a word line");
                d.current = id;
                self.run_array(queue, now, die, kind, now, program_time);
                self.load(queue, now, die);
            }
        }
    }

    fn run_array(
        &mut self,
        queue: &mut EventQueue,
        now: Instant,
        die: u32,
        kind: ArrayKind,
        since: Instant,
        remaining: Duration,
    ) {
        self.registers.clear(die);
        let d = &mut self.dies[die as usize];
        d.array = Array::Running { kind, since, until: since + remaining };
        d.generation = d.generation.wrapping_add(1);
        let argument = die << 16 | d.generation as u32;
        let event = Event { node: self.node, kind: kind::ARRAY, argument };
        queue.push(since + remaining, Priority::Normal, event);
        if d.host_waiting != 0 {
            self.consider_suspend(queue, now, die);
        }
    }

    /// A host read waits while the array works: suspend it if that is allowed and pays.
    pub(super) fn consider_suspend(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        let s = &self.suspend;
        let d = &mut self.dies[die as usize];
        let Array::Running { kind, since, until } = d.array else { return };
        if !s.enabled || !d.may_suspend || d.host_waiting == 0 || d.suspends >= s.max_count {
            return;
        }
        let at = match kind {
            ArrayKind::Program => {
                // Asked inside the window or so late that it would fall into it: wait for the end.
                let asked = now.max(since + s.min_run);
                if until.since(Instant::ZERO) <= asked.since(Instant::ZERO) + s.closed_window {
                    return;
                }
                asked + Duration::from_ps(self.random.below(s.latency.ps() + 1))
            }
            ArrayKind::Erase => {
                let segment = s.erase_segment.ps();
                let run = now.max(since).since(since).ps();
                since + Duration::from_ps(run.div_ceil(segment).max(1) * segment)
            }
        };
        if at >= until {
            return;
        }
        d.suspends += 1;
        d.array = Array::Suspending { kind, remaining: until.since(at) };
        d.generation = d.generation.wrapping_add(1);
        let argument = die << 16 | d.generation as u32;
        queue.push(at, Priority::Normal, Event { node: self.node, kind: kind::ARRAY, argument });
    }

    pub(super) fn array_event(
        &mut self,
        queue: &mut EventQueue,
        now: Instant,
        argument: u32,
    ) -> Outcome {
        let die = argument >> 16;
        let d = &mut self.dies[die as usize];
        if u32::from(d.generation) != argument & 0xffff {
            return Outcome::Nothing;
        }
        let mut outcome = Outcome::Nothing;
        match d.array {
            Array::Suspending { kind, remaining } => {
                self.counters.suspends += 1;
                d.array = Array::Suspended { kind, remaining };
            }
            Array::AwaitingEnergy => d.array = Array::Granted,
            Array::Running { kind: ArrayKind::Erase, .. } => {
                d.array = Array::Idle;
                let line = d.lines[0];
                self.lines[line as usize].erase_first = false;
            }
            Array::Running { kind: ArrayKind::Program, .. } => {
                d.array = Array::Idle;
                let line = self.lines[d.current as usize];
                self.free_lines.push(d.current);
                self.counters.program_bytes += self.bytes_of(&line);
                self.change_programming(now, -1);
                outcome = Outcome::Programmed(line);
                self.release_held(queue, now);
            }
            Array::Idle | Array::Suspended { .. } | Array::Granted => {}
        }
        self.advance(queue, now, die);
        outcome
    }

    /// Lets dies that wait for the limit on programs go, oldest first.
    pub(super) fn release_held(&mut self, queue: &mut EventQueue, now: Instant) {
        let mut n = self.held.len();
        while n > 0 && self.programming < self.program_limit() {
            n -= 1;
            let Some(die) = self.held.pop_front() else { return };
            self.dies[die as usize].held = false;
            self.advance(queue, now, die);
        }
    }
}

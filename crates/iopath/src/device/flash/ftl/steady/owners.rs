//! The logical units of a steady state in random order, by how often they are written.

use super::super::map::{Map, RunOrder};
use crate::kernel::spread::Spread;
use engine::{Stream, index, narrow};

/// How many logical units are drawn ahead.
const AHEAD: usize = 64;

/// Logical units of one class: windows of each period, and what comes after the periods.
#[derive(Clone, Debug)]
struct Places {
    /// Units of a window, and of a period.
    window: u64,
    period: u64,
    /// The windows of a period that belong to it.
    windows: Vec<u64>,
    /// Units of the class in the periods, the last of which may be cut.
    inside: u64,
    /// Runs of units after them: first and number.
    after: Vec<(u64, u64)>,
}

impl Places {
    /// Units `0..live`.
    fn all(live: u64) -> Self {
        Places { window: live, period: live, windows: vec![0], inside: live, after: Vec::new() }
    }

    /// The windows of a set, over the first `units` units.
    fn of(spread: &Spread, set: u64, unit: u64, units: u64) -> Self {
        let window = spread.window / unit;
        let period = window * u64::from(spread.period);
        let windows: Vec<u64> =
            (0..u64::from(spread.period)).filter(|at| set >> at & 1 != 0).collect();
        let rest = units % period;
        let cut = windows.iter().map(|at| rest.saturating_sub(at * window).min(window));
        let inside = units / period * window * windows.len() as u64 + cut.sum::<u64>();
        Places { window, period, windows, inside, after: Vec::new() }
    }

    fn count(&self) -> u64 {
        self.inside + self.after.iter().map(|(_, units)| units).sum::<u64>()
    }

    /// The unit of a number.
    #[inline]
    fn at(&self, number: u64) -> u64 {
        if self.windows.len() == 1 && self.window == self.period {
            return number;
        }
        if number < self.inside {
            let each = self.window * self.windows.len() as u64;
            let (period, rest) = (number / each, number % each);
            let window = self.windows[index(rest / self.window)];
            return period * self.period + window * self.window + rest % self.window;
        }
        let mut left = number - self.inside;
        for &(first, units) in &self.after {
            if left < units {
                return first + left;
            }
            left -= units;
        }
        unreachable!("a number beyond the class")
    }
}

/// The units of one class in random order of their runs. The map's lines are asked for some steps
/// before they are needed: without that, each step would wait for memory.
struct Class {
    places: Places,
    order: RunOrder,
    drawn: u64,
    ahead: [u32; AHEAD],
    at: usize,
    filled: usize,
}

impl Class {
    fn new(places: Places, run: u32, stream: &mut Stream) -> Self {
        let order = RunOrder::new(places.count(), run, stream);
        Class { places, order, drawn: 0, ahead: [0; AHEAD], at: 0, filled: 0 }
    }

    #[inline]
    fn next(&mut self, map: &Map) -> Option<u32> {
        if self.at == self.filled {
            self.draw(map);
            if self.filled == 0 {
                return None;
            }
        }
        self.at += 1;
        Some(self.ahead[self.at - 1])
    }

    fn draw(&mut self, map: &Map) {
        self.filled = index((self.order.count() - self.drawn).min(AHEAD as u64));
        for slot in &mut self.ahead[..self.filled] {
            *slot = narrow(self.places.at(self.order.at(self.drawn)));
            map.prefetch(*slot);
            self.drawn += 1;
        }
        self.at = 0;
    }
}

/// All logical units that hold data.
pub(super) struct Owners {
    /// Units of a run, side by side on a page.
    pub run: u32,
    /// Shares (0 to 1) of the writes that go to cold and warm units and to the log; `None` if all
    /// are written alike.
    pub shares: Option<[f64; 3]>,
    cold: Class,
    warm: Option<Class>,
    /// Units left of the run that is given out, and whether it is warm.
    left: u32,
    warm_run: bool,
    /// What is overwritten before its stripe is full.
    log: std::ops::Range<u32>,
}

impl Owners {
    /// Units `0..live`, all of them written alike.
    pub fn uniform(live: u32, run: u32, stream: &mut Stream) -> Self {
        let cold = Class::new(Places::all(u64::from(live)), run, stream);
        Owners { run, shares: None, cold, warm: None, left: 0, warm_run: false, log: 0..0 }
    }

    /// Units `0..live` of `unit` bytes, written as the spread says. `None` if its windows are no
    /// whole units, or one of them is a part of a run.
    pub fn spread(
        spread: &Spread,
        live: u32,
        run: u32,
        unit: u64,
        stream: &mut Stream,
    ) -> Option<Self> {
        let bytes = u64::from(run) * unit;
        if spread.window == 0 || !spread.window.is_multiple_of(bytes) {
            return None;
        }
        let live = u64::from(live);
        let inside = (spread.bytes / unit).min(live);
        let all = u64::MAX >> (u64::BITS - spread.period);
        let log = spread.log.map_or(live..live, |(first, bytes)| {
            let (first, end) = (first / unit, (first + bytes).div_ceil(unit));
            first.clamp(inside, live)..end.clamp(inside, live)
        });
        let mut cold = Places::of(spread, all & !spread.warm, unit, inside);
        cold.after = vec![(inside, log.start - inside), (log.end, live - log.end)];
        let warm = Places::of(spread, spread.warm, unit, inside);
        Some(Owners {
            run,
            shares: Some(spread.shares()),
            cold: Class::new(cold, run, stream),
            warm: Some(Class::new(warm, run, stream)),
            left: 0,
            warm_run: false,
            log: narrow(log.start)..narrow(log.end),
        })
    }

    /// Cold and warm units.
    pub fn counts(&self) -> [u64; 2] {
        [self.cold.order.count(), self.warm.as_ref().map_or(0, |warm| warm.order.count())]
    }

    /// The order of all units, if they are written alike.
    pub fn order(&self) -> Option<RunOrder> {
        self.shares.is_none().then_some(self.cold.order)
    }

    /// The first `units` units of that order have their places.
    ///
    /// # Panics
    /// If any was given out before.
    pub fn skip(&mut self, units: u32) {
        assert!(self.cold.drawn == 0, "only the first units are left out");
        self.cold.drawn = u64::from(units);
    }

    /// What is in a log, all of it at once.
    pub fn take_log(&mut self) -> std::ops::Range<u32> {
        std::mem::take(&mut self.log)
    }

    /// The next unit: of a warm run with this probability in 2^32, of the other kind if there is
    /// none left.
    #[inline]
    pub fn next(&mut self, map: &Map, warm: u64, stream: &mut Stream) -> Option<u32> {
        let Some(class) = &mut self.warm else { return self.cold.next(map) };
        if self.left == 0 {
            self.left = self.run;
            self.warm_run = stream.bits() >> 32 < warm;
        }
        self.left -= 1;
        match self.warm_run {
            true => class.next(map).or_else(|| self.cold.next(map)),
            false => self.cold.next(map).or_else(|| class.next(map)),
        }
    }
}

//! The logical units of a steady state in random order, by how often they are written.

use super::super::map::{Places, RunOrder, Scatter, Scattered};
use crate::device::flash::geometry::Layout;
use crate::kernel::spread::Spread;
use engine::{Stream, narrow};

/// Units that are written alike.
struct Class {
    order: RunOrder,
    /// How many have their place.
    drawn: u64,
}

impl Class {
    fn new(places: Places, run: u32, stream: &mut Stream) -> Self {
        Class { order: RunOrder::new(places, run, stream), drawn: 0 }
    }

    /// One unit more has its place, if one is left.
    #[inline]
    fn draw(&mut self) -> bool {
        let is_left = self.drawn < self.order.count();
        self.drawn += u64::from(is_left);
        is_left
    }
}

/// All logical units that hold data.
pub(super) struct Owners {
    /// Units of a run, side by side on a page.
    pub run: u32,
    /// Shares (0 to 1) of the writes that go to cold and warm units and to the log; `None` if all
    /// are written alike.
    pub shares: Option<[f64; 3]>,
    /// Cold units and, if there are some, warm ones.
    classes: Vec<Class>,
    /// Units left of the run that is given out, and the class that it is of.
    left: u32,
    class: usize,
    /// What is overwritten before its stripe is full.
    log: std::ops::Range<u32>,
}

impl Owners {
    /// Units `0..live`, all of them written alike.
    pub fn uniform(live: u32, run: u32, stream: &mut Stream) -> Self {
        let classes = vec![Class::new(Places::all(u64::from(live)), run, stream)];
        Owners { run, shares: None, classes, left: 0, class: 0, log: 0..0 }
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
        let after = vec![(inside, log.start - inside), (log.end, live - log.end)];
        let cold = Places::of(spread, all & !spread.warm, unit, inside, after);
        let warm = Places::of(spread, all & spread.warm, unit, inside, Vec::new());
        Some(Owners {
            run,
            shares: Some(spread.shares()),
            classes: vec![Class::new(cold, run, stream), Class::new(warm, run, stream)],
            left: 0,
            class: 0,
            log: narrow(log.start)..narrow(log.end),
        })
    }

    /// Cold and warm units.
    pub fn counts(&self) -> [u64; 2] {
        std::array::from_fn(|class| self.classes.get(class).map_or(0, |class| class.order.count()))
    }

    /// What is in a log, all of it at once.
    pub fn take_log(&mut self) -> std::ops::Range<u32> {
        std::mem::take(&mut self.log)
    }

    /// So many units have their place, where all are alike.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn draw_alike(&mut self, units: u32) {
        let only = &mut self.classes[0];
        only.drawn += u64::from(units);
        assert!(only.drawn <= only.order.count(), "more units than owners");
    }

    /// The class of the next unit: that of a warm run with this probability in 2^32, the other one
    /// if there is none left.
    #[inline]
    pub fn next_class(&mut self, warm: u64, stream: &mut Stream) -> Option<usize> {
        if let [only] = self.classes.as_mut_slice() {
            return only.draw().then_some(0);
        }
        if self.left == 0 {
            self.left = self.run;
            self.class = usize::from(stream.bits() >> 32 < warm);
        }
        self.left -= 1;
        [self.class, 1 - self.class].into_iter().find(|class| self.classes[*class].draw())
    }

    /// The next unit.
    #[inline]
    pub fn next(&mut self, warm: u64, stream: &mut Stream) -> Option<u32> {
        let class = self.next_class(warm, stream)?;
        let class = &self.classes[class];
        Some(narrow(class.order.at(class.drawn - 1)))
    }

    /// For each class the groups that its units are scattered over.
    pub fn scatters(&self, layout: &Layout) -> Vec<Scatter> {
        self.classes.iter().map(|_| Scatter::new(layout)).collect()
    }

    /// Gives what was scattered the units in their order.
    pub fn in_order(&self, scatters: Vec<Scatter>) -> Vec<Scattered> {
        let classes = scatters.into_iter().zip(&self.classes);
        classes.map(|(scatter, class)| scatter.in_order(class.order.clone())).collect()
    }
}

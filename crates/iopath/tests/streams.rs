//! The write stream against a naive enumeration of its stripe: which unit comes next, which word
//! lines become ready and when, what padding gives up, and when the stripe closes.

use iopath::device::flash::ftl::pool::Pool;
use iopath::device::flash::ftl::stream::{Lines, Ready, Source, WriteStream};
use iopath::device::flash::geometry::Layout;
use proptest::prelude::*;
use std::collections::BTreeSet;

use crate::common::random::{cases, geometries};

/// The stripe as a list of places in the order in which they are filled; no arithmetic.
struct Naive {
    /// (die, row, physical unit) of each data place.
    places: Vec<(u32, u32, u32)>,
    next: usize,
    /// Word lines (die, first row) that are ready already, full or padded.
    done: BTreeSet<(u32, u32)>,
    /// Data units in each word line.
    data: std::collections::BTreeMap<(u32, u32), u32>,
}

impl Naive {
    fn new(layout: &Layout, groups: &[u32]) -> Naive {
        let g = &layout.geometry;
        let mut places = Vec::new();
        for row in 0..g.rows {
            for die in (0..g.dies).filter(|&die| !layout.is_parity(die, groups[0])) {
                for plane in 0..layout.plane_slots {
                    let first = layout.page_unit(groups, die, plane, row);
                    places.extend((first..first + layout.slots).map(|unit| (die, row, unit)));
                }
            }
        }
        Naive { places, next: 0, done: BTreeSet::new(), data: Default::default() }
    }

    fn line(&self, layout: &Layout, i: usize) -> (u32, u32) {
        let (die, row, _) = self.places[i];
        (die, row - row % layout.geometry.pages_per_wl)
    }

    /// Places of word lines that are done are never used.
    fn skip(&mut self, layout: &Layout) {
        while self.next < self.places.len() && self.done.contains(&self.line(layout, self.next)) {
            self.next += 1;
        }
    }

    fn room(&self, layout: &Layout) -> u32 {
        let left = self.next..self.places.len();
        left.filter(|&i| !self.done.contains(&self.line(layout, i))).count() as u32
    }

    /// The next unit, and the line that it makes ready.
    fn place(&mut self, layout: &Layout) -> (u32, Option<(u32, u32)>) {
        self.skip(layout);
        let (line, unit) = (self.line(layout, self.next), self.places[self.next].2);
        *self.data.entry(line).or_default() += 1;
        self.next += 1;
        let full = self.data[&line] == layout.wl_units();
        if full {
            self.done.insert(line);
        }
        self.skip(layout);
        (unit, full.then_some(line))
    }

    fn pad(&mut self, layout: &Layout) -> BTreeSet<(u32, u32)> {
        let open: BTreeSet<_> =
            self.data.keys().copied().filter(|line| !self.done.contains(line)).collect();
        self.done.extend(&open);
        self.skip(layout);
        open
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_stream_is_its_enumeration(
        geometry in geometries(),
        steps in proptest::collection::vec(proptest::option::weighted(0.9, 1..40u32), 1..60)
    ) {
        let layout = Layout::new(geometry);
        prop_assume!(layout.group_data_units > 0);
        let mut pool = Pool::new(&layout);
        let mut stream = WriteStream::new(&layout, Lines::native(&layout));
        let mut ready = Ready::new();
        let mut naive: Option<Naive> = None;
        for step in steps {
            let mut expected = Vec::new();
            let Some(units) = step else {
                // A padded stripe; `None` is a flush.
                let room = stream.room_with_padding(&layout);
                let lost = stream.pad(&layout, &mut pool, &mut ready);
                prop_assert_eq!(room - lost, stream.room_with_padding(&layout));
                if let Some(naive) = &mut naive {
                    let lines = naive.pad(&layout);
                    let data: u32 = lines.iter().map(|line| naive.data[line]).sum();
                    prop_assert_eq!(lost, lines.len() as u32 * layout.wl_units() - data);
                    prop_assert_eq!(naive.room(&layout), stream.room_with_padding(&layout));
                    let got: BTreeSet<_> =
                        ready.drain(..).filter(|r| !r.parity).map(|r| (r.die, r.row)).collect();
                    prop_assert_eq!(got, lines);
                    prop_assert_eq!(stream.unfinished(), 0);
                    prop_assert_eq!(stream.is_open(), naive.next < naive.places.len());
                }
                continue;
            };
            for _ in 0..units {
                if !stream.is_open() {
                    if pool.free_stripes() == 0 {
                        break;
                    }
                    stream.open_stripe(&layout, &mut pool, &mut ready);
                    naive = Some(Naive::new(&layout, stream.groups()));
                }
                let naive = naive.as_mut().unwrap();
                let (unit, line) = naive.place(&layout);
                let placed = stream.place(Source::Host, 1, &layout, &mut pool, &mut ready);
                prop_assert_eq!(placed, unit);
                expected.extend(line);
                prop_assert_eq!(stream.is_open(), naive.next < naive.places.len());
                prop_assert_eq!(stream.room_with_padding(&layout), naive.room(&layout));
                // What resumes from here must know which rows are on the flash.
                if stream.is_open() {
                    for die in 0..geometry.dies {
                        let lines = naive.done.iter().filter(|line| line.0 == die).count() as u32;
                        if !layout.is_parity(die, stream.groups()[0]) {
                            let rows = lines * geometry.pages_per_wl;
                            prop_assert_eq!(stream.finished_rows(die), rows);
                        }
                    }
                }
            }
            let got: Vec<_> =
                ready.drain(..).filter(|r| !r.parity).map(|r| (r.die, r.row)).collect();
            prop_assert_eq!(got, expected);
        }
    }

    /// Every stripe has all of its word lines made ready exactly once, parity included, in the
    /// order of rows on each die.
    #[test]
    fn every_word_line_is_ready_exactly_once(geometry in geometries(), pad_every in 1..50u32) {
        let layout = Layout::new(geometry);
        prop_assume!(layout.group_data_units > 0);
        let mut pool = Pool::new(&layout);
        let mut stream = WriteStream::new(&layout, Lines::native(&layout));
        let mut ready = Ready::new();
        let mut n = 0;
        stream.open_stripe(&layout, &mut pool, &mut ready);
        while stream.is_open() {
            stream.place(Source::Host, 1, &layout, &mut pool, &mut ready);
            n += 1;
            if n % pad_every == 0 {
                stream.pad(&layout, &mut pool, &mut ready);
            }
        }
        let mut next = vec![0; geometry.dies as usize];
        for line in &ready {
            prop_assert_eq!(line.row, next[line.die as usize]);
            next[line.die as usize] += geometry.pages_per_wl;
            prop_assert_eq!(line.parity, layout.is_parity(line.die, line.group));
            prop_assert!(line.host_units <= layout.wl_units());
        }
        prop_assert!(next.iter().all(|&rows| rows == geometry.rows));
        let data: u32 = ready.iter().map(|line| line.host_units).sum();
        prop_assert_eq!(data, n);
    }
}

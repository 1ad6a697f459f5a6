//! Some drives of a fleet that stand for all.

use crate::groups::Groups;
use crate::life::seed_of;
use crate::usage::{Drawing, Use, Written};
use engine::{Stream, index};

/// A stratified sample of the drives of a fleet in its first run: they are brought in order by what
/// their write amplification follows from (random or in order, size of writes, fill), this order is
/// cut into so many equal parts, and one drive of each is drawn. So each kind of use is in the
/// sample as often as it is in the fleet, to one drive. Of a fleet with fewer drives, all of them.
pub fn stratified(
    usage: &Use,
    groups: Option<Groups>,
    drives: u32,
    seed: u64,
    count: u32,
) -> Vec<Written> {
    let mut drawing = Drawing::new(usage, groups, seed_of(seed, 0));
    let mut all: Vec<Written> = (0..drives).map(|_| drawing.next().0).collect();
    all.sort_by(|a, b| {
        let kinds = (a.in_order, a.block).cmp(&(b.in_order, b.block));
        kinds.then(a.fill.total_cmp(&b.fill)).then(a.writes.total_cmp(&b.writes))
    });
    let mut stream = Stream::new(seed, "sample");
    let (all_drives, parts) = (all.len() as u64, u64::from(count.min(drives)));
    let drawn = (0..parts).map(|part| {
        let (from, to) = (part * all_drives / parts, (part + 1) * all_drives / parts);
        all[index(from + stream.below(to - from))]
    });
    drawn.collect()
}

//! What a drive is made of: values of which few are possible, each from a closed form.

use super::bench::{Bench, Draft};
use super::plan::Numbers;
use super::tested::Tested;
use crate::render::Failure;
use metric::Measurement;
use stats::NamedHistogram;
use std::cmp::Ordering::Equal;

const GIB: f64 = (1_u64 << 30) as f64;

/// Sizes of dies that are made, GiB: powers of two, and the 1.33 Tb of some QLC.
const DIE_GIB: [f64; 9] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0 / 3.0, 256.0];

/// Least flash over capacity that a drive can work with.
const LEAST_SPARE: f64 = 1.03;

/// Dies that drives have: so many of a power of two.
const MULTIPLES: [u32; 3] = [1, 3, 5];
const MOST_DIES: u32 = 512;
const LEAST_DIES: u32 = 4;

/// How many dies of what size can hold a capacity in bytes: of each number the smallest size that
/// leaves spare area.
pub fn possible_dies(capacity: f64) -> Vec<(u32, f64)> {
    let mut found: Vec<(u32, f64)> = Vec::new();
    for multiple in MULTIPLES {
        let mut dies = multiple;
        while dies <= MOST_DIES {
            let holds = |gib: &f64| f64::from(dies) * gib * GIB >= LEAST_SPARE * capacity;
            if dies >= LEAST_DIES
                && let Some(gib) = DIE_GIB.into_iter().find(holds)
            {
                // More than twice the capacity: a smaller number does.
                let raw = f64::from(dies) * gib * GIB / capacity;
                if raw < 2.0 {
                    found.push((dies, gib));
                }
            }
            dies *= 2;
        }
    }
    found.sort_by_key(|(dies, _)| *dies);
    found
}

/// A die's size as a model file writes it.
fn die_text(gib: f64) -> String {
    match gib.fract() == 0.0 {
        true => format!("{gib} GiB"),
        false => format!("{} B", (gib * GIB).round()),
    }
}

/// Random writes keep their number a second up to the mapping unit, and their bytes a second above
/// it. With these shares of the number with 4 KiB the writes of that size are within the unit.
const WITHIN_UNIT: f64 = 0.7;

/// The mapping unit, in KiB, from random writes of 4, 16 and 64 KiB; `None` if they were not
/// measured.
pub fn unit_kib(numbers: &Numbers) -> Option<u64> {
    let iops = |size: &str| Some(numbers.get(&format!("random-{size}.write_iops"))?.value);
    let small = iops("4k")?;
    let within = |size: &str| iops(size).is_some_and(|iops| iops > WITHIN_UNIT * small);
    Some(match (within("16k"), within("64k")) {
        (true, true) => 64,
        (true, false) => 16,
        _ => 4,
    })
}

/// A drive whose flushes cost less than this share of its single writes has capacitors: one
/// without has to program, which takes ten times as long as an answer.
const CHEAP_FLUSH: f64 = 0.25;

/// Whether what was acknowledged survives a power loss.
pub fn is_protected(numbers: &Numbers) -> Option<bool> {
    let latency = numbers.get("sync.write_lat_p50")?.value;
    let flushed = numbers.get("sync.flushed_iops")?.value;
    Some(flushed * latency > CHEAP_FLUSH)
}

/// The distribution of the latencies of reads.
fn reads(made: &Measurement) -> Option<&NamedHistogram> {
    made.histograms.iter().find(|histogram| histogram.name.ends_with("read_lat"))
}

/// Latencies of the kinds of pages, s: of so many kinds that are alike often, the middle of each
/// in the distribution of single reads.
pub fn kinds(made: &Measurement, count: usize) -> Option<Vec<f64>> {
    let reads = reads(made)?;
    let middle = |kind: usize| {
        let percent = 100.0 * (kind as f64 + 0.5) / count as f64;
        reads.percentile_ns(percent).map(|ns| ns as f64 * 1e-9)
    };
    (0..count).map(middle).collect()
}

/// Latencies this much apart are of two kinds of pages.
const APART: f64 = 1.02;

/// A kind of fewer reads than this share is none: refreshes, retries, the system.
const RARE: f64 = 0.03;

/// Shares of the kinds of pages, as single reads tell them apart; alike ones are one.
pub fn kind_shares(made: &Measurement) -> Vec<f64> {
    let Some(reads) = reads(made).filter(|reads| reads.n > 0) else { return Vec::new() };
    let mut shares: Vec<f64> = Vec::new();
    let mut last = 0;
    for (from, to, count) in reads.bins() {
        let share = count as f64 / reads.n as f64;
        match shares.last_mut() {
            Some(kind) if (from as f64) < last as f64 * APART => *kind += share,
            _ => shares.push(share),
        }
        last = to;
    }
    shares.retain(|share| *share >= RARE);
    shares
}

/// How far shares may be from what pages would give, and be so by chance.
const SHARE_OFF: f64 = 0.03;

/// Whether cells of so many bits can have kinds of pages with these shares: each kind is one or
/// several of as many pages as there are bits.
pub fn can_have(bits: usize, shares: &[f64]) -> bool {
    let pages = |share: &f64| share * bits as f64;
    let whole =
        |share: &f64| (pages(share) - pages(share).round()).abs() <= SHARE_OFF * bits as f64;
    shares.len() <= bits && shares.iter().all(|share| whole(share) && pages(share) > 0.5)
}

/// The sense times of the pages of a draft, us, in the order of its file.
pub fn senses(draft: &Draft) -> Option<Vec<f64>> {
    let system = draft.system()?;
    let table: toml::Table = system.lone_flash()?.nand_text.parse().ok()?;
    let list = table.get("sense")?.as_array()?;
    let one =
        |entry: &toml::Value| fit::Quantity::parse(entry.get("value")?.as_str()?)?.in_unit("us");
    list.iter().map(one).collect()
}

/// The sense times with which each kind of page is as fast as it was measured: what differs is
/// added to the kind of the same rank.
pub fn corrected(senses: &[f64], seen: &[f64], wanted: &[f64]) -> Vec<f64> {
    let mut ranks: Vec<usize> = (0..senses.len()).collect();
    ranks.sort_by(|a, b| senses[*a].total_cmp(&senses[*b]));
    let mut corrected = senses.to_vec();
    for (rank, page) in ranks.into_iter().enumerate() {
        let off = (wanted[rank] - seen[rank]) * 1e6;
        corrected[page] = (senses[page] + off).max(1.0);
    }
    corrected
}

/// Sense times as `--set` takes them.
pub fn sense_text(senses: &[f64]) -> String {
    let one = |us: &f64| format!("{} us", fit::significant(*us));
    senses.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Choices whose sum of squares is within this of the least cannot be told from it with a
/// probability of 90 % (chi square of one degree of freedom).
const ALIKE: f64 = 2.71;

/// Of all numbers of dies so many are looked at closely.
const REFINED: usize = 6;

/// What reads at depth agree with.
pub struct Dies {
    /// The model with them.
    pub draft: Draft,
    /// The numbers of dies that agree as well.
    pub alike: Vec<u32>,
}

/// The number of dies that reads over the queue depth and the capacity agree with, and the others
/// that do as well. Where planes read by themselves, a die counts as often as it has planes: dies
/// of the sibling's size are likelier than larger ones that do.
///
/// # Errors
/// An interruption.
pub fn dies(bench: &Bench, of: &Tested, draft: &Draft) -> Result<Option<Dies>, Failure> {
    let depths = of.numbers_of(&["depth-"]);
    let Some(top) = depths.iter().map(|number| number.value).reduce(f64::max) else {
        return Ok(None);
    };
    let usual = die_gib(draft);
    let us = fit::significant(1e6 / top).clamp(0.1, 30.0);
    let mut possible: Vec<(u32, f64, Draft)> = Vec::new();
    for planes in ["yes", "no"] {
        let planes = draft.with(&[("nand.independent_plane_reads", planes.to_owned())]);
        for (dies, gib) in possible_dies(of.capacity) {
            let with = with_dies(&planes, dies, gib, of.capacity);
            let with = with.map(|with| with.with(&[("controller.read_cost", format!("{us} us"))]));
            possible.extend(with.map(|with| (dies, gib, with)));
        }
    }
    let drafts: Vec<Draft> = possible.iter().map(|(_, _, draft)| draft.clone()).collect();
    let misses = bench.squares(&drafts, &of.planned, &depths)?;
    let mut order: Vec<(f64, (u32, f64, Draft))> = misses.into_iter().zip(possible).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found: Vec<(f64, u32, f64, Draft)> = Vec::new();
    for (_, (dies, gib, with)) in order.into_iter().take(REFINED) {
        let cores = ["controller.read_cost"];
        if let Some((with, misses)) = bench.search(&with, &cores, &depths, 2)? {
            found.push((misses, dies, (gib / usual).ln().abs(), with));
        }
    }
    let Some(least) = found.iter().map(|found| found.0).reduce(f64::min) else { return Ok(None) };
    found.retain(|found| found.0 <= least + ALIKE);
    let mut alike: Vec<u32> = found.iter().map(|found| found.1).collect();
    alike.sort_unstable();
    alike.dedup();
    // Of those with the likeliest size the one that agrees best.
    let best =
        found.into_iter().min_by(|a, b| (a.2, a.0).partial_cmp(&(b.2, b.0)).unwrap_or(Equal));
    Ok(best.map(|(_, _, _, draft)| Dies { draft, alike }))
}

/// The drafts with other numbers of planes, which large single reads tell apart.
pub fn with_planes(draft: &Draft) -> Vec<Draft> {
    let with = |planes: u32| draft.possible(&[("nand.planes", format!("{planes} planes"))]);
    [1, 2, 4].into_iter().filter_map(with).collect()
}

/// The size of a die of a draft, GiB.
fn die_gib(draft: &Draft) -> f64 {
    let size = draft.quantity("nand.die_capacity");
    size.and_then(|size| size.in_unit("GiB")).unwrap_or(64.0)
}

/// A draft with other dies and capacity. Programs at the same time keep their share.
fn with_dies(draft: &Draft, dies: u32, gib: f64, capacity: f64) -> Option<Draft> {
    let values = draft.values();
    let count =
        |key: &str| values.iter().find(|value| value.key == key).map(|value| value.quantity.number);
    let before = count("flash.dies")?;
    let limit = |key: &str| {
        let share = count(key)? / before;
        Some(format!("{} dies", (share * f64::from(dies)).round().clamp(1.0, f64::from(dies))))
    };
    let mut set = vec![
        ("body.capacity", format!("{capacity} B")),
        ("flash.dies", format!("{dies} dies")),
        ("nand.die_capacity", die_text(gib)),
    ];
    for key in ["flash.program_limit", "flash.program_limit_collecting"] {
        set.extend(limit(key).map(|limit| (key, limit)));
    }
    // What the dies hold is shared anew between the user and the spare area.
    let raw = f64::from(dies) * gib * GIB / capacity;
    let most = fit::significant((raw * 0.985).max(1.02));
    if let Some(alpha) = count("ftl.alpha")
        && alpha > most
    {
        set.push(("ftl.alpha", format!("{most} x")));
    }
    draft.possible(&set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dies_hold_the_capacity_and_not_twice_as_much() {
        let of = |capacity| possible_dies(capacity).into_iter().map(|(dies, _)| dies);
        assert!(of(8.0e12).any(|dies| dies == 128));
        assert!(of(300e9).any(|dies| dies == 40));
        assert!(of(15.36e12).any(|dies| dies == 96));
        for (dies, gib) in possible_dies(1e12) {
            let raw = f64::from(dies) * gib * GIB / 1e12;
            assert!((LEAST_SPARE..2.0).contains(&raw), "{dies} of {gib} GiB");
        }
    }

    #[test]
    fn the_shares_of_the_kinds_tell_the_bits() {
        let thirds = [0.335, 0.33, 0.335];
        assert!(can_have(3, &thirds) && !can_have(4, &thirds) && !can_have(2, &thirds));
        assert!(can_have(3, &[0.66, 0.34]) && !can_have(4, &[0.66, 0.34]));
        assert!(can_have(4, &[0.25, 0.5, 0.25]) && !can_have(3, &[0.25, 0.5, 0.25]));
        assert!((1..=4).all(|bits| can_have(bits, &[1.0])), "one kind says nothing");
    }

    #[test]
    fn each_kind_of_page_moves_by_what_it_is_off() {
        let corrected =
            corrected(&[53.0, 68.0, 50.0], &[60e-6, 63e-6, 78e-6], &[62e-6, 63e-6, 80e-6]);
        let wanted = [53.0, 70.0, 52.0];
        assert!(corrected.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{corrected:?}");
        assert_eq!(sense_text(&[53.0, 70.123_456]), "53 us, 70.123 us");
    }
}

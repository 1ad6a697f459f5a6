//! How many dies a drive has.

use super::bench::{ALPHA, Bench, Draft};
use super::tested::Tested;
use super::usual::{self, Usual};
use crate::render::Failure;

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
fn possible_dies(capacity: f64) -> Vec<(u32, f64)> {
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

/// Choices whose sum of squares is within this of the least cannot be told from it with a
/// probability of 90 % (chi square of one degree of freedom).
pub const ALIKE: f64 = 2.71;

/// Candidates within this of the best by reads are looked at by writes too, so many at most.
const WORTH_A_LOOK: f64 = 4.0 * ALIKE;
const MOST_LOOKS: usize = 4;

/// Of all numbers of dies so many are looked at closely.
const REFINED: usize = 6;

/// A number of dies that reads at depth agree with.
pub struct Candidate {
    /// What it misses of the reads, as a chi square.
    pub misses: f64,
    /// What the number costs before anything is measured, likewise.
    pub rarity: f64,
    /// How many.
    pub dies: u32,
    /// The model with them.
    pub draft: Draft,
}

impl Candidate {
    /// Both together.
    pub fn cost(&self) -> f64 {
        self.misses + self.rarity
    }
}

/// A number of dies, what it costs before anything is measured (a chi square), and the model.
struct Possible {
    dies: u32,
    rarity: f64,
    draft: Draft,
}

/// Drafts with other numbers of dies. Where planes read by themselves, a die counts as often as it
/// has planes: dies of the sibling's size are likelier than those of twice or half of it by as much
/// as one standard deviation.
fn with_other_dies(of: &Tested, draft: &Draft, usual: &Usual, read_cost: &str) -> Vec<Possible> {
    let of_sibling = die_gib(draft);
    let mut possible = Vec::new();
    for planes in ["yes", "no"] {
        let planes = draft.with(&[("nand.independent_plane_reads", planes.to_owned())]);
        for (dies, gib) in possible_dies(of.capacity) {
            let Some(with) = with_dies(&planes, dies, gib, of.capacity) else { continue };
            let rarity = usual.rarity_of_dies(dies) + (gib / of_sibling).log2().powi(2);
            let draft = with.with(&[("controller.read_cost", read_cost.to_owned())]);
            possible.push(Possible { dies, rarity, draft });
        }
    }
    possible
}

/// The numbers of dies that reads over the queue depth and the capacity agree with, the best first.
///
/// # Errors
/// An interruption.
pub fn candidates(
    bench: &Bench,
    of: &Tested,
    draft: &Draft,
    usual: &Usual,
) -> Result<Vec<Candidate>, Failure> {
    let depths = of.numbers_of(&["depth-"]);
    let Some(top) = depths.iter().map(|number| number.value).reduce(f64::max) else {
        return Ok(Vec::new());
    };
    let us = fit::significant(1e6 / top).clamp(0.1, 30.0);
    let possible = with_other_dies(of, draft, usual, &format!("{us} us"));
    let drafts: Vec<Draft> = possible.iter().map(|possible| possible.draft.clone()).collect();
    let misses = bench.squares(&drafts, &of.planned, &depths)?;
    let mut order: Vec<(f64, Possible)> =
        misses.into_iter().zip(possible).map(|(off, with)| (off + with.rarity, with)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found: Vec<(f64, Possible)> = Vec::new();
    for (_, with) in order.into_iter().take(REFINED) {
        let cores = ["controller.read_cost"];
        if let Some((draft, misses)) = bench.search(&with.draft, &cores, &depths, 2)? {
            found.push((misses, Possible { draft, ..with }));
        }
    }
    let factor = scatter(found.iter().map(|found| found.0), depths.len());
    let candidate = |(misses, with): (f64, Possible)| Candidate {
        misses: misses / factor,
        rarity: with.rarity,
        dies: with.dies,
        draft: with.draft,
    };
    let mut candidates: Vec<Candidate> = found.into_iter().map(candidate).collect();
    candidates.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    let least = candidates.first().map_or(0.0, Candidate::cost);
    candidates.retain(|candidate| candidate.cost() <= least + WORTH_A_LOOK);
    candidates.truncate(MOST_LOOKS);
    Ok(candidates)
}

/// By how much sums of squares over so many numbers are larger than they are by chance where the
/// model is right: what the best of them misses too is no ground to prefer one (Birge's ratio,
/// squared). At least 1.
pub fn scatter(misses: impl Iterator<Item = f64>, numbers: usize) -> f64 {
    let least = misses.reduce(f64::min).unwrap_or(0.0);
    (least / numbers.saturating_sub(1).max(1) as f64).max(1.0)
}

/// The size of a die of a draft, GiB.
fn die_gib(draft: &Draft) -> f64 {
    let size = draft.quantity("nand.die_capacity");
    size.and_then(|size| size.in_unit("GiB")).unwrap_or(64.0)
}

/// Values of the sibling that grow with the capacity.
const IN_PROPORTION: [&str; 2] = ["slc.static", "slc.dynamic"];

/// Steps by which the spare area is made smaller where dies do not hold the sibling's.
const SMALLER: [f64; 8] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];

/// A draft with other dies and capacity. Programs at the same time keep their share.
fn with_dies(draft: &Draft, dies: u32, gib: f64, capacity: f64) -> Option<Draft> {
    let before = draft.quantity(usual::DIES)?.number;
    let limit = |key: &str| {
        let share = draft.quantity(key)?.number / before;
        Some(format!("{} dies", (share * f64::from(dies)).round().clamp(1.0, f64::from(dies))))
    };
    let mut set = vec![
        ("body.capacity", format!("{capacity} B")),
        (usual::DIES, format!("{dies} dies")),
        ("nand.die_capacity", die_text(gib)),
    ];
    for key in ["flash.program_limit", "flash.program_limit_collecting"] {
        set.extend(limit(key).map(|limit| (key, limit)));
    }
    let grown = capacity / draft.quantity("body.capacity")?.in_unit("B")?;
    for key in IN_PROPORTION {
        let size = draft.quantity(key).map(|size| (size.number * grown, size.unit));
        set.extend(size.map(|(size, unit)| (key, format!("{} {unit}", fit::significant(size)))));
    }
    // What the dies hold is shared anew between the user, the spare area and the SLC cache.
    let Some(alpha) = draft.quantity(ALPHA) else { return draft.possible(&set) };
    let raw = f64::from(dies) * gib * GIB / capacity;
    let most = (alpha.number - 1.0).min(raw - 1.0);
    SMALLER.iter().find_map(|smaller| {
        let alpha = fit::significant(1.0 + smaller * most);
        draft.with(&[(ALPHA, format!("{alpha} x"))]).possible(&set)
    })
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

    /// What the best candidate misses too is the model's, and counts against none.
    #[test]
    fn misses_that_all_have_are_scatter() {
        assert_eq!(scatter([2.0, 40.0].into_iter(), 4), 1.0);
        assert_eq!(scatter([60.0, 30.0].into_iter(), 4), 10.0);
        assert_eq!(scatter([7.0].into_iter(), 1), 7.0);
    }

    /// Dies of the next power of two hold a client drive's capacity with what its SLC cache keeps.
    #[test]
    fn dies_of_a_power_of_two_hold_the_capacity_beside_the_cache() {
        let sibling = Draft::of("sn850-1tb");
        let with = with_dies(&sibling, 16, 64.0, 1024e9).unwrap();
        let alpha = with.quantity(ALPHA).unwrap().number;
        assert!((1.01..1.05).contains(&alpha), "{alpha}");
        assert_eq!(with.get("flash.program_limit"), Some("16 dies"));
        assert_eq!(with.get("slc.dynamic"), Some("307.2 GB"));
    }
}

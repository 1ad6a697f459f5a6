//! The kinds of pages of a drive: how many bits its cells have, and how long each kind is sensed.

use super::bench::{Draft, NO_PATH, READ_PATH};
use metric::Measurement;
use stats::NamedHistogram;

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

/// Whether single reads are alike: nine of ten within a twentieth. Pages of cells with more bits
/// than one are not, unless something else makes their latencies differ.
pub fn are_alike(made: &Measurement) -> bool {
    let ends = reads(made).map(|reads| (reads.percentile_ns(5.0), reads.percentile_ns(95.0)));
    let Some((Some(low), Some(high))) = ends else { return false };
    high as f64 <= 1.05 * low as f64
}

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

/// The draft, and where its sibling has a read path of its own one that takes no time.
pub fn with_read_paths(draft: &Draft) -> Vec<Draft> {
    let none = draft.quantity(READ_PATH).map(|_| (READ_PATH, NO_PATH.to_owned()));
    let none = none.and_then(|none| draft.possible(&[none]));
    std::iter::once(draft.clone()).chain(none).collect()
}

/// The drafts with other numbers of planes, which large single reads tell apart.
pub fn with_planes(draft: &Draft) -> Vec<Draft> {
    let with = |planes: u32| draft.possible(&[("nand.planes", format!("{planes} planes"))]);
    [1, 2, 4].into_iter().filter_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

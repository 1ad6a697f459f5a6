//! Whether a drive has the capacity that it says: blocks that say where they lie are written to
//! many places, more than any cache of it holds, and read again.
//!
//! fio writes and checks them: the header of a block that it verifies holds the block's offset. On
//! a drive that has less than it says, and begins again at its first address, a block then names
//! another place than the one it is read from, and the distance of the two is a multiple of the
//! real capacity. On one that drops what it has no room for, a block has no header at all.

use std::collections::BTreeSet;

/// Bytes of a block.
pub const BLOCK: u64 = 1 << 20;
/// Part of a drive that is sampled at least.
const SAMPLE: u64 = 10;
/// Bytes that are sampled at least: more than the caches of most drives, whatever their capacity.
const SAMPLE_LEAST: u64 = 16 << 30;

/// Bytes that a sample of a drive of so many bytes writes.
pub fn sample(bytes: u64) -> u64 {
    (bytes / SAMPLE).max(SAMPLE_LEAST).min(bytes) / BLOCK * BLOCK
}

/// The job that writes blocks, or reads the same blocks again and checks them. `volume` is what a
/// sample writes; without it every block is written.
pub fn job(checks: bool, volume: Option<u64>) -> String {
    let mut text = format!(
        "[blocks]\nioengine=libaio\niodepth=16\ndirect=1\nbs={BLOCK}\nsize=100%\nverify=crc32c\n\
         allrandrepeat=1\nrandseed=20\ncontinue_on_error=verify\n"
    );
    text += match volume {
        None => "rw=write\n",
        Some(_) => "rw=randwrite\nrandom_generator=lfsr\n",
    };
    if let Some(volume) = volume {
        text += &format!("io_size={volume}\n");
    }
    text += if checks { "verify_only=1\n" } else { "do_verify=0\n" };
    text
}

/// A block that is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wrong {
    /// Where it was read, bytes.
    pub at: u64,
    /// The place that it says it was written to, if it says one.
    pub says: Option<u64>,
}

/// The blocks that fio found wrong, by its messages; of very many the first.
pub fn wrong(messages: &str) -> BTreeSet<Wrong> {
    messages.lines().filter_map(one).collect()
}

/// `verify: bad header offset 33554432, wanted 0 at file F offset 0, length 65536 (requested block:
/// offset=0, length=65536)`, `verify: bad magic header 0, wanted acca at file ...`, `crc32c: verify
/// failed at file F offset 0, length 65536 (requested block: offset=0, length=65536)`.
fn one(line: &str) -> Option<Wrong> {
    let number = |text: &str| -> Option<u64> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse().ok()
    };
    let (head, rest) = line.rsplit_once("(requested block: offset=")?;
    let at = number(rest)?;
    let says = head.split_once("bad header offset ").and_then(|(_, rest)| number(rest));
    Some(Wrong { at, says })
}

/// The capacity that a drive really has, as far as its wrong blocks tell; `None` if they tell
/// nothing.
pub fn real_bytes(wrong: &BTreeSet<Wrong>) -> Option<u64> {
    let period = wrong
        .iter()
        .filter_map(|wrong| Some(wrong.says?.abs_diff(wrong.at)))
        .filter(|distance| *distance > 0)
        .reduce(gcd);
    period.or_else(|| wrong.iter().map(|wrong| wrong.at).min().filter(|least| *least > 0))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Probability that a sample of so many blocks finds a drive of which a share is missing.
pub fn found(blocks: u64, share: f64) -> f64 {
    1.0 - (1.0 - share.clamp(0.0, 1.0)).powf(blocks as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_names_another_place_tells_the_period() {
        let text = "fio: something\n\
            verify: bad header offset 33554432, wanted 0 at file /a offset b/f.img offset 0, \
            length 65536 (requested block: offset=0, length=65536)\n\
            verify: bad header offset 1048576, wanted 101711872 at file f offset 101711872, length \
            65536 (requested block: offset=101711872, length=65536)\n\
            verify: bad magic header 0, wanted acca at file f offset 9, length 7 (requested block: \
            offset=9, length=7)\n";
        let found = wrong(text);
        let pairs: Vec<(u64, Option<u64>)> = found.iter().map(|w| (w.at, w.says)).collect();
        assert_eq!(pairs, [(0, Some(33_554_432)), (9, None), (101_711_872, Some(1_048_576))]);
        // 32 MiB and 96 MiB apart.
        assert_eq!(real_bytes(&found), Some(32 << 20));
    }

    #[test]
    fn blocks_that_are_lost_begin_where_the_room_ends() {
        let lost = |at: u64| Wrong { at, says: None };
        assert_eq!(real_bytes(&BTreeSet::from([lost(9 << 30), lost(8 << 30)])), Some(8 << 30));
        assert_eq!(real_bytes(&BTreeSet::new()), None);
    }

    #[test]
    fn a_sample_is_a_tenth_and_never_more_than_all() {
        assert_eq!(sample(1 << 40), (1 << 40) / 10 / BLOCK * BLOCK);
        assert_eq!(sample(64 << 30), SAMPLE_LEAST);
        assert_eq!(sample((64 << 20) + 5), 64 << 20);
        assert!(found(16_384, 0.01) > 0.999_999 && found(1, 0.01) < 0.011);
    }
}

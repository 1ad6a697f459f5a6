//! Which blocks enter the cache and which leave it, against plain simulations of each policy: lists
//! that are searched from end to end. Hits must agree exactly, reference by reference.

use crate::common::random::cases;
use engine::{Duration, Ratio, Sampler, Stream};
use iopath::volume::tier::TierConfig;
use iopath::volume::tier::config::{AdmissionConfig, EvictionConfig};
use iopath::volume::tier::directory::Directory;
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

const BLOCK: u64 = 8192;

fn config(
    slots: u64,
    blocks: u64,
    admission: AdmissionConfig,
    eviction: EvictionConfig,
) -> TierConfig {
    TierConfig { admission, eviction, ..TierConfig::new("tier", slots * BLOCK, blocks * BLOCK) }
}

/// Plays references through a directory; returns for each whether it hit.
fn play(config: &TierConfig, references: &[u32]) -> Vec<bool> {
    let mut directory = Directory::new(config);
    let full = directory.full();
    let hits = references.iter().map(|&block| {
        if let Some(slot) = directory.find(block) {
            directory.touch(slot);
            return true;
        }
        if directory.admits(block)
            && let Some(slot) = directory.insert(block, |_| false)
        {
            directory.validate(slot, full, false);
        }
        false
    });
    let hits = hits.collect();
    directory.audit();
    hits
}

/// The plain simulation of an admission policy.
enum Doorman {
    Always,
    SecondTouch { last: VecDeque<Option<u32>>, ghosts: usize },
    Hot { counts: BTreeMap<u32, u32>, region: u32, touches: u32, halve_after: u64, seen: u64 },
}

impl Doorman {
    fn new(config: AdmissionConfig) -> Doorman {
        match config {
            AdmissionConfig::Always => Doorman::Always,
            AdmissionConfig::SecondTouch { ghosts } => {
                Doorman::SecondTouch { last: VecDeque::new(), ghosts: ghosts as usize }
            }
            AdmissionConfig::Hot { region, touches, halve_after } => Doorman::Hot {
                counts: BTreeMap::new(),
                region: (region / BLOCK) as u32,
                touches: touches as u32,
                halve_after,
                seen: 0,
            },
        }
    }

    fn admits(&mut self, block: u32) -> bool {
        match self {
            Doorman::Always => true,
            Doorman::SecondTouch { last, ghosts } => {
                if let Some(place) = last.iter().position(|&b| b == Some(block)) {
                    last[place] = None;
                    return true;
                }
                last.push_back(Some(block));
                if last.len() > *ghosts {
                    last.pop_front();
                }
                false
            }
            Doorman::Hot { counts, region, touches, halve_after, seen } => {
                if *seen == *halve_after {
                    *seen = 0;
                    counts.values_mut().for_each(|count| *count /= 2);
                }
                *seen += 1;
                let count = counts.entry(block / *region).or_default();
                *count = (*count + 1).min(255);
                *count >= *touches
            }
        }
    }
}

/// The plain simulation of an eviction policy: who is in, in some order.
enum Shelf {
    /// The most recent last.
    Lru {
        slots: usize,
        order: Vec<u32>,
    },
    Clock {
        slots: usize,
        dial: Vec<(u32, bool)>,
        hand: usize,
    },
    TwoQueue {
        slots: usize,
        recent: Vec<u32>,
        kept: Vec<u32>,
        out: Vec<Option<u32>>,
        most: usize,
        ghosts: usize,
    },
}

impl Shelf {
    fn new(slots: usize, config: EvictionConfig) -> Shelf {
        match config {
            EvictionConfig::Lru => Shelf::Lru { slots, order: Vec::new() },
            EvictionConfig::Clock => Shelf::Clock { slots, dial: Vec::new(), hand: 0 },
            EvictionConfig::TwoQueue { recent, ghosts } => Shelf::TwoQueue {
                slots,
                recent: Vec::new(),
                kept: Vec::new(),
                out: Vec::new(),
                most: recent.of(slots as u64) as usize,
                ghosts: ghosts.of(slots as u64) as usize,
            },
        }
    }

    fn touch(&mut self, block: u32) -> bool {
        match self {
            Shelf::Lru { order, .. } | Shelf::TwoQueue { kept: order, .. }
                if order.contains(&block) =>
            {
                order.retain(|&b| b != block);
                order.push(block);
                true
            }
            Shelf::Lru { .. } => false,
            Shelf::TwoQueue { recent, .. } => recent.contains(&block),
            Shelf::Clock { dial, .. } => {
                let found = dial.iter_mut().find(|(b, _)| *b == block);
                found.map(|(_, used)| *used = true).is_some()
            }
        }
    }

    fn insert(&mut self, block: u32) {
        match self {
            Shelf::Lru { slots, order } => {
                if order.len() == *slots {
                    order.remove(0);
                }
                order.push(block);
            }
            Shelf::Clock { slots, dial, hand } => {
                if dial.len() < *slots {
                    return dial.push((block, false));
                }
                while dial[*hand].1 {
                    dial[*hand].1 = false;
                    *hand = (*hand + 1) % *slots;
                }
                dial[*hand] = (block, false);
                *hand = (*hand + 1) % *slots;
            }
            Shelf::TwoQueue { slots, recent, kept, out, most, ghosts } => {
                if recent.len() + kept.len() == *slots {
                    if recent.len() > *most || kept.is_empty() {
                        out.push(Some(recent.remove(0)));
                        if out.len() > *ghosts {
                            out.remove(0);
                        }
                    } else {
                        kept.remove(0);
                    }
                }
                match out.iter_mut().find(|ghost| **ghost == Some(block)) {
                    Some(ghost) => {
                        *ghost = None;
                        kept.push(block);
                    }
                    None => recent.push(block),
                }
            }
        }
    }
}

fn simulate(config: &TierConfig, references: &[u32]) -> Vec<bool> {
    let mut doorman = Doorman::new(config.admission);
    let mut shelf = Shelf::new(config.slots() as usize, config.eviction);
    let hit = |&block: &u32| {
        let hit = shelf.touch(block);
        if !hit && doorman.admits(block) {
            shelf.insert(block);
        }
        hit
    };
    references.iter().map(hit).collect()
}

fn ratio(hits: &[bool]) -> f64 {
    hits.iter().filter(|&&hit| hit).count() as f64 / hits.len() as f64
}

/// Seeded streams over `blocks` blocks.
fn stream(kind: &str, blocks: u64, n: usize) -> Vec<u32> {
    let mut random = Stream::new(11, kind);
    let mut zipf = Sampler::zipf(blocks, 0.9, 5);
    let mut place = 0;
    let mut scan = || {
        place = (place + 1) % blocks;
        place as u32
    };
    (0..n)
        .map(|i| match kind {
            "uniform" => random.below(blocks) as u32,
            "zipf" => zipf.draw(&mut random) as u32,
            "scan" => scan(),
            // Hot blocks, with a scan of a stretch every now and then.
            _ if i % 5000 < 1500 => scan(),
            _ => zipf.draw(&mut random) as u32,
        })
        .collect()
}

fn evictions() -> [EvictionConfig; 3] {
    let two = EvictionConfig::TwoQueue { recent: Ratio::percent(25), ghosts: Ratio::percent(50) };
    [EvictionConfig::Lru, EvictionConfig::Clock, two]
}

fn admissions(slots: u32) -> [AdmissionConfig; 3] {
    let hot = AdmissionConfig::Hot { region: 4 * BLOCK, touches: 3, halve_after: 5000 };
    [AdmissionConfig::Always, AdmissionConfig::SecondTouch { ghosts: 2 * slots }, hot]
}

#[test]
fn hits_are_those_of_a_plain_simulation() {
    let (slots, blocks) = (150, 1500);
    for kind in ["uniform", "zipf", "scan", "mixed"] {
        let references = stream(kind, blocks, 20_000);
        for eviction in evictions() {
            for admission in admissions(slots) {
                let config = config(slots as u64, blocks, admission, eviction);
                let (found, plain) = (play(&config, &references), simulate(&config, &references));
                let first = found.iter().zip(&plain).position(|(a, b)| a != b);
                assert_eq!(first, None, "{kind} {eviction:?} {admission:?}");
                assert!(kind == "scan" || ratio(&found) > 0.02, "{kind}: a test without hits");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn hits_agree_on_any_stream(
        slots in 8..40u64, blocks in 40..200u64, eviction in 0..3usize, admission in 0..3usize,
        references in proptest::collection::vec(any::<u16>(), 1..800),
    ) {
        let config =
            config(slots, blocks, admissions(slots as u32)[admission], evictions()[eviction]);
        let references: Vec<u32> = references.iter().map(|&r| r as u32 % blocks as u32).collect();
        prop_assert_eq!(play(&config, &references), simulate(&config, &references));
    }
}

/// All blocks are equally likely, so whichever are in, the next one is with probability
/// cache / data. The first touches are left out; three standard deviations of a binomial.
#[test]
fn on_a_uniform_stream_the_hit_ratio_is_cache_over_data() {
    let (slots, blocks) = (400u64, 1600);
    for eviction in evictions() {
        let config = config(slots, blocks, AdmissionConfig::Always, eviction);
        let hits = play(&config, &stream("uniform", blocks, 120_000));
        let found = ratio(&hits[20_000..]);
        let p = slots as f64 / blocks as f64;
        let deviation = (p * (1.0 - p) / 100_000.0).sqrt();
        assert!((found - p).abs() < 3.0 * deviation, "{eviction:?}: {found}, law {p}");
    }
}

/// A region larger than the device counts the touches of all blocks together.
#[test]
fn a_region_may_be_larger_than_the_device() {
    let references: Vec<u32> = (0..8).collect();
    let admitted = |region| {
        let hot = AdmissionConfig::Hot { region, touches: 3, halve_after: 5000 };
        let mut directory = Directory::new(&config(8, 1000, hot, EvictionConfig::Lru));
        references.iter().map(|&block| directory.admits(block)).collect::<Vec<_>>()
    };
    assert_eq!(admitted(BLOCK << 32), admitted(1000 * BLOCK));
    assert_eq!(admitted((5 * BLOCK) << 32), admitted(1000 * BLOCK));
}

/// A loop one block longer than the cache never hits under LRU, and always hits if it fits.
#[test]
fn a_loop_hits_always_or_never_under_lru() {
    let references = |n: u32| (0..10 * n).map(|i| i % n).collect::<Vec<u32>>();
    let config = config(64, 1000, AdmissionConfig::Always, EvictionConfig::Lru);
    assert_eq!(ratio(&play(&config, &references(65))), 0.0);
    assert_eq!(ratio(&play(&config, &references(64))), 0.9);
}

/// A backup reads everything once. With admission at the second touch the blocks that were hot
/// before still hit after it; with admission at the first none is left.
#[test]
fn a_scan_does_not_push_out_what_is_hot_if_admission_waits_for_the_second_touch() {
    let hot: Vec<u32> = (0..4).flat_map(|_| 0..100).collect();
    let scan: Vec<u32> = (1000..9000).collect();
    let references = [hot.clone(), scan, (0..100).collect()].concat();
    for (admission, left) in
        [(AdmissionConfig::Always, 0.0), (AdmissionConfig::SecondTouch { ghosts: 200 }, 1.0)]
    {
        let config = config(128, 10_000, admission, EvictionConfig::Lru);
        let hits = play(&config, &references);
        assert_eq!(ratio(&hits[hits.len() - 100..]), left, "{admission:?}");
    }
}

/// A block refused is remembered for exactly `ghosts` others.
#[test]
fn the_second_touch_counts_up_to_as_many_others_as_are_remembered() {
    for (others, admitted) in [(7u32, true), (8, false)] {
        let admission = AdmissionConfig::SecondTouch { ghosts: 8 };
        let config = config(64, 1000, admission, EvictionConfig::Lru);
        let mut references = vec![500];
        references.extend(0..others);
        references.extend([500, 500]);
        let hits = play(&config, &references);
        assert_eq!(hits[hits.len() - 1], admitted, "{others} others");
    }
}

/// A region is hot at its N-th touch, not at the one before, wherever in it the touches fall.
#[test]
fn a_region_is_hot_at_its_last_touch() {
    let admission = AdmissionConfig::Hot { region: 4 * BLOCK, touches: 3, halve_after: 1000 };
    let config = config(64, 1000, admission, EvictionConfig::Lru);
    assert_eq!(play(&config, &[40, 41, 40, 41]), [false; 4], "40 enters at the third touch");
    assert_eq!(play(&config, &[40, 41, 42, 42]), [false, false, false, true]);
    assert_eq!(play(&config, &[40, 41, 44, 44, 40, 40]), [false, false, false, false, false, true]);
}

#[test]
fn what_cannot_work_is_reported_with_a_fix() {
    let good = TierConfig::new("tier", 64 << 20, 1 << 30);
    assert_eq!(good.check(64 << 20, 1 << 30), Ok(()));
    type Change = fn(&mut TierConfig);
    let cases: [(&str, Change); 9] = [
        ("larger than the device behind it", |c| c.backing_bytes = 32 << 20),
        ("uses", |c| c.cache_bytes = 65 << 20),
        ("has 2147483648 bytes over", |c| c.backing_bytes = 2 << 30),
        ("not a multiple of the sector", |c| c.block = 5000),
        ("more than 64 sectors", |c| c.block = 65 * 512),
        ("are not supported", |c| c.sector = 100),
        ("remembers no block", |c| c.admission = AdmissionConfig::SecondTouch { ghosts: 0 }),
        ("with a dirty goal of", |c| c.destage.goal = Ratio::percent(90)),
        ("destaging has no command", |c| c.destage.commands = 0),
    ];
    for (part, change) in cases {
        let mut config = good.clone();
        change(&mut config);
        let fault = config.check(64 << 20, 1 << 30).expect_err(part);
        assert!(fault.message.contains(part), "{}", fault.message);
        assert!(!fault.help.is_empty());
    }
    assert_eq!(good.overhead, Duration::ZERO);
}

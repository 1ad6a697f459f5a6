//! What a tier leaves behind when the computer is switched off, and how another goes on with it.

use crate::common::random::cases;
use engine::Ratio;
use iopath::volume::tier::config::EvictionConfig;
use iopath::volume::tier::directory::{Directory, Held};
use iopath::volume::tier::{Tier, TierConfig, TierStateError};
use proptest::prelude::*;

const BLOCK: u64 = 8192;
/// Blocks of the slow device.
const BLOCKS: u32 = 300;

fn config(eviction: EvictionConfig) -> TierConfig {
    TierConfig { eviction, ..TierConfig::new("tier", 40 * BLOCK, u64::from(BLOCKS) * BLOCK) }
}

fn evictions() -> impl Strategy<Value = EvictionConfig> {
    let two = EvictionConfig::TwoQueue { recent: Ratio::percent(25), ghosts: Ratio::percent(50) };
    prop::sample::select(vec![EvictionConfig::Lru, EvictionConfig::Clock, two])
}

/// Plays steps: what is done to which block, and which of its sectors.
fn play(config: &TierConfig, steps: &[(u8, u32, u64)]) -> Directory {
    let mut directory = Directory::new(config);
    let full = directory.full();
    for &(what, block, mask) in steps {
        let slot = match directory.find(block) {
            Some(slot) => Some(slot),
            None => directory.insert(block, |_| false),
        };
        let Some(slot) = slot else { continue };
        match what {
            0 => directory.validate(slot, mask & full | 1, false),
            1 => directory.validate(slot, mask & full | 1, true),
            2 => directory.clean(slot, mask),
            3 => directory.touch(slot),
            _ => directory.remove(slot),
        }
    }
    directory.drop_empty();
    directory
}

fn tier(config: &TierConfig, directory: Directory) -> Tier<()> {
    let mut tier = Tier::new(config.clone(), 1, 2, 3);
    tier.set_directory(directory);
    tier
}

fn saved(tier: &Tier<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    tier.save(&mut bytes).expect("memory");
    bytes
}

fn sorted(directory: &Directory) -> Vec<Held> {
    let mut held = directory.held();
    held.sort_by_key(|held| held.slot);
    held
}

proptest! {
    #![proptest_config(cases(64))]

    /// The same blocks in the same places with the same sectors, whatever was done before; with
    /// least recently used they leave in the same order too.
    #[test]
    fn a_directory_comes_back_as_it_was(
        eviction in evictions(),
        steps in prop::collection::vec((0..5u8, 0..BLOCKS, any::<u64>()), 1..400),
    ) {
        let config = config(eviction);
        let first = tier(&config, play(&config, &steps));
        let again = first.read_state(&mut saved(&first).as_slice()).expect("its own");
        again.audit();
        prop_assert_eq!(sorted(&again), sorted(first.directory()));
        prop_assert_eq!(again.dirty_sectors(), first.directory().dirty_sectors());
        if eviction == EvictionConfig::Lru {
            prop_assert_eq!(again.held(), first.directory().held());
            prop_assert_eq!(saved(&tier(&config, again)), saved(&first));
        }
    }

    /// It goes on as a cache: what is there is found, and what comes takes the place of the first.
    #[test]
    fn it_takes_blocks_as_before(
        eviction in evictions(),
        steps in prop::collection::vec((0..5u8, 0..BLOCKS, any::<u64>()), 1..400),
        more in prop::collection::vec(0..BLOCKS, 1..100),
    ) {
        let config = config(eviction);
        let first = tier(&config, play(&config, &steps));
        let mut again = first.read_state(&mut saved(&first).as_slice()).expect("its own");
        for block in more {
            let known = again.find(block);
            if let Some(slot) = known.or_else(|| again.insert(block, |_| false)) {
                again.validate(slot, 1, false);
                again.touch(slot);
                prop_assert_eq!(again.block(slot), block);
            }
            prop_assert!(again.len() <= again.slots());
        }
        again.audit();
    }

    /// Bytes that are not its own are refused, wherever they differ.
    #[test]
    fn damaged_bytes_are_refused(
        steps in prop::collection::vec((0..5u8, 0..BLOCKS, any::<u64>()), 1..50),
        at in any::<prop::sample::Index>(),
        bit in 0..8u32,
        cut in any::<bool>(),
    ) {
        let config = config(EvictionConfig::Lru);
        let first = tier(&config, play(&config, &steps));
        let mut bytes = saved(&first);
        let at = at.index(bytes.len());
        match cut {
            true => bytes.truncate(at),
            false => bytes[at] ^= 1 << bit,
        }
        prop_assert!(first.read_state(&mut bytes.as_slice()).is_err());
    }
}

/// What cannot be in one cache is no state of one, even with the right checksum.
#[test]
fn what_cannot_be_is_refused() {
    let config = config(EvictionConfig::Lru);
    let held = |slot, block, valid, dirty| Held { slot, block, valid, dirty };
    let ok = [held(3, 7, 0b11, 0b1), held(0, 8, 1, 0)];
    let made = Directory::of_held(&config, &ok).expect("two blocks");
    made.audit();
    assert_eq!((made.held(), made.dirty_blocks()), (ok.to_vec(), 1));
    for (wrong, why) in [
        ([held(40, 7, 1, 0), ok[1]], "beyond the cache"),
        ([held(3, BLOCKS, 1, 0), ok[1]], "beyond the slow device"),
        ([held(0, 7, 1, 0), ok[1]], "two blocks are one"),
        ([held(3, 8, 1, 0), ok[1]], "two blocks are one"),
        ([held(3, 7, 0, 0), ok[1]], "sectors"),
        ([held(3, 7, 1, 2), ok[1]], "sectors"),
        ([held(3, 7, 1 << 16, 0), ok[1]], "sectors"),
    ] {
        let refused = Directory::of_held(&config, &wrong).expect_err(why);
        assert!(refused.contains(why), "{refused}");
    }
}

/// A state belongs to a shape; where the directory is in memory only, nothing is left of it.
#[test]
fn a_state_belongs_to_its_shape() {
    let own = config(EvictionConfig::Lru);
    let first = tier(&own, play(&own, &[(1, 5, 3), (0, 6, 1)]));
    let larger = TierConfig { cache_bytes: 41 * BLOCK, ..own.clone() };
    let other = tier(&larger, Directory::new(&larger));
    let refused = other.read_state(&mut saved(&first).as_slice());
    assert!(matches!(refused, Err(TierStateError::OtherShape)));
    assert!(matches!(first.read_state(&mut &b"dlabFTL\n...."[..]), Err(TierStateError::NotAState)));
    let volatile = TierConfig { persistent: false, ..own };
    let forgetful = tier(&volatile, play(&volatile, &[(0, 5, 3)]));
    let left = forgetful.read_state(&mut saved(&forgetful).as_slice()).expect("its own");
    assert!(left.is_empty());
}

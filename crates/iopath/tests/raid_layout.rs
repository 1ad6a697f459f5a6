//! The maps of arrays as pure arithmetic: every byte of the volume has one place, every place one
//! meaning, for all levels, layouts, member counts and chunks.

use iopath::volume::raid::layout::{Band, Role};
use iopath::volume::raid::{Layout, Level, ParityLayout, RaidConfig, SyncPolicy};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn arrays() -> impl Strategy<Value = RaidConfig> {
    let level = prop_oneof![
        Just(Level::Raid0),
        Just(Level::Raid1),
        Just(Level::Raid5),
        Just(Level::Raid6),
        Just(Level::Raid10),
    ];
    let layout = prop_oneof![
        Just(ParityLayout::LeftSymmetric),
        Just(ParityLayout::LeftAsymmetric),
        Just(ParityLayout::RightSymmetric),
        Just(ParityLayout::RightAsymmetric),
    ];
    (level, layout, 0..61u32, 1..40u32).prop_map(|(level, layout, more, pages)| {
        let members =
            level.least_members() + if level == Level::Raid10 { more / 2 * 2 } else { more };
        let mut config = RaidConfig::new(level, members.min(64), pages * 4096);
        config.layout = layout;
        config
    })
}

proptest! {
    #![proptest_config(crate::common::random::cases(256))]

    /// Each slot of each stripe has one role, the roles of a stripe are all there, and the way from
    /// the volume to the members and back is the identity.
    #[test]
    fn the_map_is_a_bijection(config in arrays(), stripes in 1..70u64, slack in 0..4096u64) {
        prop_assert!(config.chunk as u64 > slack);
        let layout = Layout::new(&config, stripes * config.chunk as u64 + slack);
        let (n, chunk) = (config.members, config.chunk as u64);
        prop_assert_eq!(layout.member_bytes(), stripes * chunk);
        for stripe in 0..stripes {
            let (mut data, mut parity) = (BTreeSet::new(), 0u64);
            for slot in 0..n {
                match layout.role(stripe, slot) {
                    Role::Data { column, copy } => {
                        prop_assert!(data.insert((column, copy)), "one role twice");
                        prop_assert_eq!(layout.slot(stripe, column) + copy, slot);
                        let row = stripe * chunk + chunk / 2;
                        let at = layout.volume_place(slot, row).unwrap();
                        let place = layout.locate(at);
                        prop_assert_eq!((place.stripe, place.column), (stripe, column));
                        prop_assert_eq!(place.inside as u64, chunk / 2);
                        prop_assert!(at < layout.capacity());
                    }
                    Role::P => {
                        prop_assert_eq!(layout.parity(stripe), slot);
                        parity |= 1 << slot;
                    }
                    Role::Q => parity |= 1 << slot,
                }
            }
            prop_assert_eq!(parity, layout.parity_slots(stripe));
            prop_assert_eq!(parity.count_ones(), config.level.parities());
            prop_assert_eq!(data.len() as u32, layout.columns() * layout.copies());
        }
        prop_assert_eq!(layout.capacity(), stripes * chunk * layout.columns() as u64);
    }

    /// Parity visits every member equally often.
    #[test]
    fn parity_is_spread_evenly(config in arrays()) {
        let n = config.members;
        let layout = Layout::new(&config, n as u64 * config.chunk as u64);
        let mut count = vec![0; n as usize];
        for stripe in 0..n as u64 {
            for (slot, count) in count.iter_mut().enumerate() {
                *count += layout.parity_slots(stripe) >> slot & 1;
            }
        }
        prop_assert!(count.iter().all(|&c| c == config.level.parities() as u64));
    }

    /// The bands of a range hold exactly its bytes, each once.
    #[test]
    fn bands_hold_a_range_once(
        config in arrays(), from in 0..200u64, pages in 1..300u64, most in 1..200u32
    ) {
        let layout = Layout::new(&config, 64 * config.chunk as u64);
        let pages_there = layout.capacity() / 4096;
        let start = from % pages_there * 4096;
        let end = (start + pages * 4096).min(layout.capacity());
        let chunk = layout.chunk();
        let (mut seen, mut at) = (BTreeSet::new(), start);
        while at < end {
            let (bands, next) = layout.bands(at, end, most * 4096);
            prop_assert!(next > at && next <= end);
            for Band { row, rows, columns } in bands.into_iter().flatten() {
                let whole = columns == layout.all_columns() && row % chunk == 0;
                let inside = row % chunk + rows as u64 <= chunk;
                prop_assert!(inside || whole && (rows as u64).is_multiple_of(chunk));
                prop_assert!(rows as u64 <= chunk.max(most as u64 * 4096));
                for page in 0..rows as u64 / 4096 {
                    let row = row + page * 4096;
                    for column in (0..64).filter(|c| columns >> c & 1 != 0) {
                        let slot = layout.slot(layout.stripe(row), column);
                        let place = layout.volume_place(slot, row).unwrap();
                        prop_assert!((start..end).contains(&place));
                        prop_assert!(seen.insert(place), "twice");
                    }
                }
            }
            at = next;
        }
        prop_assert_eq!(seen.len() as u64 * 4096, end - start);
    }
}

/// The tables of the md driver for five members, written out: P, Q and the slots of the data.
#[test]
fn the_layouts_are_those_of_md() {
    let rows = |level, kind, stripes: u64| -> Vec<String> {
        let mut config = RaidConfig::new(level, 5, 4096);
        config.layout = kind;
        let layout = Layout::new(&config, 1 << 20);
        let word = |role| match role {
            Role::Data { column, .. } => column.to_string(),
            Role::P => "P".to_owned(),
            Role::Q => "Q".to_owned(),
        };
        (0..stripes).map(|s| (0..5).map(|slot| word(layout.role(s, slot))).collect()).collect()
    };
    use ParityLayout::*;
    assert_eq!(rows(Level::Raid5, LeftSymmetric, 3), ["0123P", "123P0", "23P01"]);
    assert_eq!(rows(Level::Raid5, LeftAsymmetric, 3), ["0123P", "012P3", "01P23"]);
    assert_eq!(rows(Level::Raid5, RightSymmetric, 3), ["P0123", "3P012", "23P01"]);
    assert_eq!(rows(Level::Raid5, RightAsymmetric, 3), ["P0123", "0P123", "01P23"]);
    assert_eq!(rows(Level::Raid6, LeftSymmetric, 3), ["Q012P", "012PQ", "12PQ0"]);
    assert_eq!(rows(Level::Raid6, LeftAsymmetric, 3), ["Q012P", "012PQ", "01PQ2"]);
    assert_eq!(rows(Level::Raid6, RightAsymmetric, 5)[4], "Q012P");
}

#[test]
fn what_cannot_be_built_is_reported_with_a_fix() {
    let gib = 1u64 << 30;
    let fault = |config: &RaidConfig, capacities: &[u64]| config.check(capacities).unwrap_err();
    let two = RaidConfig::new(Level::Raid5, 2, 65536);
    assert!(fault(&two, &[gib; 2]).message.contains("at least 3 members, not 2"));
    let odd = RaidConfig::new(Level::Raid10, 5, 65536);
    assert!(fault(&odd, &[gib; 5]).message.contains("odd"));
    let mut config = RaidConfig::new(Level::Raid0, 2, 1000);
    assert!(fault(&config, &[gib; 2]).message.contains("multiple of the sector"));
    config.chunk = 512;
    assert!(fault(&config, &[gib; 2]).help.contains("4 KiB"));
    config.chunk = 65536;
    config.sync = SyncPolicy { window: 98_304, ..SyncPolicy::of_chunks(65536) };
    assert!(fault(&config, &[gib; 2]).message.contains("windows of 98304 bytes"));
    config.sync.window = 16384;
    assert_eq!(config.check(&[gib; 2]), Ok(vec![]), "four windows a chunk");
    config.sync.beside = 17;
    assert!(fault(&config, &[gib; 2]).message.contains("17 windows beside a load"));
    config.sync = SyncPolicy::of_chunks(65536);
    assert!(fault(&config, &[gib; 3]).message.contains("3 drives"));
    assert!(fault(&config, &[65535; 2]).message.contains("no room"));
    assert_eq!(config.check(&[gib; 2]), Ok(vec![]));
    assert_eq!(config.check(&[65536; 2]), Ok(vec![]), "one chunk is enough");
    // Unequal members are allowed, with a warning.
    let told = config.check(&[gib, 2 * gib]).unwrap();
    assert!(told[0].contains("unequal"));
    assert_eq!(Layout::new(&config, gib).capacity(), 2 * gib);
    config.engine.row = engine::Duration::from_us(1);
    assert!(fault(&config, &[gib; 2]).help.contains("threads"));
}

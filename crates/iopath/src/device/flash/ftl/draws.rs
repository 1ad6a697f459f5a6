//! Random choices without a generator to save: the seed of each choice follows from the seed of the
//! FTL and from the state of the drive, which a snapshot keeps anyway.

/// The seed of one choice (each number mixed in as splitmix64 does it).
pub(super) fn seed_of(seed: u64, stand: &[u64]) -> u64 {
    stand.iter().fold(seed, |hash, &number| {
        let mut z = (hash ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

//! The least that memory alone would cost: for each request one random entry of a table the size
//! of the map, or three for a write (map, validity, reverse map), and nothing else.

use crate::process::cpu_seconds;

/// Requests per CPU second of that loop on this machine.
pub fn rate(pages: u64, writes: bool) -> f64 {
    let n = pages as usize;
    let mut map = vec![1u32; n];
    let mut reverse = vec![1u32; if writes { n } else { 1 }];
    let mut valid = vec![1u64; if writes { n.div_ceil(64) } else { 1 }];
    let requests = 20_000_000u64;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut sum = 0u64;
    let start = cpu_seconds();
    for _ in 0..requests {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = ((state as u128 * n as u128) >> 64) as usize;
        if writes {
            map[at] = map[at].wrapping_add(1);
            let other = ((state.rotate_left(32) as u128 * n as u128) >> 64) as usize;
            valid[other / 64] ^= 1 << (other % 64);
            reverse[other] = at as u32;
        } else {
            sum = sum.wrapping_add(map[at] as u64);
        }
    }
    let seconds = cpu_seconds() - start;
    std::hint::black_box((sum, &map, &reverse, &valid));
    requests as f64 / seconds.max(1e-9)
}

//! Conversions to numbers of fewer bits. `as` drops what does not fit and says nothing; a lint
//! forbids it in every crate of a model's path, and these functions say what happens instead.

#![allow(clippy::cast_possible_truncation)]

use std::fmt::Display;

const _: () = assert!(usize::BITS == u64::BITS, "the laboratory needs a machine of 64 bits");

/// `n` as an index of memory. Nothing is lost: both have 64 bits.
#[inline]
pub const fn index(n: u64) -> usize {
    n as usize
}

/// `n` as a number of another integer type, for values that a model keeps within its range.
///
/// # Panics
/// If `n` does not fit, which only a bug can cause.
#[inline]
#[track_caller]
pub fn narrow<To>(n: impl TryInto<To> + Copy + Display) -> To {
    match n.try_into() {
        Ok(narrowed) => narrowed,
        Err(_) => too_wide(&n, std::any::type_name::<To>()),
    }
}

/// Apart from [`narrow`], so that a conversion is a compare and a branch that is never taken.
#[cold]
#[inline(never)]
#[track_caller]
fn too_wide(n: &dyn Display, to: &str) -> ! {
    panic!("{n} does not fit into {to}")
}

/// `n` as a number of 64 bits; beyond them the largest, as times and shares beyond their range are.
#[inline]
pub fn saturated(n: u128) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The whole part of `x`. Below zero and for what is no number it is 0, beyond 2^64 - 1 it is that.
#[inline]
pub const fn whole(x: f64) -> u64 {
    x as u64
}

/// The whole part of `x` with its sign. What is no number gives 0, and what is beyond the range of
/// 64 bits its nearest end.
#[inline]
pub const fn whole_signed(x: f64) -> i64 {
    x as i64
}

/// The whole part of `x` in 128 bits, for bytes of the lives of many drives; otherwise as
/// [`whole`].
#[inline]
pub const fn whole_wide(x: f64) -> u128 {
    x as u128
}

/// `x` to the 24 bits of single precision, rounded to nearest.
#[inline]
pub const fn single(x: f64) -> f32 {
    x as f32
}

/// The lower 32 bits of `bits`.
#[inline]
pub const fn low32(bits: u64) -> u32 {
    bits as u32
}

/// The lower 64 bits of `bits`.
#[inline]
pub const fn low64(bits: u128) -> u64 {
    bits as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_the_same() {
        assert_eq!(narrow::<u32>(u64::from(u32::MAX)), u32::MAX);
        assert_eq!(narrow::<u8>(255_usize), 255);
        assert_eq!(narrow::<usize>(7_i64), 7);
        assert_eq!(index(u64::MAX), usize::MAX);
    }

    #[test]
    #[should_panic(expected = "4294967296 does not fit into u32")]
    fn what_does_not_fit_is_named() {
        narrow::<u32>(1_u64 << 32);
    }

    #[test]
    #[should_panic(expected = "-1 does not fit into usize")]
    fn a_negative_number_is_no_index() {
        narrow::<usize>(-1_i64);
    }

    #[test]
    fn fractions_end_at_the_ends_of_the_range() {
        assert_eq!([2.9, -0.5, -3.0, f64::NAN].map(whole), [2, 0, 0, 0]);
        assert_eq!([1e300, f64::INFINITY].map(whole), [u64::MAX; 2]);
        assert_eq!([2.9, -2.9, f64::NAN].map(whole_signed), [2, -2, 0]);
        assert_eq!([-1e300, 1e300].map(whole_signed), [i64::MIN, i64::MAX]);
        assert_eq!([2e19, -1.0, f64::NAN].map(whole_wide), [20_000_000_000_000_000_000, 0, 0]);
        assert_eq!(single(0.1), 0.1_f32);
    }

    #[test]
    fn lower_halves_and_what_is_beyond_the_range() {
        assert_eq!(low32(0x1234_5678_9abc_def0), 0x9abc_def0);
        assert_eq!(low64(3 << 64 | 5), 5);
        assert_eq!((saturated(5), saturated(3 << 64)), (5, u64::MAX));
    }
}

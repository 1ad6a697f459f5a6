//! The two parities of RAID 6 over tags, as H. P. Anvin ("The mathematics of RAID-6", 2004)
//! defines them for bytes: P = sum of d_i, Q = sum of g^i d_i, in the field of 256 elements with
//! the polynomial 0x11d and g = 2. With the payload `()` there is nothing to calculate.

use crate::kernel::galois::product;
use crate::kernel::payload::Payload;

fn power(a: u8, n: u32) -> u8 {
    (0..n).fold(1, |x, _| product(x, a))
}

/// The element whose product with `a`, which is not zero, is one: a^254.
fn inverse(a: u8) -> u8 {
    power(a, 254)
}

/// The factor of a column in Q.
pub fn factor(column: u32) -> u8 {
    power(2, column % 255)
}

/// P over the tags of all columns.
pub fn p<P: Payload>(tags: &[P]) -> P {
    tags.iter().fold(P::default(), |sum, tag| sum.xor(*tag))
}

/// Q over the tags of all columns.
pub fn q<P: Payload>(tags: &[P]) -> P {
    let terms = tags.iter().zip(0..);
    terms.fold(P::default(), |sum, (tag, column)| sum.xor(tag.times(factor(column))))
}

/// Finds the tags of the columns in the set `lost`, whose entries are overwritten, from the others
/// and the parities that are known. True if there was enough to find them.
pub fn recover<P: Payload>(
    tags: &mut [P],
    lost: u64,
    p_known: Option<P>,
    q_known: Option<P>,
) -> bool {
    for (column, tag) in tags.iter_mut().enumerate() {
        if lost >> column & 1 != 0 {
            *tag = P::default();
        }
    }
    let x = lost.trailing_zeros();
    match (lost.count_ones(), p_known, q_known) {
        (0, _, _) => true,
        (1, Some(parity), _) => {
            tags[x as usize] = p(tags).xor(parity);
            true
        }
        (1, None, Some(syndrome)) => {
            tags[x as usize] = q(tags).xor(syndrome).times(inverse(factor(x)));
            true
        }
        (2, Some(parity), Some(syndrome)) => {
            // d_x + d_y = a, g^x d_x + g^y d_y = b, so (g^x + g^y) d_x = b + g^y a.
            let y = (lost & (lost - 1)).trailing_zeros();
            let (a, b) = (p(tags).xor(parity), q(tags).xor(syndrome));
            let (gx, gy) = (factor(x), factor(y));
            let dx = b.xor(a.times(gy)).times(inverse(gx ^ gy));
            tags[x as usize] = dx;
            tags[y as usize] = a.xor(dx);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_element_but_zero_has_an_inverse_and_factors_differ() {
        for a in 1..=255u8 {
            assert_eq!(product(a, inverse(a)), 1);
        }
        let mut factors: Vec<u8> = (0..255).map(factor).collect();
        factors.sort_unstable();
        factors.dedup();
        assert_eq!(factors.len(), 255, "2 generates the field");
    }

    proptest! {
        #[test]
        fn any_two_of_a_stripe_can_be_found_again(
            tags in proptest::collection::vec(any::<u32>(), 2..62),
            a in any::<u32>(),
            b in any::<u32>(),
        ) {
            let n = tags.len() as u32;
            let (parity, syndrome) = (Some(p(&tags)), Some(q(&tags)));
            let (a, b) = (a % n, b % n);
            let sets = [
                (1u64 << a | 1 << b, parity, syndrome),
                (1 << a, parity, None),
                (1 << a, None, syndrome),
            ];
            for (lost, parity, syndrome) in sets {
                let mut found = tags.clone();
                for column in [a, b] {
                    if lost >> column & 1 != 0 {
                        found[column as usize] = 0xdead;
                    }
                }
                prop_assert!(recover(&mut found, lost, parity, syndrome));
                prop_assert_eq!(&found, &tags);
            }
        }
    }
}

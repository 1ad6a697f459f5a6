//! The field of 256 elements with the polynomial 0x11d, in which RAID 6 calculates.

/// Product in the field.
pub fn product(mut a: u8, mut b: u8) -> u8 {
    let mut sum = 0;
    while b != 0 {
        if b & 1 != 0 {
            sum ^= a;
        }
        a = if a & 0x80 != 0 { a << 1 ^ 0x1d } else { a << 1 };
        b >>= 1;
    }
    sum
}

//! The fields of commands and pages. All of them are little-endian, at fixed places.

/// Bytes of a page of Identify.
pub(crate) const PAGE: usize = 4096;

/// The `N` bytes at `at`; zeroes beyond the end.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut field = [0; N];
    for (to, from) in field.iter_mut().zip(bytes.iter().skip(at)) {
        *to = *from;
    }
    field
}

/// The 16 bits at `at`.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

/// The 32 bits at `at`.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

/// The 64 bits at `at`.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// Puts `field` at `at`; what lies beyond the end of `bytes` is dropped.
pub(crate) fn put(bytes: &mut [u8], at: usize, field: &[u8]) {
    for (to, from) in bytes.iter_mut().skip(at).zip(field) {
        *to = *from;
    }
}

/// Puts text at `at`, filled up with spaces to `len` bytes.
pub(crate) fn put_text(bytes: &mut [u8], at: usize, len: usize, text: &str) {
    let printable = text.bytes().map(|byte| if (32..127).contains(&byte) { byte } else { b' ' });
    let padded: Vec<u8> = printable.chain(std::iter::repeat(b' ')).take(len).collect();
    put(bytes, at, &padded);
}

/// The text of a field that ends with a zero or with the field.
pub(crate) fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// A length as a message has it. No message is 4 GiB long; the largest number stands for more.
pub(crate) fn len32(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// A length that a message announces.
pub(crate) fn size(len: u32) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}

//! The one place with `unsafe`: a hint to the processor that a cache line will be wanted.

/// Hints that `table[index]` will be read soon; does nothing for an index outside the table and on
/// processors other than x86-64. A hint has no effect on any result.
#[inline(always)]
#[allow(unsafe_code)]
pub fn line_of<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(entry) = table.get(index) {
        // SAFETY: a prefetch reads nothing that the program can see, and the address is that of
        // an element inside the slice.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast::<i8>());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}

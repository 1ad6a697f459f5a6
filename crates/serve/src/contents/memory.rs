//! Bytes in memory, in pages that exist once something was written to them.

use super::Medium;
use rustc_hash::FxHashMap;
use std::io;

/// Bytes of a page.
const PAGE: usize = 4096;

/// A medium in memory.
#[derive(Default)]
pub struct MemoryMedium {
    pages: FxHashMap<u64, Box<[u8; PAGE]>>,
    /// Pages at most.
    most: usize,
}

impl MemoryMedium {
    /// An empty medium that takes so many bytes at most.
    pub fn new(most_bytes: u64) -> Self {
        let most = usize::try_from(most_bytes / PAGE as u64).unwrap_or(usize::MAX);
        MemoryMedium { pages: FxHashMap::default(), most }
    }
}

/// The pages of a range: number, first byte inside, and the part of the range.
fn parts(start: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let place = start + at as u64;
        let inside = usize::try_from(place % PAGE as u64).unwrap_or(0);
        let part = at..len.min(at + PAGE - inside);
        at = part.end;
        (!part.is_empty()).then_some((place / PAGE as u64, inside, part))
    })
}

impl Medium for MemoryMedium {
    fn read(&self, start: u64, to: &mut [u8]) -> io::Result<()> {
        for (page, inside, part) in parts(start, to.len()) {
            let to = &mut to[part];
            match self.pages.get(&page) {
                Some(bytes) => to.copy_from_slice(&bytes[inside..inside + to.len()]),
                None => to.fill(0),
            }
        }
        Ok(())
    }

    fn write(&mut self, start: u64, from: &[u8]) -> io::Result<()> {
        for (page, inside, part) in parts(start, from.len()) {
            let from = &from[part];
            if self.pages.len() >= self.most && !self.pages.contains_key(&page) {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            let bytes = self.pages.entry(page).or_insert_with(|| Box::new([0; PAGE]));
            bytes[inside..inside + from.len()].copy_from_slice(from);
        }
        Ok(())
    }

    fn clear(&mut self, start: u64, len: u64) -> io::Result<()> {
        let pages = start / PAGE as u64..(start + len).div_ceil(PAGE as u64);
        // A range may be far larger than what is held.
        if pages.end - pages.start > self.pages.len() as u64 {
            self.pages.retain(|page, _| !pages.contains(page));
        } else {
            pages.for_each(|page| drop(self.pages.remove(&page)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_sparse_array_of_bytes() {
        let mut medium = MemoryMedium::new(1 << 20);
        let data: Vec<u8> =
            (0..10_000_u32).map(|i| u8::try_from(i % 251).expect("small")).collect();
        medium.write(4000, &data).expect("room");
        let mut back = vec![9; 12_000];
        medium.read(3000, &mut back).expect("read");
        assert!(back[..1000].iter().all(|byte| *byte == 0));
        assert_eq!(back[1000..11_000], data);
        medium.clear(4096, 8192).expect("clear");
        medium.read(4000, &mut back[..10_000]).expect("read");
        assert_eq!(back[..96], data[..96]);
        assert!(back[96..8288].iter().all(|byte| *byte == 0));
        assert_eq!(back[8288..10_000], data[8288..]);
    }

    #[test]
    fn the_last_page_fits_and_one_more_does_not() {
        let mut medium = MemoryMedium::new(2 * 4096);
        medium.write(0, &[1; 8192]).expect("two pages");
        let full = medium.write(8192, &[1]).expect_err("three pages");
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        medium.write(4096, &[2; 10]).expect("written over");
    }
}

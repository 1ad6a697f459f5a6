//! Bytes on their way to a file or from it, with the hash of all of them.

use std::io::{self, Read, Write};

/// Numbers written or read at once.
const CHUNK: usize = 1 << 14;

/// Hashes what passes (FNV-1a over 64-bit words, so that a large map takes little time).
pub(crate) struct Checked<T> {
    inner: T,
    hash: u64,
}

impl<T> Checked<T> {
    pub(crate) fn new(inner: T) -> Self {
        Checked { inner, hash: 0xcbf2_9ce4_8422_2325 }
    }

    /// The hash of all that has passed.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

fn mix(hash: &mut u64, bytes: &[u8]) {
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        // The length distinguishes a short last word from one padded with zeros.
        let word = u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56;
        *hash = (*hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
}

impl<W: Write> Checked<W> {
    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        mix(&mut self.hash, bytes);
        self.inner.write_all(bytes)
    }

    pub(crate) fn put_numbers(&mut self, numbers: &[u32]) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(4 * numbers.len().min(CHUNK));
        for part in numbers.chunks(CHUNK) {
            buffer.clear();
            part.iter().for_each(|n| buffer.extend(n.to_le_bytes()));
            self.put_bytes(&buffer)?;
        }
        Ok(())
    }

    pub(crate) fn put_number(&mut self, n: u32) -> io::Result<()> {
        self.put_bytes(&n.to_le_bytes())
    }

    pub(crate) fn put_long(&mut self, n: u64) -> io::Result<()> {
        self.put_bytes(&n.to_le_bytes())
    }
}

impl<R: Read> Checked<R> {
    pub(crate) fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes)?;
        mix(&mut self.hash, &bytes);
        Ok(bytes)
    }

    pub(crate) fn numbers(&mut self, count: usize) -> io::Result<Vec<u32>> {
        let mut numbers = Vec::new();
        let mut buffer = vec![0; 4 * count.min(CHUNK)];
        while numbers.len() < count {
            let part = &mut buffer[..4 * (count - numbers.len()).min(CHUNK)];
            self.inner.read_exact(part)?;
            mix(&mut self.hash, part);
            let words = part.chunks_exact(4);
            numbers.extend(words.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        }
        Ok(numbers)
    }

    pub(crate) fn number(&mut self) -> io::Result<u32> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    pub(crate) fn long(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }
}

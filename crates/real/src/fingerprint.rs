//! A fingerprint of a file: its size, when it was last written, and a digest of samples.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Bytes that count at each end of the file: every superblock and partition table is in them.
const END: u64 = 64 << 10;
/// Samples between the ends, and bytes of each.
const SAMPLES: u64 = 64;
const SAMPLE: u64 = 4 << 10;

/// The content of a file as it was at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fingerprint {
    /// Bytes.
    size: u64,
    /// Last change of the content, ns since 1970; as text, because JSON has no whole numbers of
    /// this size.
    modified_ns: String,
    /// SHA-256 of both ends and of samples between them.
    digest: String,
}

impl Fingerprint {
    /// Reads it from a file that must be the one of `metadata`.
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> io::Result<Self> {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let opened = file.metadata()?;
        if (opened.dev(), opened.ino()) != (metadata.dev(), metadata.ino()) {
            return Err(io::Error::other("it was replaced while it was looked at"));
        }
        let modified = i128::from(opened.mtime()) * 1_000_000_000 + i128::from(opened.mtime_nsec());
        Ok(Self {
            size: opened.len(),
            modified_ns: modified.to_string(),
            digest: digest(&file, opened.len())?,
        })
    }
}

fn digest(file: &File, size: u64) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; END as usize];
    for (offset, length) in places(size) {
        let part = &mut buffer[..length as usize];
        file.read_exact_at(part, offset)?;
        hash.update(offset.to_le_bytes());
        hash.update(part);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Where a file of `size` bytes is read: offset and length of each piece.
fn places(size: u64) -> Vec<(u64, u64)> {
    if size <= 2 * END {
        let half = size.min(END);
        return vec![(0, half), (half, size - half)];
    }
    let between = size - 2 * END;
    let mut places = vec![(0, END), (size - END, END)];
    let length = SAMPLE.min(between / SAMPLES);
    if length > 0 {
        places.extend((0..SAMPLES).map(|i| (END + between / SAMPLES * i, length)));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Every piece is in the file, both ends are covered, and a small file is read whole.
    #[test]
    fn pieces_lie_in_the_file() {
        for size in [0, 1, 4096, END, 2 * END - 1, 2 * END, 2 * END + 63, 1 << 20, u64::MAX / 2] {
            let places = places(size);
            assert!(places.iter().all(|(at, length)| at + length <= size && *length <= END));
            assert!(size == 0 || places.iter().any(|(at, length)| at + length == size));
            let sum: u64 = places.iter().map(|(_, length)| length).sum();
            assert!(size > 2 * END || sum == size, "{size}");
        }
    }

    #[test]
    fn a_changed_byte_at_an_end_shows_even_with_the_old_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, vec![7; 1 << 20]).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let before = Fingerprint::of(&path, &metadata).unwrap();
        assert_eq!(before, Fingerprint::of(&path, &metadata).unwrap());
        for at in [0, 0x438, (1 << 20) - 1] {
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            file.write_at(&[9], at).unwrap();
            file.set_modified(metadata.modified().unwrap()).unwrap();
            assert_ne!(before, Fingerprint::of(&path, &metadata).unwrap(), "byte {at}");
            file.write_at(&[7], at).unwrap();
            file.set_modified(metadata.modified().unwrap()).unwrap();
            assert_eq!(before, Fingerprint::of(&path, &metadata).unwrap());
        }
    }
}

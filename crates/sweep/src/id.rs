//! Names of runs and plans by their content.

use sha2::{Digest, Sha256};

/// Bytes of an id: enough that no two of any number of points share one.
const BYTES: usize = 16;

/// The hash of a text, as 64 hexadecimal digits.
pub fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// The id of a run that follows from these parts alone, named. Neither order of writing nor blanks
/// can make two of one: parts are told apart by their lengths.
pub fn id<'a>(parts: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut all = Sha256::new();
    for (name, part) in parts {
        for text in [name, part] {
            all.update((text.len() as u64).to_le_bytes());
            all.update(text.as_bytes());
        }
    }
    hex(&all.finalize()[..BYTES])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

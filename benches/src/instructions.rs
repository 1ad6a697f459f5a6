//! Instructions that a request takes, counted by Valgrind: a number that no other load of the
//! machine changes.

use crate::work::{REQUESTS, Work};
use std::path::Path;
use std::process::Command;

/// Requests that are counted: fewer than for a time, since Valgrind is some fifty times slower.
const COUNTED: u64 = 100_000;
/// Within which function instructions are counted: warming up and measuring, and nothing else.
const WITHIN: &str = "*run_until*";

/// Instructions of a request of a work, measured in a process of `program`.
///
/// # Errors
/// If Valgrind is not installed or fails.
pub fn count(program: &Path, work: &Work) -> Result<f64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={WITHIN}"))
        .arg(program)
        .arg(format!("--one={}", work.name))
        .env(REQUESTS, COUNTED.to_string())
        .output()
        .map_err(|why| format!("valgrind cannot be started ({why}): install it"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(said.into_owned());
    }
    let all = collected(&said).ok_or_else(|| format!("valgrind counts nothing: {said}"))?;
    let requests = work.with_requests(COUNTED).requests_with_warming();
    Ok(all as f64 / requests as f64)
}

/// The count in what Valgrind says: `==123== Collected : 456`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected : "))?;
    line.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_valgrinds_words() {
        let said = "==7== Events    : Ir\n==7== Collected : 8123456\n==7== \n";
        assert_eq!(collected(said), Some(8_123_456));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }
}

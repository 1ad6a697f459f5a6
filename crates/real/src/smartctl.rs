//! Queries smartctl for a drive's health, without changing anything.

use crate::tool::{self, ToolError, Tools};
use smart::Snapshot;
use std::path::Path;

const PACKAGE: &str = "smartmontools (on Debian and Ubuntu: apt install smartmontools)";

/// What each bit of smartctl's exit code from bit 2 on says (its manual, RETURN VALUES). Bits 0 and
/// 1 say that it had nothing to report.
const BITS: [(i32, &str); 6] = [
    (2, "a command to the drive failed, or a checksum of its answer is wrong"),
    (3, "the drive says of itself that it is failing"),
    (4, "attributes are at or below their thresholds: the drive is about to fail"),
    (5, "attributes have been at or below their thresholds at some time"),
    (6, "the drive's error log holds errors"),
    (7, "the drive's self-test log holds failed tests"),
];

/// A drive's health as a tool reported it.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// What was read.
    pub snapshot: Snapshot,
    /// The tool's own output, to be kept.
    pub text: String,
    /// What the tool warns of, in words.
    pub warnings: Vec<String>,
}

/// The health of a device by `smartctl --json -x`.
///
/// # Errors
/// If smartctl is missing, cannot open the device (often: no permission), or prints no health log.
pub fn health(tools: &Tools, device: &Path) -> Result<Health, ToolError> {
    tool::check_device_path(device)?;
    let name = device.display().to_string();
    let answer = tool::ask(&tools.smartctl, PACKAGE, &["--json", "-x", &name])?;
    if answer.code < 0 {
        return Err(answer.failure());
    }
    // Exit codes 1 and 2 come with a JSON that says why, which the reader passes on.
    if answer.code & 0b11 != 0 && !answer.text.contains('{') {
        return Err(answer.failure());
    }
    let snapshot = smart::read::snapshot(&format!("smartctl --json -x {name}"), &answer.text)?;
    let warnings = explain(answer.code).into_iter().map(str::to_owned).collect();
    Ok(Health { snapshot, text: answer.text, warnings })
}

/// The bits of an exit code from bit 2 on, in words.
pub fn explain(code: i32) -> Vec<&'static str> {
    BITS.iter().filter(|(bit, _)| code & (1 << bit) != 0).map(|(_, words)| *words).collect()
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn every_bit_has_its_words() {
        assert!(explain(0).is_empty() && explain(0b11).is_empty());
        assert_eq!(explain(1 << 6), ["the drive's error log holds errors"]);
        assert_eq!(explain(0b1111_1100).len(), 6);
    }
}

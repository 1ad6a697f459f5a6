//! Queries nvme-cli for the logs that smartctl does not print, without changing anything.

use crate::smartctl::Health;
use crate::tool::{self, ToolError, Tools};
use std::path::Path;

pub(crate) const PACKAGE: &str = "nvme-cli (on Debian and Ubuntu: apt install nvme-cli)";

/// The health of an NVMe device: its identity, its health log, and, if the drive and this nvme-cli
/// know it, OCP's log C0h, which holds NAND writes.
///
/// # Errors
/// If nvme-cli is missing, cannot open the device, or prints no health log. A drive without the OCP
/// log is not an error; a warning says so.
pub fn health(tools: &Tools, device: &Path) -> Result<Health, ToolError> {
    tool::check_device_path(device)?;
    let name = device.display().to_string();
    let ask = |words: &[&str]| {
        let arguments = [words, &[&name, "-o", "json"]].concat();
        tool::ask(&tools.nvme, PACKAGE, &arguments)
    };
    let mut text = ask(&["id-ctrl"])?.success()?;
    text.push('\n');
    text.push_str(&ask(&["smart-log"])?.success()?);
    let mut warnings = Vec::new();
    let ocp = ask(&["ocp", "smart-add-log"])?;
    if ocp.code == 0 && ocp.text.contains('{') {
        text.push('\n');
        text.push_str(&ocp.text);
    } else {
        let why = ocp.failure();
        warnings.push(format!("no OCP log C0h, so NAND writes are not known: {why}"));
    }
    let snapshot = smart::read::snapshot(&format!("nvme logs of {name}"), &text)?;
    Ok(Health { snapshot, text, warnings })
}

//! What the machine is that measures.

use crate::system::System;
use std::fs;

/// Bytes of a GiB, in KiB as the kernel counts memory.
const GIB_KIB: f64 = 1_048_576.0;

/// Make, processors and memory of a machine, as `Dell Inc. PowerEdge R750, 64 x Intel(R) Xeon(R)
/// Gold 6338 CPU @ 2.00GHz, 251 GiB`. What it does not show is left out.
pub fn described(system: &System) -> String {
    let all = [make(system), processors(system), memory(system)];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Who made it, and what it is called.
fn make(system: &System) -> Option<String> {
    let of = |file: &str| {
        let text = fs::read_to_string(system.sys.join("class/dmi/id").join(file)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let all: Vec<String> = ["sys_vendor", "product_name"].into_iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Number and name of the processors that the system sees.
fn processors(system: &System) -> Option<String> {
    let text = fs::read_to_string(system.proc.join("cpuinfo")).ok()?;
    let values = |wanted: &str| -> Vec<&str> {
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        pairs.filter(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim()).collect()
    };
    let number = values("processor").len();
    let model = values("model name").first().map(|name| format!(" x {name}"));
    let what = model.unwrap_or_else(|| " processors".to_owned());
    (number > 0).then(|| format!("{number}{what}"))
}

/// Memory, GiB.
fn memory(system: &System) -> Option<String> {
    let text = fs::read_to_string(system.proc.join("meminfo")).ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: f64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(format!("{:.0} GiB", kib / GIB_KIB))
}

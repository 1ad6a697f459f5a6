//! CPU time and peak memory of this process, and the line in which a child reports them.

use std::path::Path;
use std::process::Command;

/// What a build of this bench prints of a work or a method in a process of its own.
///
/// # Errors
/// If it cannot be started or fails: what it says.
pub fn alone(program: &Path, name: &str) -> Result<String, String> {
    let output = Command::new(program)
        .arg(format!("--one={name}"))
        .output()
        .map_err(|e| format!("cannot start a process of its own: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// What one work measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Simulated requests for each second of user and system time.
    pub requests_per_cpu_s: f64,
    /// Sense and program operations for each CPU second.
    pub flash_ops_per_cpu_s: f64,
    /// Peak resident memory, in bytes.
    pub peak_bytes: u64,
    /// Mapped pages of the drive.
    pub mapped_pages: u64,
    /// CPU time of preconditioning, in microseconds a mapped page.
    pub precondition_us_per_page: Option<f64>,
    /// Rate of a loop that only touches the map's lines for each request.
    pub floor_per_cpu_s: f64,
    /// Flash writes over host writes in the measured part.
    pub write_amplification: Option<f64>,
    /// Memory a mapped page, where two works were compared.
    pub bytes_per_page: Option<f64>,
}

impl Measured {
    /// One line for the parent.
    pub fn to_line(&self) -> String {
        let option = |v: Option<f64>| v.map_or_else(|| "-".to_owned(), |v| v.to_string());
        format!(
            "{} {} {} {} {} {} {}",
            self.requests_per_cpu_s,
            self.flash_ops_per_cpu_s,
            self.peak_bytes,
            self.mapped_pages,
            option(self.precondition_us_per_page),
            self.floor_per_cpu_s,
            option(self.write_amplification),
        )
    }

    /// Reads what [`Measured::to_line`] wrote.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let bad = || format!("a work reported `{}`", line.trim());
        let number = |i: usize| -> Result<f64, String> {
            fields.get(i).and_then(|f| f.parse().ok()).ok_or_else(bad)
        };
        Ok(Measured {
            requests_per_cpu_s: number(0)?,
            flash_ops_per_cpu_s: number(1)?,
            peak_bytes: number(2)? as u64,
            mapped_pages: number(3)? as u64,
            precondition_us_per_page: number(4).ok(),
            floor_per_cpu_s: number(5)?,
            write_amplification: number(6).ok(),
            bytes_per_page: None,
        })
    }

    /// The same as JSON, with units in the names.
    pub fn to_json(&self, name: &str) -> serde_json::Value {
        serde_json::json!({
            "name": name,
            "requests_per_cpu_s": self.requests_per_cpu_s,
            "flash_operations_per_cpu_s": self.flash_ops_per_cpu_s,
            "bytes_per_mapped_page": self.bytes_per_page,
            "peak_bytes": self.peak_bytes,
            "mapped_pages": self.mapped_pages,
            "precondition_us_per_page": self.precondition_us_per_page,
            "floor_per_cpu_s": self.floor_per_cpu_s,
            "write_amplification": self.write_amplification,
        })
    }
}

/// User and system time of this process so far, in seconds.
pub fn cpu_seconds() -> f64 {
    // Nanoseconds on the run queue's clock, finer than the ticks of /proc/self/stat.
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(cpu_seconds_by_ticks, |ns| ns / 1e9)
}

fn cpu_seconds_by_ticks() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after_name.split_whitespace().filter_map(|f| f.parse().ok()).collect();
    // Fields 14 and 15 of proc(5), counted after the state letter; 100 ticks a second.
    fields.get(10).zip(fields.get(11)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}

/// Peak resident memory of this process, in bytes.
pub fn peak_bytes() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        })
        .map_or(0, |kib| kib * 1024)
}

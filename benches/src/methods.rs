//! Whole review methods: the processor time that one measurement takes, its preparation included.

use crate::process::{self, cpu_seconds, peak_bytes};
use lab::{BenchOptions, ModelBench};
use metric::Params;
use std::path::Path;

/// A measurement as a user asks for it.
pub struct Whole {
    /// Its name on the command line.
    pub name: &'static str,
    target: &'static str,
    method: &'static str,
    params: Given,
    /// I/Os of a run; what a user gets who says nothing if there are none.
    ios: Option<u64>,
    /// What it may take, CPU seconds.
    pub limit_s: f64,
}

/// All of them, in the order in which they are run.
pub const ALL: &[Whole] = &[
    Whole {
        name: "curve-8-drives",
        target: "d7-p5520-7.68tb",
        method: "load-curve",
        params: &[("workload", "sql-80-20"), ("drives", "8")],
        ios: None,
        limit_s: 10.0,
    },
    // At the load of the review some 167,000 timed reads a second for 120 s: twenty million.
    Whole {
        name: "neighbours-20m-reads",
        target: "d7-p5520-7.68tb",
        method: "noisy-neighbour",
        params: &[("percentile", "99.9999 %"), ("duration", "120 s")],
        ios: None,
        limit_s: 60.0,
    },
    // How long a user waits for a number: the state is prepared, and next to nothing is run.
    first("first-p4510", "p4510-8tb"),
    first("first-p5430", "d5-p5430-15.36tb"),
    first("first-710", "intel-710-200gb"),
    first("first-pm981a", "pm981a-256gb"),
    // Drives of the library with all that their models have.
    corner("p5430-rand-read", "d5-p5430-15.36tb", READS),
    corner("p5430-rand-write", "d5-p5430-15.36tb", WRITES),
    corner("p5520-rand-mixed", "d7-p5520-7.68tb", MIXED),
    corner("710-rand-write", "intel-710-200gb", WRITES),
];

/// Parameters of a method.
type Given = &'static [(&'static str, &'static str)];

const READS: Given = &[("read", "100 %"), ("pattern", "rand"), ("qd", "64")];
const WRITES: Given = &[("read", "0 %"), ("pattern", "rand"), ("qd", "64")];
const MIXED: Given = &[("read", "70 %"), ("pattern", "rand"), ("qd", "64")];

/// Twenty thousand random writes to a drive in the steady state.
const fn first(name: &'static str, target: &'static str) -> Whole {
    Whole { name, target, method: "corner", params: WRITES, ios: Some(20_000), limit_s: 3.0 }
}

/// Two million random I/Os of 4 KiB.
const fn corner(name: &'static str, target: &'static str, params: Given) -> Whole {
    Whole { name, target, method: "corner", params, ios: Some(2_000_000), limit_s: 30.0 }
}

/// What one took.
pub struct Took {
    /// Processor time, s.
    pub cpu_s: f64,
    /// Most memory, bytes.
    pub peak_bytes: u64,
}

/// The measurement of a name.
pub fn find(name: &str) -> Option<&'static Whole> {
    ALL.iter().find(|whole| whole.name == name)
}

impl Whole {
    /// Measures in this process; the error says why it cannot be.
    pub fn run(&self) -> Result<Took, String> {
        let params = Params::from_pairs(self.params.iter().copied())?;
        let usual = BenchOptions::default();
        let bench = ModelBench::new(BenchOptions { ios: self.ios.unwrap_or(usual.ios), ..usual });
        let start = cpu_seconds();
        let measured = bench.measure(self.target, self.method, &params);
        let cpu_s = cpu_seconds() - start;
        let measured = measured.map_err(|why| why.to_string())?;
        assert!(!measured.metrics.is_empty(), "a measurement without a number");
        Ok(Took { cpu_s, peak_bytes: peak_bytes() })
    }

    /// Measures with a build of this bench, in a process of its own.
    pub fn run_alone(&self, program: &Path) -> Result<Took, String> {
        Took::from_line(&process::alone(program, self.name)?)
    }
}

impl Took {
    /// As one line, for the process that asked.
    pub fn to_line(&self) -> String {
        format!("{} {}", self.cpu_s, self.peak_bytes)
    }

    fn from_line(line: &str) -> Result<Self, String> {
        let wrong = || format!("not a result: `{}`", line.trim());
        let (cpu, peak) = line.trim().split_once(' ').ok_or_else(wrong)?;
        let cpu_s = cpu.parse().map_err(|_| wrong())?;
        Ok(Took { cpu_s, peak_bytes: peak.parse().map_err(|_| wrong())? })
    }
}

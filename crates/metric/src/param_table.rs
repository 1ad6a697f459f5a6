//! The table of method parameters: names, kinds, accepted spellings and documentation.

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// An amount of data, with unit.
    Bytes,
    /// A duration, with unit.
    Time,
    /// A rate in bytes a second, with unit.
    Bandwidth,
    /// A share from 0 to 100 %, with `%`.
    Share,
    /// A whole number within limits.
    Count(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Free text that only describes; it is part of a run's identity all the same.
    Text,
    /// `true` or `false`.
    Flag,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Canonical name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParamKind,
    /// What it means and what holds if it is left out.
    pub doc: &'static str,
}

const fn spec(name: &'static str, kind: ParamKind, doc: &'static str) -> ParamSpec {
    ParamSpec { name, kind, doc }
}

use ParamKind::{Bandwidth, Bytes, Count, Flag, Share, Text, Time, Word};

/// Every parameter, in the order of the documentation.
pub const PARAMS: &[ParamSpec] = &[
    spec("pattern", Word(&["rand", "seq"]), "order of addresses; default rand"),
    spec("read", Share, "share of operations that read; `op = \"read\"` is 100 %"),
    spec("block", Bytes, "transfer size; default 4 KiB random, 128 KiB sequential"),
    spec("qd", Count(1, 65_536), "total commands outstanding; default 256 rand, 128 seq"),
    spec("jobs", Count(1, 4096), "workers that share the queue depth; default: the method's"),
    spec("threads", Count(1, 4096), "threads, each with a queue of its own (TC of SNIA's tests)"),
    spec("thread_qd", Count(1, 65_536), "commands outstanding of each thread (QD of SNIA's tests)"),
    spec(
        "spec",
        Word(&["enterprise", "client"]),
        "part of a specification that a test follows; default enterprise",
    ),
    spec(
        "pts",
        Word(&["2.0", "1.1"]),
        "version of SNIA's specification that a test follows; default 2.0",
    ),
    spec(
        "load",
        Word(&["uniform", "composite"]),
        "uniform = one size; composite = the sizes and places of JEDEC's enterprise workload; \
         default uniform",
    ),
    spec("give_up", Share, "user capacity never written, used as spare area; default 0 %"),
    spec(
        "state",
        Word(&["fresh", "filled", "steady", "kept"]),
        "drive before the run: fresh = formatted; filled = written once in sequence; steady = \
         written until the rate is steady, for pure reads the same as filled; kept = as it is, \
         of real drives alone; default steady, with `prewrite` fresh",
    ),
    spec("prewrite", Time, "time written, from `state` on, before the measured time; default 0"),
    spec(
        "prewrite_pattern",
        Word(&["rand", "seq"]),
        "pattern of `prewrite`; default: the run's own",
    ),
    spec("prewrite_block", Bytes, "transfer size of `prewrite`; default: the run's own"),
    spec("duration", Time, "measured time; default: the method's"),
    spec("power_state", Count(0, 31), "NVMe power state; default 0"),
    spec("span", Bytes, "part of the drive that is addressed; default all"),
    spec("partition", Share, "part of the drive that is addressed, as a share"),
    spec("rate", Bandwidth, "rate limit of the load"),
    spec("offered", Count(1, 1_000_000_000), "I/Os offered a second, at random times"),
    spec("limit", Text, "what has to hold, as `read_lat_p99.9 < 1 ms`"),
    spec("raid", Text, "RAID level of the array"),
    spec("drives", Count(1, 1024), "drives tested at once"),
    spec("drives_loaded", Count(1, 1024), "drives under load"),
    spec("reported_drives", Count(1, 1024), "drives whose result is reported"),
    spec("namespaces", Count(1, 1024), "namespaces of the drive"),
    spec("mixed_write_namespaces", Count(0, 1024), "namespaces with a mixed write load"),
    spec("read_namespaces", Count(0, 1024), "namespaces whose reads are timed"),
    spec("percentile", Share, "deepest percentile that needs enough samples"),
    spec("vms", Count(1, 4096), "virtual machines"),
    spec("threads_per_vm", Count(1, 4096), "threads of each virtual machine"),
    spec("db", Bytes, "size of the database, or of the disk that holds it"),
    spec("tables", Count(1, 10_000), "tables of a database"),
    spec("rows", Count(1, 10_000_000_000), "rows of a table"),
    spec("distribution", Word(&["uniform", "special"]), "how rows are drawn"),
    spec("pool", Bytes, "buffer pool of a database server"),
    spec("old_blocks_time", Time, "time before another use of a page counts in its buffer pool"),
    spec("log", Bytes, "redo log of a database server"),
    spec("file_per_table", Flag, "whether each table has a data file of its own"),
    spec("doublewrite", Flag, "whether dirty pages are written twice"),
    spec("cpus", Count(1, 1024), "processors of a server"),
    spec("cpu", Time, "processor time of a transaction"),
    spec("vm_latency", Time, "time that a virtual machine adds to an I/O"),
    spec("vm_adapter", Time, "time that a virtual disk adapter takes for each I/O"),
    spec("file", Bytes, "size of the test file"),
    spec("block_min", Bytes, "smallest transfer size of a sweep"),
    spec("qd_min", Count(1, 65_536), "smallest queue depth of a sweep"),
    spec(
        "read_qd",
        Count(1, 65_536),
        "commands outstanding of the reads that are timed separately",
    ),
    spec("compressible", Flag, "whether the data can be compressed"),
    spec("compress", Share, "share of the data that compression removes; default 0 %"),
    spec("align", Bytes, "alignment of addresses; default: the transfer size"),
    spec("idle", Time, "time without I/O"),
    spec("rounds", Count(1, 10_000), "most rounds until the result is steady"),
    spec("histogram_time", Time, "time of the measurement whose distribution is kept"),
    spec("drive_writes", Count(1, 100), "user capacities that are written at most"),
    spec("tbw", Bytes, "rated host writes; without it those that the cells of a model last for"),
    spec("sector", Bytes, "smallest writes of JEDEC's enterprise workload: 512 B or 4 KiB"),
    spec("turns", Count(1, 100_000), "how often something is repeated"),
    spec("latency_limit", Time, "highest mean latency at which a load counts"),
    spec("windows", Count(1, 1000), "timed windows over a drive's life"),
    spec("corner_time", Time, "measured time of each corner in a longer method"),
    spec("fills", Count(1, 100), "how often the drive is written before it counts as full"),
    spec("scan_block", Bytes, "transfer size of scans over the whole drive"),
    spec("scan_qd", Count(1, 65_536), "commands outstanding in scans over the whole drive"),
    spec("read_scan", Flag, "whether the drive is also scanned by reads"),
    spec("profile", Word(&["default", "nvme", "v5"]), "set of tests of a benchmark program"),
    spec(
        "mode",
        Word(&["overlapped", "neither", "io-comparison"]),
        "how ATTO issues its I/Os: several at once, one at a time, or one at a time and compared",
    ),
    spec("compare_rate", Bandwidth, "rate at which the processor compares the data read"),
    spec("tool_time", Time, "time that a benchmark program spends on an I/O besides the system's"),
    spec("suite", Word(&["storage", "home", "creative", "work"]), "suite of PCMark 8"),
    spec("runs", Count(1, 100), "runs of each test, of which a program keeps the best"),
    spec("run", Count(1, 2), "which run of the same task is reported: the first or the second"),
    spec("files", Count(1, 10_000_000), "files that are read"),
    spec("file_median", Bytes, "median size of these files"),
    spec("file_mean", Bytes, "mean size of these files"),
    spec("cpu_file", Time, "processor time for each file"),
    spec("cpu_mib", Time, "processor time for each MiB that is read"),
    spec("cpu_time", Time, "processor time of the whole task"),
    spec("clean_list", Flag, "whether files found clean are not read again"),
    spec("warm", Count(0, 100), "how often the directories are read before the first run"),
    spec("member", Count(0, 1023), "the drive of an array that fails, from 0"),
    spec("cooling", Text, "what cools the drive (`drivelab list coolings`); default: the model's"),
    spec("fan", Text, "speed of the fan, as `1500 rpm`; default: that of the cooling"),
    spec("ambient", Text, "temperature of the air, as `40 C`; default 25 C"),
    spec("workload", Text, "workload profile (`drivelab list workloads`), or the path of one"),
    spec("points", Count(1, 120), "points of a curve, evenly up to 120 % of the maximum"),
    spec("sequential_time", Time, "time of sequential writes after the fill, before random ones"),
    spec("precondition", Text, "preconditioning in words"),
    spec("rate_axis", Text, "range of a sweep in words"),
];

/// Spellings that the general rule `<name>_<unit>` does not cover: name, parameter, unit.
pub const ALIASES: &[(&str, &str, &str)] = &[
    ("read_pct", "read", "%"),
    ("op_pct", "give_up", "%"),
    ("extra_spare_pct", "give_up", "%"),
    ("power_mode", "power_state", ""),
    ("ps", "power_state", ""),
    ("hours", "duration", "h"),
    ("block_kib_min", "block_min", "KiB"),
];

/// Endings of a name that state the unit of a plain number.
pub const SUFFIXES: &[(&str, &str)] = &[
    ("_mib_s", "MiB/s"),
    ("_gb_s", "GB/s"),
    ("_mb_s", "MB/s"),
    ("_kib", "KiB"),
    ("_mib", "MiB"),
    ("_gib", "GiB"),
    ("_tib", "TiB"),
    ("_kb", "kB"),
    ("_mb", "MB"),
    ("_gb", "GB"),
    ("_tb", "TB"),
    ("_b", "B"),
    ("_pct", "%"),
    ("_ms", "ms"),
    ("_min", "min"),
    ("_s", "s"),
    ("_h", "h"),
];

/// The parameter that a written name means, and the unit that the name states.
pub fn lookup(written: &str) -> Option<(&'static ParamSpec, Option<&'static str>)> {
    let by_name = |name: &str| PARAMS.iter().find(|spec| spec.name == name);
    if let Some(spec) = by_name(written) {
        return Some((spec, None));
    }
    if let Some((_, name, unit)) = ALIASES.iter().find(|(alias, ..)| *alias == written) {
        return Some((by_name(name)?, Some(*unit).filter(|unit| !unit.is_empty())));
    }
    SUFFIXES
        .iter()
        .find_map(|(suffix, unit)| Some((by_name(written.strip_suffix(suffix)?)?, Some(*unit))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_is_a_unit_and_an_alias_a_name() {
        let read = |name| lookup(name).map(|(spec, unit)| (spec.name, unit));
        assert_eq!(read("block"), Some(("block", None)));
        assert_eq!(read("block_kib"), Some(("block", Some("KiB"))));
        assert_eq!(read("prewrite_h"), Some(("prewrite", Some("h"))));
        assert_eq!(read("op_pct"), Some(("give_up", Some("%"))));
        assert_eq!(read("power_mode"), Some(("power_state", None)));
        // Ends like minutes, but is a name of its own.
        assert_eq!(read("qd_min"), Some(("qd_min", None)));
        assert_eq!(read("blok_kib"), None);
    }

    #[test]
    fn aliases_lead_to_parameters() {
        for (alias, name, _) in ALIASES {
            assert!(lookup(alias).is_some_and(|(spec, _)| spec.name == *name), "{alias}");
        }
    }
}

//! The table of metrics, from which the documentation is printed too.

use super::unit::Dimension;

/// Whether a higher or a lower value of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// A rate, a life.
    Higher,
    /// A latency, power.
    Lower,
    /// Neither: what it is for decides.
    Neither,
}

/// One metric: its name, its dimension, and what it means.
#[derive(Clone, Copy, Debug)]
pub struct MetricSpec {
    /// Canonical name.
    pub name: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// Whether a higher or a lower value is better.
    pub better: Better,
    /// True if a model contains it and no run is needed.
    pub fact: bool,
    /// True if the name is that of a family (`read_lat_p<percentile>`).
    pub pattern: bool,
    /// True if it is only carried along: no method measures it yet.
    pub carried: bool,
    /// What it means.
    pub doc: &'static str,
}

/// Unless [`higher`], [`lower`] or [`neither`] says it, the dimension decides what is better.
const fn spec(name: &'static str, dimension: Dimension, doc: &'static str) -> MetricSpec {
    let better = match dimension {
        Rate | Bandwidth | Score => Better::Higher,
        Time | Power | Energy | Temperature | Money => Better::Lower,
        Bytes | Number => Better::Neither,
    };
    MetricSpec { name, dimension, better, fact: false, pattern: false, carried: false, doc }
}

const fn higher(spec: MetricSpec) -> MetricSpec {
    MetricSpec { better: Better::Higher, ..spec }
}

const fn lower(spec: MetricSpec) -> MetricSpec {
    MetricSpec { better: Better::Lower, ..spec }
}

const fn neither(spec: MetricSpec) -> MetricSpec {
    MetricSpec { better: Better::Neither, ..spec }
}

const fn fact(name: &'static str, dimension: Dimension, doc: &'static str) -> MetricSpec {
    MetricSpec { fact: true, ..spec(name, dimension, doc) }
}

const fn family(name: &'static str, dimension: Dimension, doc: &'static str) -> MetricSpec {
    MetricSpec { pattern: true, ..spec(name, dimension, doc) }
}

const fn carried(name: &'static str, dimension: Dimension, doc: &'static str) -> MetricSpec {
    MetricSpec { carried: true, ..spec(name, dimension, doc) }
}

use Dimension::{Bandwidth, Bytes, Energy, Money, Number, Power, Rate, Score, Temperature, Time};

/// Every metric that a reviews file may name.
pub const METRICS: &[MetricSpec] = &[
    // What a run measures.
    spec("iops", Rate, "I/Os completed per second, reads and writes together"),
    spec("read_iops", Rate, "reads completed per second"),
    spec("write_iops", Rate, "writes completed per second"),
    spec("bandwidth", Bandwidth, "bytes transferred per second, reads and writes together"),
    spec("read_bandwidth", Bandwidth, "bytes read per second"),
    spec("write_bandwidth", Bandwidth, "bytes written per second"),
    spec("bytes", Bytes, "bytes transferred, reads and writes together"),
    spec("read_lat_mean", Time, "mean completion latency of reads; `clat_mean` is the same"),
    family("read_lat_p<percent>", Time, "percentile of read latency; also `clat_p<percent>`"),
    spec("read_lat_max", Time, "maximum read latency"),
    spec("write_lat_mean", Time, "mean completion latency of writes"),
    family("write_lat_p<percent>", Time, "percentile of write latency, as `write_lat_p99.9`"),
    spec("write_lat_max", Time, "maximum write latency"),
    lower(spec("iops_cv", Number, "coefficient of variation of the IOPS of one-second windows")),
    spec("power", Power, "mean power over the measured time"),
    spec("energy_per_io", Energy, "energy of the drive per I/O: power over IOPS"),
    lower(spec(
        "write_amplification",
        Number,
        "bytes written to NAND per byte written by the host",
    )),
    spec(
        "peak_iops",
        Rate,
        "IOPS at the end of a curve of rising load: the mean of the points at full load",
    ),
    spec("latency_at_peak", Time, "mean latency at `peak_iops`"),
    spec(
        "max_iops",
        Rate,
        "highest IOPS: without a rate limit, or of the loads with a low latency",
    ),
    neither(spec("asked_iops", Rate, "offered load at a point of a curve")),
    spec("lat_mean", Time, "mean completion latency, reads and writes together"),
    spec("outstanding", Number, "mean number of I/Os in flight, by Little's law"),
    spec("latency_at_10", Time, "mean latency at an offered load of 10 % of the maximum"),
    spec("latency_at_20", Time, "mean latency at an offered load of 20 % of the maximum"),
    spec("latency_at_50", Time, "mean latency at an offered load of 50 % of the maximum"),
    spec("latency_at_80", Time, "mean latency at an offered load of 80 % of the maximum"),
    neither(spec(
        "processors_busy",
        Number,
        "share of the time of a real host's processors that was used",
    )),
    spec("temperature", Temperature, "highest temperature reported"),
    spec("temperature_last", Temperature, "temperature at the end"),
    higher(spec("first_throttle", Time, "time until thermal throttling first begins")),
    lower(spec("throttled_share", Number, "share of the time with thermal throttling")),
    lower(spec("throttle_events", Number, "times that thermal throttling began or became heavier")),
    spec("bandwidth_after", Bandwidth, "mean bandwidth after throttling first began"),
    lower(spec(
        "thermal_resistance",
        Number,
        "thermal resistance from the drive's sensor to the air, K/W",
    )),
    spec("iops_low", Rate, "lowest IOPS over the points of a sweep"),
    spec("first_iops", Rate, "IOPS of the first round"),
    higher(spec("steady_over_first", Number, "steady IOPS over those of the first round")),
    spec("iops_4k_read", Rate, "steady IOPS of 4 KiB random reads"),
    spec("iops_4k_write", Rate, "steady IOPS of 4 KiB random writes"),
    higher(spec("retention_at_30", Time, "time without power at 30 C that data lasts at the end")),
    higher(spec("retention_at_40", Time, "time without power at 40 C that data lasts at the end")),
    higher(spec(
        "retention_margin",
        Number,
        "retention after the rated writes over what JESD218 asks for; below 1 it is not kept",
    )),
    neither(spec("time_to_rated", Time, "time of the load until the rated writes are done")),
    neither(spec("cycles_at_rated", Number, "cycles of the cells when the rated writes are done")),
    neither(spec("failure_drives", Number, "drives that a test of the failure rate needs")),
    neither(spec("error_reads", Bytes, "bytes read that a test of the error rate needs")),
    lower(spec("padding", Number, "bytes of whole mapping units over those that the host writes")),
    neither(spec("drive_fills", Number, "bytes written over the user capacity")),
    spec("recovered_iops", Rate, "IOPS of bursts with pauses between them, best of all pauses"),
    higher(spec("idle_gain", Number, "IOPS of bursts with pauses over those without")),
    spec("burst_1mib", Bandwidth, "bandwidth of 1 MiB of random writes after a pause"),
    spec("burst_4mib", Bandwidth, "bandwidth of 4 MiB of random writes after a pause"),
    spec("burst_16mib", Bandwidth, "bandwidth of 16 MiB of random writes after a pause"),
    spec("burst_64mib", Bandwidth, "bandwidth of 64 MiB of random writes after a pause"),
    spec("burst_256mib", Bandwidth, "bandwidth of 256 MiB of random writes after a pause"),
    spec("burst_1gib", Bandwidth, "bandwidth of 1 GiB of random writes after a pause"),
    spec("flushed_iops", Rate, "single writes a second, each followed by a flush"),
    higher(spec("flush_ratio", Number, "single writes with a flush each over those without")),
    spec("random_bandwidth", Bandwidth, "bandwidth of random writes between two sequential parts"),
    spec("recovered_bandwidth", Bandwidth, "bandwidth of sequential writes after random ones"),
    spec("mid_iops", Rate, "IOPS of a load in the middle of all with a low latency"),
    spec("min_iops", Rate, "IOPS of the lightest load"),
    neither(spec("max_threads", Number, "threads of the load with the most IOPS")),
    neither(spec("max_thread_qd", Number, "I/Os in flight of each of its threads")),
    lower(spec("rounds", Number, "rounds until the result is steady")),
    higher(spec("steady", Number, "1 if the result becomes steady, else 0")),
    higher(spec("span_slowdown", Number, "IOPS on the largest span over those on the smallest")),
    spec("read_bandwidth_low", Bandwidth, "lowest read bandwidth over the points of a sweep"),
    spec("write_bandwidth_low", Bandwidth, "lowest write bandwidth over the points of a sweep"),
    spec("max_read", Bandwidth, "highest read bandwidth over a sweep"),
    spec("max_write", Bandwidth, "highest write bandwidth over a sweep"),
    neither(spec("compression_gain", Number, "highest write bandwidth over the lowest of a sweep")),
    spec("fresh_bandwidth", Bandwidth, "sequential write of the whole formatted drive"),
    spec("torture_iops", Rate, "random writes after the fill, mean over their time"),
    spec("scan_bandwidth", Bandwidth, "mean of the write scan after the torture"),
    spec("scan_bandwidth_lowest", Bandwidth, "slowest 240th of the write scan after the torture"),
    spec("scan_bandwidth_early", Bandwidth, "first tenth of the write scan after the torture"),
    spec("scan_bandwidth_late", Bandwidth, "last tenth of the write scan after the torture"),
    higher(spec(
        "scan_over_fresh",
        Number,
        "mean of the write scan over that of the formatted drive",
    )),
    spec("read_scan_bandwidth", Bandwidth, "mean of the read scan after the torture"),
    spec(
        "recovery_time",
        Time,
        "time until the scan stays at 90 % of the fresh rate for 5 % of a pass",
    ),
    spec("post_idle_bandwidth", Bandwidth, "mean of the scan after the idle time"),
    spec("post_idle_early", Bandwidth, "first tenth of the scan after the idle time"),
    higher(spec(
        "post_idle_over_fresh",
        Number,
        "mean of the scan after the idle time over that of the formatted drive",
    )),
    spec("bandwidth_first", Bandwidth, "first plateau of a sustained-write curve"),
    spec("bandwidth_steady", Bandwidth, "last plateau of a sustained-write curve"),
    spec("bandwidth_lowest", Bandwidth, "slowest 240th of a sustained-write curve"),
    higher(spec("first_knee", Bytes, "bytes written where the first plateau ends")),
    spec("last_knee", Bytes, "bytes written where the last plateau begins"),
    spec("plateaus", Number, "plateaus of a sustained-write curve"),
    spec("peak_read", Bandwidth, "sequential read of a small file on a fresh drive"),
    spec("peak_write", Bandwidth, "sequential write of a small file on a fresh drive"),
    spec("full_read", Bandwidth, "sequential read of the full drive"),
    spec("full_write", Bandwidth, "sequential write of the full drive"),
    spec("full_randread", Rate, "4 KiB random reads of the full drive"),
    spec("full_randwrite", Rate, "4 KiB random writes of the full drive"),
    higher(spec(
        "read_full_over_peak",
        Number,
        "sequential read of the full drive over that of the fresh drive",
    )),
    higher(spec(
        "write_full_over_peak",
        Number,
        "sequential write of the full drive over that of the fresh drive",
    )),
    spec("defender_bandwidth", Bandwidth, "model of a virus scan"),
    spec("pictures_bandwidth", Bandwidth, "model of importing pictures"),
    spec("host_writes", Bytes, "bytes that the host wrote under the load"),
    lower(spec("flash_writes", Bytes, "bytes programmed under the load")),
    lower(spec("pe_used", Number, "mean P/E cycles that the load used")),
    lower(spec("media_wear", Number, "share of the rated cycles that the load used")),
    lower(spec("wear_resolution", Number, "step of the wear counter over the wear of the load")),
    higher(spec("lifetime", Time, "time until worn out under the load")),
    higher(spec("rated_life", Time, "time until the host wrote what the maker rates")),
    neither(spec("gb_per_day", Bandwidth, "host writes per day")),
    neither(spec("tb_per_day", Bandwidth, "host writes per day")),
    lower(spec(
        "write_amplification_first",
        Number,
        "write amplification in the first part of a life",
    )),
    lower(spec(
        "write_amplification_last",
        Number,
        "write amplification in the last part of a life",
    )),
    lower(spec(
        "erase_spread",
        Number,
        "most erases of a group over the mean, at the end of a life",
    )),
    higher(spec(
        "spare_left",
        Number,
        "share of the spare blocks that is left at the end of a part of a life",
    )),
    higher(spec(
        "first_group_worn",
        Number,
        "share of a life after which the first group is worn out",
    )),
    higher(spec(
        "tbw_told",
        Bytes,
        "host writes over a life, estimated from a few hours of counters",
    )),
    higher(spec(
        "tbw_told_least",
        Bytes,
        "least host writes that the resolution of these counters allows",
    )),
    spec("tbw_told_most", Bytes, "most host writes that the resolution of these counters allows"),
    spec("told_over_lived", Number, "estimate of the counters over the simulated life"),
    // Tools of client reviews.
    spec("seq_read", Bandwidth, "a tool's sequential read score"),
    spec("seq_write", Bandwidth, "a tool's sequential write score"),
    spec("4k_read", Bandwidth, "a tool's 4 KiB random read score, one in flight"),
    spec("4k_write", Bandwidth, "a tool's 4 KiB random write score, one in flight"),
    spec("seq_read_mean", Bandwidth, "mean of the runs of which `seq_read` is the best"),
    spec("seq_write_mean", Bandwidth, "mean of the runs of which `seq_write` is the best"),
    spec("4k_read_mean", Bandwidth, "mean of the runs of which `4k_read` is the best"),
    spec("4k_write_mean", Bandwidth, "mean of the runs of which `4k_write` is the best"),
    lower(spec("seq_read_spread", Number, "range of the runs of `seq_read` over their mean")),
    lower(spec("seq_write_spread", Number, "range of the runs of `seq_write` over their mean")),
    lower(spec("4k_read_spread", Number, "range of the runs of `4k_read` over their mean")),
    lower(spec("4k_write_spread", Number, "range of the runs of `4k_write` over their mean")),
    spec("4k_read_lat", Time, "least mean latency of the 4 KiB random reads, one in flight"),
    spec("4k_write_lat", Time, "least mean latency of the 4 KiB random writes, one in flight"),
    spec("seq_q1_read", Bandwidth, "1 MiB sequential reads, one in flight"),
    spec("seq_q1_write", Bandwidth, "1 MiB sequential writes, one in flight"),
    spec("seq128k_qd32_read", Bandwidth, "128 KiB sequential read at queue depth 32"),
    spec("seq128k_qd32_write", Bandwidth, "128 KiB sequential write at queue depth 32"),
    spec("4k_q4_read", Bandwidth, "4 KiB random reads, 4 in flight"),
    spec("4k_q4_write", Bandwidth, "4 KiB random writes, 4 in flight"),
    spec("4k_q16_read", Bandwidth, "4 KiB random reads, 16 in flight"),
    spec("4k_q16_write", Bandwidth, "4 KiB random writes, 16 in flight"),
    spec("4k_q32_read", Bandwidth, "4 KiB random reads, 32 in flight"),
    spec("4k_q32_write", Bandwidth, "4 KiB random writes, 32 in flight"),
    spec("4k_q32t16_read", Bandwidth, "4 KiB random reads, 16 threads of 32 in flight"),
    spec("4k_q32t16_write", Bandwidth, "4 KiB random writes, 16 threads of 32 in flight"),
    spec("4k_64thrd_read", Bandwidth, "4 KiB random reads of 64 threads"),
    spec("4k_64thrd_write", Bandwidth, "4 KiB random writes of 64 threads"),
    spec("32k_read", Bandwidth, "32 KiB random reads, one in flight"),
    spec("128k_read", Bandwidth, "128 KiB random reads, one in flight"),
    spec("access_read", Time, "mean latency of 4 KiB reads over the whole drive, one in flight"),
    spec("access_write", Time, "mean latency of 512 B writes to 1 GB, one in flight"),
    spec("score", Score, "score of a benchmark program"),
    spec("score_read", Score, "read score of a benchmark program"),
    spec("score_write", Score, "write score of a benchmark program"),
    spec("time", Time, "time of a task"),
    spec("time_first", Time, "time of the first run of a task"),
    spec("time_second", Time, "time of the second run of a task"),
    spec("io_time", Time, "part of the time of a task that is I/O"),
    spec("task_bytes", Bytes, "bytes that a task transfers"),
    spec("ceiling_read", Bandwidth, "read bandwidth at which the curve over the size flattens"),
    higher(spec("queue_gain", Number, "highest IOPS over those with one I/O in flight")),
    // Transactions of databases.
    spec("tps", Rate, "database transactions per second"),
    spec("mean_ms", Time, "mean response time of a transaction"),
    spec("p99_ms", Time, "99th percentile of the response time of a transaction"),
    neither(spec(
        "processor_time",
        Time,
        "part of the response time on the processor, with waits for it",
    )),
    spec("page_wait", Time, "part of the response time in which pages are read"),
    spec(
        "frame_wait",
        Time,
        "part of the response time in which dirty pages are written to free frames",
    ),
    spec("commit_wait", Time, "part of the response time in which the log is made durable"),
    neither(spec("buffer_hits", Number, "hit ratio of the buffer pool")),
    neither(spec("processor_share", Number, "utilisation of the servers' processors")),
    spec("page_reads", Rate, "pages read per second"),
    spec("page_writes", Rate, "dirty pages written to their places per second"),
    spec("doublewrites", Rate, "writes to the doublewrite buffer per second"),
    spec("log_writes", Rate, "writes of the redo log per second"),
    spec("log_flushes", Rate, "flushes of the redo log per second"),
    spec("file_flushes", Rate, "flushes of data files per second"),
    spec("log_bandwidth", Bandwidth, "bytes of the redo log written per second"),
    // Arrays.
    spec("members", Number, "drives in an array or a cached volume"),
    spec("read_each", Bandwidth, "read bandwidth per drive"),
    spec("write_each", Bandwidth, "write bandwidth per drive"),
    spec("degraded_iops", Rate, "IOPS of the degraded array"),
    higher(spec(
        "degraded_over_sound",
        Number,
        "IOPS of the degraded array over those of the healthy array",
    )),
    spec("degraded_read_lat_p99", Time, "percentile of read latency of the degraded array"),
    spec("degraded_read_lat_p99.9", Time, "percentile of read latency of the degraded array"),
    spec("degraded_write_lat_p99", Time, "percentile of write latency of the degraded array"),
    spec("degraded_write_lat_p99.9", Time, "percentile of write latency of the degraded array"),
    spec("rebuild_iops", Rate, "IOPS during the rebuild"),
    spec("rebuild_read_lat_p99", Time, "percentile of read latency during the rebuild"),
    spec("rebuild_read_lat_p99.9", Time, "percentile of read latency during the rebuild"),
    spec("rebuild_write_lat_p99", Time, "percentile of write latency during the rebuild"),
    spec("rebuild_write_lat_p99.9", Time, "percentile of write latency during the rebuild"),
    higher(spec(
        "rebuild_over_sound",
        Number,
        "IOPS during the rebuild over those of the healthy array",
    )),
    spec("rebuild_time", Time, "time of the rebuild under the load"),
    spec("rebuild_rate", Bandwidth, "bytes rebuilt per second"),
    lower(spec("lost_bytes", Bytes, "acknowledged bytes lost at a power cut")),
    lower(spec("resync_bytes", Bytes, "bytes copied or checked after a power cut")),
    spec("resync_time", Time, "time of the resync after a power cut"),
    higher(spec("write_held", Time, "time for which the offered rate of writes was sustained")),
    higher(spec(
        "write_held_bytes",
        Bytes,
        "bytes written while the offered rate of writes was sustained",
    )),
    higher(spec("read_held", Time, "time for which the offered rate of reads was sustained")),
    spec("write_sustained", Bandwidth, "write bandwidth at the end of a full pass"),
    spec("read_sustained", Bandwidth, "read bandwidth at the end of a full pass"),
    higher(spec(
        "sustains_write",
        Number,
        "1 if the offered rate of writes is sustained to the end, else 0",
    )),
    higher(spec(
        "sustains_read",
        Number,
        "1 if the offered rate of reads is sustained to the end, else 0",
    )),
    higher(spec("life_at_rate", Time, "time until worn out at the offered rate of writes")),
    // What a model contains.
    higher(fact("capacity", Bytes, "user capacity; with `give_up`, what is left of it")),
    fact("size", Bytes, "with `give_up`: the capacity given up"),
    higher(fact("max_capacity", Bytes, "largest capacity of the series in the library")),
    fact("dies", Number, "NAND dies"),
    fact("channels", Number, "NAND channels"),
    fact("packages", Number, "NAND packages"),
    fact("bits_per_cell", Number, "bits per cell: 3 for TLC, 4 for QLC"),
    fact("dram", Bytes, "DRAM of the drive"),
    fact("indirection_unit", Bytes, "mapping unit"),
    fact("page", Bytes, "NAND page"),
    neither(fact("power_ps0", Power, "power limit of power state 0")),
    lower(fact("power_per_tb", Number, "power limit of power state 0 per user capacity, W/TB")),
    fact("op", Number, "spare area over raw capacity"),
    higher(fact("pe_cycles", Number, "rated program and erase cycles of the cells")),
    higher(fact("tbw", Bytes, "host writes until worn out")),
    higher(fact(
        "tbw_random",
        Bytes,
        "random writes until the rated cycles are used, by the law of greedy collection",
    )),
    fact("seqread", Bandwidth, "rated sequential read"),
    fact("seqwrite", Bandwidth, "rated sequential write"),
    fact("randread", Rate, "rated random read"),
    fact("randwrite", Rate, "rated random write"),
    fact("latread", Time, "rated read latency"),
    fact("latwrite", Time, "rated write latency"),
    higher(fact("mtbf", Time, "rated mean time between failures")),
    fact("reference_cycles", Number, "cycles at which the wear of the cells is stated"),
    higher(fact(
        "endurance_gain",
        Number,
        "rated cycles over those of the same die without screening and with normal programming",
    )),
    higher(fact("gain_by_programming", Number, "part of `endurance_gain` from slower programming")),
    higher(fact("gain_by_screening", Number, "part of `endurance_gain` from screening")),
    fact("divisor", Number, "resolution of the timed wear counter, steps per percent"),
    higher(fact(
        "retention",
        Time,
        "time without power for which data must survive at end of life",
    )),
    // Numbers of published reviews that no method measures yet.
    carried("ratio", Number, "a quotient; the row says of what"),
    spec("max_rate", Bandwidth, "highest sustained write rate"),
    higher(carried("gain_over_hdd", Number, "gain over the hard disk alone")),
    higher(carried("margin_p9999", Number, "margin of the next drive's p99.99")),
    higher(carried("power_reduction_per_tb", Number, "power saved per TB")),
    carried("partition", Number, "share of the drive that is tested"),
    higher(carried("vms_per_ssd", Number, "virtual machines per drive")),
    carried("drives", Number, "number of drives"),
    higher(carried("pe_ratio", Number, "ratio of rated cycles")),
    higher(carried("endurance_ratio", Number, "ratio of endurances")),
    carried("span", Bytes, "part of the drive that a test touches"),
    carried("qd", Number, "queue depth of a test"),
    carried("idle_time", Time, "idle time of a test"),
    carried("usd", Money, "price"),
    carried("usd_per_gb", Money, "price per GB"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_metrics_say_which_way_they_are_better() {
        let better = |name: &str| METRICS.iter().find(|spec| spec.name == name).map(|s| s.better);
        for name in ["iops", "seq_read", "lifetime", "write_held", "tps", "score", "tbw"] {
            assert_eq!(better(name), Some(Better::Higher), "{name}");
        }
        for name in [
            "read_lat_mean",
            "write_lat_p<percent>",
            "power",
            "energy_per_io",
            "write_amplification",
        ] {
            assert_eq!(better(name), Some(Better::Lower), "{name}");
        }
        for name in ["dies", "host_writes", "plateaus", "power_ps0"] {
            assert_eq!(better(name), Some(Better::Neither), "{name}");
        }
    }

    #[test]
    fn no_metric_is_named_twice() {
        for (i, spec) in METRICS.iter().enumerate() {
            assert_eq!(METRICS.iter().position(|other| other.name == spec.name), Some(i));
            assert!(!spec.doc.is_empty());
        }
    }
}

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
    spec("iops", Rate, "operations completed a second, reads and writes together"),
    spec("read_iops", Rate, "reads completed a second"),
    spec("write_iops", Rate, "writes completed a second"),
    spec("bandwidth", Bandwidth, "bytes moved a second, reads and writes together"),
    spec("read_bandwidth", Bandwidth, "bytes read a second"),
    spec("write_bandwidth", Bandwidth, "bytes written a second"),
    spec("bytes", Bytes, "bytes moved, reads and writes together"),
    spec("read_lat_mean", Time, "mean completion latency of reads; `clat_mean` is the same"),
    family("read_lat_p<percent>", Time, "percentile of read latency; `clat_p<percent>` too"),
    spec("read_lat_max", Time, "longest read latency seen"),
    spec("write_lat_mean", Time, "mean completion latency of writes"),
    family("write_lat_p<percent>", Time, "percentile of write latency, as `write_lat_p99.9`"),
    spec("write_lat_max", Time, "longest write latency seen"),
    lower(spec(
        "iops_cv",
        Number,
        "standard deviation over mean of the IOPS of one-second windows",
    )),
    spec("power", Power, "mean power over the measured time"),
    spec("energy_per_io", Energy, "energy that the drive used for each I/O: power over IOPS"),
    lower(spec(
        "write_amplification",
        Number,
        "bytes written to NAND for each byte the host wrote",
    )),
    spec(
        "peak_iops",
        Rate,
        "IOPS at the end of a curve of rising load: the mean of what is measured at full load",
    ),
    spec("latency_at_peak", Time, "mean latency there"),
    spec("max_iops", Rate, "IOPS with nothing held back, before the curve"),
    neither(spec("asked_iops", Rate, "IOPS that a point of a curve asks for")),
    spec("lat_mean", Time, "mean completion latency, reads and writes together"),
    spec("outstanding", Number, "mean number of I/Os in flight, by Little's law"),
    spec("latency_at_10", Time, "mean latency where 10 % of the maximum are asked for"),
    spec("latency_at_20", Time, "the same at 20 %"),
    spec("latency_at_50", Time, "the same at 50 %"),
    spec("latency_at_80", Time, "the same at 80 %"),
    spec("temperature", Temperature, "highest temperature reported"),
    spec("temperature_last", Temperature, "temperature at the end"),
    higher(spec("first_throttle", Time, "until heat first holds the drive back")),
    lower(spec("throttled_share", Number, "share of the time in which heat holds the drive back")),
    lower(spec("throttle_events", Number, "times that throttling began or became heavier")),
    spec("bandwidth_after", Bandwidth, "mean rate from the first throttling on"),
    lower(spec("thermal_resistance", Number, "K/W from the drive's sensor to the air")),
    spec("iops_low", Rate, "lowest IOPS over the points of a sweep"),
    spec("first_iops", Rate, "IOPS of the first round"),
    higher(spec("steady_over_first", Number, "steady IOPS over those of the first round")),
    spec("iops_4k_read", Rate, "steady IOPS of 4 KiB random reads"),
    spec("iops_4k_write", Rate, "steady IOPS of 4 KiB random writes"),
    lower(spec("rounds", Number, "rounds until the result was steady")),
    higher(spec("steady", Number, "1 if the result became steady, 0 if not")),
    higher(spec("span_slowdown", Number, "IOPS on the largest span over those on the smallest")),
    spec("read_bandwidth_low", Bandwidth, "lowest read bandwidth over the points of a sweep"),
    spec("write_bandwidth_low", Bandwidth, "lowest write bandwidth over the points of a sweep"),
    spec("max_read", Bandwidth, "highest read bandwidth over a sweep"),
    spec("max_write", Bandwidth, "highest write bandwidth over a sweep"),
    neither(spec("compression_gain", Number, "highest write bandwidth over the lowest of a sweep")),
    spec("fresh_bandwidth", Bandwidth, "writes of the formatted drive, in order, whole drive"),
    spec("torture_iops", Rate, "random writes after the fill, mean over their time"),
    spec("scan_bandwidth", Bandwidth, "mean of the writing scan that follows the torture"),
    spec("scan_bandwidth_lowest", Bandwidth, "its slowest 240th"),
    spec("scan_bandwidth_early", Bandwidth, "its first tenth"),
    spec("scan_bandwidth_late", Bandwidth, "its last tenth"),
    higher(spec("scan_over_fresh", Number, "its mean over that of the formatted drive")),
    spec("read_scan_bandwidth", Bandwidth, "mean of the reading scan that follows the torture"),
    spec("recovery_time", Time, "until the scan holds 90 % of the fresh rate for 5 % of a pass"),
    spec("post_idle_bandwidth", Bandwidth, "mean of the scan after the idle time"),
    spec("post_idle_early", Bandwidth, "its first tenth"),
    higher(spec("post_idle_over_fresh", Number, "its mean over that of the formatted drive")),
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
    higher(spec("read_full_over_peak", Number, "sequential read when full over that when fresh")),
    higher(spec("write_full_over_peak", Number, "sequential write when full over that when fresh")),
    spec("defender_bandwidth", Bandwidth, "stand-in for a virus scan"),
    spec("pictures_bandwidth", Bandwidth, "stand-in for importing pictures"),
    spec("host_writes", Bytes, "bytes that the host wrote under the load"),
    lower(spec("flash_writes", Bytes, "bytes programmed under the load")),
    lower(spec("pe_used", Number, "mean cycles that the load cost a cell")),
    lower(spec("media_wear", Number, "share of the rated cycles that the load cost")),
    lower(spec(
        "wear_resolution",
        Number,
        "least step of the wear counter over what the load cost",
    )),
    higher(spec("lifetime", Time, "time until worn out under the load")),
    neither(spec("gb_per_day", Bandwidth, "host writes a day")),
    neither(spec("tb_per_day", Bandwidth, "host writes a day")),
    lower(spec(
        "write_amplification_first",
        Number,
        "write amplification in the first part of a life",
    )),
    lower(spec("write_amplification_last", Number, "write amplification in its last part")),
    lower(spec(
        "erase_spread",
        Number,
        "most erases of a group over the mean, at the end of a life",
    )),
    higher(spec(
        "spare_left",
        Number,
        "share of the reserve of blocks that is left at the end of a part of a life",
    )),
    higher(spec(
        "first_group_worn",
        Number,
        "share of a life after which a first group is worn out",
    )),
    higher(spec(
        "tbw_told",
        Bytes,
        "host writes over a life as a few hours of counters promise them",
    )),
    higher(spec("tbw_told_least", Bytes, "the least that the steps of these counters allow")),
    spec("tbw_told_most", Bytes, "the most that they allow"),
    spec("told_over_lived", Number, "what the counters promise over the life that was simulated"),
    // Tools of client reviews.
    spec("seq_read", Bandwidth, "a tool's sequential read score"),
    spec("seq_write", Bandwidth, "a tool's sequential write score"),
    spec("4k_read", Bandwidth, "a tool's 4 KiB random read score, one in flight"),
    spec("4k_write", Bandwidth, "a tool's 4 KiB random write score, one in flight"),
    spec("seq_read_mean", Bandwidth, "the mean of the runs of which `seq_read` is the best"),
    spec("seq_write_mean", Bandwidth, "the mean of the runs of which `seq_write` is the best"),
    spec("4k_read_mean", Bandwidth, "the mean of the runs of which `4k_read` is the best"),
    spec("4k_write_mean", Bandwidth, "the mean of the runs of which `4k_write` is the best"),
    lower(spec("seq_read_spread", Number, "highest less lowest of these runs over their mean")),
    lower(spec("seq_write_spread", Number, "the same of the sequential writes")),
    lower(spec("4k_read_spread", Number, "the same of the 4 KiB random reads")),
    lower(spec("4k_write_spread", Number, "the same of the 4 KiB random writes")),
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
    spec("score_read", Score, "its score of reading"),
    spec("score_write", Score, "its score of writing"),
    spec("time", Time, "time that a task took"),
    spec("time_first", Time, "the same, the first time"),
    spec("time_second", Time, "the same, the second time"),
    spec("io_time", Time, "part of it that is I/O"),
    spec("task_bytes", Bytes, "bytes that it moved"),
    spec("ceiling_read", Bandwidth, "read bandwidth where the curve over the size flattens"),
    higher(spec("queue_gain", Number, "highest IOPS over those of one I/O in flight")),
    // Transactions of databases.
    spec("tps", Rate, "database transactions a second"),
    spec("mean_ms", Time, "mean response time of a transaction"),
    spec("p99_ms", Time, "99th percentile of the response time of a transaction"),
    neither(spec("processor_time", Time, "part of it with the processor, waiting included")),
    spec("page_wait", Time, "part of it in which pages are read"),
    spec("frame_wait", Time, "part of it in which dirty pages are written to make room"),
    spec("commit_wait", Time, "part of it in which the log is made durable"),
    neither(spec("buffer_hits", Number, "share of the pages used that were in the buffer pool")),
    neither(spec("processor_share", Number, "busy share of the servers' processors")),
    spec("page_reads", Rate, "pages read a second"),
    spec("page_writes", Rate, "dirty pages written to their places a second"),
    spec("doublewrites", Rate, "writes to the doublewrite buffer a second"),
    spec("log_writes", Rate, "writes of the redo log a second"),
    spec("log_flushes", Rate, "flushes of the redo log a second"),
    spec("file_flushes", Rate, "flushes of data files a second"),
    spec("log_bandwidth", Bandwidth, "bytes of the redo log written a second"),
    // Arrays.
    spec("members", Number, "drives that an array or a cached volume is made of"),
    spec("read_each", Bandwidth, "read bandwidth over the number of drives"),
    spec("write_each", Bandwidth, "write bandwidth over the number of drives"),
    spec("degraded_iops", Rate, "rate after a drive has failed"),
    higher(spec("degraded_over_sound", Number, "that rate over the one before")),
    spec("degraded_read_lat_p99", Time, "percentile of read latency after a drive has failed"),
    spec("degraded_read_lat_p99.9", Time, "percentile of read latency after a drive has failed"),
    spec("degraded_write_lat_p99", Time, "percentile of write latency after a drive has failed"),
    spec("degraded_write_lat_p99.9", Time, "percentile of write latency after a drive has failed"),
    spec("rebuild_iops", Rate, "rate while the array is rebuilt"),
    spec("rebuild_read_lat_p99", Time, "percentile of read latency while the array is rebuilt"),
    spec("rebuild_read_lat_p99.9", Time, "percentile of read latency while the array is rebuilt"),
    spec("rebuild_write_lat_p99", Time, "percentile of write latency while the array is rebuilt"),
    spec("rebuild_write_lat_p99.9", Time, "percentile of write latency while the array is rebuilt"),
    higher(spec("rebuild_over_sound", Number, "that rate over the one before the failure")),
    spec("rebuild_time", Time, "time until the array is whole again, under the load"),
    spec("rebuild_rate", Bandwidth, "bytes rebuilt a second"),
    lower(spec("lost_bytes", Bytes, "acknowledged bytes that a loss of power destroyed")),
    lower(spec("resync_bytes", Bytes, "bytes that are copied or checked after it")),
    spec("resync_time", Time, "time that this takes"),
    higher(spec("write_held", Time, "time for which the asked rate of writes was kept up")),
    higher(spec("write_held_bytes", Bytes, "bytes written in that time")),
    higher(spec("read_held", Time, "time for which the asked rate of reads was kept up")),
    spec("write_sustained", Bandwidth, "rate of writes at the end of a pass over everything"),
    spec("read_sustained", Bandwidth, "rate of reads at the end of a pass over everything"),
    higher(spec(
        "sustains_write",
        Number,
        "1 if the asked rate of writes is kept up to the end, else 0",
    )),
    higher(spec(
        "sustains_read",
        Number,
        "1 if the asked rate of reads is kept up to the end, else 0",
    )),
    higher(spec("life_at_rate", Time, "time until worn out at the asked rate of writes")),
    // What a model contains.
    higher(fact("capacity", Bytes, "user capacity; with `give_up` what is left of it")),
    fact("size", Bytes, "with `give_up`: the capacity given up"),
    higher(fact("max_capacity", Bytes, "largest capacity of the series that the library holds")),
    fact("dies", Number, "NAND dies"),
    fact("channels", Number, "NAND channels"),
    fact("packages", Number, "NAND packages"),
    fact("bits_per_cell", Number, "bits stored in a cell: 3 for TLC, 4 for QLC"),
    fact("dram", Bytes, "DRAM of the drive"),
    fact("indirection_unit", Bytes, "mapping unit"),
    fact("page", Bytes, "NAND page"),
    neither(fact("power_ps0", Power, "power limit of power state 0")),
    lower(fact("power_per_tb", Number, "that limit over the user capacity, W a TB")),
    fact("op", Number, "spare area over raw capacity"),
    higher(fact("pe_cycles", Number, "program and erase cycles the cells are rated for")),
    higher(fact("tbw", Bytes, "host writes until worn out")),
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
        "rated cycles over those of the same die, programmed as usual and not screened",
    )),
    higher(fact("gain_by_programming", Number, "the part of it that longer programs bring")),
    higher(fact("gain_by_screening", Number, "the part of it that screening brings")),
    fact("divisor", Number, "parts of a percent in which the timed wear counter counts"),
    higher(fact("retention", Time, "time without power that data must survive at end of life")),
    // Numbers of published reviews that no method measures yet.
    carried("ratio", Number, "a quotient; what of is said by the row"),
    spec("max_rate", Bandwidth, "highest write rate sustained"),
    higher(carried("gain_over_hdd", Number, "gain over the bare hard disk")),
    higher(carried("margin_p9999", Number, "how far the next drive's p99.99 lies above")),
    higher(carried("power_reduction_per_tb", Number, "power saved for each TB")),
    carried("partition", Number, "share of the drive that is tested"),
    higher(carried("vms_per_ssd", Number, "virtual machines on a drive")),
    carried("drives", Number, "number of drives"),
    higher(carried("pe_ratio", Number, "ratio of rated cycles")),
    higher(carried("endurance_ratio", Number, "ratio of endurances")),
    carried("span", Bytes, "part of the drive that a test touches"),
    carried("qd", Number, "queue depth of a test"),
    carried("idle_time", Time, "idle time of a test"),
    carried("usd", Money, "price"),
    carried("usd_per_gb", Money, "price for each GB"),
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

//! Units and digits of stored results: the texts of claims, and what a comparison names beside its
//! numbers.
//!
//! These forms are not for display and must not change: results of different versions can be
//! compared line by line only if they are written alike.

use super::unit::{Dimension, YEAR_S};

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

/// The scale and unit that results which are kept name for a value of the base unit.
pub fn kept_unit(dimension: Dimension, value: f64) -> (f64, &'static str) {
    let size = value.abs();
    match dimension {
        Dimension::Rate if size >= 1e5 => (1e3, "kIOPS"),
        Dimension::Rate => (1.0, "IOPS"),
        Dimension::Bandwidth => (1e6, "MB/s"),
        Dimension::Time if size < 1e-2 => (1e-6, "us"),
        Dimension::Time if size < 10.0 => (1e-3, "ms"),
        Dimension::Time => (1.0, "s"),
        Dimension::Power => (1.0, "W"),
        Dimension::Energy if size < 1e-2 => (1e-6, "uJ"),
        Dimension::Energy => (1e-3, "mJ"),
        Dimension::Bytes if size >= 1e12 => (1e12, "TB"),
        Dimension::Bytes if size >= 1e9 => (1e9, "GB"),
        Dimension::Bytes => (1024.0, "KiB"),
        Dimension::Temperature => (1.0, "C"),
        Dimension::Number | Dimension::Money | Dimension::Score => (1.0, ""),
    }
}

/// The same for a value of a metric.
pub fn kept_unit_of(metric: &str, dimension: Dimension, value: f64) -> (f64, &'static str) {
    match metric.rsplit('.').next().unwrap_or(metric) {
        "rebuild_time" | "resync_time" if value >= 3.0 * DAY => (DAY, "days"),
        "rebuild_time" | "resync_time" if value >= HOUR => (HOUR, "h"),
        "rebuild_time" | "resync_time" if value >= 120.0 => (60.0, "min"),
        "gb_per_day" => (1e9 / DAY, "GB/day"),
        "tb_per_day" => (1e12 / DAY, "TB/day"),
        "tps" => (1.0, "tx/s"),
        "page_reads" | "page_writes" | "doublewrites" | "log_writes" | "log_flushes"
        | "file_flushes" => (1.0, "/s"),
        "lifetime" | "rated_life" if value >= YEAR_S => (YEAR_S, "years"),
        "lifetime" | "rated_life" => (DAY, "days"),
        _ => kept_unit(dimension, value),
    }
}

/// A number as results that are kept write it: four significant digits with all their zeros.
pub fn kept_digits(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size >= 1000.0 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 10.0 => 2,
        _ if size >= 0.1 || size == 0.0 => 3,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

/// A value of the base unit as results that are kept write it.
pub fn kept(dimension: Dimension, value: f64) -> String {
    let (scale, unit) = kept_unit(dimension, value);
    match unit {
        "" => kept_digits(value / scale),
        unit => format!("{} {unit}", kept_digits(value / scale)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_results_are_written_as_they_always_were() {
        assert_eq!(kept(Dimension::Rate, 147_123.0), "147.1 kIOPS");
        assert_eq!(kept(Dimension::Rate, 99_999.0), "99999 IOPS");
        assert_eq!(kept(Dimension::Time, 523e-6), "523.0 us");
        assert_eq!(kept(Dimension::Time, 4.041), "4041 ms");
        assert_eq!(kept(Dimension::Bandwidth, 7.41e9), "7410 MB/s");
        assert_eq!(kept(Dimension::Number, 0.004), "0.004000");
    }

    #[test]
    fn kept_metrics_have_the_units_that_they_always_had() {
        let rebuild = |value| kept_unit_of("rebuild_time", Dimension::Time, value).1;
        assert_eq!([rebuild(30.0), rebuild(120.0), rebuild(3600.0)], ["s", "min", "h"]);
        assert_eq!(kept_unit_of("load.tps", Dimension::Rate, 2e5), (1.0, "tx/s"));
        assert_eq!(kept_unit_of("iops", Dimension::Rate, 2e5), (1e3, "kIOPS"));
        assert_eq!(kept_unit_of("retention", Dimension::Time, 7.884e6), (1.0, "s"));
    }
}

//! Values of metrics in units that a reader expects.

use method::review::{Dimension, reader_unit};

/// A value of the base unit, with unit.
pub fn show(dimension: Dimension, value: f64) -> String {
    let (scale, unit) = reader_unit(dimension, value);
    format!("{}{unit}", report::plain(value / scale))
}

/// A value of a metric in the base unit: some are read in units of their own.
pub fn show_metric(name: &str, dimension: Dimension, value: f64) -> String {
    let (scale, unit) = shown_in(name, dimension, value);
    format!("{}{unit}", report::plain(value / scale))
}

/// The unit in which a value of a metric is read, and how many base units it is.
pub fn shown_in(name: &str, dimension: Dimension, value: f64) -> (f64, &'static str) {
    const DAY: f64 = 86_400.0;
    match name {
        "gb_per_day" => (1e9 / DAY, " GB/day"),
        "tb_per_day" => (1e12 / DAY, " TB/day"),
        "tps" => (1.0, " tx/s"),
        "page_reads" | "page_writes" | "doublewrites" | "log_writes" | "log_flushes"
        | "file_flushes" => (1.0, " /s"),
        "lifetime" if value >= 365.0 * DAY => (365.0 * DAY, " years"),
        "lifetime" => (DAY, " days"),
        _ => reader_unit(dimension, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_size() {
        assert_eq!(show(Dimension::Time, 103e-6), "103 us");
        assert_eq!(show(Dimension::Rate, 964_000.0), "964 kIOPS");
        assert_eq!(show(Dimension::Bytes, 15.36e12), "15.36 TB");
        assert_eq!(show(Dimension::Bytes, 4096.0), "4 KiB");
        let rate = 880e9 / 86_400.0;
        assert_eq!(show_metric("gb_per_day", Dimension::Bandwidth, rate), "880 GB/day");
        let life = 2.0 * 365.0 * 86_400.0;
        assert_eq!(show_metric("lifetime", Dimension::Time, life), "2 years");
        assert_eq!(show_metric("lifetime", Dimension::Time, 86_400.0), "1 days");
    }
}

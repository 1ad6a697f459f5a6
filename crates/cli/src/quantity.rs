//! Values of metrics in units that a reader expects.

use metric::{Dimension, reader_unit};

/// A value of the base unit, with unit.
pub fn show(dimension: Dimension, value: f64) -> String {
    let (scale, unit) = reader_unit(dimension, value);
    format!("{}{unit}", report::plain(value / scale))
}

/// A value of a metric in the base unit: some are read in units of their own.
pub fn show_metric(name: &str, dimension: Dimension, value: f64) -> String {
    let number = |scale: f64| report::plain(value / scale);
    match shown_in(name, dimension, value) {
        (scale, "") => number(scale),
        (scale, unit) => format!("{} {unit}", number(scale)),
    }
}

/// The unit in which a value of a metric is read, and how many base units it is.
pub fn shown_in(name: &str, dimension: Dimension, value: f64) -> (f64, &'static str) {
    report::own_unit(name, value).unwrap_or_else(|| {
        let (scale, unit) = reader_unit(dimension, value);
        (scale, unit.trim_start())
    })
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
        // Nobody reads 7.5 million seconds.
        let rebuild = |seconds| show_metric("rebuild_time", Dimension::Time, seconds);
        assert_eq!(rebuild(7.5e6), "86.81 days");
        assert_eq!([rebuild(37_500.0), rebuild(600.0)], ["10.42 h", "10 min"]);
        assert_eq!(rebuild(30.0), "30 s");
    }
}

//! Values in the units that a reader expects.

use super::unit::Dimension;

/// The unit that a reader expects for a value of the base unit: what one of it is worth in base
/// units, and its name behind a blank (empty where there is none).
pub fn reader_unit(dimension: Dimension, value: f64) -> (f64, &'static str) {
    let size = value.abs();
    match dimension {
        Dimension::Rate if size >= 1e5 => (1e3, " kIOPS"),
        Dimension::Rate => (1.0, " IOPS"),
        Dimension::Bandwidth => (1e6, " MB/s"),
        Dimension::Time if size < 1e-2 => (1e-6, " us"),
        Dimension::Time if size < 10.0 => (1e-3, " ms"),
        Dimension::Time => (1.0, " s"),
        Dimension::Power => (1.0, " W"),
        Dimension::Energy if size < 1e-2 => (1e-6, " uJ"),
        Dimension::Energy => (1e-3, " mJ"),
        Dimension::Bytes if size >= 1e12 => (1e12, " TB"),
        Dimension::Bytes if size >= 1e9 => (1e9, " GB"),
        Dimension::Bytes => (1024.0, " KiB"),
        Dimension::Temperature => (1.0, " C"),
        Dimension::Number | Dimension::Money | Dimension::Score => (1.0, ""),
    }
}

/// A value of the base unit in the unit that a reader expects, with four significant digits.
pub fn show(dimension: Dimension, value: f64) -> String {
    let (scale, unit) = reader_unit(dimension, value);
    format!("{}{unit}", digits(value / scale))
}

/// Four significant digits without an exponent.
pub fn digits(value: f64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_the_unit_a_reader_expects() {
        assert_eq!(show(Dimension::Rate, 147_123.0), "147.1 kIOPS");
        assert_eq!(show(Dimension::Time, 523e-6), "523.0 us");
        assert_eq!(show(Dimension::Bandwidth, 7.41e9), "7410 MB/s");
        assert_eq!(show(Dimension::Number, 0.004), "0.004000");
    }
}

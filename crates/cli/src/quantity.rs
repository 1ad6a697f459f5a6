//! Values of metrics in units that a reader expects.

use method::review::Dimension;

/// A value of the base unit, with unit.
pub fn show(dimension: Dimension, value: f64) -> String {
    let size = value.abs();
    let (scale, unit) = match dimension {
        Dimension::Rate if size >= 1e5 => (1e3, " kIOPS"),
        Dimension::Rate => (1.0, " IOPS"),
        Dimension::Bandwidth => (1e6, " MB/s"),
        Dimension::Time if size < 1e-2 => (1e-6, " us"),
        Dimension::Time if size < 10.0 => (1e-3, " ms"),
        Dimension::Time => (1.0, " s"),
        Dimension::Power => (1.0, " W"),
        Dimension::Bytes if size >= 1e12 => (1e12, " TB"),
        Dimension::Bytes if size >= 1e9 => (1e9, " GB"),
        Dimension::Bytes => (1024.0, " KiB"),
        Dimension::Temperature => (1.0, " C"),
        Dimension::Number | Dimension::Money | Dimension::Score => (1.0, ""),
    };
    format!("{}{unit}", report::plain(value / scale))
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
    }
}

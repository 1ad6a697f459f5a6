//! Values of metrics in units that a reader expects.

use method::review::{Dimension, reader_unit};

/// A value of the base unit, with unit.
pub fn show(dimension: Dimension, value: f64) -> String {
    let (scale, unit) = reader_unit(dimension, value);
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

//! Base units of Records in the units that people read.

use crate::number::{own_unit, plain};

/// A unit for people, and how many of it one base unit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The unit; empty if there is none.
    pub unit: String,
    /// What a value in the base unit is multiplied with.
    pub factor: f64,
}

/// From which size of a value on which unit is used, largest first, by base unit.
type Ladder = &'static [(f64, &'static str, f64)];

const TIME: Ladder = &[
    (7200.0 * 48.0, "d", 1.0 / 86_400.0),
    (7200.0, "h", 1.0 / 3600.0),
    (1.0, "s", 1.0),
    (1e-2, "ms", 1e3),
    (1e-6, "us", 1e6),
    (0.0, "ns", 1e9),
];
const BYTES: Ladder = &[
    (1e12, "TB", 1e-12),
    (1e9, "GB", 1e-9),
    (1e6, "MB", 1e-6),
    (1e3, "kB", 1e-3),
    (0.0, "B", 1.0),
];
const RATE: Ladder = &[(1e10, "GB/s", 1e-9), (1e5, "MB/s", 1e-6), (0.0, "B/s", 1.0)];
const EACH_SECOND: Ladder = &[(1e6, "M/s", 1e-6), (1e4, "k/s", 1e-3), (0.0, "1/s", 1.0)];
const IOPS: Ladder = &[(1e6, "MIOPS", 1e-6), (1e4, "kIOPS", 1e-3), (0.0, "IOPS", 1.0)];
const ENERGY: Ladder = &[(1.0, "J", 1.0), (1e-3, "mJ", 1e3), (0.0, "uJ", 1e6)];
const SHARE: Ladder = &[(0.0, "%", 100.0)];

impl Shown {
    /// The unit in which values up to `largest` are read; `name` is the metric: some have a unit of
    /// their own, a rate of commands is called IOPS and other rates are not.
    pub fn of(base: &str, name: &str, largest: f64) -> Self {
        if let Some((size, unit)) = own_unit(name, largest) {
            return Self { unit: unit.to_owned(), factor: 1.0 / size };
        }
        let ladder = match base {
            "s" => TIME,
            "B" => BYTES,
            "B/s" => RATE,
            "1/s" if name.contains("iops") => IOPS,
            "1/s" => EACH_SECOND,
            "J" => ENERGY,
            "share" => SHARE,
            "1" => return Self { unit: String::new(), factor: 1.0 },
            other => return Self { unit: other.to_owned(), factor: 1.0 },
        };
        let largest = if largest.is_finite() { largest.abs() } else { 0.0 };
        let step = ladder.iter().find(|(from, ..)| largest >= *from);
        let (_, unit, factor) = step.unwrap_or(&ladder[ladder.len() - 1]);
        Self { unit: (*unit).to_owned(), factor: *factor }
    }

    /// The value with its unit.
    pub fn text(&self, value: f64) -> String {
        match self.unit.as_str() {
            "" => plain(value * self.factor),
            unit => format!("{} {unit}", plain(value * self.factor)),
        }
    }
}

/// A value in a base unit as people read it.
pub fn text(base: &str, name: &str, value: f64) -> String {
    Shown::of(base, name, value).text(value)
}

/// The number at the beginning of a value with a unit, in the base of its kind, and the kind:
/// `16 KiB` is 16384 bytes, `350 MB/s` is 3.5e8 B/s, `2` is a number.
pub fn parse(text: &str) -> Option<(f64, &'static str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e')))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    const UNITS: [(&str, f64, &str); 28] = [
        ("", 1.0, "1"),
        ("%", 1.0, "%"),
        ("B", 1.0, "B"),
        ("kB", 1e3, "B"),
        ("MB", 1e6, "B"),
        ("GB", 1e9, "B"),
        ("TB", 1e12, "B"),
        ("KiB", 1024.0, "B"),
        ("MiB", 1_048_576.0, "B"),
        ("GiB", 1_073_741_824.0, "B"),
        ("TiB", 1_099_511_627_776.0, "B"),
        ("B/s", 1.0, "B/s"),
        ("kB/s", 1e3, "B/s"),
        ("MB/s", 1e6, "B/s"),
        ("GB/s", 1e9, "B/s"),
        ("MiB/s", 1_048_576.0, "B/s"),
        ("ns", 1e-9, "s"),
        ("us", 1e-6, "s"),
        ("ms", 1e-3, "s"),
        ("s", 1.0, "s"),
        ("min", 60.0, "s"),
        ("h", 3600.0, "s"),
        ("d", 86_400.0, "s"),
        ("C", 1.0, "C"),
        ("W", 1.0, "W"),
        ("IOPS", 1.0, "1/s"),
        ("kIOPS", 1e3, "1/s"),
        ("cycles", 1.0, "cycles"),
    ];
    let (_, factor, kind) = UNITS.iter().find(|(name, ..)| *name == unit.trim())?;
    number.is_finite().then_some((number * factor, kind))
}

/// A number kept short: five significant digits are more than any screen can show.
pub fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_metrics_have_a_unit_of_their_own() {
        let rate = 880e9 / 86_400.0;
        assert_eq!(text("B/s", "gb_per_day", rate), "880 GB/day");
        assert_eq!(text("B/s", "load.tb_per_day", 2e12 / 86_400.0), "2 TB/day");
        assert_eq!(text("s", "lifetime", 86_400.0 * 730.0), "2 years");
        assert_eq!(text("1/s", "tps", 500.0), "500 tx/s");
        assert_eq!(text("B/s", "bandwidth", 2e9), "2000 MB/s");
    }

    #[test]
    fn units_follow_the_size() {
        assert_eq!(text("s", "read_lat_mean", 103e-6), "103 us");
        assert_eq!(text("1/s", "iops", 964_000.0), "964 kIOPS");
        assert_eq!(text("B/s", "bandwidth", 7.4e9), "7400 MB/s");
        assert_eq!(text("1", "write_amplification", 3.95), "3.950");
        assert_eq!(text("C", "temperature", 70.0), "70 C");
    }

    #[test]
    fn values_of_parameters_are_numbers_with_a_kind() {
        assert_eq!(parse("16 KiB"), Some((16_384.0, "B")));
        assert_eq!(parse("350 MB/s"), Some((3.5e8, "B/s")));
        assert_eq!(parse("32"), Some((32.0, "1")));
        assert_eq!(parse("rand"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn short_numbers_keep_what_can_be_seen() {
        assert_eq!(short(2284062.0398193267), 2284060.0);
        assert!(short(f64::NAN).is_nan());
        assert_eq!(short(0.0), 0.0);
    }
}

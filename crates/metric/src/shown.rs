//! Values for people: the one place that decides in which unit a value is read and with how many
//! digits. Tables, pictures and messages ask here, so that none of them disagrees with another.
//!
//! Results that are kept name units too ([`kept_unit`](super::kept_unit)); those never change.

use super::unit::{Dimension, YEAR_S};
use Digits::{Counted, Four, Three};

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
const KIB: f64 = 1024.0;
const MIB: f64 = KIB * KIB;

/// How many digits of a number are shown. A whole number is shown whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Three significant digits, as data sheets round their largest numbers: `7.41`.
    Three,
    /// Four significant digits: `13.50`. What is measured keeps its zeros, they are digits too.
    Four,
    /// Four significant digits without zeros at the end, for what is counted: `1.92`.
    Counted,
}

impl Digits {
    /// The number with this many digits, `-` if it is none.
    pub fn text(self, number: f64) -> String {
        if !number.is_finite() {
            return "-".to_owned();
        }
        let more = usize::from(self != Digits::Three);
        let decimals = match number.abs() {
            size if size >= 1000.0 => 0,
            size if size >= 100.0 => more,
            size if size >= 10.0 => 1 + more,
            size if size >= 0.1 || size == 0.0 => 2 + more,
            _ => 6,
        };
        let text = format!("{number:.decimals$}");
        match text.split_once('.') {
            Some((whole, rest)) if rest.bytes().all(|digit| digit == b'0') => whole.to_owned(),
            Some(_) if self == Digits::Counted => text.trim_end_matches('0').to_owned(),
            _ => text,
        }
    }
}

/// Four significant digits, whole numbers whole, no exponent: a number that has no unit.
pub fn plain(number: f64) -> String {
    Digits::Four.text(number)
}

/// How many there are of something, in a sentence: `1 figure`, `2 figures`.
pub fn counted(count: usize, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

/// A unit for people: what a value is divided by, and how the quotient is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// How many base units one of it is.
    pub scale: f64,
    /// Its name; empty if it has none.
    pub unit: &'static str,
    /// Digits of a value in it.
    pub digits: Digits,
}

/// The size from which on a unit is used, in base units; then its scale, name and digits.
type Step = (f64, f64, &'static str, Digits);

const RATE: &[Step] =
    &[(1e6, 1e6, "M IOPS", Three), (1e4, 1e3, "kIOPS", Four), (0.0, 1.0, "IOPS", Four)];
const BANDWIDTH: &[Step] = &[
    (1e9, 1e9, "GB/s", Three),
    (1e5, 1e6, "MB/s", Four),
    (1e3, 1e3, "kB/s", Four),
    (0.0, 1.0, "B/s", Four),
];
/// Latencies of flash and of disks are side by side in microseconds, hence up to 10 ms of them.
const TIME: &[Step] = &[
    (3.0 * DAY, DAY, "days", Four),
    (2.0 * HOUR, HOUR, "h", Four),
    (600.0, 60.0, "min", Four),
    (1.0, 1.0, "s", Four),
    (1e-2, 1e-3, "ms", Four),
    (1e-6, 1e-6, "us", Four),
    (0.0, 1e-9, "ns", Four),
];
const ENERGY: &[Step] = &[(1.0, 1.0, "J", Four), (1e-2, 1e-3, "mJ", Four), (0.0, 1e-6, "uJ", Four)];
const BYTES: &[Step] = &[
    (1e15, 1e15, "PB", Counted),
    (1e12, 1e12, "TB", Counted),
    (1e9, 1e9, "GB", Counted),
    (1e6, 1e6, "MB", Counted),
    (1e3, 1e3, "kB", Counted),
    (0.0, 1.0, "B", Counted),
];
/// Sizes of commands and of what drives map, which are sums of powers of two.
const BLOCK: &[Step] =
    &[(MIB, MIB, "MiB", Counted), (KIB, KIB, "KiB", Counted), (0.0, 1.0, "B", Counted)];
const POWER: &[Step] = &[(0.0, 1.0, "W", Four)];
const TEMPERATURE: &[Step] = &[(0.0, 1.0, "C", Four)];
const NUMBER: &[Step] = &[(0.0, 1.0, "", Four)];
const MONEY: &[Step] = &[(0.0, 1.0, "USD", Four)];
const SCORE: &[Step] = &[(0.0, 1.0, "points", Four)];

impl Shown {
    /// The unit for a value of about this size, in base units. What belongs together, a column or
    /// an axis, asks once with its largest value.
    pub fn of(dimension: Dimension, size: f64) -> Self {
        let ladder = match dimension {
            Dimension::Rate => RATE,
            Dimension::Bandwidth => BANDWIDTH,
            Dimension::Time => TIME,
            Dimension::Power => POWER,
            Dimension::Energy => ENERGY,
            Dimension::Bytes if is_block(size) => BLOCK,
            Dimension::Bytes => BYTES,
            Dimension::Temperature => TEMPERATURE,
            Dimension::Number => NUMBER,
            Dimension::Money => MONEY,
            Dimension::Score => SCORE,
        };
        match size == 0.0 {
            // Nothing has no size: it is shown in the unit in which most values are.
            true => usual(dimension).unwrap_or_else(|| on(ladder, 0.0)),
            false => on(ladder, size),
        }
    }

    /// The unit for a volume of data in bytes, which is a power of two by chance only.
    pub fn of_volume(size: f64) -> Self {
        on(BYTES, size)
    }

    /// The unit for a value of a metric: some have their own.
    pub fn of_metric(name: &str, dimension: Dimension, size: f64) -> Self {
        let own = own_unit(name, size);
        own.map_or_else(|| Self::of(dimension, size), |(scale, unit)| four(scale, unit))
    }

    /// A value of the base unit as a number of this unit.
    pub fn number(&self, value: f64) -> String {
        self.digits.text(value / self.scale)
    }

    /// A value of the base unit with this unit behind it.
    pub fn text(&self, value: f64) -> String {
        match (self.unit, value.is_finite()) {
            ("", _) | (_, false) => self.number(value),
            (unit, true) => format!("{} {unit}", self.number(value)),
        }
    }
}

/// A value of the base unit in the unit that a reader expects.
pub fn show(dimension: Dimension, value: f64) -> String {
    Shown::of(dimension, value).text(value)
}

/// A value of a metric, in its base unit, in the unit that a reader expects.
pub fn show_metric(name: &str, dimension: Dimension, value: f64) -> String {
    Shown::of_metric(name, dimension, value).text(value)
}

/// A volume of data, bytes, in units of powers of ten whatever it is.
pub fn show_volume(bytes: u64) -> String {
    Shown::of_volume(bytes as f64).text(bytes as f64)
}

/// The size of a command, bytes, in units of powers of two.
pub fn show_block(bytes: u64) -> String {
    on(BLOCK, bytes as f64).text(bytes as f64)
}

fn four(scale: f64, unit: &'static str) -> Shown {
    Shown { scale, unit, digits: Four }
}

/// The step of a ladder for a size. A size is rounded as it will be shown before it is placed:
/// 9999.7 IOPS are 10 kIOPS, not 10000 IOPS.
fn on(ladder: &[Step], size: f64) -> Shown {
    let size = format!("{:.3e}", size.abs()).parse().unwrap_or(0.0);
    let step = ladder.iter().find(|(from, ..)| size >= *from);
    step.map_or(four(1.0, ""), |&(_, scale, unit, digits)| Shown { scale, unit, digits })
}

/// The unit of a value of 0 where the smallest one would be an odd choice.
fn usual(dimension: Dimension) -> Option<Shown> {
    match dimension {
        Dimension::Bandwidth => Some(four(1e6, "MB/s")),
        Dimension::Time => Some(four(1e-6, "us")),
        _ => None,
    }
}

/// Whether bytes are a block rather than a volume: a power of two from 1 KiB to below 1 MiB.
fn is_block(size: f64) -> bool {
    (KIB..MIB).contains(&size) && size.fract() == 0.0 && (size as u64).is_power_of_two()
}

/// The scale and unit of a metric that is read in a unit of its own everywhere; a metric of a
/// named measurement (`load.gb_per_day`) is read like the metric.
fn own_unit(metric: &str, value: f64) -> Option<(f64, &'static str)> {
    Some(match metric.rsplit('.').next()? {
        "gb_per_day" => (1e9 / DAY, "GB/day"),
        "tb_per_day" => (1e12 / DAY, "TB/day"),
        "tps" => (1.0, "tx/s"),
        "page_reads" | "page_writes" | "doublewrites" | "log_writes" | "log_flushes"
        | "file_flushes" => (1.0, "/s"),
        "lifetime" | "rated_life" if value >= YEAR_S => (YEAR_S, "years"),
        "lifetime" | "rated_life" => (DAY, "days"),
        // Standards guarantee months and years of it.
        "retention" => (YEAR_S / 12.0, "months"),
        "usd_per_gb" => (1.0, "USD/GB"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;

    /// The last value below a boundary as it is shown, and the boundary.
    fn around(dimension: Dimension, boundary: f64) -> [String; 2] {
        [boundary * 0.999, boundary].map(|value| show(dimension, value))
    }

    #[test]
    fn rates_are_iops_below_ten_thousand_and_millions_from_one_on() {
        assert_eq!(around(Dimension::Rate, 1e4), ["9990 IOPS", "10 kIOPS"]);
        assert_eq!(around(Dimension::Rate, 1e6), ["999 kIOPS", "1 M IOPS"]);
        assert_eq!(show(Dimension::Rate, 147_123.0), "147.1 kIOPS");
        assert_eq!(show(Dimension::Rate, 1_123_456.0), "1.12 M IOPS");
        assert_eq!(show(Dimension::Rate, 0.0), "0 IOPS");
    }

    #[test]
    fn bandwidth_is_gigabytes_from_a_thousand_megabytes_on() {
        assert_eq!(around(Dimension::Bandwidth, 1e3), ["999 B/s", "1 kB/s"]);
        assert_eq!(around(Dimension::Bandwidth, 1e5), ["99.90 kB/s", "0.100 MB/s"]);
        assert_eq!(around(Dimension::Bandwidth, 1e9), ["999 MB/s", "1 GB/s"]);
        assert_eq!(show(Dimension::Bandwidth, 7.411e9), "7.41 GB/s");
        assert_eq!(show(Dimension::Bandwidth, 14.26e9), "14.3 GB/s");
        assert_eq!(show(Dimension::Bandwidth, 0.0), "0 MB/s");
    }

    #[test]
    fn times_go_from_nanoseconds_to_days() {
        assert_eq!(around(Dimension::Time, 1e-6), ["999 ns", "1 us"]);
        assert_eq!(around(Dimension::Time, 1e-2), ["9990 us", "10 ms"]);
        assert_eq!(around(Dimension::Time, 1.0), ["999 ms", "1 s"]);
        assert_eq!(around(Dimension::Time, 600.0), ["599.4 s", "10 min"]);
        assert_eq!(around(Dimension::Time, 7200.0), ["119.9 min", "2 h"]);
        assert_eq!(around(Dimension::Time, 3.0 * DAY), ["71.93 h", "3 days"]);
        assert_eq!(show(Dimension::Time, 523e-6), "523 us");
        assert_eq!(show(Dimension::Time, 0.0), "0 us");
    }

    #[test]
    fn blocks_are_powers_of_two_and_volumes_powers_of_ten() {
        assert_eq!(around(Dimension::Bytes, 1e3), ["999 B", "1 kB"]);
        assert_eq!(around(Dimension::Bytes, 1e6), ["999 kB", "1 MB"]);
        assert_eq!(around(Dimension::Bytes, 1e9), ["999 MB", "1 GB"]);
        assert_eq!(around(Dimension::Bytes, 1e12), ["999 GB", "1 TB"]);
        assert_eq!(around(Dimension::Bytes, 1e15), ["999 TB", "1 PB"]);
        let bytes = |value: u64| show(Dimension::Bytes, value as f64);
        assert_eq!([bytes(512), bytes(1024)], ["512 B", "1 KiB"]);
        assert_eq!([bytes(4096), bytes(4097)], ["4 KiB", "4.097 kB"]);
        assert_eq!([bytes(512 << 10), bytes(1 << 20)], ["512 KiB", "1.049 MB"]);
        assert_eq!([bytes(1_920_000_000_000), bytes(960_197_124_096)], ["1.92 TB", "960.2 GB"]);
    }

    #[test]
    fn the_size_of_a_command_is_a_block_whatever_it_is() {
        assert_eq!([show_block(1023), show_block(1024)], ["1023 B", "1 KiB"]);
        assert_eq!([show_block(12 << 10), show_block(1 << 20)], ["12 KiB", "1 MiB"]);
        assert_eq!(show_block(1536 << 10), "1.5 MiB");
    }

    #[test]
    fn a_volume_is_no_block_even_if_it_could_be_one() {
        assert_eq!([show_volume(999), show_volume(32 << 10)], ["999 B", "32.77 kB"]);
        assert_eq!(show_volume(1_000_000), "1 MB");
    }

    #[test]
    fn energy_has_three_units_and_power_one() {
        assert_eq!(around(Dimension::Energy, 1e-2), ["9990 uJ", "10 mJ"]);
        assert_eq!(around(Dimension::Energy, 1.0), ["999 mJ", "1 J"]);
        assert_eq!(show(Dimension::Power, 0.052), "0.052000 W");
        assert_eq!(show(Dimension::Power, 13.5), "13.50 W");
        assert_eq!(show(Dimension::Temperature, 70.0), "70 C");
        assert_eq!(show(Dimension::Number, 3.95), "3.950");
    }

    /// What is rounded up to the next unit is shown in that.
    #[test]
    fn no_number_is_rounded_beyond_its_unit() {
        assert_eq!(show(Dimension::Rate, 9999.7), "10 kIOPS");
        assert_eq!(show(Dimension::Bandwidth, 999.97e6), "1 GB/s");
        assert_eq!(show(Dimension::Time, 9.99997e-3), "10 ms");
        assert_eq!(show(Dimension::Bytes, 999.97e9), "1 TB");
    }

    #[test]
    fn the_sign_does_not_change_the_unit_and_no_number_has_none() {
        assert_eq!(show(Dimension::Bandwidth, -7.411e9), "-7.41 GB/s");
        assert_eq!(show(Dimension::Time, f64::NAN), "-");
        assert_eq!(show(Dimension::Rate, f64::INFINITY), "-");
    }

    #[test]
    fn digits_are_three_or_four_and_a_whole_number_is_whole() {
        let cases =
            [(964_000.0, "964000"), (103.25, "103.2"), (13.26, "13.26"), (64.0, "64"), (0.0, "0")];
        for (number, text) in cases {
            assert_eq!(plain(number), text);
        }
        assert_eq!([plain(0.1), plain(0.004)], ["0.100", "0.004000"]);
        assert_eq!(
            [Three.text(5.3), Three.text(53.26), Three.text(532.6)],
            ["5.30", "53.3", "533"]
        );
        assert_eq!([Counted.text(7.68), Counted.text(0.004)], ["7.68", "0.004"]);
        assert_eq!(plain(f64::NAN), "-");
    }

    #[test]
    fn some_metrics_have_units_of_their_own() {
        let rate = 880e9 / DAY;
        assert_eq!(show_metric("gb_per_day", Dimension::Bandwidth, rate), "880 GB/day");
        assert_eq!(show_metric("load.tb_per_day", Dimension::Bandwidth, 2e12 / DAY), "2 TB/day");
        assert_eq!(show_metric("lifetime", Dimension::Time, 2.0 * YEAR_S), "2 years");
        assert_eq!(show_metric("lifetime", Dimension::Time, DAY), "1 days");
        assert_eq!(show_metric("retention", Dimension::Time, YEAR_S / 4.0), "3 months");
        assert_eq!(show_metric("tps", Dimension::Rate, 12_500.0), "12500 tx/s");
        // Nobody reads 7.5 million seconds.
        let rebuild = |seconds| show_metric("rebuild_time", Dimension::Time, seconds);
        assert_eq!([rebuild(7.5e6), rebuild(37_500.0)], ["86.81 days", "10.42 h"]);
        assert_eq!([rebuild(600.0), rebuild(30.0)], ["10 min", "30 s"]);
    }

    /// What is shown can be written into a file: every unit is read back as what it is.
    #[test]
    fn every_unit_of_a_ladder_is_a_unit_that_can_be_read() {
        let ladders = [
            (RATE, Dimension::Rate),
            (BANDWIDTH, Dimension::Bandwidth),
            (TIME, Dimension::Time),
            (ENERGY, Dimension::Energy),
            (BYTES, Dimension::Bytes),
            (BLOCK, Dimension::Bytes),
            (POWER, Dimension::Power),
            (TEMPERATURE, Dimension::Temperature),
            (MONEY, Dimension::Money),
            (SCORE, Dimension::Score),
        ];
        for (ladder, dimension) in ladders {
            for (_, scale, name, _) in ladder {
                let unit = Unit::parse(name).unwrap_or_else(|| panic!("`{name}`"));
                assert_eq!((unit.dimension, unit.factor), (dimension, *scale), "`{name}`");
            }
        }
    }
}

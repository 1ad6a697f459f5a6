//! Numbers as fio's text shows them: `18.3k`, `71.5MiB`.

/// Significant digits of most numbers.
const DIGITS: usize = 4;
const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// A count of at most `digits` digits, scaled by 1000 if it is longer.
pub(super) fn count(value: u64, digits: usize) -> String {
    scaled(value, digits, 1000, &DECIMAL)
}

/// A count of I/Os a second.
pub(super) fn iops(value: u64) -> String {
    count(value, DIGITS)
}

/// Bytes in powers of two, as in `61.4MiB`.
pub(super) fn bytes_binary(value: u64) -> String {
    with_unit(scaled(value, DIGITS, 1024, &BINARY))
}

/// Bytes in powers of ten, as in `64.4MB`.
pub(super) fn bytes_decimal(value: u64) -> String {
    with_unit(scaled(value, DIGITS, 1000, &DECIMAL))
}

/// Bandwidth in bytes/s, as in `71.5MiB/s (75.0MB/s)`.
pub(super) fn bandwidth(bytes_s: u64) -> (String, String) {
    (format!("{}/s", bytes_binary(bytes_s)), format!("{}/s", bytes_decimal(bytes_s)))
}

fn with_unit(number: String) -> String {
    number + "B"
}

/// Divides until the whole part fits, then fills up with decimals of the last remainder.
fn scaled(value: u64, digits: usize, thousand: u64, prefixes: &[&str; 7]) -> String {
    let mut whole = value;
    let mut remainder = None;
    let mut power = 0;
    while whole.to_string().len() > digits && power + 1 < prefixes.len() {
        remainder = Some(whole % thousand);
        whole /= thousand;
        power += 1;
    }
    let prefix = prefixes[power];
    let Some(remainder) = remainder else { return format!("{whole}{prefix}") };
    let room = digits.saturating_sub(whole.to_string().len());
    if room <= 1 {
        // No room for a point and a digit behind it: round instead.
        let rounded = whole + u64::from(remainder >= thousand / 2);
        return format!("{rounded}{prefix}");
    }
    let fraction = format!("{:.*}", room - 1, remainder as f64 / thousand as f64);
    // A fraction may round up to a whole.
    let whole = whole + u64::from(fraction.starts_with('1'));
    format!("{whole}.{}{prefix}", &fraction[2..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_with_a_prefix() {
        for (value, text) in [
            (0, "0"),
            (1257, "1257"),
            (9999, "9999"),
            (10_000, "10.0k"),
            (18_313, "18.3k"),
            (804_624, "805k"),
            (2_529_882, "2530k"),
            (25_298_820, "25.3M"),
        ] {
            assert_eq!(iops(value), text);
        }
        assert_eq!(bandwidth(75_010_682), ("71.5MiB/s".to_owned(), "75.0MB/s".to_owned()));
        assert_eq!(bandwidth(5_151_000), ("5030KiB/s".to_owned(), "5151kB/s".to_owned()));
        assert_eq!(count(1_168_079, 6), "1168.1k");
        assert_eq!(bytes_binary(u64::MAX), "16.0EiB");
    }
}

//! Dates, in UTC.

use chrono::DateTime;

/// Times beyond the year 9999 are shown as that year's end.
const LATEST_S: i64 = 253_402_300_799;

/// Seconds since 1970 in the form `Sat Nov 21 04:09:09 2026`.
pub fn text(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).map_or(LATEST_S, |seconds| seconds.min(LATEST_S));
    let date = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    date.format("%a %b %e %H:%M:%S %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn known_dates() {
        assert_eq!(text(0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(text(951_782_400), "Tue Feb 29 00:00:00 2000");
        assert_eq!(text(1_795_234_149), "Sat Nov 21 04:09:09 2026");
        assert_eq!(text(253_402_300_799), "Fri Dec 31 23:59:59 9999");
        assert_eq!(text(u64::MAX), text(253_402_300_799));
    }
}

//! Seconds since 1970 as `asctime` writes them, in UTC.

use chrono::DateTime;

/// Times beyond the year 9999 are shown as that year's end.
const LATEST_S: i64 = 253_402_300_799;

/// `Thu Jan  1 00:00:00 1970 UTC`.
pub(super) fn asctime(seconds: i64) -> String {
    let date = DateTime::from_timestamp(seconds.clamp(0, LATEST_S), 0).unwrap_or_default();
    date.format("%a %b %e %H:%M:%S %Y UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::asctime;

    #[test]
    fn known_dates() {
        assert_eq!(asctime(0), "Thu Jan  1 00:00:00 1970 UTC");
        assert_eq!(asctime(951_782_399), "Mon Feb 28 23:59:59 2000 UTC");
        assert_eq!(asctime(951_782_400), "Tue Feb 29 00:00:00 2000 UTC");
        assert_eq!(asctime(1_700_000_000), "Tue Nov 14 22:13:20 2023 UTC");
        assert_eq!(asctime(253_402_300_799), "Fri Dec 31 23:59:59 9999 UTC");
        assert_eq!(asctime(i64::MAX), asctime(253_402_300_799));
        assert_eq!(asctime(i64::MIN), asctime(0));
    }
}

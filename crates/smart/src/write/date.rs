//! Seconds since 1970 as `asctime` writes them, in UTC.

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Times beyond the year 9999 are shown as that year's end.
const LATEST_S: i64 = 253_402_300_799;

/// `Thu Jan  1 00:00:00 1970 UTC`.
pub(super) fn asctime(seconds: i64) -> String {
    let seconds = seconds.clamp(0, LATEST_S);
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let weekday = DAYS[(days % 7) as usize];
    let (mut year, mut day) = (1970, days);
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    while day >= 365 + i64::from(leap(year)) {
        day -= 365 + i64::from(leap(year));
        year += 1;
    }
    let mut month = 0;
    loop {
        let length = match month {
            1 => 28 + i64::from(leap(year)),
            3 | 5 | 8 | 10 => 30,
            _ => 31,
        };
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60);
    let (name, day) = (MONTHS[month], day + 1);
    format!("{weekday} {name} {day:>2} {hour:02}:{minute:02}:{second:02} {year} UTC")
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
        assert_eq!(asctime(i64::MAX), asctime(253_402_300_799));
    }
}

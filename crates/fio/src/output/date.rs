//! Dates, in UTC.

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SECONDS_A_DAY: u64 = 86_400;

/// Seconds since 1970 in the form `Sat Nov 21 04:09:09 2026`.
pub fn text(seconds: u64) -> String {
    let (days, second) = (seconds / SECONDS_A_DAY, seconds % SECONDS_A_DAY);
    let (year, month, day) = civil(days);
    format!(
        "{} {} {day:2} {:02}:{:02}:{:02} {year}",
        DAYS[(days % 7) as usize],
        MONTHS[(month - 1) as usize],
        second / 3600,
        second / 60 % 60,
        second % 60,
    )
}

/// Year, month and day of a number of days since 1970, by eras of 400 years that begin in March
/// (so that the leap day is the last of its year).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn known_dates() {
        assert_eq!(text(0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(text(951_782_400), "Tue Feb 29 00:00:00 2000");
        assert_eq!(text(1_795_234_149), "Sat Nov 21 04:09:09 2026");
        text(u64::MAX);
    }
}

//! What makers rate their drives for.

use crate::render::Failure;
use crate::sheets;
use crate::subject::Subject;
use review::Figure;
use std::collections::BTreeMap;

/// Metrics of the rows of data sheets that say how much may be written.
const RATED: [&str; 2] = ["tbw", "tbw_random"];

/// Digits of a rating that sheets state at least: 14000 TB are 14.0 PB.
const DIGITS: i32 = 3;

/// What the host may write to a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rated {
    /// Bytes, as the sheet has them.
    bytes: f64,
    /// Half of their last digit, bytes: how far they may be rounded.
    half: f64,
}

impl Rated {
    /// Bytes of a sheet, which has as many digits as the number needs, three at least.
    fn new(bytes: f64) -> Self {
        let first = bytes.log10().floor() as i32;
        let half = |digits: i32| 0.5 * 10f64.powi(first + 1 - digits);
        let is_whole = |digits: &i32| {
            let parts = bytes / (2.0 * half(*digits));
            (parts - parts.round()).abs() < 1e-6
        };
        let digits = (DIGITS..12).find(is_whole).unwrap_or(12);
        Self { bytes, half: half(digits) }
    }

    /// Seconds until it is written at so many bytes a second. A use that is rated but for how the
    /// sheet is rounded takes the time that is asked for.
    pub fn life(self, a_second: f64, asked: Option<f64>) -> f64 {
        let missing = |asked: &f64| a_second * asked - self.bytes;
        let is_it = |asked: &f64| missing(asked) > 0.0 && missing(asked) <= self.half;
        asked.filter(is_it).unwrap_or(self.bytes / a_second)
    }
}

/// Host writes that data sheets rate drives for, by the names of the drives.
pub struct Ratings(BTreeMap<String, f64>);

impl Ratings {
    /// Those of the reviews of the program.
    ///
    /// # Errors
    /// If the reviews cannot be read.
    pub fn shipped() -> Result<Self, Failure> {
        let is_rating =
            |figure: &Figure| figure.relative_to.is_none() && RATED.contains(&figure.metric.name());
        let mut ratings: BTreeMap<String, f64> = BTreeMap::new();
        for figure in sheets::rows()?.into_iter().filter(is_rating) {
            let Some(drive) = figure.subject.target() else { continue };
            // Of two sheets the lower number is the one that surely counts.
            let known = ratings.entry(drive.to_owned()).or_insert(f64::INFINITY);
            *known = known.min(figure.published());
        }
        Ok(Self(ratings))
    }

    /// What the host may write to this drive. `None` where no sheet is known, and for a drive
    /// that nobody sells: one with changes other than that a part of it is not used.
    pub fn of(&self, subject: &Subject) -> Option<Rated> {
        let bytes = self.0.get(&subject.target).copied().filter(|_| subject.set.is_empty());
        bytes.map(Rated::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7.68 TB a day for five years are 14,016 TB, and the sheet of a drive says 14.0 PB. One that
    /// says 14,015 TB says that it is less.
    #[test]
    fn a_rating_is_as_exact_as_its_sheet() {
        let (year, a_second) = (365.0 * 86_400.0, 7.68e12 / 86_400.0);
        let asked = Some(5.0 * year);
        assert_eq!(Rated::new(14_000e12).life(a_second, asked), 5.0 * year);
        assert!(Rated::new(14_015e12).life(a_second, asked) < 5.0 * year);
        assert_eq!(Rated::new(14_016e12).life(a_second, asked), 5.0 * year);
        assert!(Rated::new(14_000e12).life(1.01 * a_second, asked) < 5.0 * year);
        assert_eq!(Rated::new(2000e12), Rated { bytes: 2000e12, half: 5e12 });
        assert_eq!(Rated::new(14_016e12).half, 0.5e12);
    }
}

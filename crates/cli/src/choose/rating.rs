//! What makers rate their drives for.

use crate::render::Failure;
use crate::sheets;
use crate::subject::Subject;
use review::Figure;
use std::collections::BTreeMap;

/// Metrics of the rows of data sheets that say how much may be written.
const RATED: [&str; 2] = ["tbw", "tbw_random"];

/// Host writes that data sheets rate drives for, bytes, by the names of the drives.
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

    /// Bytes that the host may write to this drive. `None` where no sheet is known, and for a drive
    /// that nobody sells: one with changes other than that a part of it is not used.
    pub fn of(&self, subject: &Subject) -> Option<f64> {
        self.0.get(&subject.target).copied().filter(|_| subject.set.is_empty())
    }
}

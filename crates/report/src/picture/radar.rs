//! The four corners of drives against a reference drive, which has 5 in every direction.

use crate::document::{Axis, Chart, ChartKind, Line, Scale, Style};
use crate::quantity::short;
use std::collections::BTreeMap;

/// What the reference drive has in every direction, as reviewers draw it.
const REFERENCE: f64 = 5.0;

/// A corner: sequential or random, reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Corner {
    /// Sequential reads.
    SequentialRead,
    /// Sequential writes.
    SequentialWrite,
    /// Random reads.
    RandomRead,
    /// Random writes.
    RandomWrite,
}

impl Corner {
    /// All of them, around the picture.
    pub const ALL: [Self; 4] =
        [Self::SequentialRead, Self::RandomRead, Self::RandomWrite, Self::SequentialWrite];

    fn name(self) -> &'static str {
        match self {
            Self::SequentialRead => "sequential read",
            Self::SequentialWrite => "sequential write",
            Self::RandomRead => "random read",
            Self::RandomWrite => "random write",
        }
    }
}

/// The best rate of every drive in every corner; drives in order of appearance.
#[derive(Debug, Default)]
pub struct Corners {
    drives: Vec<(String, BTreeMap<Corner, f64>)>,
}

impl Corners {
    /// Takes note of a rate; bandwidth or IOPS, but the same for every drive in a corner.
    pub fn add(&mut self, drive: &str, corner: Corner, rate: f64) {
        let known = self.drives.iter().position(|(name, _)| name == drive);
        let index = known.unwrap_or_else(|| {
            self.drives.push((drive.to_owned(), BTreeMap::new()));
            self.drives.len() - 1
        });
        let best = self.drives[index].1.entry(corner).or_insert(rate);
        *best = best.max(rate);
    }

    /// The picture, if two drives or more are known in all corners; against `reference`, or the
    /// first drive.
    pub fn chart(&self, title: &str, reference: Option<&str>) -> Option<Chart> {
        let whole = |(_, rates): &&(String, BTreeMap<Corner, f64>)| rates.len() == 4;
        let drives: Vec<_> = self.drives.iter().filter(whole).collect();
        let named = drives.iter().find(|(name, _)| Some(name.as_str()) == reference);
        let (against, of) = named.or_else(|| drives.first())?;
        if drives.len() < 2 || of.values().any(|rate| *rate <= 0.0) {
            return None;
        }
        let line = |(name, rates): &&(String, BTreeMap<Corner, f64>)| {
            let share = |corner: &Corner| short(rates[corner] / of[corner] * REFERENCE);
            let points = vec![Corner::ALL.iter().map(share).collect()];
            Line { name: name.clone(), style: Style::Line, points, ..Line::default() }
        };
        let names = Corner::ALL.map(|corner| corner.name().to_owned()).to_vec();
        Some(Chart {
            kind: ChartKind::Radar,
            title: format!("{title}: against {against} (= {REFERENCE})"),
            about: format!(
                "Rates over those of {against}, times {REFERENCE}. Further out is better."
            ),
            x: Axis { names, ..Axis::new("corner", "", Scale::Names) },
            lines: drives.iter().map(line).collect(),
            ..Chart::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_has_five_everywhere() {
        let mut corners = Corners::default();
        for corner in Corner::ALL {
            corners.add("a", corner, 100.0);
            corners.add("b", corner, 150.0);
        }
        corners.add("c", Corner::RandomRead, 9.0);
        let chart = corners.chart("Four corners", Some("b")).unwrap();
        assert_eq!(chart.lines.len(), 2, "c is not known in all corners");
        assert_eq!(chart.lines[1].points[0], [5.0; 4]);
        assert_eq!(chart.lines[0].points[0][0], 3.33333);
        assert!(Corners::default().chart("", None).is_none());
    }
}

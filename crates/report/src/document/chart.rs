//! A picture as data: axes with units, lines, and shaded stretches.

use super::Careful;
use serde::Serialize;

/// What a chart is drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChartKind {
    /// Lines and points over two axes.
    #[default]
    Lines,
    /// Bars over categories.
    Bars,
    /// Shares of a reference over several directions.
    Radar,
    /// Colours over two axes of categories.
    Heat,
    /// Lines over axes side by side, of which each can be narrowed.
    Parallel,
}

/// How values are laid out on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; values are above 0.
    Log,
    /// By the number of nines of a percentile: 90, 99, 99.9 are equally far apart. Values are
    /// `-lg(1 - share)`, so that 99.9 % is 3.
    Nines,
    /// One place for each name; values are indices.
    Names,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// What it shows.
    pub name: String,
    /// In which unit; empty if it has none.
    pub unit: String,
    /// How.
    pub scale: Scale,
    /// The names of [`Scale::Names`], or the directions of a radar.
    pub names: Vec<String>,
    /// The drive of each of the names, if every one belongs to one: a colour each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<String>,
    /// Where it must begin, if that is known.
    pub from: Option<f64>,
    /// Where it must end, if that is known.
    pub to: Option<f64>,
}

impl Axis {
    /// An axis of numbers.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, scale: Scale) -> Self {
        Self { name: name.into(), unit: unit.into(), scale, ..Self::default() }
    }

    /// An axis of names.
    pub fn names(name: impl Into<String>, names: Vec<String>) -> Self {
        Self { name: name.into(), scale: Scale::Names, names, ..Self::default() }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// A line with a mark at each point.
    #[default]
    Line,
    /// A line without marks: many points.
    Plain,
    /// Marks without a line.
    Dots,
    /// Hollow marks without a line.
    Rings,
    /// A dashed line without marks, to hold others against.
    Guide,
    /// Steps filled down to the axis.
    Steps,
}

/// One line, set of marks or bars, or figure of a radar.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The drive that it shows, which has one colour in all charts; empty if it shows none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub drive: String,
    /// How it is drawn.
    pub style: Style,
    /// Whether it belongs to the second axis upwards.
    pub second: bool,
    /// Points: across, upwards; of a heat map also the value, of parallel axes a place on each.
    /// What is not known is not a number.
    pub points: Vec<Vec<f64>>,
    /// Intervals of the points, low and high, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Option<(f64, f64)>>,
    /// Names of single points, shown beside their values; empty or one a point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Line {
    /// A line through points.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<[f64; 2]>) -> Self {
        let points = points.into_iter().map(Vec::from).collect();
        Self { name: name.into(), style, points, ..Self::default() }
    }
}

/// A shaded stretch across: what the drive was doing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// What it was.
    pub name: String,
    /// Where it begins, in the unit of the axis across.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chart {
    /// What it is drawn as.
    pub kind: ChartKind,
    /// What it shows.
    pub title: String,
    /// How it is to be read, in a sentence or two.
    pub about: String,
    /// The axis across; of a radar its directions.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// A second one on the right.
    pub second: Option<Axis>,
    /// Those of [`ChartKind::Parallel`], which has no others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis>,
    /// What is drawn.
    pub lines: Vec<Line>,
    /// Shaded stretches.
    pub bands: Vec<Band>,
    /// What to be careful with, until the page is whole: then it is before the chart.
    #[serde(skip)]
    pub warnings: Vec<Careful>,
    /// Whether it shows what was measured, what was modelled or both; empty if it is neither.
    pub origin: String,
}

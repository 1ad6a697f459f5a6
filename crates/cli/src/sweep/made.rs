//! The points of a rung, and how many runs each of them has.

/// What is made on a rung.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The numbers of the points.
    pub points: Vec<usize>,
    /// Runs of each: the first so many of its seeds.
    pub runs: Vec<usize>,
}

impl Made {
    /// All points with the same number of runs.
    pub fn whole(points: Vec<usize>, runs: usize) -> Self {
        Self { runs: vec![runs; points.len()], points }
    }

    /// Runs of all points together.
    pub fn all_runs(&self) -> usize {
        self.runs.iter().sum()
    }
}

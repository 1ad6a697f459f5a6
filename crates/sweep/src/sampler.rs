//! Which points of a space are taken.

use crate::sobol::Sobol;
use engine::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to choose points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sampler {
    /// Every combination of the values of all factors.
    Grid,
    /// Each point by itself.
    Random,
    /// Latin hypercube: each factor is cut into as many parts as there are points, and each part
    /// has one.
    Lhs,
    /// Sobol's sequence, scrambled by the seed: evenly spread in every projection.
    Sobol,
    /// Sobol's sequence as it is.
    SobolPlain,
}

impl Sampler {
    /// All of them.
    pub const ALL: [Sampler; 5] =
        [Sampler::Grid, Sampler::Random, Sampler::Lhs, Sampler::Sobol, Sampler::SobolPlain];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Sampler::Grid => "grid",
            Sampler::Random => "random",
            Sampler::Lhs => "lhs",
            Sampler::Sobol => "sobol",
            Sampler::SobolPlain => "sobol-plain",
        }
    }

    /// Whether the number of its points should be a power of two.
    pub fn wants_a_power_of_two(self) -> bool {
        matches!(self, Sampler::Sobol | Sampler::SobolPlain)
    }

    /// So many points in the unit cube of so many dimensions; none of a grid, whose points are not
    /// drawn.
    pub(crate) fn unit(self, dimensions: usize, points: u32, seed: u64) -> Vec<Vec<f64>> {
        match self {
            Sampler::Grid => Vec::new(),
            Sampler::Random => {
                let mut stream = Stream::new(seed, "sweep/random");
                (0..points).map(|_| (0..dimensions).map(|_| stream.unit()).collect()).collect()
            }
            Sampler::Lhs => latin(dimensions, points, seed),
            Sampler::Sobol | Sampler::SobolPlain => {
                let scramble = (self == Sampler::Sobol).then_some(seed);
                let sobol = Sobol::new(dimensions, scramble);
                (0..points).map(|index| sobol.point(index)).collect()
            }
        }
    }
}

/// A Latin hypercube: in each dimension a shuffle of the parts, and a place in each part.
fn latin(dimensions: usize, points: u32, seed: u64) -> Vec<Vec<f64>> {
    let mut all = vec![Vec::with_capacity(dimensions); points as usize];
    for dimension in 0..dimensions {
        let mut stream = Stream::new(seed, &format!("sweep/lhs/{dimension}"));
        let mut parts: Vec<u32> = (0..points).collect();
        for last in (1..parts.len()).rev() {
            let with = engine::index(stream.below(last as u64 + 1));
            parts.swap(last, with);
        }
        for (point, part) in all.iter_mut().zip(parts) {
            point.push((f64::from(part) + stream.unit()) / f64::from(points));
        }
    }
    all
}

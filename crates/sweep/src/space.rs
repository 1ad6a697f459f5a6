//! The factors of a sweep together, and the points that are taken of them.

use crate::factor::Factor;
use crate::sampler::Sampler;
use crate::sobol::DIMENSIONS;
use std::collections::BTreeSet;

/// Most points of a sweep.
pub const POINTS_MAX: usize = 100_000;

/// A point as a sampler takes it: its place, of each factor a number from 0 to below 1, and the
/// values there. Points of a grid have no place, since they are not drawn.
pub type Drawn = (Vec<f64>, Vec<String>);

/// The factors of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    factors: Vec<Factor>,
}

impl Space {
    /// A space of these factors.
    ///
    /// # Errors
    /// If there is none, too many, or one twice.
    pub fn new(factors: Vec<Factor>) -> Result<Self, String> {
        if factors.is_empty() {
            return Err("nothing is varied: the space is empty".to_owned());
        }
        if factors.len() > DIMENSIONS {
            return Err(format!("{} factors; {DIMENSIONS} are possible", factors.len()));
        }
        let twice = (0..factors.len())
            .find(|i| factors[..*i].iter().any(|other| other.name == factors[*i].name));
        match twice {
            Some(i) => Err(format!("`{}` is varied twice", factors[i].name)),
            None => Ok(Self { factors }),
        }
    }

    /// The factors, in their order.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The sampler where nobody chose one: a grid if every factor lists its values.
    pub fn usual_sampler(&self) -> Sampler {
        match self.factors.iter().all(Factor::is_listed) {
            true => Sampler::Grid,
            false => Sampler::Sobol,
        }
    }

    /// The points: a value of each factor, in the order of the factors. What a sampler takes twice
    /// is one point. `count` is of no meaning for a grid.
    ///
    /// # Errors
    /// If there are too many points.
    pub fn points(
        &self,
        sampler: Sampler,
        count: u32,
        seed: u64,
    ) -> Result<Vec<Vec<String>>, String> {
        let mut seen = BTreeSet::new();
        let drawn = self.drawn(sampler, count, seed)?.into_iter().map(|(_, point)| point);
        Ok(drawn.filter(|point| seen.insert(point.clone())).collect())
    }

    /// What a sampler takes, also twice.
    ///
    /// # Errors
    /// If there are too many points.
    pub fn drawn(&self, sampler: Sampler, count: u32, seed: u64) -> Result<Vec<Drawn>, String> {
        if sampler == Sampler::Grid {
            return Ok(self.grid()?.into_iter().map(|point| (Vec::new(), point)).collect());
        }
        let with_values = |place: Vec<f64>| {
            let values = self.at(&place);
            (place, values)
        };
        Ok(sampler.unit(self.factors.len(), count, seed).into_iter().map(with_values).collect())
    }

    /// The values at a place.
    pub fn at(&self, place: &[f64]) -> Vec<String> {
        self.factors.iter().zip(place).map(|(factor, at)| factor.at(*at)).collect()
    }

    /// Every combination; the last factor changes first.
    fn grid(&self) -> Result<Vec<Vec<String>>, String> {
        let levels: Vec<Vec<String>> =
            self.factors.iter().map(Factor::levels).collect::<Result<_, _>>()?;
        let all = levels.iter().try_fold(1_usize, |all, list| all.checked_mul(list.len()));
        let Some(_) = all.filter(|all| *all <= POINTS_MAX) else {
            return Err(format!("the grid has more than {POINTS_MAX} points"));
        };
        let mut points = vec![Vec::new()];
        for list in levels {
            let longer = |point: &Vec<String>| {
                let point = point.clone();
                list.clone().into_iter().map(move |value| [point.clone(), vec![value]].concat())
            };
            points = points.iter().flat_map(longer).collect();
        }
        Ok(points)
    }
}

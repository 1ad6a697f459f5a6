//! NSGA-II: each generation of points is bred from the best of those before (Deb, Pratap, Agarwal
//! and Meyarivan, IEEE Transactions on Evolutionary Computation 6(2), 2002), with simulated binary
//! crossover and polynomial mutation (Deb and Agrawal 1995, 1996). What a generation is depends on
//! the seed and on what was measured, not on when.

use crate::goal::Objective;
use crate::halving::{distances, layer, place, violation};
use crate::point::Point;
use engine::Stream;
use metric::Requirement;

/// Share of pairs that are crossed.
const CROSSED: f64 = 0.9;
/// How near children stay to their parents: the distribution indices of crossover and mutation,
/// with the values that are usual.
const ETA_CROSSOVER: f64 = 15.0;
const ETA_MUTATION: f64 = 20.0;
/// The largest place of a factor.
const LAST: f64 = 1.0 - 1e-9;
/// Children that are thrown away at most for each that is wanted: a small space has no others.
const TRIES: usize = 100;

/// How good a point is among others: first those of a lower layer, then the lonely ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// Its layer; the Pareto set of those that keep all limits is layer 0.
    pub layer: usize,
    /// How far its neighbours in the layer are from each other.
    pub alone: f64,
}

impl Fitness {
    fn beats(&self, other: &Fitness) -> bool {
        self.layer < other.layer || self.layer == other.layer && self.alone > other.alone
    }
}

/// The fitness of every point, with Deb's rule for limits: what keeps them comes before what does
/// not, and of the latter the least violation first. What failed to run is last.
pub fn fitness(
    points: &[Point],
    requirements: &[Requirement],
    objectives: &[Objective],
) -> Vec<Fitness> {
    let beyond: Vec<f64> = points
        .iter()
        .map(|point| if point.is_ok() { violation(point, requirements) } else { f64::INFINITY })
        .collect();
    let mut all = vec![Fitness { layer: 0, alone: 0.0 }; points.len()];
    let (mut left, mut number): (Vec<usize>, usize) =
        ((0..points.len()).filter(|i| beyond[*i] == 0.0).collect(), 0);
    while !left.is_empty() {
        let at = |i: &usize| place(&points[*i], objectives);
        let (first, rest) = layer(&left, &left.iter().map(at).collect::<Vec<_>>());
        let alone = distances(&first.iter().map(at).collect::<Vec<_>>());
        for (i, alone) in first.iter().zip(alone) {
            all[*i] = Fitness { layer: number, alone };
        }
        (left, number) = (rest, number + 1);
    }
    let mut fails: Vec<usize> = (0..points.len()).filter(|i| beyond[*i] > 0.0).collect();
    fails.sort_by(|a, b| beyond[*a].total_cmp(&beyond[*b]).then(a.cmp(b)));
    for (i, point) in fails.into_iter().enumerate() {
        all[point] = Fitness { layer: number + i, alone: 0.0 };
    }
    all
}

/// The `count` fittest, in ascending order.
pub fn survivors(fitness: &[Fitness], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..fitness.len()).collect();
    order.sort_by(|a, b| {
        let (one, other) = (&fitness[*a], &fitness[*b]);
        one.layer.cmp(&other.layer).then(other.alone.total_cmp(&one.alone)).then(a.cmp(b))
    });
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Breeds places for a generation: of each factor a number from 0 to below 1.
pub struct Breeder<'a> {
    /// The places of the parents.
    pub parents: &'a [Vec<f64>],
    /// How good each is.
    pub fitness: &'a [Fitness],
    /// Whether a factor is a list, whose values have no order.
    pub listed: &'a [bool],
}

impl Breeder<'_> {
    /// Up to `count` children that `is_new` accepts, which is asked once for each; fewer if hardly
    /// any others are left.
    pub fn children(
        &self,
        count: usize,
        seed: u64,
        generation: u32,
        mut is_new: impl FnMut(&[f64]) -> bool,
    ) -> Vec<Vec<f64>> {
        let mut stream = Stream::new(seed, &format!("sweep/nsga2/{generation}"));
        let mut all = Vec::new();
        for _ in 0..count.saturating_mul(TRIES) {
            let (a, b) = (self.parent(&mut stream), self.parent(&mut stream));
            for mut child in self.crossed(a, b, &mut stream) {
                self.mutate(&mut child, &mut stream);
                if all.len() < count && is_new(&child) {
                    all.push(child);
                }
            }
            if all.len() == count {
                break;
            }
        }
        all
    }

    /// The better of two that are drawn.
    fn parent(&self, stream: &mut Stream) -> &[f64] {
        let mut drawn = || engine::index(stream.below(self.parents.len() as u64));
        let (a, b) = (drawn(), drawn());
        let better = if self.fitness[b].beats(&self.fitness[a]) { b } else { a };
        &self.parents[better]
    }

    fn crossed(&self, a: &[f64], b: &[f64], stream: &mut Stream) -> [Vec<f64>; 2] {
        let (mut one, mut other) = (a.to_vec(), b.to_vec());
        if stream.unit() >= CROSSED {
            return [one, other];
        }
        for (i, listed) in self.listed.iter().enumerate() {
            if stream.unit() < 0.5 {
                continue;
            }
            let both = match listed {
                true => (other[i], one[i]),
                false => between(one[i], other[i], stream),
            };
            (one[i], other[i]) = both;
        }
        [one, other]
    }

    /// Changes one factor of each child on average.
    fn mutate(&self, child: &mut [f64], stream: &mut Stream) {
        let share = 1.0 / self.listed.len().max(1) as f64;
        for (place, listed) in child.iter_mut().zip(self.listed) {
            if stream.unit() >= share {
                continue;
            }
            *place = match listed {
                true => stream.unit(),
                false => moved(*place, stream.unit()),
            }
            .clamp(0.0, LAST);
        }
    }
}

/// Simulated binary crossover of two places, within 0 and 1.
fn between(a: f64, b: f64, stream: &mut Stream) -> (f64, f64) {
    let (low, high) = (a.min(b), a.max(b));
    let draw = stream.unit();
    if high - low < 1e-12 {
        return (a, b);
    }
    let spread = |room: f64| {
        let alpha = 2.0 - libm::pow(1.0 + 2.0 * room / (high - low), -(ETA_CROSSOVER + 1.0));
        let base = if draw <= 1.0 / alpha { draw * alpha } else { 1.0 / (2.0 - draw * alpha) };
        libm::pow(base, 1.0 / (ETA_CROSSOVER + 1.0))
    };
    let (middle, width) = (low + high, high - low);
    let first = 0.5 * (middle - spread(low) * width);
    let second = 0.5 * (middle + spread(1.0 - high) * width);
    let (first, second) = (first.clamp(0.0, LAST), second.clamp(0.0, LAST));
    if stream.unit() < 0.5 { (second, first) } else { (first, second) }
}

/// Polynomial mutation of a place, within 0 and 1.
fn moved(at: f64, draw: f64) -> f64 {
    let power = 1.0 / (ETA_MUTATION + 1.0);
    let part = |room: f64, twice: f64| {
        libm::pow(twice + (1.0 - twice) * libm::pow(1.0 - room, ETA_MUTATION + 1.0), power)
    };
    match draw < 0.5 {
        true => at + part(at, 2.0 * draw) - 1.0,
        false => at + 1.0 - part(1.0 - at, 2.0 * (1.0 - draw)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::requirement;
    use crate::point::Estimate;
    use answer::comparison::Tendency;

    fn point(values: &[(&str, f64)]) -> Point {
        let values =
            values.iter().map(|(name, value)| ((*name).to_owned(), Estimate::exact(*value)));
        Point { values: values.collect(), ..Point::default() }
    }

    /// Two numbers to be small, by names of metrics.
    fn both() -> [Objective; 2] {
        ["read_lat_mean", "write_lat_mean"]
            .map(|name| Objective::new(name, Tendency::Lower).unwrap())
    }

    #[test]
    fn limits_count_before_goals() {
        let limit = [requirement("power < 10 W", "").unwrap()];
        let of = |power: f64, x: f64| {
            point(&[("power", power), ("read_lat_mean", x), ("write_lat_mean", x)])
        };
        let mut points =
            vec![of(20.0, 0.0), of(5.0, 2.0), of(11.0, 9.0), of(6.0, 1.0), of(1.0, 0.0)];
        points[4].failure = Some("it broke".to_owned());
        let layers: Vec<usize> =
            fitness(&points, &limit, &both()).iter().map(|one| one.layer).collect();
        assert_eq!(layers, [3, 1, 2, 0, 4]);
        let fit = fitness(&points, &limit, &both());
        assert_eq!(survivors(&fit, 3), [1, 2, 3]);
    }

    /// Children stay in the unit cube, are those of the seed, and none is made twice.
    #[test]
    fn children_are_new_and_the_same_every_time() {
        let parents: Vec<Vec<f64>> = (0..8).map(|i| vec![f64::from(i) / 8.0, 0.0]).collect();
        let fitness = vec![Fitness { layer: 0, alone: 1.0 }; 8];
        let breeder = Breeder { parents: &parents, fitness: &fitness, listed: &[false, true] };
        let bred = |generation| breeder.children(50, 3, generation, |_| true);
        assert_eq!(bred(1), bred(1));
        assert_ne!(bred(1), bred(2));
        assert!(bred(1).iter().flatten().all(|place| (0.0..1.0).contains(place)));
        // Of four values in each factor there are 16 points.
        let mut seen = std::collections::BTreeSet::new();
        let slot = |place: &f64| engine::whole(place * 4.0);
        let children = breeder
            .children(50, 3, 1, |place| seen.insert(place.iter().map(slot).collect::<Vec<u64>>()));
        assert!(children.len() <= 16 && children.len() > 8, "{}", children.len());
    }
}

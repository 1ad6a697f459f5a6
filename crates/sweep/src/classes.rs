//! Points of different classes are chosen from apart: what one load gives is no better than what
//! another gives.

use crate::point::Point;
use std::collections::BTreeSet;

/// The class of each point, and how points of one class are told from those of others.
#[derive(Clone, Copy, Debug)]
pub struct Classes<'a>(pub &'a [usize]);

impl Classes<'_> {
    /// How many classes have a point; 1 at least.
    pub fn count(self) -> usize {
        self.0.iter().collect::<BTreeSet<_>>().len().max(1)
    }

    /// Something of every point, found among those of its class.
    pub fn each<T>(self, points: &[Point], mut of: impl FnMut(&[Point]) -> Vec<T>) -> Vec<T> {
        let mut found: Vec<(usize, T)> = Vec::with_capacity(points.len());
        for numbers in self.numbers() {
            let own: Vec<Point> = numbers.iter().map(|i| points[*i].clone()).collect();
            found.extend(numbers.into_iter().zip(of(&own)));
        }
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, of)| of).collect()
    }

    /// The numbers of the points that are chosen, among those of a class at a time, in ascending
    /// order.
    pub fn chosen<T: Clone>(
        self,
        of: &[T],
        mut choose: impl FnMut(&[T]) -> Vec<usize>,
    ) -> Vec<usize> {
        let mut all = Vec::new();
        for numbers in self.numbers() {
            let own: Vec<T> = numbers.iter().map(|i| of[*i].clone()).collect();
            all.extend(choose(&own).into_iter().map(|at| numbers[at]));
        }
        all.sort_unstable();
        all
    }

    /// The numbers of the points of each class.
    fn numbers(self) -> Vec<Vec<usize>> {
        let classes: BTreeSet<usize> = self.0.iter().copied().collect();
        let of = |class| (0..self.0.len()).filter(|i| self.0[*i] == class).collect();
        classes.into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::halving;
    use crate::point::Estimate;
    use crate::{Objective, nsga2};
    use answer::comparison::Tendency;

    fn points(costs: &[f64]) -> Vec<Point> {
        let point = |cost: &f64| Point {
            values: [("cost".to_owned(), Estimate::exact(*cost))].into(),
            ..Point::default()
        };
        costs.iter().map(point).collect()
    }

    /// Of two loads of which one costs ten times as much, each keeps its better third.
    #[test]
    fn each_class_keeps_its_better_third() {
        let points = points(&[1.0, 30.0, 2.0, 10.0, 3.0, 20.0]);
        let classes = Classes(&[0, 1, 0, 1, 0, 1]);
        let cost = [Objective::new("cost", Tendency::Lower).unwrap()];
        let better = |own: &[Point]| halving::promoted(own, &[], &cost);
        assert_eq!(classes.chosen(&points, better), [0, 3]);
        assert_eq!(halving::promoted(&points, &[], &cost), [0, 2], "held against each other");
        assert_eq!((classes.count(), Classes(&[]).count()), (2, 1));
    }

    /// The best of each load is in layer 0, wherever it stands among all.
    #[test]
    fn fitness_is_that_among_the_points_of_a_class() {
        let points = points(&[1.0, 30.0, 2.0, 10.0]);
        let cost = [Objective::new("cost", Tendency::Lower).unwrap()];
        let fitness = Classes(&[0, 1, 0, 1]).each(&points, |own| nsga2::fitness(own, &[], &cost));
        let layers: Vec<usize> = fitness.iter().map(|fitness| fitness.layer).collect();
        assert_eq!(layers, [0, 1, 1, 0]);
        let one = Classes(&[5; 4]).each(&points, |own| nsga2::fitness(own, &[], &cost));
        assert_eq!(one, nsga2::fitness(&points, &[], &cost), "one class is no division");
    }
}

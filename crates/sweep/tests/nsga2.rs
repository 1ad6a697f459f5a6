//! The search by generations on functions whose fronts are known.

use answer::comparison::Tendency;
use engine::Stream;
use metric::Requirement;
use sweep::nsga2::{Breeder, fitness, survivors};
use sweep::{Estimate, Objective, Point, requirement};

/// A point with these values.
pub fn point(values: &[(&str, f64)]) -> Point {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), Estimate::exact(*value)));
    Point { values: values.collect(), ..Point::default() }
}

/// Metrics that are to be small.
pub fn small(names: &[&str]) -> Vec<Objective> {
    names.iter().map(|name| Objective::new(name, Tendency::Lower).unwrap()).collect()
}

const BOTH: [&str; 2] = ["read_lat_mean", "write_lat_mean"];

/// A function of places that is searched.
pub struct Search<'a> {
    /// Its places' dimensions.
    pub factors: usize,
    /// Points of a generation.
    pub size: usize,
    /// Generations after the first, which is drawn at random.
    pub generations: u32,
    /// What a point has to keep.
    pub limits: &'a [Requirement],
    /// The point at a place.
    pub of: fn(&[f64]) -> Point,
}

impl Search<'_> {
    /// The points that survive the last generation.
    pub fn run(&self, seed: u64) -> Vec<Point> {
        let mut stream = Stream::new(seed, "first");
        let draw = |_| (0..self.factors).map(|_| stream.unit()).collect();
        let mut places: Vec<Vec<f64>> = (0..self.size).map(draw).collect();
        let mut points: Vec<Point> = places.iter().map(|place| (self.of)(place)).collect();
        let (goals, listed) = (small(&BOTH), vec![false; self.factors]);
        for generation in 1..=self.generations {
            let fit = fitness(&points, self.limits, &goals);
            let breeder = Breeder { parents: &places, fitness: &fit, listed: &listed };
            let children = breeder.children(self.size, seed, generation, |_| true);
            points.extend(children.iter().map(|place| (self.of)(place)));
            places.extend(children);
            let kept = survivors(&fitness(&points, self.limits, &goals), self.size);
            places = kept.iter().map(|i| places[*i].clone()).collect();
            points = kept.iter().map(|i| points[*i].clone()).collect();
        }
        points
    }
}

/// Area between a front of two numbers and a corner that is worse than all of it.
pub fn area(points: &[Point], corner: (f64, f64)) -> f64 {
    let of = |point: &Point| {
        let [x, y] = BOTH.map(|name| point.values[name].value);
        (x, y)
    };
    let mut all: Vec<(f64, f64)> = points.iter().map(of).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut floor) = (0.0, corner.1);
    for (x, y) in all {
        if x < corner.0 && y < floor {
            sum += (corner.0 - x) * (floor - y);
            floor = y;
        }
    }
    sum
}

/// Zitzler, Deb and Thiele's first function: its front is y = 1 - sqrt(x), and the area up to the
/// corner (1, 1) is 2/3.
pub fn zdt1(place: &[f64]) -> Point {
    let rest = place[1..].iter().sum::<f64>() / (place.len() - 1) as f64;
    let g = 1.0 + 9.0 * rest;
    let (x, y) = (place[0], g * (1.0 - libm::sqrt(place[0] / g)));
    point(&[(BOTH[0], x), (BOTH[1], y)])
}

/// Deb's function CONSTR: x in 0.1 to 1 and (1 + z) / x with z in 0 to 5 are to be small where
/// 9 x + z is at least 6 and 9 x - z at least 1, which is `power <= 0 W` here.
pub fn constr(place: &[f64]) -> Point {
    let (x, z) = (0.1 + 0.9 * place[0], 5.0 * place[1]);
    let power = (6.0 - (9.0 * x + z)).max(0.0) + (1.0 - (9.0 * x - z)).max(0.0);
    point(&[(BOTH[0], x), (BOTH[1], (1.0 + z) / x), ("power", power)])
}

/// The limit of [`constr`].
pub fn powerless() -> Requirement {
    requirement("power <= 0 W", "").unwrap()
}

/// Random points reach nothing of the front, and the search nearly all of it; how much other
/// programs reach is the matter of `peers`.
#[test]
fn the_front_of_a_known_function_is_found() {
    let search = Search { factors: 30, size: 100, generations: 200, limits: &[], of: zdt1 };
    let found = area(&search.run(7), (1.0, 1.0));
    assert!((0.656..2.0 / 3.0).contains(&found), "{found} of 0.667");
    assert!(area(&Search { generations: 0, ..search }.run(7), (1.0, 1.0)) < 0.1);
}

/// The front of CONSTR is (7 - 9 x) / x from x = 7/18 to 2/3 and 1 / x from there on: up to the
/// corner (1, 9) an area of 3.8216.
#[test]
fn limits_are_kept() {
    let limits = [powerless()];
    let search = Search { factors: 2, size: 60, generations: 60, limits: &limits, of: constr };
    let points = search.run(7);
    assert!(points.iter().all(|point| point.values["power"].value <= 0.0));
    let ln = |x: f64| libm::log(x);
    // 9 x - 7 ln x and x - ln x, the area above the corner's row left out.
    let (a, b) = (7.0 / 18.0, 2.0 / 3.0);
    let below = (9.0 * (b - a) + 9.0 * (b - a) - 7.0 * ln(b / a)) + (9.0 * (1.0 - b) + ln(b));
    let found = area(&points, (1.0, 9.0));
    assert!((3.755..=below).contains(&found), "{found} of {below}");
}

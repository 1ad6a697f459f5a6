//! Samplers and the search by generations against scipy and pymoo as they are installed, in the
//! Python of `make python-for-tests`. What they have to agree in is in `peers.py`.

use crate::nsga2::{Search, area, constr, point, powerless, small, zdt1};
use engine::Stream;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use sweep::nsga2::{Breeder, Fitness, fitness, survivors};
use sweep::{DIMENSIONS, Factor, Point, Sampler, Sobol, Space, requirement};

/// Runs a function of `peers.py` on data; what it finds wrong is the failure.
fn agrees(python: &Path, function: &str, data: &Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.json");
    std::fs::write(&file, data.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers.py");
    let ran = Command::new(python).arg(script).arg(function).arg(file).output().expect("started");
    let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    println!("{function}\n{}", said.concat());
    assert!(ran.status.success(), "{function} differs");
}

/// 4096 points in all 33 dimensions are scipy's, to the last bit.
#[test]
fn plain_points_of_sobol_are_those_of_scipy() {
    let Some(python) = needs::python() else { return };
    let sobol = Sobol::new(DIMENSIONS, None);
    let points: Vec<Vec<u32>> = (0..4096).map(|index| sobol.bits(index)).collect();
    agrees(&python, "sobol", &json!(points));
}

/// Points of the samplers fill a cube as evenly as those of scipy do: the centred discrepancy of 64
/// points in five dimensions over 200 seeds.
#[test]
fn scrambled_points_and_hypercubes_are_as_even_as_those_of_scipy() {
    let Some(python) = needs::python() else { return };
    // A factor that is so fine that its values are places.
    let factors = ["a", "b", "c", "d", "e"].map(|name| Factor::parse(name, "0..1 us").unwrap());
    let space = Space::new(factors.to_vec()).unwrap();
    let place = |text: &String| text.trim_end_matches(" us").parse::<f64>().unwrap();
    let drawn = |sampler: Sampler, seed: u64| -> Vec<Vec<f64>> {
        let points = space.points(sampler, 64, seed).unwrap();
        points.iter().map(|point| point.iter().map(place).collect()).collect()
    };
    let all = |sampler| (0..200).map(|seed| drawn(sampler, seed)).collect::<Vec<_>>();
    let data = json!({
        "sobol": all(Sampler::Sobol), "lhs": all(Sampler::Lhs), "random": all(Sampler::Random),
    });
    agrees(&python, "evenness", &data);
}

/// Two to four numbers to be small, of which points keep a limit or not.
const NAMES: [&str; 4] = ["read_lat_mean", "write_lat_mean", "read_lat_p99", "write_lat_p99"];

/// Random points: their places, and how far beyond the limit of 1 W they are.
fn population(stream: &mut Stream, goals: usize) -> Vec<(Vec<f64>, f64)> {
    let mut draw = |_| {
        let place = (0..goals).map(|_| stream.unit()).collect();
        let beyond = if stream.unit() < 0.3 { stream.unit() } else { 0.0 };
        (place, beyond)
    };
    (0..60).map(&mut draw).collect()
}

/// Ranks, crowding distances and survivors are those of pymoo, with limits and without.
#[test]
fn fitness_and_survivors_are_those_of_pymoo() {
    let Some(python) = needs::python() else { return };
    let mut stream = Stream::new(1, "populations");
    let limit = [requirement("power <= 1 W", "").unwrap()];
    let cases = (0..60).map(|number| {
        let goals = 2 + number % 3;
        let drawn = population(&mut stream, goals);
        let points: Vec<Point> = drawn
            .iter()
            .map(|(place, beyond)| {
                let goals = NAMES.iter().copied().zip(place.iter().copied());
                let all: Vec<(&str, f64)> = goals.chain([("power", 1.0 + beyond)]).collect();
                point(&all)
            })
            .collect();
        let fit = fitness(&points, &limit, &small(&NAMES[..goals]));
        let (places, beyond): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        let alone = |fit: &Fitness| fit.alone.is_finite().then_some(fit.alone);
        let kept = [10, 30, 50].map(|count| survivors(&fit, count));
        json!({
            "places": places,
            "beyond": beyond,
            "layers": fit.iter().map(|fit| fit.layer).collect::<Vec<_>>(),
            "alone": fit.iter().map(alone).collect::<Vec<_>>(),
            "survivors": kept,
        })
    });
    agrees(&python, "survival", &cases.collect());
}

/// Children of two parents are spread as those of pymoo's crossover and mutation are, in each
/// factor: Kolmogorov and Smirnov's test of 100,000 of each,
/// of which those count that are at neither parent's place.
#[test]
fn children_are_spread_as_those_of_pymoo() {
    let Some(python) = needs::python() else { return };
    // Near the ends, near each other, far apart, and equal.
    let parents = [vec![0.001, 0.4, 0.1, 0.6], vec![0.3, 0.45, 0.9, 0.6]];
    let fit = vec![Fitness { layer: 0, alone: 1.0 }; 2];
    let breeder = Breeder { parents: &parents, fitness: &fit, listed: &[false; 4] };
    let children = breeder.children(100_000, 5, 1, |_| true);
    agrees(&python, "children", &json!({ "parents": parents, "children": children }));
}

/// The whole search finds as much of two fronts as pymoo's: the areas with eight seeds of each.
#[test]
fn the_search_finds_as_much_as_that_of_pymoo() {
    let Some(python) = needs::python() else { return };
    let free = Search { factors: 10, size: 60, generations: 120, limits: &[], of: zdt1 };
    let limits = [powerless()];
    let limited = Search { factors: 2, size: 60, generations: 60, limits: &limits, of: constr };
    let areas = |search: &Search<'_>, corner: (f64, f64)| -> Vec<f64> {
        (1..=8).map(|seed| area(&search.run(seed), corner)).collect()
    };
    let data = json!({ "zdt1": areas(&free, (1.0, 1.0)), "constr": areas(&limited, (1.0, 9.0)) });
    agrees(&python, "search", &data);
}

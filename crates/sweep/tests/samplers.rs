//! Samplers against published points and closed forms.

use proptest::prelude::*;
use sweep::{DIMENSIONS, Factor, Sampler, Sobol, Space};

/// `scipy.stats.qmc.Sobol(d=21, scramble=False, bits=32)`, scipy 1.17.1: point and its coordinates
/// in 1/64 and 1/1024.
#[rustfmt::skip]
const SCIPY: [(u32, f64, [f64; 21]); 6] = [
    (1, 64.0, [32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32., 32.,
        32., 32., 32., 32.]),
    (2, 64.0, [48., 16., 16., 16., 48., 48., 16., 48., 48., 48., 48., 48., 16., 16., 48., 16., 48.,
        16., 48., 16., 16.]),
    (7, 64.0, [8., 40., 24., 8., 8., 24., 40., 40., 40., 56., 40., 8., 40., 24., 8., 8., 8., 8.,
        40., 56., 56.]),
    (15, 64.0, [4., 60., 36., 20., 44., 12., 52., 20., 20., 44., 4., 12., 20., 36., 60., 52., 60.,
        60., 20., 44., 52.]),
    (777, 1024.0, [709., 959., 167., 281., 651., 365., 195., 781., 357., 331., 763., 713., 393.,
        485., 583., 527., 413., 885., 379., 771., 243.]),
    (1023, 1024.0, [1., 771., 627., 149., 191., 449., 143., 633., 353., 871., 695., 37., 133.,
        681., 371., 475., 321., 897., 599., 327., 887.]),
];

#[test]
fn plain_points_are_those_of_scipy() {
    let sobol = Sobol::new(21, None);
    assert_eq!(sobol.point(0), [0.0; 21], "the first point is kept");
    for (index, parts, coordinates) in SCIPY {
        let expected: Vec<f64> = coordinates.iter().map(|part| part / parts).collect();
        assert_eq!(sobol.point(index), expected, "point {index}");
    }
}

/// In how many of `cells` equal cells of a dimension there is not exactly one of as many points.
fn unbalanced(points: &[Vec<f64>], dimension: usize, cells: usize) -> usize {
    let mut counts = vec![0; cells];
    points.iter().for_each(|point| counts[(point[dimension] * cells as f64) as usize] += 1);
    counts.iter().filter(|count| **count != points.len() / cells).count()
}

proptest! {
    /// Whatever the scrambling, 2^k points have one in each of 2^k parts of every dimension, and
    /// in the first two dimensions one in every box of that volume (a (0, k, 2)-net).
    #[test]
    fn scrambled_points_stay_balanced(seed: u64, k in 1_u32..9) {
        let sobol = Sobol::new(DIMENSIONS, Some(seed));
        let points: Vec<Vec<f64>> = (0..1 << k).map(|i| sobol.point(i)).collect();
        for dimension in 0..DIMENSIONS {
            prop_assert_eq!(unbalanced(&points, dimension, 1 << k), 0, "dimension {}", dimension);
        }
        for split in 0..=k {
            let (wide, high) = (f64::from(1 << split), f64::from(1 << (k - split)));
            let mut boxes: Vec<(u32, u32)> =
                points.iter().map(|p| ((p[0] * wide) as u32, (p[1] * high) as u32)).collect();
            boxes.sort_unstable();
            boxes.dedup();
            prop_assert_eq!(boxes.len(), points.len());
        }
    }

    /// A Latin hypercube has one point in each part of every factor.
    #[test]
    fn a_latin_hypercube_has_a_point_in_every_part(seed: u64, count in 2_u32..60) {
        let space = Space::new(vec![
            Factor::parse("a", &format!("1..{count}")).unwrap(),
            Factor::parse("b", &format!("1..{count}")).unwrap(),
        ]).unwrap();
        let points = space.points(Sampler::Lhs, count, seed).unwrap();
        for factor in 0..2 {
            let mut values: Vec<u32> = points.iter().map(|p| p[factor].parse().unwrap()).collect();
            values.sort_unstable();
            prop_assert_eq!(values, (1..=count).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_points_and_another_one_others(seed in 0_u64..1 << 40) {
        let space = Space::new(vec![Factor::parse("x", "0..1000 us").unwrap()]).unwrap();
        for sampler in [Sampler::Random, Sampler::Lhs, Sampler::Sobol] {
            let points = |seed| space.points(sampler, 16, seed).unwrap();
            prop_assert_eq!(points(seed), points(seed));
            prop_assert_ne!(points(seed), points(seed + 1));
        }
    }
}

/// The mean of a smooth function over scrambled points is nearer the integral than over random
/// ones: here 64 times the points for the same error would be needed at random.
#[test]
fn scrambled_points_integrate_better_than_random_ones() {
    let error = |sampler: Sampler| {
        let space = Space::new(
            ["a", "b", "c"].map(|name| Factor::parse(name, "0..1 us").unwrap()).to_vec(),
        )
        .unwrap();
        let mut squares = 0.0;
        for seed in 0..20 {
            let points = space.points(sampler, 256, seed).unwrap();
            let value = |point: &Vec<String>| -> f64 {
                point
                    .iter()
                    .map(|text| text.trim_end_matches(" us").parse::<f64>().unwrap())
                    .product()
            };
            let mean = points.iter().map(value).sum::<f64>() / points.len() as f64;
            squares += (mean - 0.125) * (mean - 0.125);
        }
        (squares / 20.0).sqrt()
    };
    let (random, sobol, latin) =
        (error(Sampler::Random), error(Sampler::Sobol), error(Sampler::Lhs));
    assert!(sobol < random / 8.0, "{sobol} {random}");
    assert!(latin < random, "{latin} {random}");
}

#[test]
fn a_grid_is_every_combination_and_points_come_once() {
    let space = Space::new(vec![
        Factor::parse("drive", "p4510,pm9a3").unwrap(),
        Factor::parse("qd", "1..4 log2").unwrap(),
    ])
    .unwrap();
    assert_eq!(space.usual_sampler(), Sampler::Grid);
    let grid = space.points(Sampler::Grid, 1, 1).unwrap();
    assert_eq!(grid.len(), 6);
    assert_eq!(grid[1], ["p4510", "2"]);
    // Six combinations exist, so that 64 points are no more.
    assert_eq!(space.points(Sampler::Sobol, 64, 1).unwrap().len(), 6);
}

#[test]
fn an_empty_or_endless_space_is_refused() {
    assert!(Space::new(Vec::new()).unwrap_err().contains("the space is empty"));
    let many = |count| (0..count).map(|i| Factor::parse(&format!("x{i}"), "1..9").unwrap());
    assert!(Space::new(many(40).collect()).unwrap_err().contains("40 factors"));
    let twice = vec![Factor::parse("x", "1,2").unwrap(), Factor::parse("x", "3,4").unwrap()];
    assert!(Space::new(twice).unwrap_err().contains("twice"));
    let endless = Space::new(
        (0..8).map(|i| Factor::parse(&format!("x{i}"), "1..100 in 100").unwrap()).collect(),
    );
    assert!(endless.unwrap().points(Sampler::Grid, 1, 1).unwrap_err().contains("100000"));
}

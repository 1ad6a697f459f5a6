//! Long lines with few points.

/// At most so many points: of each stretch the lowest and the highest, so that neither a dip nor a
/// peak is lost.
pub fn thinned(all: Vec<[f64; 2]>, most: usize) -> Vec<[f64; 2]> {
    if all.len() <= most {
        return all;
    }
    let stretch = all.len().div_ceil((most / 2).max(1)).max(2);
    let ends = |part: &[[f64; 2]]| {
        let by = |a: &[f64; 2], b: &[f64; 2]| a[1].total_cmp(&b[1]);
        let known = || part.iter().copied().filter(|point| point[1].is_finite());
        let both = known().min_by(by).into_iter().chain(known().max_by(by));
        let mut both: Vec<[f64; 2]> = both.collect();
        if both.is_empty() {
            // A gap stays a gap.
            both.extend(part.first().copied());
        }
        both.sort_by(|a, b| a[0].total_cmp(&b[0]));
        both.dedup();
        both
    };
    all.chunks(stretch).flat_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_dip_nor_a_peak_is_lost() {
        let value = |i: i32| match i {
            777 => 0.0,
            333 => 9.0,
            _ => 5.0,
        };
        let points: Vec<[f64; 2]> = (0..1000).map(|i| [f64::from(i), value(i)]).collect();
        let thin = thinned(points.clone(), 100);
        assert!(thin.len() <= 100, "{}", thin.len());
        assert!(thin.contains(&[777.0, 0.0]) && thin.contains(&[333.0, 9.0]));
        assert!(thin.windows(2).all(|pair| pair[0][0] < pair[1][0]), "in order");
        assert_eq!(thinned(points.clone(), 1000), points);
        assert!(thinned(Vec::new(), 10).is_empty());
        let gap: Vec<[f64; 2]> = (0..10).map(|i| [f64::from(i), f64::NAN]).collect();
        assert!(thinned(gap, 4).iter().all(|point| point[1].is_nan()));
    }
}

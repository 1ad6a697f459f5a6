//! The nearest known name to a misspelt one.

/// The name of `known` that is closest to `wrong`, unless all are too far to be meant.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // A third of the letters may differ: more would propose unrelated words.
    let limit = (wrong.chars().count() / 3).max(1);
    // Names longer than any option are not worth the quadratic comparison.
    if wrong.len() > 64 {
        return None;
    }
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// Number of letters to insert, remove, replace or swap with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let width = right.len() + 1;
    let mut cost = vec![0; (left.len() + 1) * width];
    for (i, row) in cost.chunks_mut(width).enumerate() {
        row[0] = i;
    }
    for (j, cell) in cost.iter_mut().take(width).enumerate() {
        *cell = j;
    }
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let differs = usize::from(left[i - 1] != right[j - 1]);
            let mut best = (cost[(i - 1) * width + j] + 1)
                .min(cost[i * width + j - 1] + 1)
                .min(cost[(i - 1) * width + j - 1] + differs);
            let swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if swapped {
                best = best.min(cost[(i - 2) * width + j - 2] + 1);
            }
            cost[i * width + j] = best;
        }
    }
    cost[left.len() * width + right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("iodepth", "iodepth"), 0);
        assert_eq!(distance("iodpeth", "iodepth"), 1);
        assert_eq!(distance("", "rw"), 2);
        assert_eq!(distance("size", "sizes"), 1);
    }

    #[test]
    fn nearest_refuses_far_names() {
        assert_eq!(nearest("iodetph", ["iodepth", "ioengine"]), Some("iodepth"));
        assert_eq!(nearest("qwertyuiop", ["iodepth", "ioengine"]), None);
    }
}

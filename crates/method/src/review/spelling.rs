//! What a mistyped name was probably meant to be, and lists of what is known.

/// The known name nearest to `wrong`, if one is near enough to be what was meant.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No name is that long; comparing a page of text with each would only take time.
    if wrong.len() > 80 {
        return None;
    }
    let wanted = wrong.to_lowercase();
    // A third of the letters may be wrong; a looser rule proposes unrelated names.
    let limit = (wanted.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (edits(&wanted, &name.to_lowercase()), name))
        .filter(|(edits, _)| *edits <= limit)
        .min()
        .map(|(_, name)| name)
}

/// A sentence that proposes the nearest name, or lists them all if none is near.
pub fn hint<'a>(
    what: &str,
    wrong: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    match nearest(wrong, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let names: Vec<&str> = known.into_iter().collect();
            format!("known {what}: {}", names.join(", "))
        }
    }
}

/// Letters to insert, remove, replace or swap with their neighbour to turn one word into the
/// other.
fn edits(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    // Rows for the prefix of `left` two letters, one letter and no letter shorter.
    let mut older: Vec<usize> = Vec::new();
    let mut old: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut cost = (old[j] + usize::from(a != b)).min(old[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                cost = cost.min(older[j - 1] + 1);
            }
            row.push(cost);
        }
        older = std::mem::replace(&mut old, row);
    }
    old[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_two_letters_still_finds_the_name() {
        assert_eq!(nearest("bandwith", ["iops", "bandwidth"]), Some("bandwidth"));
        assert_eq!(nearest("BANDWIDHT", ["iops", "bandwidth"]), Some("bandwidth"));
        assert_eq!(nearest("", ["iops"]), None);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("iosp", "iops"), 1, "two letters swapped are one slip");
    }

    #[test]
    fn a_far_name_lists_what_is_known() {
        assert_eq!(hint("units", "parsec", ["W", "us"]), "known units: W, us");
        assert_eq!(hint("units", "u", ["W", "us"]), "did you mean `W`?");
    }
}

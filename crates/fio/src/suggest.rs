//! The names that a misspelt one was probably meant to be.

use std::cmp::Reverse;

/// No name is that long; comparing a page of text with each would only take time.
const LONGEST: usize = 80;

/// The known name that is nearest to a misspelt one, unless all are too far to be meant. Case does
/// not matter.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > LONGEST {
        return None;
    }
    let wanted = wrong.to_lowercase();
    // A third of the letters may differ: more would propose unrelated words.
    let limit = (wanted.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// The `count` known names that are most like a wrong one, however far: first those that hold it,
/// then by their common letters.
pub fn closest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let wanted = match wrong.len() {
        0..=LONGEST => wrong.to_lowercase(),
        _ => String::new(),
    };
    let rank = |name: &str| {
        let name = name.to_lowercase();
        let likeness = strsim::jaro_winkler(&wanted, &name);
        Reverse((name.contains(&wanted), (likeness * 1e6) as u64))
    };
    let mut names: Vec<&str> = known.into_iter().collect();
    names.sort_by_cached_key(|name| rank(name));
    names.truncate(count);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_two_letters_still_finds_the_name() {
        assert_eq!(nearest("iodetph", ["iodepth", "ioengine"]), Some("iodepth"));
        assert_eq!(nearest("bandwith", ["iops", "bandwidth"]), Some("bandwidth"));
        assert_eq!(nearest("BANDWIDHT", ["iops", "bandwidth"]), Some("bandwidth"));
    }

    #[test]
    fn far_names_are_not_proposed() {
        assert_eq!(nearest("qwertyuiop", ["iodepth", "ioengine"]), None);
        assert_eq!(nearest("", ["iops"]), None);
        assert_eq!(nearest(&"x".repeat(100), ["iops"]), None);
    }

    #[test]
    fn the_closest_hold_the_word_or_share_its_letters() {
        let known = ["x25-e", "d7-p5520", "p4510", "8x-p5520"];
        assert_eq!(closest("P5520", known, 2), ["d7-p5520", "8x-p5520"]);
        assert_eq!(closest("p4150", known, 1), ["p4510"]);
        assert_eq!(closest(&"x".repeat(100), known, 9).len(), 4);
    }
}

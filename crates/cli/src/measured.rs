//! The headings of targets side by side.

use answer::Origin;
use answer::origin::apart;

/// The headings of a table with a column a target, each with whether it is real: where some are
/// real and others are models, each heading says which it is.
pub fn headings<'t>(targets: impl IntoIterator<Item = (&'t str, bool)>) -> Vec<String> {
    let named = targets.into_iter().map(|(name, real)| (name.to_owned(), Origin::of_real(real)));
    apart(&named.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_and_modelled_columns_say_what_they_are() {
        assert_eq!(
            headings([("p4510-8tb", false), ("sn850-1tb", false)]),
            ["p4510-8tb", "sn850-1tb"]
        );
        let both = headings([("./f.img", true), ("sn850-1tb", false), ("./mine.toml", false)]);
        assert_eq!(both, ["./f.img (measured)", "sn850-1tb (modelled)", "./mine.toml (modelled)"]);
    }
}

//! Names of sections in addresses.

use std::collections::BTreeSet;

/// Names that were given.
#[derive(Default)]
pub struct Names {
    given: BTreeSet<String>,
}

impl Names {
    /// A name out of a title that no other section has.
    pub fn of(&mut self, title: &str) -> String {
        let letters = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        let raw: String = letters.collect::<String>().to_ascii_lowercase();
        let parts: Vec<&str> = raw.split('-').filter(|part| !part.is_empty()).collect();
        let name = if parts.is_empty() { "section".to_owned() } else { parts.join("-") };
        let mut unique = name.clone();
        let mut number = 2;
        while !self.given.insert(unique.clone()) {
            unique = format!("{name}-{number}");
            number += 1;
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = Names::default();
        assert_eq!(names.of("Review intel-710"), "review-intel-710");
        assert_eq!(names.of("Review: intel 710"), "review-intel-710-2");
        assert_eq!(names.of("…"), "section");
    }
}

//! The words by which a model file names the policies of a translation layer.

use iopath::ftl::victim::VictimPolicy;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::str::FromStr;

/// The choice of the group that is collected next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VictimWord(pub VictimPolicy);

impl FromStr for VictimWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, number) = match text.split_once(' ') {
            Some((word, number)) => (word, Some(number)),
            None => (text, None),
        };
        let policy = match (word, number) {
            ("greedy", None) => VictimPolicy::Greedy,
            ("fifo", None) => VictimPolicy::Fifo,
            ("cost-benefit", None) => VictimPolicy::CostBenefit,
            ("d-choices", _) => VictimPolicy::DChoices(groups(word, "5", number, 1000)?),
            ("windowed", _) => VictimPolicy::Windowed(groups(word, "64", number, 1 << 20)?),
            _ => {
                return Err(format!(
                    "`{text}` is no choice of victims; write `greedy`, `fifo`, `cost-benefit`, \
                     `d-choices 5` or `windowed 64`"
                ));
            }
        };
        Ok(VictimWord(policy))
    }
}

/// The number of groups after a word, from 1 to `most`.
fn groups(word: &str, example: &str, number: Option<&str>, most: u32) -> Result<u32, String> {
    number.and_then(|n| n.parse().ok()).filter(|n| (1..=most).contains(n)).ok_or_else(|| {
        format!("`{word}` needs a number of groups from 1 to {most}, such as `{word} {example}`")
    })
}

impl<'de> Deserialize<'de> for VictimWord {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_word() {
        let of = |text: &str| text.parse::<VictimWord>().map(|word| word.0);
        assert_eq!(of("greedy"), Ok(VictimPolicy::Greedy));
        assert_eq!(of("fifo"), Ok(VictimPolicy::Fifo));
        assert_eq!(of("cost-benefit"), Ok(VictimPolicy::CostBenefit));
        assert_eq!(of("d-choices 5"), Ok(VictimPolicy::DChoices(5)));
        assert_eq!(of("windowed 64"), Ok(VictimPolicy::Windowed(64)));
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_right_ones() {
        let error = |text: &str| text.parse::<VictimWord>().unwrap_err();
        assert!(error("gredy").contains("`d-choices 5`"));
        assert!(error("greedy 3").contains("no choice"));
        for text in ["d-choices", "d-choices 0", "d-choices 1001", "d-choices five"] {
            assert!(error(text).contains("from 1 to 1000, such as `d-choices 5`"), "{text}");
        }
    }
}

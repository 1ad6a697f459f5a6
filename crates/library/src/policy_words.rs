//! The words by which a model file names the policies of a translation layer.

use engine::{Bytes, Count, Ratio};
use iopath::device::flash::ftl::separation::Separation;
use iopath::device::flash::ftl::victim::{NAMED, Named, VictimPolicy};
use iopath::device::flash::ftl::wear::WearLevelling;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::str::FromStr;

/// The choice of the group that is collected next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(greedy|fifo|cost-benefit|(d-choices|windowed) \+?[0-9]+)$"))]
#[schemars(extend("examples" = ["greedy", "d-choices 5"]))]
pub struct VictimWord(pub VictimPolicy);

impl FromStr for VictimWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, number) = match text.split_once(' ') {
            Some((word, number)) => (word, Some(number)),
            None => (text, None),
        };
        let named = NAMED.iter().find(|named| named.word == word);
        match named.map(|named| (named, named.groups)) {
            Some((named, None)) if number.is_none() => Ok(VictimWord((named.policy)(0))),
            Some((named, Some((usual, most)))) => {
                Ok(VictimWord((named.policy)(groups(word, usual, number, most)?)))
            }
            _ => Err(format!("`{text}` is not a victim policy; write {}", victim_words())),
        }
    }
}

/// How every choice is written, with the usual number where there is one.
fn victim_words() -> String {
    let write = |named: &Named| match named.groups {
        None => format!("`{}`", named.word),
        Some((usual, _)) => format!("`{} {usual}`", named.word),
    };
    let all: Vec<String> = NAMED.iter().map(write).collect();
    match all.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The number of groups after a word, from 1 to `most`.
fn groups(word: &str, example: u32, number: Option<&str>, most: u32) -> Result<u32, String> {
    number.and_then(|n| n.parse().ok()).filter(|n| (1..=most).contains(n)).ok_or_else(|| {
        format!("`{word}` needs a number of groups from 1 to {most}, such as `{word} {example}`")
    })
}

/// Where host data and copies go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(separate|shared|ordered +\S.*)$"))]
#[schemars(extend("examples" = ["shared", "ordered 1 MiB"]))]
pub enum WritePointsWord {
    /// Into stripes of their own.
    Separate,
    /// Into the same stripe.
    Shared,
    /// Into the same stripe, but for what is written in order after so many bytes in order.
    Ordered(Bytes),
}

impl FromStr for WritePointsWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a choice of write points; write `separate`, `shared` or \
                 `ordered 1 MiB` (what goes on after so much in order has its own, 4 KiB to 1 GiB)"
            )
        };
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (word, rest) {
            ("separate", "") => Ok(WritePointsWord::Separate),
            ("shared", "") => Ok(WritePointsWord::Shared),
            ("ordered", _) => {
                let after = rest.trim().parse::<Bytes>().map_err(|_| wrong())?;
                let fits = (4 << 10..=1 << 30).contains(&after.base());
                fits.then_some(WritePointsWord::Ordered(after)).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }
}

/// How host writes are separated.
#[derive(Clone, Copy, PartialEq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(none|hint +[0-9]+ +\S.*|recency +[0-9_.]+ *(%|ppm|x) *)$"))]
#[schemars(extend("examples" = ["hint 4 streams", "recency 20 %"]))]
pub struct SeparationWord(pub Separation);

impl FromStr for SeparationWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a separation of writes; write `none`, `hint 4 streams` (1 to 16) \
                 or `recency 20 %` (of the logical capacity, 0.1 % to 100 %)"
            )
        };
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let separation = match word {
            "none" if rest.is_empty() => Separation::None,
            "hint" => {
                let streams = rest.parse::<Count>().map_err(|_| wrong())?.number;
                (1..=16)
                    .contains(&streams)
                    .then_some(Separation::Hint(streams))
                    .ok_or_else(wrong)?
            }
            "recency" => {
                let window = rest.parse::<Ratio>().map_err(|_| wrong())?.fraction();
                let fits = (0.001..=1.0).contains(&window);
                fits.then_some(Separation::Recency(window)).ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        };
        Ok(SeparationWord(separation))
    }
}

/// Wear levelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(none|dynamic|static \s*\+?[0-9]+\s+\S.*)$"))]
#[schemars(extend("examples" = ["static 50 erases"]))]
pub struct WearWord(pub WearLevelling);

impl FromStr for WearWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a wear levelling; write `none`, `dynamic` or `static 50 erases` \
                 (data moves when counts differ by more)"
            )
        };
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (word, rest) {
            ("none", "") => Ok(WearWord(WearLevelling::None)),
            ("dynamic", "") => Ok(WearWord(WearLevelling::Dynamic)),
            ("static", _) => {
                let limit = rest.parse::<Count>().map_err(|_| wrong())?.number;
                Ok(WearWord(WearLevelling::Static(limit)))
            }
            _ => Err(wrong()),
        }
    }
}

macro_rules! from_text {
    ($($word:ident),*) => {
        $(
            impl<'de> Deserialize<'de> for $word {
                fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                    String::deserialize(d)?.parse().map_err(D::Error::custom)
                }
            }
        )*
    };
}

from_text!(VictimWord, WritePointsWord, SeparationWord, WearWord);

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
        assert!(error("greedy 3").contains("not a victim policy"));
        for text in ["d-choices", "d-choices 0", "d-choices 1001", "d-choices five"] {
            assert!(error(text).contains("from 1 to 1000, such as `d-choices 5`"), "{text}");
        }
    }

    #[test]
    fn separation_and_wear_have_words() {
        let of = |text: &str| text.parse::<SeparationWord>().map(|word| word.0);
        assert_eq!(of("none"), Ok(Separation::None));
        assert_eq!(of("hint 4 streams"), Ok(Separation::Hint(4)));
        assert_eq!(of("recency 20 %"), Ok(Separation::Recency(0.2)));
        let of = |text: &str| text.parse::<WritePointsWord>();
        assert_eq!(of("separate"), Ok(WritePointsWord::Separate));
        assert_eq!(of("shared"), Ok(WritePointsWord::Shared));
        assert_eq!(of("ordered 1 MiB"), Ok(WritePointsWord::Ordered(Bytes::from_base(1 << 20))));
        for text in ["ordered", "ordered 5", "ordered 1 KiB", "ordered 2 GiB", "shared 1 MiB"] {
            assert!(of(text).unwrap_err().contains("`ordered 1 MiB`"), "{text}");
        }
        let of = |text: &str| text.parse::<SeparationWord>().map(|word| word.0);
        for text in ["hint", "hint 4", "hint 0 streams", "recency 20", "recency 200 %", "hot"] {
            assert!(of(text).unwrap_err().contains("`recency 20 %`"), "{text}");
        }
        let of = |text: &str| text.parse::<WearWord>().map(|word| word.0);
        assert_eq!(of("none"), Ok(WearLevelling::None));
        assert_eq!(of("dynamic"), Ok(WearLevelling::Dynamic));
        assert_eq!(of("static 50 erases"), Ok(WearLevelling::Static(50)));
        for text in ["static", "static 50", "dynamic 3", "even"] {
            assert!(of(text).unwrap_err().contains("`static 50 erases`"), "{text}");
        }
    }
}

//! A mix of transfer sizes in words: `8 KiB 90 %, 64 KiB 10 %`.

use engine::Bytes;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

/// Largest transfer of a mix, bytes: fio's own limit is higher, no host sends more at once.
const LARGEST: u64 = 16 << 20;
/// What sizes are multiples of, bytes.
const SECTOR: u64 = 512;
/// Most sizes of a mix; fio takes 64.
const MOST: usize = 64;

/// Transfer sizes with their shares, which are whole percents and add up to 100.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(\s*[0-9_.+]+\s+([KMGT]i|[kMGT])?B\s+\+?[0-9]+\s+%\s*(,|$))+$"))]
#[schemars(extend("examples" = ["8 KiB 90 %, 64 KiB 10 %"]))]
pub struct SizeMix(Vec<(u64, u32)>);

impl SizeMix {
    /// One size alone, bytes.
    pub fn only(bytes: u64) -> Self {
        SizeMix(vec![(bytes, 100)])
    }

    /// Bytes and percents, in the order in which they were written.
    pub fn entries(&self) -> &[(u64, u32)] {
        &self.0
    }

    /// Mean size, bytes.
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|(bytes, percent)| *bytes as f64 * f64::from(*percent) / 100.0).sum()
    }

    /// The least size, bytes.
    pub fn least(&self) -> u64 {
        self.0.iter().map(|(bytes, _)| *bytes).min().unwrap_or(SECTOR)
    }

    /// The mix on the way to another one: of each size the share so far from the one to the other,
    /// 0 to 1, in whole percents.
    #[must_use]
    pub fn toward(&self, other: &SizeMix, part: f64) -> SizeMix {
        let share = |mix: &SizeMix, size: u64| {
            mix.0
                .iter()
                .find(|(bytes, _)| *bytes == size)
                .map_or(0.0, |(_, share)| f64::from(*share))
        };
        let mut sizes: Vec<u64> = self.0.iter().chain(&other.0).map(|(bytes, _)| *bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let part = part.clamp(0.0, 1.0);
        // Ends of the shares, each rounded, so that the shares add up to 100.
        let (mut end, mut last) = (0.0, 0_u32);
        let mut mix = Vec::new();
        for size in sizes {
            end += share(self, size) * (1.0 - part) + share(other, size) * part;
            let rounded: u32 = engine::narrow(engine::whole(end.round()));
            if rounded > last {
                mix.push((size, rounded - last));
            }
            last = rounded;
        }
        SizeMix(mix)
    }

    /// As one side of fio's `bssplit`.
    pub fn bssplit(&self) -> String {
        let one = |(bytes, percent): &(u64, u32)| format!("{bytes}/{percent}");
        self.0.iter().map(one).collect::<Vec<_>>().join(":")
    }
}

impl FromStr for SizeMix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut list = Vec::new();
        for part in text.split(',') {
            let words: Vec<&str> = part.split_whitespace().collect();
            let [number, unit, percent, "%"] = words[..] else {
                let part = part.trim();
                return Err(format!("`{part}` is not a size with a share, as in `8 KiB 90 %`"));
            };
            let size: Bytes = format!("{number} {unit}").parse().map_err(|e| format!("{e}"))?;
            let bytes = size.base();
            if bytes == 0 || !bytes.is_multiple_of(SECTOR) || bytes > LARGEST {
                return Err(format!("{size} is not a multiple of 512 B up to 16 MiB"));
            }
            let percent: u32 = percent
                .parse()
                .map_err(|_| format!("`{percent} %` is not a whole percentage, as fio needs"))?;
            list.push((bytes, percent));
        }
        let sum: u64 = list.iter().map(|(_, percent)| u64::from(*percent)).sum();
        if sum != 100 {
            return Err(format!("the shares add up to {sum} %, not to 100 %"));
        }
        list.retain(|(_, percent)| *percent > 0);
        if list.len() > MOST {
            return Err(format!("{} sizes are more than the {MOST} that fio takes", list.len()));
        }
        Ok(SizeMix(list))
    }
}

impl fmt::Display for SizeMix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (bytes, percent)) in self.0.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{} {percent} %", Bytes::from_base(*bytes))?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for SizeMix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_written_as_it_is_read() {
        let mix: SizeMix = "4 KiB 60 %, 8 KiB 30 %,64 KiB 10 %".parse().unwrap();
        assert_eq!(mix.entries(), [(4096, 60), (8192, 30), (65536, 10)]);
        assert_eq!(mix.to_string(), "4 KiB 60 %, 8 KiB 30 %, 64 KiB 10 %");
        assert_eq!(mix.to_string().parse::<SizeMix>().unwrap(), mix);
        assert_eq!(mix.bssplit(), "4096/60:8192/30:65536/10");
        assert_eq!(mix.mean(), 0.6 * 4096.0 + 0.3 * 8192.0 + 0.1 * 65536.0);
        assert_eq!(mix.least(), 4096);
    }

    #[test]
    fn between_two_mixes_the_shares_lie_between_theirs() {
        let mix = |text: &str| text.parse::<SizeMix>().unwrap();
        let (few, many) =
            (mix("8 KiB 90 %, 64 KiB 10 %"), mix("4 KiB 10 %, 8 KiB 60 %, 64 KiB 30 %"));
        assert_eq!(few.toward(&many, 0.0), few);
        assert_eq!(few.toward(&many, 1.0), many);
        assert_eq!(few.toward(&many, 0.5), mix("4 KiB 5 %, 8 KiB 75 %, 64 KiB 20 %"));
        for part in 0..=97 {
            let between = few.toward(&many, f64::from(part) / 97.0);
            assert_eq!(between.entries().iter().map(|(_, share)| share).sum::<u32>(), 100);
        }
    }

    #[test]
    fn shares_add_up_to_a_hundred() {
        let wrong = |text: &str| text.parse::<SizeMix>().unwrap_err();
        assert!(wrong("8 KiB 99 %").contains("99 %"));
        assert!(wrong("8 KiB 60 %, 4 KiB 41 %").contains("101 %"));
        assert!(wrong("8 KiB").contains("as in"));
        assert!(wrong("").contains("as in"));
        assert!(wrong("8 KiB 1.5 %").contains("whole percent"));
        assert!(wrong("700 B 100 %").contains("multiple"));
        assert!(wrong("32 MiB 100 %").contains("multiple"));
        assert!(wrong("8 KB! 100 %").contains("unit"));
        // What never occurs need not be a size that is used.
        let mix: SizeMix = "8 KiB 100 %, 4 KiB 0 %".parse().unwrap();
        assert_eq!(mix, SizeMix::only(8192));
    }
}

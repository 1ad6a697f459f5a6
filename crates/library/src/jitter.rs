//! How the time from completion to the waiting thread varies, in words: `100 % 0 us, 1 % 7 us`.

use engine::{Duration, Quantiles};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

/// Most shares of a list.
const MOST: usize = 32;

/// What Linux servers and drives that have nothing else to do add: the median over five fio runs
/// of others at queue depth 1, of 3.5 to 6.7 million I/Os each, on three drives and two or three
/// hosts (docs/theory.md, "What a host adds"), as delays beyond their first percentile.
const LINUX: &str = "100 % 0 us, 90 % 0.3 us, 50 % 0.8 us, 10 % 1.6 us, 5 % 2.8 us, 1 % 6.8 us, \
                     0.5 % 10.8 us, 0.1 % 17.8 us, 0.01 % 30.4 us";

/// Shares of the completions with the delay that so many of them exceed, or `none`.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^(none|(\s*[0-9.]+\s+%\s+[0-9.]+\s+[nmu]?s\s*(,|$))+)$"))]
#[schemars(extend("examples" = ["none", "100 % 0 us, 50 % 0.8 us, 1 % 7 us, 0.01 % 30 us"]))]
pub struct Jitter {
    text: String,
    quantiles: Option<Quantiles>,
}

impl Jitter {
    /// No jitter.
    pub fn none() -> Self {
        Jitter { text: "none".to_owned(), quantiles: None }
    }

    /// The one of a Linux server, where the whole delay leaves room for it.
    pub fn linux(complete: Duration) -> Self {
        match LINUX.parse::<Jitter>() {
            Ok(jitter) if jitter.mean() <= complete => jitter,
            _ => Jitter::none(),
        }
    }

    /// Its mean: part of the time from completion to the waiting thread.
    pub fn mean(&self) -> Duration {
        self.quantiles.as_ref().map_or(Duration::ZERO, Quantiles::mean)
    }

    /// The delays.
    pub fn quantiles(&self) -> Option<Quantiles> {
        self.quantiles.clone()
    }
}

impl FromStr for Jitter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "none" {
            return Ok(Jitter::none());
        }
        let list = text.split(',').map(entry).collect::<Result<Vec<_>, _>>()?;
        if list.len() > MOST {
            return Err(format!("{} shares are more than the {MOST} that are taken", list.len()));
        }
        Ok(Jitter { text: text.to_owned(), quantiles: Some(Quantiles::new(&list)?) })
    }
}

/// A share and its delay.
fn entry(text: &str) -> Result<(f64, Duration), String> {
    let wrong =
        || format!("`{}` is no share with its delay, as in `1 % 7 us`, nor `none`", text.trim());
    let (share, delay) = text.split_once('%').ok_or_else(wrong)?;
    let percent: f64 = share.trim().parse().map_err(|_| wrong())?;
    let delay: Duration = delay.trim().parse().map_err(|_| wrong())?;
    Ok((percent / 100.0, delay))
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Jitter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_of_linux_is_a_quarter_of_the_way_back() {
        let mean = Jitter::linux(Duration::from_us(5)).mean().ns();
        assert!((1_000..1_400).contains(&mean), "{mean} ns");
        assert_eq!(Jitter::linux(Duration::from_us(1)), Jitter::none(), "no room for it");
    }

    #[test]
    fn what_is_no_jitter_is_refused_with_its_words() {
        let wrong = |text: &str| text.parse::<Jitter>().unwrap_err();
        assert!(wrong("100 % 0 us, 1 %").contains("`1 %`"));
        assert!(wrong("some").contains("`some`"));
        assert!(wrong("90 % 0 us, 1 % 7 us").contains("100 %"));
        let text = "100 % 0 us, 1 % 7 us";
        assert_eq!(text.parse::<Jitter>().unwrap().to_string(), text);
        assert_eq!("none".parse::<Jitter>().unwrap(), Jitter::none());
    }
}

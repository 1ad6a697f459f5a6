//! The file of a campaign.

use chrono::NaiveTime;
use engine::{Bytes, Duration, Ratio, Temperature};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::collections::BTreeMap;
use sweep::Word;

/// A campaign as its file has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CampaignFile {
    /// Who makes the tests: it stands in the header of those of SNIA.
    pub operator: Option<String>,
    /// The drives; without any, the command line names them.
    #[serde(default, rename = "drive")]
    pub drives: Vec<FileDrive>,
    /// The tests.
    #[serde(rename = "test")]
    pub tests: Vec<FileTest>,
    /// What comes first where there are several drives.
    #[serde(default)]
    pub order: Order,
    /// When a test may begin.
    #[serde(default)]
    pub start: Start,
    /// What ends the campaign.
    #[serde(default)]
    pub stop: Stop,
    /// What is done at its end.
    #[serde(default)]
    pub end: End,
}

/// A drive of a campaign.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileDrive {
    /// What it is called: also the folder of its results.
    pub name: String,
    /// A file, a device, or a model of the library.
    pub on: String,
    /// Size of a file that is made, as `8 GiB`.
    #[schemars(with = "Option<String>")]
    pub size: Option<Bytes>,
    /// Serial number of a device. It is written only if the command line says this number too.
    pub serial: Option<String>,
    /// A model of the library that is like it: its rates tell what the tests take.
    pub model: Option<String>,
    /// Rated writes, as `1366 TB`; without them, what the cells of the model last for when written
    /// at random.
    #[schemars(with = "Option<String>")]
    pub tbw: Option<Bytes>,
}

/// A test of a campaign.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileTest {
    /// A method of the library, or the path of one.
    pub method: String,
    /// Its parameters.
    #[serde(default)]
    pub params: BTreeMap<String, Word>,
    /// Names of the drives that it runs on; without any, on all.
    #[serde(default)]
    pub drives: Vec<String>,
}

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All tests of a drive, then the next drive.
    #[default]
    Drives,
    /// Each test on all drives, then the next test.
    Tests,
}

/// When a test may begin; one that runs is not ended.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// From this time of the day on, as `22:00`, local time.
    #[serde(default, deserialize_with = "time_of_day")]
    #[schemars(with = "Option<String>")]
    pub from: Option<NaiveTime>,
    /// Until this time of the day.
    #[serde(default, deserialize_with = "time_of_day")]
    #[schemars(with = "Option<String>")]
    pub until: Option<NaiveTime>,
}

impl Start {
    /// Whether a test may begin at a time of the day. A window may go over midnight.
    pub fn allows(&self, now: NaiveTime) -> bool {
        match (self.from, self.until) {
            (Some(from), Some(until)) if from > until => now >= from || now < until,
            (from, until) => {
                from.is_none_or(|from| now >= from) && until.is_none_or(|until| now < until)
            }
        }
    }
}

fn time_of_day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NaiveTime>, D::Error> {
    let text = String::deserialize(from)?;
    let time = NaiveTime::parse_from_str(&text, "%H:%M");
    time.map(Some)
        .map_err(|_| D::Error::custom(format!("`{text}` is no time of the day, as 22:00 is")))
}

/// What ends a campaign.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// A drive that is warmer, as `70 C`.
    #[schemars(with = "Option<String>")]
    pub temperature: Option<Temperature>,
    /// Writes to a drive, as a share of those that it is rated for, as `2%`.
    #[schemars(with = "Option<String>")]
    pub wear: Option<Ratio>,
    /// Time of the tests together, as `24 h`.
    #[schemars(with = "Option<String>")]
    pub time: Option<Duration>,
    /// Tests that failed.
    #[schemars(range(min = 1))]
    pub failures: Option<u32>,
}

/// What is done at the end.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// A program with its arguments, which is given the result as JSON on its standard input.
    #[serde(default)]
    pub command: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_go_over_midnight() {
        let at = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").unwrap();
        let night = Start { from: Some(at("22:00")), until: Some(at("06:00")) };
        let allowed = ["22:00", "23:59", "00:00", "05:59"].map(|time| night.allows(at(time)));
        assert_eq!(allowed, [true; 4]);
        assert_eq!(["06:00", "21:59"].map(|time| night.allows(at(time))), [false; 2]);
        let day = Start { from: Some(at("08:00")), until: Some(at("17:00")) };
        assert_eq!(["07:59", "08:00", "17:00"].map(|t| day.allows(at(t))), [false, true, false]);
        assert!(Start::default().allows(at("03:00")));
    }
}

//! What a model file says about submission queues and their arbitration.

use super::interface::Interface;
use super::sourced::Sourced;
use engine::Count;
use iopath::device::queues::{Arbitration, Class, MOST_QUEUES, QueueConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::str::FromStr;

/// The submission queues of an NVMe drive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuesFile {
    /// Queues for I/O, one for each thread until there is none left.
    pub count: Sourced<Count>,
    /// Entries of a queue; it holds one command less.
    pub entries: Sourced<Count>,
    /// Commands of all queues that the controller processes at once; default no limit.
    pub slots: Option<Sourced<Count>>,
    /// Commands taken from one queue in its turn.
    pub burst: Sourced<Count>,
    /// How turns are given.
    pub arbitration: Sourced<ArbitrationWord>,
    /// Classes of the queues in turn; only with weights.
    pub classes: Option<Sourced<ClassesWord>>,
}

/// How turns are given: weights of the classes high, medium and low, if queues have classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^\s*(round\s+robin|weighted(\s+\+?[0-9]+){3})\s*$"))]
#[schemars(extend("examples" = ["round robin", "weighted 8 4 2"]))]
pub struct ArbitrationWord(pub Option<[u32; 3]>);

impl FromStr for ArbitrationWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not an arbitration; write `round robin`, or `weighted 8 4 2` (weights \
                 of the classes high, medium and low, 1 to 256 each)"
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["round", "robin"] => Ok(ArbitrationWord(None)),
            ["weighted", high, medium, low] => {
                let weight = |word: &str| {
                    let weight = word.parse().ok().filter(|n| (1..=256).contains(n));
                    weight.ok_or_else(wrong)
                };
                Ok(ArbitrationWord(Some([weight(high)?, weight(medium)?, weight(low)?])))
            }
            _ => Err(wrong()),
        }
    }
}

/// Classes of queues 0, 1, 2 and so on; after the last one the list begins again.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
#[schemars(extend("pattern" = r"^\s*((urgent|high|medium|low)(\s+|$))+$"))]
#[schemars(extend("examples" = ["high low low low"]))]
pub struct ClassesWord(pub Vec<Class>);

impl FromStr for ClassesWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let class = |word: &str| match word {
            "urgent" => Ok(Class::Urgent),
            "high" => Ok(Class::High),
            "medium" => Ok(Class::Medium),
            "low" => Ok(Class::Low),
            _ => Err(format!("`{word}` is not a class; write `urgent`, `high`, `medium` or `low`")),
        };
        let classes: Vec<Class> = text.split_whitespace().map(class).collect::<Result<_, _>>()?;
        if classes.is_empty() {
            return Err("name a class for each queue, such as `high low low low`".to_owned());
        }
        Ok(ClassesWord(classes))
    }
}

impl<'de> Deserialize<'de> for ArbitrationWord {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ClassesWord {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

impl QueuesFile {
    /// The queues of a drive behind an interface, or what is wrong: byte offset, message, help.
    pub(super) fn resolve(
        &self,
        interface: &Interface,
    ) -> Result<QueueConfig, (usize, String, String)> {
        let bad = |at: usize, message: String, help: &str| Err((at, message, help.to_owned()));
        if interface.queue_limit() != u32::MAX {
            let help = "leave the section [queues] out";
            return bad(self.count.at(), "a SATA drive has one queue".to_owned(), help);
        }
        let within = |value: &Sourced<Count>, least: u32, most: u32, what: &str| {
            let n = value.get().number;
            if (least..=most).contains(&n) {
                return Ok(n);
            }
            Err((
                value.at(),
                format!("{n} is not possible for {what}"),
                format!("use {least} to {most}"),
            ))
        };
        let arbitration = match (self.arbitration.get().0, &self.classes) {
            (None, None) => Arbitration::RoundRobin,
            (None, Some(classes)) => {
                let message = "round robin knows no classes".to_owned();
                return bad(classes.at(), message, "leave them out, or write `weighted 8 4 2`");
            }
            (Some(weights), Some(classes)) => {
                Arbitration::Weighted { weights, classes: classes.get().0.clone() }
            }
            (Some(_), None) => {
                let message = "weights need classes of queues".to_owned();
                let help = "add `classes`, such as `high low low low`";
                return bad(self.arbitration.at(), message, help);
            }
        };
        let slots = self.slots.as_ref().map(|slots| within(slots, 1, 65535, "slots"));
        Ok(QueueConfig {
            count: within(&self.count, 1, MOST_QUEUES, "queues")?,
            depth: within(&self.entries, 2, 65536, "the entries of a queue")? - 1,
            slots: slots.transpose()?.unwrap_or(u32::MAX),
            burst: within(&self.burst, 1, 64, "a burst")?,
            arbitration,
        })
    }
}

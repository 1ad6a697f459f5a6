//! What the Record of `drivelab run` keeps besides fio's report.

use crate::age::Age;
use crate::read::{NotAnAnswer, read};
use crate::trace::Replay;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stats::Limit;

/// A run of a job file or of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Of a modelled drive.
    #[serde(flatten)]
    pub simulated: Option<Simulated>,
    /// The job as the installed fio got it, of a real drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirected_job: Option<String>,
    /// What came of a trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Of an aged drive.
    #[serde(flatten)]
    pub aged: Option<Aged>,
    /// Of a served drive: its load are its clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<ServedRun>,
}

/// How a drive was served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServedRun {
    /// How many times slower than the clock the model ran.
    pub slower: u32,
    /// Power cuts.
    pub cuts: u64,
    /// How late answers left: what the machine added.
    pub lateness: Lateness,
}

/// Lateness of answers, in time of the model, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lateness {
    /// Answers.
    pub answers: u64,
    /// Median.
    pub p50_s: f64,
    /// 99th percentile.
    pub p99_s: f64,
    /// 99.9th percentile.
    pub p999_s: f64,
    /// The latest of all.
    pub worst_s: f64,
    /// Share of answers that were more than 10 us late, 0 to 1.
    pub late_share: f64,
}

impl Run {
    /// What a Record of a run keeps.
    ///
    /// # Errors
    /// If a value has the wrong type. A part that is there at all has to be whole: serde by itself
    /// leaves a flattened part out that it cannot read.
    pub fn read(data: &Value) -> Result<Self, NotAnAnswer> {
        let run: Self = read(data)?;
        let begun =
            |known: bool, keys: &[&str]| !known && keys.iter().any(|key| data.get(key).is_some());
        if begun(run.simulated.is_some(), &["measured_s", "mean_power_w", "ended_early"]) {
            read::<Simulated>(data)?;
        }
        if begun(run.aged.is_some(), &["age", "read_retries", "lost_pages"]) {
            read::<Aged>(data)?;
        }
        Ok(run)
    }
}

/// What a run on a modelled drive gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Simulated {
    /// Simulated time that was measured, s.
    pub measured_s: f64,
    /// Mean power, W.
    pub mean_power_w: f64,
    /// Bytes programmed over bytes written by the host; `null` without writes.
    pub write_amplification: Option<f64>,
    /// What limited each phase.
    #[serde(default)]
    pub limited_by: Vec<Limit>,
    /// Whether the budget ended it.
    pub ended_early: bool,
    /// Temperatures of a drive that has a thermal model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<Temperature>,
    /// Share of the time that it was throttled, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_share: Option<f64>,
}

/// Temperatures of a run, C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Temperature {
    /// The highest.
    pub peak: f64,
    /// The last.
    pub last: f64,
}

/// What a run on an aged drive gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aged {
    /// What the drive had been through before.
    pub age: Age,
    /// Reads that were repeated.
    pub read_retries: u64,
    /// Pages that could not be read.
    pub lost_pages: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_broken_part_is_named_and_one_that_is_not_there_is_not_missed() {
        let part = json!({ "measured_s": 1.0, "mean_power_w": 5.0, "write_amplification": null,
            "ended_early": false });
        assert!(Run::read(&part).expect("whole").simulated.is_some());
        assert_eq!(Run::read(&json!({})).expect("empty"), Run::default());
        for (key, value) in [("measured_s", json!("1 s")), ("read_retries", json!(-1))] {
            let mut broken = part.clone();
            broken[key] = value;
            let error = Run::read(&broken).expect_err("broken");
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}

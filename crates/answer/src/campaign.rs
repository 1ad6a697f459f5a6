//! The answer of `campaign`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What came of a campaign so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Campaign {
    /// Its name.
    pub name: String,
    /// Its tests, in order.
    pub tests: Vec<CampaignTest>,
    /// Why it ended before all tests were made; `None` if they were, or nothing was run.
    pub stopped: Option<String>,
    /// The report of all results, if it was made.
    pub report: Option<String>,
}

/// A test of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CampaignTest {
    /// The drive, as the plan calls it.
    pub drive: String,
    /// The method.
    pub method: String,
    /// How it stands.
    pub state: TestState,
    /// Why it failed, if it did.
    pub why: Option<String>,
    /// Its Record, if it has one.
    pub record: Option<String>,
    /// What it takes, as the drive's model tells; `None` where no model is named, or it is a model.
    pub estimate: Option<Estimate>,
    /// Time that it took, in all starts together, s.
    pub seconds: f64,
    /// Bytes that its drive wrote meanwhile; `None` where the kernel does not count them.
    pub written: Option<f64>,
    /// The highest temperature of its drive meanwhile, degrees Celsius.
    pub celsius: Option<f64>,
    /// What makes its result doubtful: gates that its runs do not pass, also when it was made once
    /// more.
    #[serde(default)]
    pub marks: Vec<String>,
}

/// How a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// It was not begun.
    Open,
    /// Its Record is there.
    Done,
    /// It ended without a result.
    Failed,
    /// It was ended before it was done.
    Ended,
    /// Its result was doubtful: it is made once more.
    Spoiled,
}

impl TestState {
    /// As it is shown.
    pub fn word(self) -> &'static str {
        match self {
            TestState::Open => "open",
            TestState::Done => "done",
            TestState::Failed => "failed",
            TestState::Ended => "ended",
            TestState::Spoiled => "spoiled",
        }
    }
}

/// What a test takes on a real drive: of a drive that is steady at once, and of one that never is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Least time, s.
    pub seconds_least: f64,
    /// Most time, s.
    pub seconds_most: f64,
    /// Most bytes written.
    pub written_most: f64,
    /// These as a share of the rated writes, where those are known.
    pub wear_most: Option<f64>,
}

impl Campaign {
    /// Whether all tests have their results.
    pub fn is_done(&self) -> bool {
        self.tests.iter().all(|test| test.state == TestState::Done)
    }
}

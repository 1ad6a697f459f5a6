//! A number held against what is asked.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;

/// Says whether a number reaches what a parameter asks for: `holds` is 1 or 0. A sentence about it
/// goes to what a reader of the result must know.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Name of its number.
    #[serde(rename = "as")]
    pub name: String,
    /// The number, written `STEP.NAME`.
    pub value: String,
    /// What it has to reach, a parameter written `${name}`; nothing is done if it is not given.
    pub least: String,
    /// The share of it that is enough, for what a rate loses in rounding; 1 if it is not said.
    pub share: Option<f64>,
    /// What it is about, as in "writes".
    pub what: String,
    /// For how long it was reached, a time written `STEP.NAME`.
    pub held: Option<String>,
}

impl Action for Verdict {
    fn said(&self) -> String {
        format!("verdict `{}`: {} at least {}", self.name, self.value, self.least)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let Some(least) = session.value(&self.least).map(|least| least.value) else {
            return Ok(());
        };
        let missing = || Failure::failed(format!("no step gives `{}`", self.value));
        let value = session.value(&self.value).ok_or_else(missing)?.value;
        let holds = value >= least * self.share.unwrap_or(1.0);
        let asked = session.text(&self.least).unwrap_or_default();
        let held = self.held.as_ref().and_then(|path| session.value(path));
        let what = &self.what;
        session.warn(match (holds, held) {
            (true, _) => format!("verdict: {asked} of {what} is kept up to the end"),
            (false, Some(held)) if held.value > 0.0 => format!(
                "verdict: {asked} of {what} is kept up for {:.1} s; {:.2} GB/s at the end",
                held.value,
                value / 1e9
            ),
            _ => format!(
                "verdict: {asked} of {what} is never reached; {:.2} GB/s at the end",
                value / 1e9
            ),
        });
        let number = MetricValue::exact(if holds { 1.0 } else { 0.0 });
        session.results.insert(self.name.clone(), Values::from([("holds".to_owned(), number)]));
        Ok(())
    }
}

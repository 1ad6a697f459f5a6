//! Gives up what a device holds.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use schemars::JsonSchema;
use serde::Deserialize;

/// Formats a device: a namespace, or a drive. The others keep what they hold.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// Which, from 0; all without it.
    #[serde(default)]
    pub device: Option<String>,
}

impl Action for Format {
    fn said(&self) -> String {
        match &self.device {
            None => "format: every device".to_owned(),
            Some(device) => format!("format: device {device}"),
        }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let there = session.target.devices().len();
        let chosen = match &self.device {
            None => 0..there,
            Some(written) => match session.count(written)?.and_then(|n| usize::try_from(n).ok()) {
                Some(device) if device < there => device..device + 1,
                _ => {
                    let why = format!("`{written}` is none of the {there} devices, from 0 on");
                    return Err(Failure::left_out(why));
                }
            },
        };
        for device in chosen {
            session.tell(&format!("formatting device {device}"), 0.0);
            session.target.format(device)?;
        }
        session.line.mark("format");
        Ok(())
    }
}

//! Access to the values of a JSON object, with the place of what is wrong.

use crate::error::{Position, SmartError};
use serde_json::Value;

/// Greatest whole number that a JSON number is sure to keep in every tool, 2^53.
const SAFE: f64 = 9_007_199_254_740_992.0;

/// A JSON object in a file.
pub(super) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
    /// Its first byte.
    pub start: usize,
}

impl Source<'_> {
    /// An error at the first place where a key occurs.
    pub fn wrong(&self, key: &str, message: String) -> SmartError {
        let quoted = format!("\"{key}\"");
        let at = self.text[self.start..].find(&quoted).unwrap_or(0) + self.start;
        SmartError::new(self.file, message).at(Position::of(self.text, at))
    }

    /// A whole number that is not negative. smartctl adds `KEY_s` with the exact digits where a
    /// number is too large for some JSON readers; old versions of nvme-cli print floats, newer ones
    /// print large numbers as text.
    pub fn number(&self, object: &Value, key: &str) -> Result<Option<u64>, SmartError> {
        let Some(value) = object.get(key).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let exact = object.get(format!("{key}_s")).and_then(whole);
        match exact.or_else(|| whole(value)).map(u64::try_from) {
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => {
                let message = format!("`{key}` is {value}, which no counter of a drive reaches");
                Err(self.wrong(key, message).with_help("save the tool's output again"))
            }
            None => {
                let message = format!("`{key}` is {value}, and should be a whole number from 0");
                Err(self.wrong(key, message).with_help("save the tool's output again"))
            }
        }
    }

    /// The number under the first of several spellings that is there.
    pub fn any(&self, object: &Value, keys: &[&str]) -> Result<Option<u64>, SmartError> {
        for key in keys {
            if let Some(number) = self.number(object, key)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// A text without blanks at its ends; `None` if it is empty or not there.
    pub fn text(&self, object: &Value, key: &str) -> Option<String> {
        let text = object.get(key)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// A whole number from 0, however it is written.
pub(super) fn whole(value: &Value) -> Option<u128> {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(number), _) => Some(u128::from(number)),
            (None, Some(float)) if float >= 0.0 && float.fract() == 0.0 => {
                // Above 2^53 a float no longer holds the exact number, but still its magnitude.
                (float <= SAFE * SAFE).then_some(float as u128)
            }
            _ => None,
        },
        Value::String(text) => {
            let digits: String = text.trim().chars().filter(|c| *c != ',').collect();
            digits.parse().ok()
        }
        _ => None,
    }
}

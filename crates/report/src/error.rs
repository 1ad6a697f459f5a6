//! Why a result cannot be rendered.

use serde_json::Value;

/// A result that is not what it claims to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportError {
    /// Where in the JSON, as `figures[3].published`.
    pub path: String,
    /// What was expected there.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

impl std::fmt::Display for ReportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, expected, found } = self;
        write!(
            f,
            "this is no result of drivelab: `{path}` should be {expected}, found {found}\n  \
             help: make it anew with --json"
        )
    }
}

impl std::error::Error for ReportError {}

/// A value and its place.
#[derive(Clone)]
pub(crate) struct At<'v> {
    value: &'v Value,
    path: String,
}

impl<'v> At<'v> {
    pub(crate) fn root(value: &'v Value) -> Self {
        Self { value, path: String::new() }
    }

    fn error(&self, expected: &'static str) -> ReportError {
        let found = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        let path = if self.path.is_empty() { "the whole".to_owned() } else { self.path.clone() };
        ReportError { path, expected, found: found.to_owned() }
    }

    /// A key's value; a key that is missing counts as null.
    pub(crate) fn key(&self, key: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { value: &self.value[key], path: format!("{}{dot}{key}", self.path) }
    }

    pub(crate) fn list(&self) -> Result<Vec<Self>, ReportError> {
        let items = self.value.as_array().ok_or_else(|| self.error("a list"))?;
        let item = |(i, value)| Self { value, path: format!("{}[{i}]", self.path) };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(crate) fn text(&self) -> Result<&'v str, ReportError> {
        self.value.as_str().ok_or_else(|| self.error("a text"))
    }

    pub(crate) fn number(&self) -> Result<f64, ReportError> {
        self.value.as_f64().ok_or_else(|| self.error("a number"))
    }

    pub(crate) fn count(&self) -> Result<u64, ReportError> {
        self.value.as_u64().ok_or_else(|| self.error("a whole number"))
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// Nothing for null, else what `read` makes of it.
    pub(crate) fn maybe<T>(
        &self,
        read: impl Fn(&Self) -> Result<T, ReportError>,
    ) -> Result<Option<T>, ReportError> {
        if self.value.is_null() { Ok(None) } else { read(self).map(Some) }
    }
}

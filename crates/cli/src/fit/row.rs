//! A number of a run as a row of a reviews file, so that it is read as one.

use metric::Metric;

/// A number of a run.
pub struct NumberedRow<'a> {
    /// Its name.
    pub id: String,
    /// The drive.
    pub target: &'a str,
    /// The method.
    pub method: &'a str,
    /// Its parameters.
    pub params: toml::Table,
    /// What is measured.
    pub metric: &'a str,
    /// The value.
    pub value: f64,
    /// Its base unit.
    pub unit: &'a str,
}

impl NumberedRow<'_> {
    fn table(self) -> toml::Value {
        let unit = match self.unit {
            "1/s" => "IOPS",
            unit => unit,
        };
        toml::Value::from(toml::Table::from_iter([
            ("id".to_owned(), toml::Value::from(self.id)),
            ("target".to_owned(), self.target.into()),
            ("method".to_owned(), self.method.into()),
            ("params".to_owned(), self.params.into()),
            ("metric".to_owned(), self.metric.into()),
            ("value".to_owned(), self.value.into()),
            ("unit".to_owned(), unit.into()),
        ]))
    }
}

/// The text of a reviews file with these rows.
pub fn file<'a>(
    rows: impl IntoIterator<Item = NumberedRow<'a>>,
) -> Result<String, toml::ser::Error> {
    let list: Vec<toml::Value> = rows.into_iter().map(NumberedRow::table).collect();
    toml::to_string(&toml::Table::from_iter([("ref".to_owned(), toml::Value::from(list))]))
}

/// Whether there are enough samples for a percentile; of other numbers nothing is asked.
pub fn is_sampled(metric: &Metric, samples: Option<u64>) -> bool {
    match (metric.percent(), samples) {
        (Some(percent), Some(samples)) => stats::enough_samples(percent, samples),
        _ => true,
    }
}

//! Measurements saved one by one, so that an interrupted reproduction resumes.
//!
//! The file has a JSON text a line: first the options of the bench, then a measurement each. It
//! is only appended to; a last line that was cut off is passed over.

use crate::console::Console;
use crate::render::Failure;
use method::review::{Measurement, MetricValue, NamedHistogram, Point, Provenance, Series};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is known already, and where new measurements go.
pub struct Partial {
    path: Option<PathBuf>,
    file: Option<Mutex<File>>,
    known: BTreeMap<String, Measurement>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    drivelab_partial: String,
}

/// A value, its samples and its 95 % interval.
type Saved = (f64, Option<u64>, Option<(f64, f64)>);

#[derive(Serialize, Deserialize)]
struct Line {
    run: String,
    metrics: BTreeMap<String, Saved>,
    #[serde(default)]
    points: Vec<Point>,
    #[serde(default)]
    series: Vec<Series>,
    #[serde(default)]
    histograms: Vec<NamedHistogram>,
    warnings: Vec<String>,
    exact: bool,
    provenance: String,
}

impl Partial {
    /// Opens the file beside a Record, and reads what was measured with the same options.
    pub fn open(
        record: Option<&Path>,
        options: &str,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let Some(record) = record else {
            return Ok(Self { path: None, file: None, known: BTreeMap::new() });
        };
        let mut name = record.as_os_str().to_os_string();
        name.push(".partial");
        let path = PathBuf::from(name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| serde_json::from_str::<Head>(line).ok());
        let ours = head.is_some_and(|head| head.drivelab_partial == options);
        let known: BTreeMap<String, Measurement> = match ours {
            true => lines.filter_map(|line| serde_json::from_str(line).ok()).map(read).collect(),
            false => BTreeMap::new(),
        };
        if !known.is_empty() {
            let shown = path.display();
            console.note(&format!("{} measurements are taken from {shown}", known.len()));
        }
        let failed = |error: std::io::Error| {
            Failure::failed(format!("{}: cannot be written: {error}", path.display()))
        };
        // Written anew: a line that was cut off must not run into the next one.
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(&path)
            .map_err(failed)?;
        let mut all = line_of(&Head { drivelab_partial: options.to_owned() })?;
        for (run, measurement) in &known {
            all.push_str(&line_of(&written(run, measurement))?);
        }
        file.write_all(all.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
        Ok(Self { path: Some(path), file: Some(Mutex::new(file)), known })
    }

    /// Whether nothing was saved by an earlier run of the program.
    pub fn is_new(&self) -> bool {
        self.known.is_empty()
    }

    /// A measurement that was made before.
    pub fn get(&self, run: &str) -> Option<Measurement> {
        self.known.get(run).cloned()
    }

    /// Saves a measurement.
    pub fn save(&self, run: &str, measurement: &Measurement) -> Result<(), Failure> {
        let (Some(file), Some(path)) = (&self.file, &self.path) else { return Ok(()) };
        let line = line_of(&written(run, measurement))?;
        let Ok(mut file) = file.lock() else { return Ok(()) };
        file.write_all(line.as_bytes()).and_then(|()| file.flush()).map_err(|error| {
            Failure::failed(format!("{}: cannot be written: {error}", path.display()))
        })
    }

    /// Removes the file: the Record holds it all.
    pub fn remove(self) {
        if let Some(path) = &self.path {
            // A file that stays does no harm: the next reproduction takes it or replaces it.
            let _ = std::fs::remove_file(path);
        }
    }
}

fn line_of(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::failed(format!("a measurement has no JSON form: {error}")))?;
    Ok(text + "\n")
}

fn read(line: Line) -> (String, Measurement) {
    let metrics = line.metrics.into_iter().map(|(name, (value, samples, interval95))| {
        (name, MetricValue { value, samples, interval95 })
    });
    let method_provenance = match line.exact {
        true => Provenance::Exact(line.provenance),
        false => Provenance::Approximation(line.provenance),
    };
    let metrics = metrics.collect();
    let (points, series, histograms) = (line.points, line.series, line.histograms);
    let warnings = line.warnings;
    let measurement =
        Measurement { metrics, points, series, histograms, warnings, method_provenance };
    (line.run, measurement)
}

fn written(run: &str, measurement: &Measurement) -> Line {
    let metrics = measurement
        .metrics
        .iter()
        .map(|(name, metric)| (name.clone(), (metric.value, metric.samples, metric.interval95)));
    let (exact, provenance) = match &measurement.method_provenance {
        Provenance::Exact(source) => (true, source.clone()),
        Provenance::Approximation(what) => (false, what.clone()),
    };
    Line {
        run: run.to_owned(),
        metrics: metrics.collect(),
        points: measurement.points.clone(),
        series: measurement.series.clone(),
        histograms: measurement.histograms.clone(),
        warnings: measurement.warnings.clone(),
        exact,
        provenance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(value: f64) -> Measurement {
        Measurement {
            metrics: BTreeMap::from([("iops".to_owned(), MetricValue::exact(value))]),
            points: Vec::new(),
            series: Vec::new(),
            histograms: Vec::new(),
            warnings: vec!["careful".to_owned()],
            method_provenance: Provenance::Exact("a source".to_owned()),
        }
    }

    #[test]
    fn a_reproduction_resumes_with_the_same_options_only() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.json");
        let open =
            |options| Partial::open(Some(&record), options, &mut Console::new(true)).unwrap();
        let odd = 0.1 + 0.2;
        open("seed 1").save("a", &measurement(odd)).unwrap();
        let path = folder.path().join("r.json.partial");
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"run\":\"b\",\"metr");
        std::fs::write(&path, text).unwrap();
        let again = open("seed 1");
        assert_eq!(again.get("a"), Some(measurement(odd)), "to the last bit");
        assert_eq!(again.get("b"), None, "cut off");
        again.save("c", &measurement(1.0)).unwrap();
        drop(again);
        assert!(open("seed 1").get("c").is_some());
        let other = open("seed 2");
        assert_eq!(other.get("a"), None);
        other.remove();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

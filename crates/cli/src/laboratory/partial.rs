//! Measurements saved one by one, so that an interrupted command resumes.
//!
//! The file has a JSON text a line: first its format, then a measurement each with the options and
//! the run that it is of. It is only appended to while a command runs.

use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::render::Failure;
use metric::{Measurement, MetricValue, NamedHistogram, Point, Provenance, Series, counted};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What is known already, and where new measurements go.
pub struct Partial {
    path: Option<PathBuf>,
    /// Made with the first measurement that is saved.
    file: Mutex<Option<File>>,
    /// Options of the bench, before the run in each key.
    prefix: String,
    known: BTreeMap<String, Measurement>,
    /// Keys of what was taken or saved.
    used: Mutex<BTreeSet<String>>,
    /// How many measurements were asked for, if that is known.
    wanted: Option<usize>,
    /// Steps of a measurement are kept too.
    steps: bool,
}

/// The options that name the file beside which measurements are kept.
pub const RECORD: &str = "--record";
pub const OUTPUT: &str = "--output";
/// Version of the format.
const FORMAT: &str = "2";
/// Stands between options and run in a key.
const BETWEEN: &str = " || ";

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
    #[serde(default)]
    convergence: Vec<stats::Convergence>,
    #[serde(default)]
    limits: Vec<stats::Limit>,
    warnings: Vec<String>,
    exact: bool,
    provenance: String,
    #[serde(default)]
    about: Value,
}

impl Partial {
    /// A list that keeps nothing.
    pub fn none() -> Self {
        Self {
            path: None,
            file: Mutex::default(),
            prefix: String::new(),
            known: BTreeMap::new(),
            used: Mutex::default(),
            wanted: None,
            steps: false,
        }
    }

    /// Opens the list beside the file that an option names. Of what it holds, measurements of
    /// `wanted` with the same options are used; those of other requests stay in it. `wanted` is
    /// `None` where it is not known beforehand what will be measured.
    pub fn open(
        (file, option): (Option<&Path>, &str),
        options: &str,
        wanted: Option<&[String]>,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        interrupt::watch();
        let prefix = format!("{options}{BETWEEN}");
        let mut partial = Self { prefix, wanted: wanted.map(<[String]>::len), ..Self::none() };
        let Some(file) = file else {
            let words = format!("nothing was saved; with {option} FILE every measurement is");
            interrupt::set_last_words(words);
            return Ok(partial);
        };
        let path = files::with_ending(file, ".partial");
        partial.known = known(&path)?;
        let ours = wanted.map(|wanted| {
            wanted.iter().filter(|run| partial.known.contains_key(&partial.key(run))).count()
        });
        partial.say(&path, ours, console);
        partial.path = Some(path);
        partial.count(0);
        Ok(partial)
    }

    /// The same, each step of a measurement being kept beside it.
    pub fn with_steps(mut self) -> Self {
        self.steps = self.path.is_some();
        self.count(0);
        self
    }

    /// What is taken from the list, and what only stays in it.
    fn say(&self, path: &Path, ours: Option<usize>, console: &mut Console) {
        let (shown, all) = (path.display(), self.known.len());
        let measurements = |count: usize| counted(count, "measurement");
        let Some(ours) = ours else {
            if all > 0 {
                console.note(&format!("{shown} holds {}, used where they fit", measurements(all)));
            }
            return;
        };
        if ours > 0 {
            let wanted = self.wanted.unwrap_or(ours);
            console.note(&format!("{ours} of {} taken from {shown}", measurements(wanted)));
        }
        if all > ours {
            let rest = measurements(all - ours);
            console.note(&format!("{shown} keeps {rest} of other requests"));
        }
    }

    fn key(&self, run: &str) -> String {
        format!("{}{run}", self.prefix)
    }

    /// How many measurements were asked for, if that is known.
    pub fn wanted(&self) -> Option<usize> {
        self.wanted
    }

    /// Whether nothing was saved by an earlier run of the program.
    pub fn is_new(&self) -> bool {
        self.known.is_empty()
    }

    /// A measurement that was made before.
    pub fn get(&self, run: &str) -> Option<Measurement> {
        let key = self.key(run);
        let found = self.known.get(&key).cloned();
        if found.is_some() {
            self.count_used(key);
        }
        found
    }

    /// Saves a measurement.
    pub fn save(&self, run: &str, measurement: &Measurement) -> Result<(), Failure> {
        let Some(path) = &self.path else { return Ok(()) };
        let key = self.key(run);
        let line = line_of(&written(&key, measurement))?;
        let mut slot = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *slot {
            Some(file) => file,
            empty => {
                // Written anew: a line that was cut off must not run into the next one.
                write_list(path, &self.known)?;
                let file = OpenOptions::new().append(true).open(path).map_err(failed(path))?;
                empty.insert(file)
            }
        };
        file.write_all(line.as_bytes()).and_then(|()| file.flush()).map_err(failed(path))?;
        drop(slot);
        self.count_used(key);
        Ok(())
    }

    fn count_used(&self, key: String) {
        if let Ok(mut used) = self.used.lock() {
            used.insert(key);
            self.count(used.len());
        }
    }

    /// What is said if the program is interrupted now.
    fn count(&self, used: usize) {
        let Some(path) = &self.path else { return };
        let shown = path.display();
        let wanted = self.wanted.filter(|wanted| used <= *wanted);
        let of = wanted.map_or_else(String::new, |wanted| format!(" of {wanted}"));
        interrupt::set_last_words(match used {
            0 if self.steps => "the same command goes on with the step that it was in".to_owned(),
            0 => "no measurement has ended yet; nothing was saved".to_owned(),
            _ => format!(
                "{used}{of} measurements are saved in {shown}; the same command goes on from there"
            ),
        });
    }

    /// Takes out what the Record holds now; without a rest the list goes.
    pub fn remove(self) {
        let Some(path) = &self.path else { return };
        let used = self.used.into_inner().unwrap_or_default();
        if used.is_empty() {
            return;
        }
        let rest: BTreeMap<String, Measurement> =
            self.known.into_iter().filter(|(run, _)| !used.contains(run)).collect();
        // A list that stays does no harm: the next request takes what fits.
        let _ = match rest.is_empty() {
            true => std::fs::remove_file(path).map_err(|_| ()),
            false => write_list(path, &rest).map_err(|_| ()),
        };
    }
}

/// Reads a list; a last line that was cut off is passed over.
fn known(path: &Path) -> Result<BTreeMap<String, Measurement>, Failure> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Ok(there) if there.is_file() => {}
        _ => return Err(foreign(path)),
    }
    let text = std::fs::read_to_string(path).map_err(|_| foreign(path))?;
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return Ok(BTreeMap::new()) };
    let head = serde_json::from_str::<Head>(first).map_err(|_| foreign(path))?;
    // In lists of the first version the options of all measurements stand in the head.
    let prefix = match head.drivelab_partial.as_str() {
        FORMAT => String::new(),
        options => format!("{options}{BETWEEN}"),
    };
    let lines = lines.filter_map(|line| serde_json::from_str(line).ok()).map(read);
    Ok(lines.map(|(run, measurement)| (format!("{prefix}{run}"), measurement)).collect())
}

fn foreign(path: &Path) -> Failure {
    let message = format!("{}: drivelab would keep measurements here", path.display());
    Failure::wrong(message).with_help("the file is another's: move it, or name another --record")
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    let shown = path.display().to_string();
    move |error| Failure::failed(format!("{shown}: cannot be written: {error}"))
}

fn write_list(path: &Path, list: &BTreeMap<String, Measurement>) -> Result<(), Failure> {
    let mut all = line_of(&Head { drivelab_partial: FORMAT.to_owned() })?;
    for (run, measurement) in list {
        all.push_str(&line_of(&written(run, measurement))?);
    }
    crate::files::write(path, &all)
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
    let (limits, warnings, about) = (line.limits, line.warnings, line.about);
    let measurement = Measurement {
        metrics,
        points,
        series,
        histograms,
        convergence: line.convergence,
        limits,
        warnings,
        method_provenance,
        about,
    };
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
        convergence: measurement.convergence.clone(),
        limits: measurement.limits.clone(),
        warnings: measurement.warnings.clone(),
        exact,
        provenance,
        about: measurement.about.clone(),
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
            convergence: Vec::new(),
            limits: Vec::new(),
            warnings: vec!["careful".to_owned()],
            method_provenance: Provenance::Exact("a source".to_owned()),
            about: Value::Null,
        }
    }

    fn open(record: &Path, options: &str, wanted: &[&str]) -> Partial {
        let wanted: Vec<String> = wanted.iter().map(|run| (*run).to_owned()).collect();
        let file = (Some(record), RECORD);
        Partial::open(file, options, Some(&wanted), &mut Console::new(true)).unwrap()
    }

    #[test]
    fn a_command_resumes_with_the_same_options_only() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.json");
        let odd = 0.1 + 0.2;
        open(&record, "seed 1", &["a"]).save("a", &measurement(odd)).unwrap();
        let path = folder.path().join("r.json.partial");
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"run\":\"b\",\"metr");
        std::fs::write(&path, text).unwrap();
        let again = open(&record, "seed 1", &["a", "b", "c"]);
        assert_eq!(again.get("a"), Some(measurement(odd)), "to the last bit");
        assert_eq!(again.get("b"), None, "cut off");
        again.save("c", &measurement(1.0)).unwrap();
        drop(again);
        assert!(open(&record, "seed 1", &["c"]).get("c").is_some());
        assert_eq!(open(&record, "seed 2", &["a"]).get("a"), None);
    }

    /// What another request measured is neither taken for ours nor lost with ours.
    #[test]
    fn measurements_of_other_requests_stay() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.json");
        open(&record, "seed 1", &["qd=8"]).save("qd=8", &measurement(8.0)).unwrap();
        let other = open(&record, "seed 1", &["qd=16"]);
        other.save("qd=16", &measurement(16.0)).unwrap();
        other.remove();
        let first = open(&record, "seed 1", &["qd=8"]);
        assert_eq!(first.get("qd=8"), Some(measurement(8.0)));
        assert_eq!(first.get("qd=16"), None, "that one is in its Record");
        first.remove();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_of_another_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.json");
        std::fs::write(folder.path().join("r.json.partial"), "notes").unwrap();
        let opened = Partial::open((Some(&record), RECORD), "x", None, &mut Console::new(true));
        assert_eq!(opened.err().unwrap().exit, 2);
    }
}

//! Methods as data: TOML files with parameters, fio jobs and a list of steps. Some come with the
//! program (`shipped`), others are the user's own (`own`).

mod check;
mod own;
mod shipped;

use super::condition::holds;
use super::steps::Step;
use super::{metrics, served};
use metric::{ParamKind, ParamSpec, Params};
pub use own::TraceKind;
pub use own::{is_path as is_method_file, job as own_job, read as own_method, trace as own_trace};
use schemars::JsonSchema;
use serde::Deserialize;
pub use shipped::methods;
use std::collections::BTreeMap;

/// A review method.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name on the command line and in figures.
    pub name: String,
    /// In a few words.
    pub title: String,
    /// What it does.
    pub description: String,
    /// `exact:` with the source or `approximation:` with what is unknown.
    #[schemars(extend("pattern" = "^(exact|approximation): "))]
    pub provenance: String,
    /// Parameters that this method cannot vary, with the value that they have in it. A row may
    /// state them.
    #[serde(default)]
    pub fixed: BTreeMap<String, Stated>,
    /// Ids of the figures with which something in the method was chosen: a depth, a rate, the
    /// processor's time. What such a row measures is no prediction.
    #[serde(default)]
    pub fitted_on: Vec<String>,
    /// Most mapping units of a model that are simulated where no scale is asked for; that of all
    /// methods if it is not said. For methods that write a drive many times over.
    pub units: Option<u64>,
    /// The same for each drive of the target. For methods that run on drives side by side.
    pub units_per_drive: Option<u64>,
    /// Its parameters.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "enum": params() }))]
    pub params: BTreeMap<String, Param>,
    /// fio jobs with variables, by name; a step that names none runs `uniform.fio`.
    #[serde(default)]
    pub jobs: BTreeMap<String, String>,
    /// What is done, in order.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
    /// The metrics it gives: each is a step's number or a formula of several (`formula`); `all`
    /// takes over every number of the step it names.
    pub metrics: BTreeMap<String, String>,
    /// The text of its file.
    #[serde(skip)]
    pub text: String,
    /// Path of its file, if it is the user's own.
    #[serde(skip)]
    pub path: Option<String>,
}

/// The method of a name, or of a file: a name that ends in `.toml` or `.fio` is its path.
///
/// # Errors
/// A hint at the names that are known, or what is wrong with the file.
pub fn find(name: &str) -> Result<&'static Method, String> {
    match own::is_path(name) {
        true => own::read(name).map_err(|wrong| wrong.to_string()),
        false => shipped::find(name),
    }
}

/// What a row may state of a method that has no such parameter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Stated {
    /// What is so in all of it.
    All(String),
    /// What is so in one of its tests each, of which the row's metric names one.
    OneOf(Vec<String>),
}

impl Stated {
    /// The values that may be stated.
    fn values(&self) -> &[String] {
        match self {
            Stated::All(value) => std::slice::from_ref(value),
            Stated::OneOf(values) => values,
        }
    }
}

/// A parameter of a method. Its kind and unit are those of the table of all parameters.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// What it means here.
    pub about: String,
    /// Its value where none is given, with its unit.
    pub default: Option<String>,
    /// Other defaults, of which the first that applies counts.
    #[serde(default)]
    pub when: Vec<When>,
    /// Set if it has to be given: the help if it is missing.
    pub required: Option<String>,
    /// The only values that it may have, where the method has a form for each.
    #[serde(default)]
    pub values: Vec<String>,
    /// The least and the largest that it may have been in the test that the method stands for, as
    /// parts of its default: `["50 %", "200 %"]`. `--interval` draws between them where the
    /// parameter is not given.
    pub range: Option<[String; 2]>,
}

/// A default that depends on another parameter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// `NAME`: it is given and not 0; `NAME = VALUE`: it has this value.
    #[serde(rename = "if")]
    pub condition: String,
    /// The default in that case.
    pub then: String,
}

impl Method {
    /// Fills in the defaults.
    ///
    /// # Errors
    /// If a parameter that the method requires is missing.
    pub fn complete(&self, params: &mut Params) -> Result<(), String> {
        self.drop_what_goes_without_saying(params)?;
        let missing = |name: &str, params: &Params| params.get(name).is_none();
        for (_, param) in self.params.iter().filter(|(name, _)| missing(name, params)) {
            if let Some(mend) = &param.required {
                return Err(format!("method `{}` {mend}", self.name));
            }
        }
        // Defaults that depend on others come after those that do not.
        for depending in [false, true] {
            for (name, param) in &self.params {
                if param.when.is_empty() == depending || !missing(name, params) {
                    continue;
                }
                let applies = |when: &&When| holds(&when.condition, params);
                let special = param.when.iter().find(applies).map(|when| &when.then);
                let Some(value) = special.or(param.default.as_ref()) else { continue };
                params.give(name, value)?;
            }
        }
        self.check_values(params)
    }

    /// Refuses values for which the method has no form.
    fn check_values(&self, params: &Params) -> Result<(), String> {
        for (name, param) in self.params.iter().filter(|(_, param)| !param.values.is_empty()) {
            let is = |value: &String| {
                let mut one = Params::default();
                one.give(name, value).is_ok() && one.get(name) == params.get(name)
            };
            if params.get(name).is_some() && !param.values.iter().any(is) {
                let all = param.values.join(" or ");
                return Err(format!("method `{}` knows `{name}` as {all} only", self.name));
            }
        }
        Ok(())
    }

    /// Published rows state more than a method lets one choose: its own read share, or that one
    /// drive was tested. What is so anyway is taken out; what is not stays, and is foreign.
    fn drop_what_goes_without_saying(&self, params: &mut Params) -> Result<(), String> {
        let fixed = self.fixed.iter().flat_map(|(name, stated)| {
            stated.values().iter().map(move |value| (name.as_str(), value.as_str()))
        });
        for (name, value) in fixed.chain([("drives", "1")]) {
            let mut one = Params::default();
            one.give(name, value)?;
            if !self.params.contains_key(name) && params.get(name) == one.get(name) {
                params.remove(name);
            }
        }
        // Whether data can be compressed, where the method asks how much of it.
        if self.params.contains_key("compress") && !self.params.contains_key("compressible") {
            match params.flag("compressible") {
                Some(true) => params.give("compress", "99 %")?,
                Some(false) => params.give("compress", "0 %")?,
                None => return Ok(()),
            }
            params.remove("compressible");
        }
        Ok(())
    }

    /// Parameters that have their defaults and of which it is not known what they were in the test
    /// that the method stands for, with the parts of the default between which they lie.
    pub fn unknown(&self, params: &Params) -> impl Iterator<Item = (&str, &[String; 2])> {
        let is_default = |name: &str| {
            let mut without = params.clone();
            let given = without.remove(name);
            given.is_some()
                && self.complete(&mut without).is_ok()
                && without.get(name) == given.as_ref()
        };
        self.params.iter().filter_map(move |(name, param)| {
            Some((name.as_str(), param.range.as_ref()?)).filter(|(name, _)| is_default(name))
        })
    }

    /// Parameters that are given and that this method does not have.
    pub fn foreign(&self, params: &Params) -> Vec<&'static str> {
        params.iter().map(|(name, _)| name).filter(|n| !self.params.contains_key(*n)).collect()
    }

    /// Whether a run of it may give this metric.
    pub fn gives(&self, metric: &str) -> bool {
        let serves = self.steps.iter().any(|step| matches!(step, Step::Oltp(_)));
        let among_all = if serves { served::gives } else { metrics::gives };
        let searched = |step: &Step| matches!(step, Step::Highest(found) if found.value == metric);
        metric != "all"
            && (self.metrics.contains_key(metric)
                || self.steps.iter().any(searched)
                || self.metrics.contains_key("all") && among_all(metric))
    }

    /// The same of a load that may be a job file, whose report has these entries.
    pub fn gives_by(&self, entries: &[String], metric: &str) -> bool {
        match self.is_job_file() {
            true => metrics::jobs_give(entries, metric),
            false => self.gives(metric),
        }
    }

    /// Whether it is a fio job file, whose numbers have the names of its entries before them where
    /// there are several.
    pub fn is_job_file(&self) -> bool {
        self.path.as_deref().is_some_and(own::is_job)
    }

    /// Whether it is the user's own load by itself: a fio job file or a block trace.
    pub fn is_own_load(&self) -> bool {
        self.path.is_some() && matches!(self.steps[..], [Step::JobFile(_)])
    }

    /// The parameter that holds how many I/Os of a block trace are in flight, if it replays one.
    pub fn trace_depth(&self) -> Option<&'static str> {
        (self.is_own_load() && self.params.contains_key(own::DEPTH)).then_some(own::DEPTH)
    }

    /// The parameters that have another value than where they are not given.
    pub fn unusual(&self, params: &Params) -> Params {
        let mut usual = Params::default();
        // A method that needs a parameter has no value for it, and it stays.
        let _ = self.complete(&mut usual);
        params.less(&usual)
    }

    /// Whether a real target of it is a directory, not a file or a device.
    pub fn wants_directory(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Oltp(_)))
    }

    /// Its parameters with what the table of all parameters says of each.
    pub fn specs(&self) -> impl Iterator<Item = (&'static ParamSpec, &Param)> {
        let spec = |name: &str| metric::PARAMS.iter().find(|spec| spec.name == name);
        self.params.iter().filter_map(move |(name, param)| Some((spec(name)?, param)))
    }
}

/// The names of all parameters.
fn params() -> Vec<&'static str> {
    metric::PARAMS.iter().map(|spec| spec.name).collect()
}

/// How a value of this kind is written: its words, or its unit with an example.
pub fn written(kind: ParamKind) -> String {
    let unit = match kind {
        ParamKind::Word(words) => return words.join(", "),
        ParamKind::Bytes => "bytes, \"4 KiB\"",
        ParamKind::Time => "time, \"20 min\"",
        ParamKind::Bandwidth => "rate, \"350 MB/s\"",
        ParamKind::Share => "share, \"10 %\"",
        ParamKind::Count(..) => "whole number",
        ParamKind::Text => "text",
        ParamKind::Flag => "true or false",
    };
    unit.to_owned()
}

#[cfg(test)]
mod tests {
    use super::shipped::FILES;
    use super::*;
    use metric::Metric;

    #[test]
    fn what_a_search_finds_is_a_metric_of_the_method() {
        let method = crate::find("highest-load").unwrap();
        assert!(method.gives("max_iops") && method.gives("peak_iops") && !method.gives("op"));
        assert!(!crate::find("corner").unwrap().gives("max_iops"));
    }

    #[test]
    fn every_shipped_method_says_what_it_is() {
        for (method, (file, _)) in methods().iter().zip(FILES) {
            let known = ["exact: ", "approximation: "];
            assert!(known.iter().any(|k| method.provenance.starts_with(k)), "{}", method.name);
            assert_eq!(method.name, *file);
            assert!(find(&method.name).is_ok());
            assert_eq!(method.specs().count(), method.params.len(), "{file}: unknown parameter");
            for name in method.metrics.keys().filter(|name| *name != "all") {
                // A family such as `read_lat_p<percent>` represents its members.
                let (metric, _) = Metric::parse(name).unwrap_or_else(|e| panic!("{file}: {e}"));
                assert!(!metric.is_carried(), "{file}: metric `{name}` is not measured");
            }
        }
        assert!(find("cornre").unwrap_err().contains("corner"));
    }

    #[test]
    fn a_method_knows_what_it_can_give() {
        let gives = |method: &str, metric| find(method).unwrap().gives(metric);
        for metric in ["iops", "read_lat_mean", "write_lat_p99.99", "power", "gb_per_day"] {
            assert!(gives("corner", metric), "{metric}");
        }
        for metric in ["seq_read", "read_lat_p12.5", "read_lat_min", "all", "nothing"] {
            assert!(!gives("corner", metric), "{metric}");
        }
        assert!(gives("crystaldiskmark", "seq_read") && !gives("crystaldiskmark", "iops"));
        assert!(gives("sysbench-oltp", "tps") && !gives("sysbench-oltp", "iops"));
    }

    #[test]
    fn defaults_are_values_of_their_parameters() {
        for method in methods() {
            for (name, param) in &method.params {
                let values = param.default.iter().chain(param.when.iter().map(|w| &w.then));
                for value in values {
                    let mut params = Params::default();
                    params.give(name, value).unwrap_or_else(|e| panic!("{}: {e}", method.name));
                }
            }
        }
    }

    #[test]
    fn a_default_may_depend_on_another_parameter() {
        let complete = |pairs: &[(&'static str, &'static str)]| {
            let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
            find("corner").unwrap().complete(&mut params).map(|()| params)
        };
        let text = |pairs| complete(pairs).unwrap().to_string();
        assert!(text(&[("op", "read"), ("pattern", "seq")]).contains("block=128 KiB"));
        assert!(text(&[("op", "read")]).contains("block=4 KiB"));
        assert!(text(&[("op", "write"), ("prewrite", "4 h")]).contains("state=fresh"));
        assert!(text(&[("op", "write"), ("prewrite", "0 h")]).contains("state=steady"));
        assert!(complete(&[]).unwrap_err().contains("read = 70 %"));
    }
}

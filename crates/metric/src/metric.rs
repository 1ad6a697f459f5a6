//! The metrics a figure or a claim may name: what each means, in which dimension it is stated.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metric_table::{Better, METRICS, MetricSpec};
use super::params::Params;
use super::spelling;
use super::unit::Dimension;
use stats::histogram::HALF_BUCKET;

/// Whether a published number is a limit instead of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// At least the published number ("above 7400 MB/s").
    Min,
    /// At most the published number ("below 1 ms").
    Max,
}

/// Endings that state a bound. The ends of a range are bounds too.
pub const BOUNDS: [(&str, Bound); 4] =
    [("_min", Bound::Min), ("_max", Bound::Max), ("_low", Bound::Min), ("_high", Bound::Max)];

/// Whose latency a percentile is about.
const LATENCY_PREFIXES: &[(&str, &str)] =
    &[("read_lat_p", "read_lat_p"), ("write_lat_p", "write_lat_p"), ("clat_p", "read_lat_p")];

/// The metric in `MEASUREMENT.METRIC`; a percentile has a dot of its own.
pub fn tail(name: &str) -> &str {
    match name.split_once('.') {
        Some((_, rest)) if Metric::find(name).is_none() => rest,
        _ => name,
    }
}

/// [`Metric::resolution`] of the metric in `MEASUREMENT.METRIC`; 0 of what is none.
pub fn resolution(name: &str, value: f64) -> f64 {
    Metric::find(tail(name)).map_or(0.0, |(metric, _)| metric.resolution(value))
}

/// [`Metric::percent`] of the metric in `MEASUREMENT.METRIC`.
pub fn percent(name: &str) -> Option<f64> {
    Metric::find(tail(name))?.0.percent()
}

/// A metric in its canonical spelling; the key of
/// [`Measurement::metrics`](super::Measurement).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric(String);

impl Metric {
    /// Reads a metric and the bound its suffix may state (`iops_min`, `read_lat_p99.99_max`).
    ///
    /// # Errors
    /// If no metric has this name: a hint at the nearest names.
    pub fn parse(name: &str) -> Result<(Metric, Option<Bound>), String> {
        if let Some(found) = Self::find(name) {
            return Ok(found);
        }
        let hint = spelling::hint("metrics", name, METRICS.iter().map(|spec| spec.name));
        Err(match spelling::nearest(name, METRICS.iter().map(|spec| spec.name)) {
            Some(_) => hint,
            None => format!("{hint}; any may end in _min, _max, _low or _high for a bound"),
        })
    }

    /// As [`Metric::parse`], for names that often are none: a hint takes longer than all else.
    fn find(name: &str) -> Option<(Metric, Option<Bound>)> {
        if let Some(metric) = Self::exact(name) {
            // The one spelling in use whose bound is in the middle.
            let bound = (name == "bandwidth_max_steady").then_some(Bound::Max);
            return Some((metric, bound));
        }
        BOUNDS.iter().find_map(|(suffix, bound)| {
            let metric = name.strip_suffix(suffix).and_then(Self::exact)?;
            Some((metric, Some(*bound)))
        })
    }

    fn exact(name: &str) -> Option<Metric> {
        let name = match name {
            "clat_mean" => "read_lat_mean",
            "bandwidth_max_steady" => "bandwidth",
            other => other,
        };
        if METRICS.iter().any(|spec| spec.name == name && !spec.pattern) {
            return Some(Metric(name.to_owned()));
        }
        LATENCY_PREFIXES.iter().find_map(|(prefix, canonical)| {
            let percent = percentile(name.strip_prefix(prefix)?)?;
            Some(Metric(format!("{canonical}{percent}")))
        })
    }

    /// A quotient of which nothing else is known.
    pub fn ratio() -> Metric {
        Metric("ratio".to_owned())
    }

    /// The canonical name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The percentile of a latency metric: 99.99 for `read_lat_p99.99`.
    pub fn percent(&self) -> Option<f64> {
        self.0.split_once("_lat_p")?.1.parse().ok()
    }

    /// How well a value of it is known at best, in its unit: a percentile is the middle of a bucket
    /// of a histogram, however many runs agree on it.
    pub fn resolution(&self, value: f64) -> f64 {
        match self.percent().is_some() || self.0 == "p99_ms" {
            true => HALF_BUCKET * value.abs(),
            false => 0.0,
        }
    }

    /// What the metric measures.
    pub fn dimension(&self) -> Dimension {
        self.spec().map_or(Dimension::Time, |spec| spec.dimension)
    }

    /// Whether a higher or a lower value is better; for latencies the lower one.
    pub fn better(&self) -> Better {
        self.spec().map_or(Better::Lower, |spec| spec.better)
    }

    /// Whether it is a property that a model contains and no run is needed to know.
    pub fn is_fact(&self) -> bool {
        self.spec().is_some_and(|spec| spec.fact)
    }

    /// Whether it is only carried along: no method measures it yet, so no run is made for it.
    pub fn is_carried(&self) -> bool {
        self.spec().is_some_and(|spec| spec.carried)
    }

    /// What it is made of, if it is made of the numbers of two drives.
    pub fn versus(&self) -> Option<Versus> {
        let (of, make): (&str, fn(f64, f64) -> f64) = match self.name() {
            "power_reduction_per_tb" => ("power_per_tb", |own, other| 1.0 - own / other),
            "margin_p9999" => ("read_lat_p99.99", |own, other| other / own - 1.0),
            _ => return None,
        };
        Some(Versus { of: Metric(of.to_owned()), make })
    }

    /// What the parameters of a run say of it, so that nothing has to be measured.
    pub fn stated(&self, params: &Params) -> Option<f64> {
        match self.name() {
            "partition" => params.share("partition"),
            "span" => params.bytes("span").map(|bytes| bytes as f64),
            "qd" => params.queue_depth().map(|depth| depth as f64),
            "idle_time" => params.time("idle").map(|time| time as f64 / 1e9),
            "vms_per_ssd" => {
                let drives = params.count("drives").unwrap_or(1).max(1);
                params.count("vms").map(|vms| vms as f64 / drives as f64)
            }
            _ => None,
        }
    }

    fn spec(&self) -> Option<&'static MetricSpec> {
        METRICS.iter().find(|spec| spec.name == self.0)
    }
}

/// A metric that is made of another one of two drives.
pub struct Versus {
    /// The other one.
    pub of: Metric,
    /// How: of the drive's own value and of the second drive's.
    pub make: fn(f64, f64) -> f64,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A percentile as written, without trailing zeros, so that `p99.90` and `p99.9` are one metric.
fn percentile(text: &str) -> Option<String> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.') && text.len() <= 12;
    let value: f64 = text.parse().ok().filter(|_| plain)?;
    (value > 0.0 && value < 100.0).then(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> (String, Option<Bound>) {
        let (metric, bound) = Metric::parse(name).unwrap();
        (metric.name().to_owned(), bound)
    }

    #[test]
    fn a_percentile_is_known_to_half_a_bucket() {
        let names = ["read_lat_p99", "mixed.write_lat_p99.9", "p99_ms", "read_lat_mean", "iops"];
        assert_eq!(names.map(|name| resolution(name, 256.0)), [2.0, 2.0, 2.0, 0.0, 0.0]);
        assert_eq!(resolution("no metric", 256.0), 0.0);
    }

    #[test]
    fn a_suffix_states_a_bound() {
        assert_eq!(parse("iops"), ("iops".into(), None));
        assert_eq!(parse("iops_min"), ("iops".into(), Some(Bound::Min)));
        assert_eq!(parse("lifetime_low"), ("lifetime".into(), Some(Bound::Min)));
        assert_eq!(parse("pe_cycles_high"), ("pe_cycles".into(), Some(Bound::Max)));
        // A metric of its own: the lowest of a sweep.
        assert_eq!(parse("iops_low"), ("iops_low".into(), None));
        assert_eq!(parse("power_max"), ("power".into(), Some(Bound::Max)));
        assert_eq!(parse("bandwidth_max_steady"), ("bandwidth".into(), Some(Bound::Max)));
        // A metric of its own, though it ends like a bound: the longest latency of all.
        assert_eq!(parse("read_lat_max"), ("read_lat_max".into(), None));
    }

    #[test]
    fn any_percentile_is_a_metric() {
        assert_eq!(parse("read_lat_p99.990"), ("read_lat_p99.99".into(), None));
        assert_eq!(parse("clat_p99.9999"), ("read_lat_p99.9999".into(), None));
        assert_eq!(parse("write_lat_p50_max"), ("write_lat_p50".into(), Some(Bound::Max)));
        let (metric, _) = Metric::parse("read_lat_p99.99").unwrap();
        assert_eq!(metric.percent(), Some(99.99));
        assert_eq!(metric.dimension(), Dimension::Time);
        for wrong in ["read_lat_p100", "read_lat_p0", "read_lat_p", "read_lat_pinf", "read_lat_p-1"]
        {
            assert!(Metric::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn some_metrics_are_made_of_others_or_of_parameters() {
        let metric = |name| Metric::parse(name).unwrap().0;
        let saved = metric("power_reduction_per_tb").versus().unwrap();
        assert_eq!((saved.of.name(), (saved.make)(1.5, 2.0)), ("power_per_tb", 0.25));
        let margin = metric("margin_p9999").versus().unwrap();
        assert_eq!((margin.make)(2.0, 3.0), 0.5);
        let params = Params::from_pairs([("vms", "16"), ("drives", "8"), ("partition", "25 %")]);
        let params = params.unwrap();
        assert_eq!(metric("vms_per_ssd").stated(&params), Some(2.0));
        assert_eq!(metric("partition").stated(&params), Some(0.25));
        assert_eq!(metric("iops").stated(&params), None);
    }

    #[test]
    fn an_unknown_metric_is_answered_with_what_is_known() {
        assert_eq!(Metric::parse("bandwith").unwrap_err(), "did you mean `bandwidth`?");
        let listing = Metric::parse("happiness_of_users").unwrap_err();
        assert!(listing.contains("drivelab list metrics") && listing.contains("_max"), "{listing}");
    }
}

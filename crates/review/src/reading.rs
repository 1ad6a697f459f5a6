//! What the metric of a published row says besides its name: a bound, and the drive it is held
//! against (`ratio_to_320`, `host_write_ratio_to_320`, `lifetime_low`).

use super::alias::{Aliases, Device};
use super::subject::Subject;
use lab::Run;
use lab::find;
use metric::Pattern;
use metric::{BOUNDS, Bound, Metric};

/// A metric as written, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// The metric; `None` is the one that the row's test is known for.
    pub metric: Option<Metric>,
    /// Whether the number is a limit.
    pub bound: Option<Bound>,
    /// Slug of the drive that divides.
    pub second: Option<String>,
}

/// The text between a metric and the drive it is a ratio to.
const RATIO: &str = "ratio_to_";

impl Reading {
    /// Takes a metric apart. The error is a hint at the names that are known.
    pub(super) fn parse(text: &str, aliases: &Aliases) -> Result<Self, String> {
        Metric::parse(text)
            .map(|(metric, bound)| Reading { metric: Some(metric), bound, second: None })
            .or_else(|hint| Self::ratio(text, aliases).ok_or(hint))
    }

    fn ratio(text: &str, aliases: &Aliases) -> Option<Self> {
        let ending = BOUNDS.iter().find(|(suffix, _)| text.ends_with(suffix));
        let bare = ending.map_or(text, |(suffix, _)| &text[..text.len() - suffix.len()]);
        let (of, name) = bare.split_once(RATIO)?;
        // Names of drives have blanks, names of metrics do not.
        let Ok(Device::Target(second, _)) = aliases.device(&name.replace('_', " ")) else {
            return None;
        };
        let metric = match of.strip_suffix('_') {
            None if of.is_empty() => None,
            None => return None,
            Some("pe") => Some(Metric::parse("pe_cycles").ok()?.0),
            Some(of) => {
                let plural = || Metric::parse(&format!("{of}s"));
                Some(Metric::parse(of).or_else(|_| plural()).ok()?.0)
            }
        };
        Some(Reading {
            metric,
            bound: ending.map(|(_, bound)| *bound),
            second: Some(second.clone()),
        })
    }
}

/// The metric of a row whose text names none: rate in bytes of a sequential load, I/Os a second of
/// a random one, or what the test is known for. `ratio` if there is none.
pub(super) fn natural(subject: &Subject) -> Result<Metric, String> {
    let name = subject.runs().first().map_or("ratio", known_for);
    Metric::parse(name).map(|(metric, _)| metric)
}

fn known_for(run: &Run) -> &'static str {
    match (run.method.as_str(), run.params.pattern()) {
        ("corner" | "mixed", Some(Pattern::Sequential)) => "bandwidth",
        ("corner" | "mixed", _) => "iops",
        (name, _) => {
            let gives = |metric: &&&str| find(name).is_ok_and(|m| m.metrics.contains_key(**metric));
            ["iops", "bandwidth", "tbw"].iter().find(gives).copied().unwrap_or("ratio")
        }
    }
}

/// A metric such as `iops_low` is that of a sweep; for a test that gives no such number, the row
/// states the lower end of a range.
pub(super) fn end_of_range(metric: &Metric, subject: &Subject) -> Option<(Metric, Bound)> {
    let (suffix, bound) = BOUNDS.iter().find(|(suffix, _)| metric.name().ends_with(suffix))?;
    let bare = metric.name().strip_suffix(suffix)?;
    let given = |run: &Run| {
        find(&run.method).is_ok_and(|method| method.metrics.contains_key(metric.name()))
    };
    if metric.name().contains("_lat_")
        || subject.runs().is_empty()
        || subject.runs().iter().any(given)
    {
        return None;
    }
    let (metric, none) = Metric::parse(bare).ok()?;
    none.is_none().then_some((metric, *bound))
}

#[cfg(test)]
mod tests {
    use super::super::figure::Figure;
    use super::super::reviews::ReviewFile;
    use super::*;

    const NAMES: &str = r#"
        [[device]]
        names = ["Acme Fast 1TB", "Fast"]
        target = "fast-1tb"
        [[device]]
        names = ["Acme Old Disk", "Old Disk"]
        target = "old-disk"
        [[device]]
        names = ["Some"]
        not_modelled = "a class of products"
        [[test]]
        names = ["128K sequential"]
        method = "corner"
        params = { pattern = "seq", op = "read", block = "128 KiB" }
        [[test]]
        names = ["4K random write"]
        method = "corner"
        params = { pattern = "rand", op = "write" }
        [[test]]
        names = ["counters"]
        method = "endurance-counters"
        [[test]]
        names = ["file server"]
        method = "iometer-fileserver"
        [[test]]
        names = ["database"]
        method = "iometer-database"
    "#;

    /// A row as published files have them, with these lines of its own.
    fn row(lines: &str) -> Figure {
        let names = Aliases::parse("names.toml", NAMES).unwrap();
        let text = format!(
            "[[ref]]\nid = \"x\"\ndevice = \"Acme Fast 1TB\"\nkind = \"measured\"\n\
             confidence = \"high\"\nvalue = 1.5\n{lines}\n"
        );
        ReviewFile::parse("mine.toml", &text, &names, &ReviewFile::default())
            .unwrap_or_else(|error| panic!("{error}"))
            .figures
            .remove(0)
    }

    fn reading(figure: &Figure) -> (&str, Option<Bound>, Option<&str>) {
        (figure.metric.name(), figure.bound, figure.relative_to.as_deref())
    }

    #[test]
    fn a_ratio_names_the_second_drive_and_what_the_test_is_known_for() {
        let ratio = |test: &str, metric: &str| {
            row(&format!("test = \"{test}\"\nmetric = \"{metric}\"\nunit = \"x\""))
        };
        let fast = Some("fast-1tb");
        let old = Some("old-disk");
        assert_eq!(reading(&ratio("128K sequential", "ratio_to_fast")), ("bandwidth", None, fast));
        assert_eq!(reading(&ratio("4K random write", "ratio_to_old_disk")), ("iops", None, old));
        assert_eq!(reading(&ratio("counters", "ratio_to_fast")), ("tbw", None, fast));
        let low = ratio("4K random write", "ratio_to_fast_low");
        assert_eq!(reading(&low), ("iops", Some(Bound::Min), fast));
        let most = ratio("counters", "host_write_ratio_to_old_disk_max");
        assert_eq!(reading(&most), ("host_writes", Some(Bound::Max), old));
        assert_eq!(reading(&ratio("counters", "pe_ratio_to_fast")), ("pe_cycles", None, fast));
    }

    #[test]
    fn a_ratio_to_nothing_known_is_refused() {
        let names = Aliases::parse("names.toml", NAMES).unwrap();
        for wrong in ["ratio_to_nobody", "ratio_to_some", "joy_ratio_to_fast", "Xratio_to_fast"] {
            assert!(Reading::parse(wrong, &names).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_ends_of_a_range_are_bounds() {
        let low = row("test = \"counters\"\nmetric = \"lifetime_low\"\nunit = \"years\"");
        assert_eq!(reading(&low), ("lifetime", Some(Bound::Min), None));
        let line = "metric = \"iops_low\"\nunit = \"IOPS\"";
        let corner = row(&format!("test = \"4K random write\"\n{line}"));
        assert_eq!(reading(&corner), ("iops", Some(Bound::Min), None));
        // Over a sweep there is a lowest point.
        let sweep = row(&format!("test = \"file server\"\n{line}"));
        assert_eq!(reading(&sweep), ("iops_low", None, None));
    }

    #[test]
    fn a_least_depth_is_every_depth_of_a_bound_and_the_least_of_a_value() {
        let test = "test = \"4K random write\"\nunit = \"IOPS\"\nparams = { qd_min = 8 }\nmetric";
        let depths = |metric: &str| -> Vec<u64> {
            let figure = row(&format!("{test} = \"{metric}\""));
            figure.subject.runs().iter().filter_map(|run| run.params.queue_depth()).collect()
        };
        assert_eq!(depths("iops_min"), [8, 16, 32]);
        assert_eq!(depths("iops"), [8]);
    }

    #[test]
    fn what_a_method_does_anyway_may_be_stated() {
        let foreign = |test: &str, params: &str| {
            let figure = row(&format!(
                "test = \"{test}\"\nmetric = \"iops\"\nunit = \"IOPS\"\nparams = {{ {params} }}"
            ));
            let run = &figure.subject.runs()[0];
            find(&run.method).unwrap().foreign(&run.params)
        };
        assert!(foreign("file server", "read_pct = 80, drives = 1").is_empty());
        assert!(foreign("database", "read_pct = 67, span_gb = 16").is_empty());
        assert_eq!(foreign("file server", "read_pct = 67"), ["read"]);
        assert_eq!(foreign("database", "drives = 5"), ["drives"]);
        assert!(foreign("4K random write", "compressible = true").is_empty());
    }

    #[test]
    fn a_published_row_is_read_as_the_shipped_one_where_it_is_open() {
        let names = Aliases::parse("names.toml", NAMES).unwrap();
        let start = "[[ref]]\nid = \"x\"\ndevice = \"Fast\"\ntest = \"counters\"\nvalue = 1.5\n";
        let shipped =
            format!("{start}metric = \"tbw\"\nunit = \"x\"\nrelative_to = \"Old Disk\"\n");
        let none = ReviewFile::default();
        let shipped = ReviewFile::parse("s.toml", &shipped, &names, &none).unwrap();
        let read = |line: &str| {
            let text = format!("{start}{line}\nunit = \"x\"\n");
            ReviewFile::parse("m.toml", &text, &names, &shipped).unwrap().figures.remove(0)
        };
        let open = read("metric = \"endurance_ratio\"");
        assert_eq!(reading(&open), ("tbw", None, Some("old-disk")));
        // A row that says itself what it means is taken at its word.
        let closed = read("metric = \"write_amplification\"");
        assert_eq!(reading(&closed), ("write_amplification", None, None));
    }
}

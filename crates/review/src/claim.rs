//! What a review says in words, and the comparisons that decide whether a model says it too.

use std::collections::BTreeMap;

use fio::{Diagnostic, Place};

use super::alias::Aliases;
use super::figure::{CONFIDENCE, relative};
use super::node::{Fields, Node, ends};
use super::subject::{SUBJECT_KEYS, Subject, Wanted};
use lab::Run;
use metric::Metric;
use metric::hint;
use metric::{Dimension, Unit};

/// Which target stands in place of which.
pub type Counter = BTreeMap<String, String>;

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Side {
    /// Drive, method and parameters.
    pub subject: Subject,
    /// What is compared.
    pub metric: Metric,
    /// Slug of a second drive that divides: then the quotients are compared.
    pub relative_to: Option<String>,
}

impl Side {
    /// The run, and the same on the second drive.
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        let second = self.subject.runs().iter().filter_map(|run| self.second(run));
        self.subject.runs().iter().cloned().chain(second)
    }

    /// The run on the second drive.
    pub fn second(&self, run: &Run) -> Option<Run> {
        self.relative_to.clone().map(|target| Run { target, ..run.clone() })
    }

    /// What its value is: a number where a second drive divides.
    pub fn dimension(&self) -> Dimension {
        match self.relative_to {
            Some(_) => Dimension::Number,
            None => self.metric.dimension(),
        }
    }
}

/// How the left side has to relate to the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Below.
    Less,
    /// Above.
    Greater,
    /// At most.
    AtMost,
    /// At least.
    AtLeast,
    /// Equal within a tolerance.
    About,
}

impl Op {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Op::Less => "<",
            Op::Greater => ">",
            Op::AtMost => "<=",
            Op::AtLeast => ">=",
            Op::About => "~",
        }
    }
}

/// What the left side is held against.
#[derive(Clone, Debug)]
pub enum Against {
    /// `left op factor * right`.
    Side {
        /// The relation.
        op: Op,
        /// The other side.
        right: Box<Side>,
        /// Multiplies the right side; 1 if not given.
        factor: f64,
        /// Relative width of [`Op::About`]; 10 % if not given.
        tolerance: f64,
    },
    /// `left op value`.
    Value {
        /// The relation.
        op: Op,
        /// The number in `unit`.
        value: f64,
        /// Its unit.
        unit: Unit,
        /// Relative width of [`Op::About`]; 10 % if not given.
        tolerance: f64,
    },
    /// `low <= left / of <= high`.
    Range {
        /// The side that divides.
        of: Box<Side>,
        /// Lowest quotient that holds.
        low: f64,
        /// Highest quotient that holds.
        high: f64,
    },
    /// `low <= left <= high`.
    ValueRange {
        /// Lowest value that holds, in `unit`.
        low: f64,
        /// Highest value that holds, in `unit`.
        high: f64,
        /// Their unit.
        unit: Unit,
    },
}

/// One comparison.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is compared.
    pub left: Side,
    /// With what, and how.
    pub against: Against,
}

impl Check {
    /// Both sides, or the one that there is.
    pub fn sides(&self) -> impl Iterator<Item = &Side> {
        let other = match &self.against {
            Against::Side { right, .. } => Some(right.as_ref()),
            Against::Range { of, .. } => Some(of.as_ref()),
            Against::Value { .. } | Against::ValueRange { .. } => None,
        };
        std::iter::once(&self.left).chain(other)
    }
}

/// One `[[claim]]`. It is held if every check holds.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Name, unique in its file.
    pub id: String,
    /// The review it belongs to.
    pub review: String,
    /// Where the row starts.
    pub at: Place,
    /// What the review says.
    pub claim: String,
    /// How it is to be checked, in words.
    pub reading: Option<String>,
    /// The comparisons.
    pub checks: Vec<Check>,
    /// Why there are none.
    pub unchecked: Option<String>,
    /// Models with which the checks must fail, each with one of them at least.
    pub counters: Vec<Counter>,
    /// Remark.
    pub note: Option<String>,
}

pub(super) const KEYS: [&str; 10] = [
    "id",
    "review",
    "device",
    "claim",
    "check",
    "checks",
    "unchecked",
    "counter",
    "confidence",
    "note",
];
/// Keys of a side beside those of its subject.
pub(super) const SIDE_KEYS: [&str; 2] = ["metric", "relative_to"];
pub(super) const CHECK_KEYS: [&str; 9] =
    ["left", "op", "right", "factor", "tolerance", "range", "of", "value", "unit"];
pub(super) const OPS: [(&str, Op); 5] = [
    ("<", Op::Less),
    (">", Op::Greater),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("~", Op::About),
];

impl Claim {
    pub(super) fn read(
        node: &Node<'_>,
        review: &str,
        aliases: &Aliases,
    ) -> Result<Self, Diagnostic> {
        let fields = node.fields(&KEYS, "[[claim]]")?;
        fields.word("confidence", &CONFIDENCE)?;
        // `check` is a sentence in published claims and a comparison in a user's own.
        let (mut reading, mut checks) = (None, Vec::new());
        match fields.get("check") {
            Some(node) if node.is_table() => checks.push(Check::read(&node, aliases)?),
            Some(node) => reading = Some(node.string()?),
            None => {}
        }
        for node in fields.list("checks")? {
            checks.push(Check::read(&node, aliases)?);
        }
        let unchecked = match fields.string("unchecked")? {
            None if checks.is_empty() => {
                Some("its check is given in words only; add `checks` to have it run".to_owned())
            }
            unchecked => unchecked,
        };
        Ok(Self {
            id: fields.need("id")?.string()?,
            review: fields.string("review")?.unwrap_or_else(|| review.to_owned()),
            at: fields.place(),
            claim: fields.need("claim")?.string()?,
            reading,
            counters: counters(&fields, &checks)?,
            checks,
            unchecked,
            note: fields.string("note")?,
        })
    }
}

impl Claim {
    /// Takes the checks of a shipped claim, if this one has none of its own.
    pub(super) fn inherit(&mut self, library: &Claim) {
        if self.checks.is_empty() {
            self.checks.clone_from(&library.checks);
            self.unchecked.clone_from(&library.unchecked);
            self.counters.clone_from(&library.counters);
        }
    }
}

impl Check {
    fn read(node: &Node<'_>, aliases: &Aliases) -> Result<Self, Diagnostic> {
        let fields = node.fields(&CHECK_KEYS, "a check")?;
        let (left, wanted, metric) = side(&fields.need("left")?, None, aliases)?;
        let first = (&wanted, metric.as_str(), left.relative_to.clone());
        let first = (first.0, first.1, first.2.as_deref());
        let other = |key: &str| -> Result<Option<Box<Side>>, Diagnostic> {
            let Some(node) = fields.get(key) else { return Ok(None) };
            Ok(Some(Box::new(side(&node, Some(first), aliases)?.0)))
        };
        if let Some(range) = fields.get("range") {
            let (low, high) = ends(&range)?;
            let against = match other("of")? {
                Some(of) => Against::Range { of, low, high },
                None => Against::ValueRange { low, high, unit: unit(&fields, &left)? },
            };
            return Ok(Self { left, against });
        }
        let op = fields.word("op", &OPS)?.ok_or_else(|| {
            let help = "write op = \">\" with right or value, or range = [0.9, 1.1] with `of`";
            node.error("a check has neither `op` nor `range`").with_help(help)
        })?;
        let tolerance = fields.get("tolerance").map_or(Ok(0.1), |node| node.number())?;
        let factor = fields.get("factor").map_or(Ok(1.0), |node| node.number())?;
        let against = match other("right")? {
            Some(right) if right.dimension() == left.dimension() => {
                Against::Side { op, right, factor, tolerance }
            }
            Some(right) => {
                let pair = format!("`{}` and `{}`", left.metric, right.metric);
                return Err(node.error(format!("{pair} cannot be compared")));
            }
            None => {
                let value = fields.need("value")?.number()?;
                Against::Value { op, value, unit: unit(&fields, &left)?, tolerance }
            }
        };
        Ok(Self { left, against })
    }
}

/// Reads `counter = { "target" = "another, or the same with other values behind an @" }`, or a list
/// of such tables.
fn counters(fields: &Fields<'_>, checks: &[Check]) -> Result<Vec<Counter>, Diagnostic> {
    let Some(node) = fields.get("counter") else { return Ok(Vec::new()) };
    let known: Vec<&str> = checks.iter().flat_map(Check::sides).flat_map(targets).collect();
    let all = if node.is_array() { node.array()? } else { vec![node] };
    all.iter().map(|node| counter(node, &known)).collect()
}

/// Reads one of them; `known` are the targets of the checks.
fn counter(node: &Node<'_>, known: &[&str]) -> Result<Counter, Diagnostic> {
    let mut counter = Counter::new();
    for (name, _, node) in node.entries()? {
        if !known.contains(&name) {
            let hint = hint("targets", name, known.iter().copied());
            return Err(node.error(format!("no check runs `{name}`")).with_help(hint));
        }
        counter.insert(name.to_owned(), node.string()?);
    }
    Ok(counter)
}

/// The targets of a side, by their slugs.
pub(super) fn targets(side: &Side) -> impl Iterator<Item = &str> {
    side.subject.target().into_iter().chain(side.relative_to.as_deref())
}

/// One side. What it leaves out is taken from `left`, each key as a whole.
fn side(
    node: &Node<'_>,
    left: Option<(&Wanted, &str, Option<&str>)>,
    aliases: &Aliases,
) -> Result<(Side, Wanted, String), Diagnostic> {
    let keys: Vec<&str> = SUBJECT_KEYS.into_iter().chain(SIDE_KEYS).collect();
    let fields = node.fields(&keys, "a side of a check")?;
    let mut wanted = Wanted::read(&fields)?;
    if let Some((left, ..)) = left {
        wanted = wanted.or(left);
    }
    let (text, node) = match (fields.get("metric"), left) {
        (Some(node), _) => (node.string()?, node),
        (None, Some((_, metric, _))) => (metric.to_owned(), *node),
        (None, None) => (String::new(), fields.need("metric")?),
    };
    let (metric, bound) = Metric::parse(&text)
        .map_err(|hint| node.error(format!("unknown metric `{text}`")).with_help(hint))?;
    if bound.is_some() {
        return Err(node
            .error(format!("`{text}` names a bound, but a check compares values"))
            .with_help(format!("write metric = \"{metric}\"")));
    }
    let subject = wanted.resolve(aliases, false)?;
    if subject.runs().len() > 1 {
        return Err(node.error("a side of a check must be a single test"));
    }
    let same = || left.and_then(|(.., second)| second.map(str::to_owned));
    let relative_to = relative(&fields, aliases)?.or_else(same);
    Ok((Side { subject, metric, relative_to }, wanted, text))
}

fn unit(fields: &Fields<'_>, side: &Side) -> Result<Unit, Diagnostic> {
    let (metric, dimension) = (&side.metric, side.dimension());
    let node = fields.need("unit")?;
    let text = node.str()?;
    let unit = Unit::parse_or_hint(text)
        .map_err(|hint| node.error(format!("unknown unit `{text}`")).with_help(hint))?;
    if unit.dimension == dimension {
        return Ok(unit);
    }
    let fitting = metric::UNITS.iter().filter(|unit| unit.dimension == dimension);
    Err(node.error(format!("metric `{metric}` is not measured in `{text}`")).with_help(hint(
        "units",
        "",
        fitting.map(|unit| unit.symbol),
    )))
}

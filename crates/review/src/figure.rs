//! One published figure: a number tied to a drive, a method with parameters, and a metric.

use fio::{Diagnostic, Place};

use super::alias::Aliases;
use super::given::params_of;
use super::node::{Fields, Node, ends};
use super::reading::{Reading, end_of_range, natural};
use super::standing::{STANDING_KEYS, Standing};
use super::subject::{SUBJECT_KEYS, Subject, Wanted, Who, resolve_target};
use answer::reproduction::Basis;
use lab::Run;
use metric::{Bound, Metric};
use metric::{Dimension, UNITS, Unit};
use metric::{ParamValue, Params};

/// Where a published number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reviewer measured it.
    Measured,
    /// A data sheet or an architecture states it.
    Spec,
    /// The review, or someone after it, computed it from other numbers.
    Derived,
    /// A vendor or an author claims it.
    Claim,
    /// It is not a property of a drive.
    Info,
}

/// One `[[ref]]`.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name, unique in its file.
    pub id: String,
    /// The review it belongs to.
    pub review: String,
    /// Where the row starts.
    pub at: Place,
    /// The drive as published, or the target if no device is named.
    pub device: String,
    /// Drive, method and parameters.
    pub subject: Subject,
    /// The metric as written, with the suffix of a bound.
    pub metric_text: String,
    /// The metric.
    pub metric: Metric,
    /// Whether the number is a limit.
    pub bound: Option<Bound>,
    /// The published number in `unit`; of a range its lower end.
    pub value: f64,
    /// The upper end of a published range.
    pub value_to: Option<f64>,
    /// Its unit.
    pub unit: Unit,
    /// Half of the last digit published, in `unit`.
    pub rounding: f64,
    /// Where it comes from.
    pub kind: Kind,
    /// How the model relates to it.
    pub basis: Basis,
    /// The parameters that were chosen with it.
    pub fitted_parameters: Vec<String>,
    /// Second target: the number is the first's metric over the second's.
    pub relative_to: Option<String>,
    /// Parameters of the second run: of the same target, or of the second one.
    pub relative_params: Option<Params>,
    /// What other rows state of the same total, in `unit`: the model's total less this is
    /// compared.
    pub beside: f64,
    /// Why it has this basis, or why it misses.
    pub why: Option<String>,
    /// Remark on the published number.
    pub note: Option<String>,
    /// How much the row weighs.
    pub standing: Standing,
    /// What it has from a shipped row of the same id.
    pub inherited: Option<String>,
    basis_given: bool,
    /// The parameters that the row itself states.
    stated: Params,
}

pub(super) const KEYS: [&str; 16] = [
    "id",
    "review",
    "place",
    "metric",
    "value",
    "unit",
    "kind",
    "confidence",
    "note",
    "basis",
    "fitted_parameters",
    "bound",
    "relative_to",
    "relative_params",
    "beside",
    "why",
];

pub(super) const BASES: [(&str, Basis); 4] = [
    ("fitted", Basis::Fitted),
    ("predicted", Basis::Predicted),
    ("input", Basis::Input),
    ("not_modelled", Basis::NotModelled),
];
pub(super) const KINDS: [(&str, Kind); 5] = [
    ("measured", Kind::Measured),
    ("spec", Kind::Spec),
    ("derived", Kind::Derived),
    ("claim", Kind::Claim),
    ("info", Kind::Info),
];
pub(super) const BOUNDS: [(&str, Bound); 2] = [("min", Bound::Min), ("max", Bound::Max)];
pub(super) const CONFIDENCE: [(&str, ()); 3] = [("high", ()), ("medium", ()), ("low", ())];

/// How a row stands to the shipped row of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinship {
    /// It states a basis or another number, or is about another run: nothing is taken.
    Other,
    /// It is about the same run, or no model knows the drive: basis and reasons are taken.
    Same,
    /// It leaves open what the shipped row has decided: the measurement is taken, too.
    LeavesOpen,
}

impl Figure {
    /// Reads one row.
    pub(super) fn read(
        node: &Node<'_>,
        review: &str,
        aliases: &Aliases,
    ) -> Result<Self, Diagnostic> {
        let keys: Vec<&str> =
            KEYS.iter().chain(&SUBJECT_KEYS).chain(&STANDING_KEYS).copied().collect();
        let fields = node.fields(&keys, "[[ref]]")?;
        let id = fields.need("id")?.string()?;
        let wanted = Wanted::read(&fields)?;
        let device = fields.string("device")?.or_else(|| Some(wanted.target.as_ref()?.1.clone()));
        let basis = fields.word("basis", &BASES)?;
        let kind = fields.word("kind", &KINDS)?.unwrap_or(Kind::Measured);
        fields.word("confidence", &CONFIDENCE)?;
        let (metric_text, reading) = metric(&fields, aliases)?;
        let relative_to = relative(&fields, aliases)?.or(reading.second);
        let relative_params =
            fields.get("relative_params").map(|node| params_of(Some(node))).transpose()?;
        let is_ratio = relative_to.is_some() || relative_params.is_some();
        fields.need("unit")?;
        let value = fields.need("value")?;
        let (low, high) = published(&value, reading.bound)?;
        let bounded = reading.bound.is_some() || high.is_some();
        let subject = match basis {
            // What is said not to be modelled need not name anything that is known.
            Some(Basis::NotModelled) => Subject::NotModelled(
                fields.string("why")?.unwrap_or_else(|| "the row says so".to_owned()),
            ),
            _ => wanted.resolve(aliases, bounded)?,
        };
        let (metric, bound) = measured(reading.metric, reading.bound, bounded, &subject);
        let unit = unit(&fields, &metric, is_ratio)?;
        if subject.runs().len() > 1 && bound.is_none() && high.is_none() {
            return Err(boundless(&fields.need("metric")?));
        }
        Ok(Self {
            review: fields.string("review")?.unwrap_or_else(|| review.to_owned()),
            at: fields.place(),
            device: device.unwrap_or_default(),
            value: low,
            value_to: high,
            rounding: rounding(value.text()),
            basis: basis.unwrap_or_else(|| default_basis(&subject, kind)),
            fitted_parameters: fields.strings("fitted_parameters")?,
            beside: fields.get("beside").map_or(Ok(0.0), |node| node.number())?,
            why: fields.string("why")?,
            note: fields.string("note")?,
            id,
            subject,
            metric_text,
            metric,
            bound,
            unit,
            kind,
            relative_to,
            relative_params,
            standing: Standing::read(&fields)?,
            inherited: None,
            basis_given: basis.is_some(),
            stated: wanted.params.unwrap_or_default(),
        })
    }

    /// The basis that the row itself states, if it does.
    pub fn stated_basis(&self) -> Option<Basis> {
        self.basis_given.then_some(self.basis)
    }

    /// Takes from the shipped row of its id what it leaves unsaid. What was taken is said with the
    /// figure: the number judged must not silently be another one than the row names.
    pub(super) fn inherit(&mut self, shipped: &Figure) {
        let kinship = self.kinship(shipped);
        if kinship == Kinship::Other {
            return;
        }
        let open = kinship == Kinship::LeavesOpen;
        if open {
            self.metric = shipped.metric.clone();
            self.bound = shipped.bound;
            self.relative_to.clone_from(&shipped.relative_to);
            self.relative_params.clone_from(&shipped.relative_params);
        }
        self.inherited = Some(self.taken(shipped, open));
        self.basis = shipped.basis;
        self.subject = shipped.subject.clone();
        self.fitted_parameters.clone_from(&shipped.fitted_parameters);
        self.beside = shipped.beside;
        self.standing = self.standing.or(&shipped.standing);
        self.why = self.why.take().or_else(|| shipped.why.clone());
    }

    /// How the row stands to the shipped one of its id.
    fn kinship(&self, shipped: &Figure) -> Kinship {
        let number = |figure: &Figure| (figure.value, figure.value_to, figure.unit);
        if self.basis_given || number(self) != number(shipped) {
            return Kinship::Other;
        }
        let unknown = |figure: &Figure| matches!(figure.subject, Subject::NotModelled(_));
        let same_drive = unknown(self) || self.device == shipped.device;
        if same_drive && (!self.is_answerable() || self.says_less_than(shipped)) {
            return Kinship::LeavesOpen;
        }
        match unknown(shipped) || self.subject.runs() == shipped.subject.runs() {
            true => Kinship::Same,
            false => Kinship::Other,
        }
    }

    /// What is taken of a shipped row, in words.
    fn taken(&self, shipped: &Figure, open: bool) -> String {
        let mut taken = vec![format!("basis `{}`", shipped.basis.name())];
        if let (true, Some(run)) = (open, shipped.subject.runs().first()) {
            taken.push(format!("`{}` by `{}`", shipped.metric, run.method));
            if shipped.subject.runs() != self.subject.runs() {
                taken.push("parameters".to_owned());
            }
            if shipped.bound != self.bound {
                taken.push("bound".to_owned());
            }
            if shipped.relative_to != self.relative_to
                || shipped.relative_params != self.relative_params
            {
                taken.push("what it is relative to".to_owned());
            }
        }
        if shipped.beside != self.beside {
            taken.push("`beside`".to_owned());
        }
        format!("taken from the shipped row of this id: {}", taken.join(", "))
    }

    /// Whether the other row is about the same drive and says all that this one says and more: the
    /// same method with further parameters, or a run where this one only looks up what a model
    /// contains.
    fn says_less_than(&self, other: &Figure) -> bool {
        let (mine, theirs) = (self.subject.runs(), other.subject.runs());
        let ([mine], [theirs]) = (mine, theirs) else { return false };
        let within = self.stated.iter().all(|(name, value)| {
            let same = |known: &ParamValue| known.to_string() == value;
            other.stated.get(name).or_else(|| theirs.params.get(name)).is_some_and(same)
        });
        let same_test = mine.method == theirs.method && self.metric_text == other.metric_text;
        let measured = mine.is_fact() && !theirs.is_fact();
        mine.target == theirs.target && within && (same_test || measured)
    }

    /// Whether methods and drives are named that have such parameters and measure such a number.
    fn is_answerable(&self) -> bool {
        let known = |run: &Run| match lab::find(&run.method) {
            Ok(method) => method.foreign(&run.params).is_empty(),
            Err(_) => run.is_fact(),
        };
        let runs = self.subject.runs();
        !runs.is_empty() && !self.metric.is_carried() && runs.iter().all(known)
    }

    /// The runs it needs: those of the subject, and the same on the second target.
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        let second = self.subject.runs().iter().filter_map(|run| self.second(run));
        self.subject.runs().iter().cloned().chain(second)
    }

    /// The run that divides, if the number is a ratio.
    pub fn second(&self, run: &Run) -> Option<Run> {
        if self.relative_to.is_none() && self.relative_params.is_none() {
            return None;
        }
        let target = self.relative_to.as_ref().unwrap_or(&run.target).clone();
        let changed = self.relative_params.as_ref().map(|params| params.over(&run.params));
        let params = changed.unwrap_or_else(|| run.params.clone());
        Some(Run { target, params, ..run.clone() })
    }

    /// One end of a published range as a row of its own: `ID.lo` or `ID.hi`.
    pub(super) fn end(&self, id: &str) -> Option<Figure> {
        let high = self.value_to?;
        let (value, bound) = match id.strip_prefix(self.id.as_str())? {
            ".lo" => (self.value, Bound::Min),
            ".hi" => (high, Bound::Max),
            _ => return None,
        };
        let bound = Some(bound);
        Some(Figure { id: id.to_owned(), value, value_to: None, bound, ..self.clone() })
    }

    /// Of a ratio: what one side being as large as the other is, in the row's unit.
    pub(super) fn one(&self) -> Option<f64> {
        let of_two = self.relative_to.is_some() || self.relative_params.is_some();
        // A gain (less what it is beside), and a metric made of two, have 0 for no difference.
        let ratio = of_two && self.metric.versus().is_none() || self.unit.symbol == "x";
        (ratio && self.beside == 0.0).then(|| self.unit.from_base(1.0))
    }

    /// The published number in the base unit of its metric.
    pub fn published(&self) -> f64 {
        self.unit.to_base(self.value)
    }
}

/// What was measured, and whether it is a limit. A row that names no metric means what its subject
/// is known for; a metric that is named like the end of a range is a limit.
fn measured(
    metric: Option<Metric>,
    bound: Option<Bound>,
    bounded: bool,
    subject: &Subject,
) -> (Metric, Option<Bound>) {
    match metric {
        None => (natural(subject).unwrap_or_else(|_| Metric::ratio()), bound),
        Some(metric) if !bounded => match end_of_range(&metric, subject) {
            Some((metric, bound)) => (metric, Some(bound)),
            None => (metric, None),
        },
        Some(metric) => (metric, bound),
    }
}

/// The error of a row that holds one number for several tests.
fn boundless(metric: &Node<'_>) -> Diagnostic {
    let help = "add bound = \"min\" or \"max\", a range as value, or name one test";
    metric.error("a row about several tests needs a bound").with_help(help)
}

fn default_basis(subject: &Subject, kind: Kind) -> Basis {
    match subject {
        Subject::NotModelled(_) => Basis::NotModelled,
        _ if kind == Kind::Info => Basis::NotModelled,
        Subject::Runs { runs, .. } if runs.iter().all(Run::is_fact) => Basis::Input,
        Subject::Runs { .. } => Basis::Predicted,
    }
}

fn metric(fields: &Fields<'_>, aliases: &Aliases) -> Result<(String, Reading), Diagnostic> {
    let node = fields.need("metric")?;
    let text = node.string()?;
    let reading = Reading::parse(&text, aliases)
        .map_err(|hint| node.error(format!("unknown metric `{text}`")).with_help(hint))?;
    let said = fields.word("bound", &BOUNDS)?;
    match (said, reading.bound) {
        (Some(said), Some(suffix)) if said != suffix => Err(node
            .error(format!("metric `{text}` and `bound` contradict each other"))
            .with_help("drop one of them, or write the metric without its ending")),
        _ => Ok((text, Reading { bound: said.or(reading.bound), ..reading })),
    }
}

fn unit(fields: &Fields<'_>, metric: &Metric, ratio: bool) -> Result<Unit, Diagnostic> {
    let node = fields.need("unit")?;
    let text = node.str()?;
    let unit = Unit::parse_or_hint(text)
        .map_err(|hint| node.error(format!("unknown unit `{text}`")).with_help(hint))?;
    let wanted = if ratio { Dimension::Number } else { metric.dimension() };
    if unit.dimension == wanted {
        return Ok(unit);
    }
    let fitting: Vec<&str> =
        UNITS.iter().filter(|unit| unit.dimension == wanted).map(|unit| unit.symbol).collect();
    Err(node
        .error(format!("metric `{metric}` is not measured in `{text}`"))
        .with_help(format!("its units: {}", fitting.join(", "))))
}

/// The published number, or both ends of a range.
fn published(node: &Node<'_>, bound: Option<Bound>) -> Result<(f64, Option<f64>), Diagnostic> {
    if !node.is_array() {
        return Ok((node.number()?, None));
    }
    let (low, high) = ends(node)?;
    match bound {
        None => Ok((low, Some(high))),
        Some(_) => Err(node
            .error("a range is a limit on both sides already")
            .with_help("drop `bound` and the ending of the metric, or name one number")),
    }
}

/// The second drive that a row or a side of a check names: a target.
pub(super) fn relative(
    fields: &Fields<'_>,
    aliases: &Aliases,
) -> Result<Option<String>, Diagnostic> {
    let Some(node) = fields.get("relative_to") else { return Ok(None) };
    let name = node.str()?;
    // A name of the alias table, else a target: a slug or a path.
    let who = if aliases.device(name).is_ok() { Who::Device } else { Who::Target };
    match resolve_target(who, name, &node.place(), aliases)? {
        Ok(target) => Ok(Some(target.name)),
        Err(why) => Err(node.error(format!("`{name}` cannot be a second target: {why}"))),
    }
}

/// Half of the last digit in a number as written: 0.05 for `14.0`, 0.5 for `64`.
fn rounding(text: &str) -> f64 {
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.chars().take_while(char::is_ascii_digit).count());
    let decimals = i32::try_from(decimals).unwrap_or(0).min(15);
    0.5 * 10f64.powi(-decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_half_of_the_last_digit_written() {
        assert_eq!(rounding("64"), 0.5);
        assert_eq!(rounding("14.0"), 0.05);
        assert_eq!(rounding("13.26"), 0.005);
    }
}

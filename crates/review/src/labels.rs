//! Labels that follow from what is measured, not from the name of a row.
//!
//! A row may say less of itself than what is known of the same measurement, never more: see
//! `docs/decisions/0032`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fio::{Diagnostic, Place};
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::claim::Side;
use super::figure::Figure;
use super::subject::Subject;
use answer::reproduction::{Basis, Carrier};
use lab::Run;
use metric::Metric;

/// A figure that moves with one value of its model as this power of it or more is that value, said
/// once more.
pub const CARRIES: f64 = 0.9;

/// What was derived about one measured figure, as a file of `reviews/basis` keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// What is measured: [`Figure::measured`].
    pub what: String,
    /// `input` or `predicted`.
    pub basis: String,
    /// The sourced value of the model that moves it most; none if no value moves it.
    #[serde(default, flatten)]
    pub strongest: Option<Carrier>,
    /// How many sourced values were moved.
    pub moved: usize,
    /// Values that no step could move: with them the model cannot be built or measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmoved: Vec<String>,
    /// Fingerprint of model, method and workload at that time.
    pub inputs: String,
}

/// A file of `reviews/basis`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivedFile {
    /// One entry for each measured figure.
    #[serde(default)]
    pub figure: Vec<Derived>,
}

impl DerivedFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is none of these files.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        toml::from_str(text).map_err(|error| {
            let at = Place { file: Arc::from(file), line: 1, column: 1 };
            Diagnostic::new(&at, error.message())
                .with_help("`drivelab labels` writes these files; nobody edits them")
        })
    }

    /// The file as text.
    ///
    /// # Errors
    /// If it has no TOML form.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        Ok(format!("{HEADER}\n{}", toml::to_string(self)?))
    }
}

const HEADER: &str = "\
# Written by `drivelab labels`; do not edit. Each entry is a measured figure that a review predicts:
# the sourced value of the model that moves it most, the change of its logarithm with that of the
# value, and the label that follows (docs/decisions/0032). A figure that a value carries with 0.9 or
# more is an input.
";

impl Derived {
    /// The label.
    pub fn label(&self) -> Basis {
        if self.basis == Basis::Input.name() { Basis::Input } else { Basis::Predicted }
    }
}

/// What is known of measured figures beyond what their rows say.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    derived: BTreeMap<String, Derived>,
    /// Rows by what they measure: id, and the basis that the row states itself.
    rows: BTreeMap<String, Vec<(String, Option<Basis>)>>,
    /// Whether there is a library to ask at all; a bare list of figures has none.
    known: bool,
}

/// The label of a row, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What it counts as.
    pub basis: Basis,
    /// What a reader must know of it.
    pub remarks: Vec<String>,
    /// The value of the model that carries it, if one does.
    pub carried_by: Option<Carrier>,
}

impl Labels {
    /// Adds what was derived; of two entries about the same the later counts.
    pub fn add_derived(&mut self, derived: impl IntoIterator<Item = Derived>) {
        self.known = true;
        self.derived.extend(derived.into_iter().map(|entry| (entry.what.clone(), entry)));
    }

    /// Adds the rows of a file, so that others about the same are known as such.
    pub fn add_rows(&mut self, figures: &[Figure]) {
        for figure in figures {
            let Some(what) = figure.measured() else { continue };
            let row = (figure.id.clone(), figure.stated_basis());
            self.rows.entry(what).or_default().push(row);
        }
    }

    /// What was derived about a figure, if anything was.
    pub fn derived(&self, what: &str) -> Option<&Derived> {
        self.derived.get(what)
    }

    /// The row among `ids` that is this one or measures the same.
    fn chosen_with(&self, figure: &Figure, ids: &BTreeSet<String>) -> Option<String> {
        if ids.contains(&figure.id) {
            return Some(figure.id.clone());
        }
        self.row_among(&figure.measured()?, ids).cloned()
    }

    /// The row among `ids` that measures this.
    fn row_among(&self, what: &str, ids: &BTreeSet<String>) -> Option<&String> {
        self.rows.get(what)?.iter().map(|(id, _)| id).find(|id| ids.contains(*id))
    }

    /// A row about this that says less of itself than `predicted`.
    fn says_less(&self, what: &str) -> Option<(&str, Basis)> {
        let rows = self.rows.get(what)?;
        rows.iter().find_map(|(id, basis)| Some((id.as_str(), basis.filter(is_less)?)))
    }

    /// What a side of a claim is if the models were given it: fitted to a row that measures the
    /// same, or an input. `None` of what the models have to say by themselves.
    pub(super) fn given(&self, side: &Side, bench: &dyn Bench) -> Option<Basis> {
        let what = measured(&side.subject, |run| side.second(run), &side.metric)?;
        if self.row_among(&what, &ids_of(side.runs(), bench)).is_some() {
            return Some(Basis::Fitted);
        }
        let derived = || self.derived(&what).map(Derived::label).filter(is_less);
        self.says_less(&what).map(|(_, basis)| basis).or_else(derived)
    }

    /// Whether the label of a figure has to be derived: it calls itself predicted, names a run, and
    /// nothing that is known of the same measurement says less.
    pub fn is_open(&self, figure: &Figure, bench: &dyn Bench) -> bool {
        figure.basis == Basis::Predicted
            && figure.measured().is_some_and(|what| self.says_less(&what).is_none())
            && self.chosen_with(figure, &ids_of(figure.runs(), bench)).is_none()
    }

    /// The label of a row that calls itself predicted. Others say less already, and keep it.
    pub(super) fn of_predicted(&self, figure: &Figure, bench: &dyn Bench) -> Label {
        let mut label = Label { basis: Basis::Predicted, remarks: Vec::new(), carried_by: None };
        if let Some(id) = self.chosen_with(figure, &ids_of(figure.runs(), bench)) {
            label.basis = Basis::Fitted;
            label.remarks.push(match id == figure.id {
                true => "the model was fitted with this figure".to_owned(),
                false => format!("the model was fitted with `{id}`, which measures the same"),
            });
        } else if let Some((id, basis)) = figure.measured().and_then(|what| self.says_less(&what)) {
            label.basis = basis;
            let name = basis.name();
            label.remarks.push(format!("`{id}` measures the same, and is {name}"));
        } else if self.known {
            self.by_derivation(figure, bench, &mut label);
        }
        if label.basis != Basis::Predicted && figure.stated_basis() == Some(Basis::Predicted) {
            let name = label.basis.name();
            label.remarks.push(format!("the row says predicted, and counts as {name}"));
        }
        label
    }

    fn by_derivation(&self, figure: &Figure, bench: &dyn Bench, label: &mut Label) {
        let entry = figure.measured().and_then(|what| self.derived(&what));
        let Some(entry) = entry else {
            label.remarks.push("basis declared, not derived".to_owned());
            return;
        };
        if bench.inputs(figure).is_some_and(|now| now != entry.inputs) {
            let why = "basis declared: it was derived for other values of model or method";
            label.remarks.push(why.to_owned());
            return;
        }
        let Some(carrier) = &entry.strongest else { return };
        if entry.label() == Basis::Input {
            let Carrier { value, source, elasticity } = carrier;
            label.basis = Basis::Input;
            label.remarks.push(format!("carried by {value} ({source}), elasticity {elasticity}"));
            label.carried_by = Some(carrier.clone());
        }
    }
}

/// A label that says less than `predicted`.
fn is_less(basis: &Basis) -> bool {
    matches!(basis, Basis::Fitted | Basis::Input)
}

/// Ids of all figures with which something was chosen that these runs depend on.
fn ids_of(runs: impl Iterator<Item = Run>, bench: &dyn Bench) -> BTreeSet<String> {
    let runs: Vec<Run> = runs.collect();
    let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
    let by_models = targets.into_iter().flat_map(|target| bench.fitted_on(target));
    by_models.chain(runs.iter().flat_map(fitted_on_by_method)).collect()
}

/// Ids of the figures with which something in the method of a run, or in the workload that it
/// names, was chosen.
pub fn fitted_on_by_method(run: &Run) -> BTreeSet<String> {
    let method = lab::find(&run.method).map(|method| method.fitted_on.clone());
    let mut ids: BTreeSet<String> = method.unwrap_or_default().into_iter().collect();
    if let Some(workload) = run.params.get("workload") {
        ids.extend(library::Workload::fitted_on(&workload.to_string()));
    }
    ids
}

impl Figure {
    /// What is measured: target, method, parameters and metric of every run, and the same of the
    /// run that divides. Rows that agree in it are about one number. `None` if it names no run.
    pub fn measured(&self) -> Option<String> {
        measured(&self.subject, |run| self.second(run), &self.metric)
    }
}

/// What is measured: target, method, parameters and metric of every run, and the same of the run
/// that divides. Rows and sides of claims that agree in it are about one number, whatever they are
/// called, and whichever of the names of a rate they use. `None` if it names no run.
pub(super) fn measured(
    subject: &Subject,
    second: impl Fn(&Run) -> Option<Run>,
    metric: &Metric,
) -> Option<String> {
    let one = |run: &Run| {
        let target = library::canonical(&run.target);
        format!("{target} | {} | {}", run.method, run.params)
    };
    let metric = match metric.name() {
        // In one run they differ by the size of its transfers and the length of a day.
        "iops" | "bandwidth" | "gb_per_day" | "tb_per_day" => "rate",
        "read_iops" | "read_bandwidth" => "read rate",
        "write_iops" | "write_bandwidth" => "write rate",
        name => name,
    };
    let runs: Vec<String> = subject
        .runs()
        .iter()
        .map(|run| match second(run) {
            Some(second) => format!("{} over {}", one(run), one(&second)),
            None => one(run),
        })
        .collect();
    (!runs.is_empty()).then(|| format!("{} | {metric}", runs.join(" and ")))
}

//! The sums of all reviews: what was hit, what was missed, by how much.

use super::{AIMS, name_of, reproductions};
use crate::document::{Block, Cell, DataTable};
use crate::number::percent;
use crate::source::Source;
use answer::Reproduction;
use answer::reproduction::{Basis, BasisSummary, Summary};

/// The rows of the table of each review.
const TITLES: [&str; 14] = [
    "Fitted within 5 %",
    "Median error, fitted",
    "Worst, fitted",
    "Predicted within 15 %",
    "Median error, predicted",
    "Worst, predicted",
    "Bounds held",
    "Informative predictions right",
    "Open",
    "Inputs",
    "Not modelled",
    "Claims held",
    "Claims failed",
    "Claims open",
];

/// The sums of all reviews, worst first to be seen: what was hit, what was missed, by how much.
pub fn summary(sources: &[Source]) -> Vec<Block> {
    let reviews: Vec<(&Source, &Reproduction)> = reproductions(sources).collect();
    if reviews.is_empty() {
        return Vec::new();
    }
    let mut sums = Sums::default();
    let ones: Vec<(String, Vec<Cell>)> = reviews
        .iter()
        .map(|(source, result)| {
            let one = One(&result.summary);
            sums.add(&one);
            (name_of(source, result), one.cells())
        })
        .collect();
    let mut blocks = vec![Block::Text(sums.aims()), Block::Text(sums.tested())];
    blocks.extend(ones.chunks(BESIDE).map(|part| Block::Table(table(part))));
    blocks
}

/// Reviews that stand beside each other in a table.
const BESIDE: usize = 6;

/// The sums of some reviews, a column each.
fn table(reviews: &[(String, Vec<Cell>)]) -> DataTable {
    let mut table = DataTable::new("The models against the reviews", &["Figures and claims"]);
    for (name, _) in reviews {
        table.number_column(name.clone());
    }
    for (at, title) in TITLES.into_iter().enumerate() {
        let cells = reviews.iter().filter_map(|(_, cells)| cells.get(at).cloned());
        table.rows.push(std::iter::once(Cell::text(title)).chain(cells).collect());
    }
    table
}

/// A part of a whole, counted.
#[derive(Clone, Copy, Default)]
struct Part {
    part: usize,
    whole: usize,
}

impl Part {
    fn add(&mut self, other: Part) {
        self.part += other.part;
        self.whole += other.whole;
    }

    fn cell(self) -> Cell {
        let Part { part, whole } = self;
        match whole {
            0 => Cell::text("-"),
            _ => Cell::number(format!("{part} of {whole}"), part as f64 / whole as f64),
        }
    }
}

/// The summary of one reproduction.
struct One<'s>(&'s Summary);

impl One<'_> {
    /// Of fitted figures and of predictions.
    fn both(&self, count: fn(&BasisSummary) -> usize) -> usize {
        count(&self.0.fitted) + count(&self.0.predicted)
    }

    /// Figures of a basis that came near enough.
    fn hits(&self, basis: Basis) -> Part {
        let of = self.0.basis(basis);
        Part { part: of.hits, whole: of.compared }
    }

    /// Bounds that held.
    fn bounds(&self) -> Part {
        let held = self.both(|of| of.bounds_held);
        Part { part: held, whole: held + self.both(|of| of.bounds_failed) }
    }

    /// Predictions that test a model and are right.
    fn informative(&self) -> Part {
        let tested = &self.0.informative;
        Part { part: tested.right, whole: tested.right + tested.wrong }
    }

    /// Its row, behind the name.
    fn cells(&self) -> Vec<Cell> {
        let number = |value: usize| Cell::number(value.to_string(), value as f64);
        let error = |error: Option<f64>| match error {
            Some(error) => Cell::number(percent(error), error),
            None => Cell::text("-"),
        };
        let mut cells = Vec::new();
        for (basis, _) in AIMS {
            cells.push(self.hits(basis).cell());
            cells.push(error(self.0.basis(basis).median_error));
            cells.push(error(self.0.basis(basis).worst_error));
        }
        cells.push(self.bounds().cell());
        cells.push(self.informative().cell());
        cells.push(number(self.both(|of| of.open)));
        cells.push(number(self.0.input.count));
        cells.push(number(self.0.not_modelled.count));
        let claims = [self.0.claims_held, self.0.claims_failed, self.0.claims_open];
        cells.extend(claims.map(number));
        cells
    }
}

/// What all reproductions come to together.
#[derive(Default)]
struct Sums {
    fitted: Part,
    predicted: Part,
    informative: Part,
    open: usize,
    claims_held: usize,
    claims_failed: usize,
    claims_open: usize,
}

impl Sums {
    fn add(&mut self, one: &One<'_>) {
        self.fitted.add(one.hits(Basis::Fitted));
        self.predicted.add(one.hits(Basis::Predicted));
        self.informative.add(one.informative());
        self.open += one.both(|of| of.open);
        self.claims_held += one.0.claims_held;
        self.claims_failed += one.0.claims_failed;
        self.claims_open += one.0.claims_open;
    }

    /// How many figures and claims come out as they should.
    fn aims(&self) -> String {
        let Sums { fitted, predicted, .. } = self;
        format!(
            "{} of {} figures on which a parameter was fitted come within 5 % of what was \
             published, and {} of {} that are predictions within 15 %. Of what the reviews say in \
             words, {} hold and {} do not. A figure that is an input of the models, that no model \
             can have, or that its own review refutes is counted apart and never as a hit. {} \
             figures and {} claims are open: the limit lies within the 95 % interval of the \
             simulated value, and more work may decide.",
            fitted.part,
            fitted.whole,
            predicted.part,
            predicted.whole,
            self.claims_held,
            self.claims_failed,
            self.open,
            self.claims_open
        )
    }

    /// How many of the predictions that test a model are right.
    fn tested(&self) -> String {
        format!(
            "{} of {} predictions that test a model are right. What is one number counts once; \
             what repeats a fitted figure, lies far inside a bound or would hit with any model \
             does not count.",
            self.informative.part, self.informative.whole
        )
    }
}

//! The reviews that drivelab knows, and the files a user brings.

use std::collections::{BTreeMap, BTreeSet};

use fio::{Diagnostic, Place};

use super::alias::Aliases;
use super::claim::Claim;
use super::figure::Figure;
use super::labels::{DerivedFile, Labels};
use super::node::{Node, Source};
use answer::reproduction::Remark;
use metric::hint;

const ALIASES: (&str, &str) =
    ("reviews/aliases.toml", include_str!("../../../reviews/aliases.toml"));

macro_rules! shipped {
    ($($name:literal)*) => {
        /// The reviews as they are shipped: file and text.
        const SHIPPED: &[(&str, &str)] = &[$((
            concat!("reviews/", $name, ".toml"),
            include_str!(concat!("../../../reviews/", $name, ".toml")),
        )),*];

        /// What was derived about their figures: file and text.
        const DERIVED: &[(&str, &str)] = &[$((
            concat!("reviews/basis/", $name, ".toml"),
            include_str!(concat!("../../../reviews/basis/", $name, ".toml")),
        )),*];
    };
}

shipped! {
    "data-sheets"
    "intel-710"
    "optane-memory"
    "p5520-showdown"
    "quiet-drives"
    "raid-10gbs"
    "solidigm-d5-p5430"
}

/// The rows of one file.
#[derive(Clone, Debug, Default)]
pub struct ReviewFile {
    /// Published figures.
    pub figures: Vec<Figure>,
    /// Claims in words.
    pub claims: Vec<Claim>,
    /// Test beds: review and text.
    pub setups: Vec<(String, String)>,
    /// What must be known of a review as a whole.
    pub remarks: Vec<Remark>,
    /// What is known of its figures beyond what the rows say.
    pub labels: Labels,
}

impl ReviewFile {
    /// Reads a reviews file. Rows that name no review belong to one called like the file.
    /// Rows of `known` lend their basis and checks to rows with the same id that state none.
    ///
    /// # Errors
    /// All mistakes in the rows, each with its place: bad TOML, unknown names, values that cannot
    /// be read, an id that is used twice.
    pub fn parse(
        file: &str,
        text: &str,
        aliases: &Aliases,
        known: &ReviewFile,
    ) -> Result<Self, Diagnostic> {
        let source = Source::new(file, text);
        let document = source.parse()?;
        let fields = document.fields(&["ref", "claim", "setup", "remark"])?;
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let review = name.strip_suffix(".toml").unwrap_or(name);
        let mut read = Self::default();
        let mut wrong: Vec<Diagnostic> = Vec::new();
        let mut ids: BTreeMap<String, Place> = BTreeMap::new();
        let mut unique = |id: &str, at: &Place| match ids.insert(id.to_owned(), at.clone()) {
            None => Ok(()),
            Some(first) => Err(Diagnostic::new(at, format!("the id `{id}` is used twice"))
                .with_help(format!("the first is at line {}; rename one", first.line))),
        };
        read.figures = each(fields.list("ref")?, &mut wrong, |node| {
            let mut figure = Figure::read(node, review, aliases)?;
            if let Some(row) = known.figures.iter().find(|row| row.id == figure.id) {
                figure.inherit(row);
            } else if let Some(end) = known.figures.iter().find_map(|row| row.end(&figure.id)) {
                figure.inherit(&end);
            }
            unique(&figure.id, &figure.at)?;
            Ok(figure)
        });
        read.claims = each(fields.list("claim")?, &mut wrong, |node| {
            let mut claim = Claim::read(node, review, aliases)?;
            if let Some(row) = known.claims.iter().find(|row| row.id == claim.id) {
                claim.inherit(row);
            }
            unique(&claim.id, &claim.at)?;
            Ok(claim)
        });
        let note = |node: &Node<'_>, what: &str| {
            let fields = node.fields(&["review", "text"], what)?;
            let review = fields.string("review")?.unwrap_or_else(|| review.to_owned());
            Ok((review, fields.need("text")?.string()?))
        };
        read.setups = each(fields.list("setup")?, &mut wrong, |node| note(node, "[[setup]]"));
        let remarks = each(fields.list("remark")?, &mut wrong, |node| note(node, "[[remark]]"));
        read.remarks = remarks.into_iter().map(|(review, text)| Remark { review, text }).collect();
        let there: BTreeSet<&str> = read.ids().chain(known.ids()).map(|(id, _)| id).collect();
        wrong.extend(read.figures.iter().filter_map(|figure| figure.standing.wrong(&there)));
        if let Some(all) = Diagnostic::several(wrong) {
            return Err(all);
        }
        if read.figures.is_empty() && read.claims.is_empty() {
            let help = "add a figure as a table [[ref]], a claim as a table [[claim]]";
            let nothing = "the file has neither figures nor claims";
            return Err(Diagnostic::new(&fields.place(), nothing).with_help(help));
        }
        Ok(read)
    }
}

/// What is read of each table of a list. A mistake in one does not hide those of the others.
fn each<'a, T>(
    nodes: Vec<Node<'a>>,
    wrong: &mut Vec<Diagnostic>,
    mut read: impl FnMut(&Node<'a>) -> Result<T, Diagnostic>,
) -> Vec<T> {
    let mut found = Vec::new();
    for node in nodes {
        match read(&node) {
            Ok(one) => found.push(one),
            Err(error) => wrong.push(error),
        }
    }
    found
}

/// The files of reviews as they are shipped: name and text.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHIPPED.iter().map(|(file, text)| (*file, *text))
}

/// All reviews at hand.
#[derive(Clone, Debug)]
pub struct Library {
    aliases: Aliases,
    shipped: ReviewFile,
    brought: Option<ReviewFile>,
}

impl Library {
    /// The reviews as they are shipped.
    ///
    /// # Errors
    /// If a shipped file has a mistake.
    pub fn shipped() -> Result<Self, Diagnostic> {
        let aliases = Aliases::parse(ALIASES.0, ALIASES.1)?;
        let mut shipped = ReviewFile::default();
        for (file, text) in SHIPPED {
            let read = ReviewFile::parse(file, text, &aliases, &ReviewFile::default())?;
            shipped.append(read);
        }
        for (file, text) in DERIVED {
            shipped.labels.add_derived(DerivedFile::parse(file, text)?.figure);
        }
        let mut library = Self { aliases, shipped, brought: None };
        library.shipped.labels.add_rows(&library.shipped.figures);
        Ok(library)
    }

    /// Adds a user's file. Where it has a row with the id of a shipped one, its row counts.
    ///
    /// # Errors
    /// As [`ReviewFile::parse`], or if an earlier file of the user has a row with the same id.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), Diagnostic> {
        let read = ReviewFile::parse(file, text, &self.aliases, &self.shipped)?;
        let brought = self.brought.get_or_insert_default();
        let ids: BTreeSet<&str> = brought.ids().map(|(id, _)| id).collect();
        if let Some((id, at)) = read.ids().find(|(id, _)| ids.contains(id)) {
            let help = "two files that are read together must not share an id";
            let message = format!("the id `{id}` is used in an earlier file too");
            return Err(Diagnostic::new(at, message).with_help(help));
        }
        brought.append(read);
        Ok(())
    }

    /// The names of drives and tests.
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// Names of all reviews, ordered.
    pub fn names(&self) -> Vec<&str> {
        let files = self.brought.iter().chain([&self.shipped]);
        let names: BTreeSet<&str> = files.flat_map(ReviewFile::reviews).collect();
        names.into_iter().collect()
    }

    /// The rows of the named reviews. Without names: those of the user's files, else all.
    ///
    /// # Errors
    /// If a review is unknown: a hint at the nearest name.
    pub fn select(&self, names: &[String]) -> Result<ReviewFile, String> {
        let known = self.names();
        if let Some(wrong) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let hint = hint("reviews", wrong, known.iter().copied());
            return Err(format!("unknown review `{wrong}`; {hint}"));
        }
        let mut labels = self.shipped.labels.clone();
        self.brought.iter().for_each(|brought| labels.add_rows(&brought.figures));
        if names.is_empty() {
            let all = self.brought.clone().unwrap_or_else(|| self.shipped.clone());
            return Ok(ReviewFile { labels, ..all });
        }
        let mut selected = self.brought.clone().unwrap_or_default();
        selected.labels = labels;
        let mine: BTreeSet<String> = selected.ids().map(|(id, _)| id.to_owned()).collect();
        let mut shipped = self.shipped.clone();
        shipped.figures.retain(|figure| !mine.contains(&figure.id));
        shipped.claims.retain(|claim| !mine.contains(&claim.id));
        selected.append(shipped);
        selected.figures.retain(|figure| names.contains(&figure.review));
        selected.claims.retain(|claim| names.contains(&claim.review));
        selected.setups.retain(|(review, _)| names.contains(review));
        selected.remarks.retain(|remark| names.contains(&remark.review));
        Ok(selected)
    }
}

impl ReviewFile {
    fn append(&mut self, other: ReviewFile) {
        self.figures.extend(other.figures);
        self.claims.extend(other.claims);
        self.setups.extend(other.setups);
        self.remarks.extend(other.remarks);
    }

    fn ids(&self) -> impl Iterator<Item = (&str, &Place)> {
        let figures = self.figures.iter().map(|figure| (figure.id.as_str(), &figure.at));
        figures.chain(self.claims.iter().map(|claim| (claim.id.as_str(), &claim.at)))
    }

    fn reviews(&self) -> impl Iterator<Item = &str> {
        let figures = self.figures.iter().map(|figure| figure.review.as_str());
        figures.chain(self.claims.iter().map(|claim| claim.review.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::claim::Against;
    use super::*;

    /// What a side leaves out it takes from the other one, so that it is easily the same.
    #[test]
    fn no_shipped_claim_compares_a_number_with_itself() {
        let library = Library::shipped().unwrap();
        for claim in &library.select(&[]).unwrap().claims {
            for check in &claim.checks {
                let other = match &check.against {
                    Against::Side { right, factor, .. } if *factor == 1.0 => right,
                    Against::Range { of, .. } => of,
                    _ => continue,
                };
                let same = check.left.metric == other.metric
                    && check.left.subject.runs() == other.subject.runs();
                let modelled = !other.subject.runs().is_empty();
                assert!(!(same && modelled), "claim {}", claim.id);
            }
        }
    }
}

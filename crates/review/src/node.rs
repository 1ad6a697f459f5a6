//! A TOML document in which every key and value knows its line and column.
//!
//! Walking the document by hand, instead of deserialising it, is what lets a message about a
//! wrong metric or parameter point at the very word.

use std::ops::Range;
use std::sync::Arc;

use fio::{Diagnostic, Place};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use metric::hint;

/// The text of one file and its name.
#[derive(Clone, Debug)]
pub(super) struct Source<'s> {
    file: Arc<str>,
    text: &'s str,
}

impl<'s> Source<'s> {
    pub(super) fn new(file: &str, text: &'s str) -> Self {
        Self { file: Arc::from(file), text }
    }

    /// Line and column, counted from 1, of a byte offset.
    fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place {
            file: self.file.clone(),
            line: count(before.matches('\n').count() + 1),
            column: count(before.get(start..).unwrap_or("").chars().count() + 1),
        }
    }

    /// The whole document.
    pub(super) fn parse(&'s self) -> Result<Document<'s>, Diagnostic> {
        match DeTable::parse(self.text) {
            Ok(table) => Ok(Document { source: self, table }),
            Err(error) => {
                let offset = error.span().map_or(0, |span| span.start);
                Err(Diagnostic::new(&self.place(offset), error.message())
                    .with_help("the file must be TOML"))
            }
        }
    }
}

/// A parsed file.
pub(super) struct Document<'s> {
    source: &'s Source<'s>,
    table: Spanned<DeTable<'s>>,
}

impl<'s> Document<'s> {
    /// The top level; it may hold only `known` keys.
    pub(super) fn fields<'a>(&'a self, known: &[&str]) -> Result<Fields<'a>, Diagnostic> {
        Fields::new(self.source, self.table.get_ref(), self.table.span(), known, "the file")
    }
}

/// A value with its place.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    source: &'a Source<'a>,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Node<'a> {
    pub(super) fn place(&self) -> Place {
        self.source.place(self.value.span().start)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(&self.place(), message)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.error(format!("expected {what}, found {found}"))
    }

    pub(super) fn str(&self) -> Result<&'a str, Diagnostic> {
        self.value.get_ref().as_str().ok_or_else(|| self.expected("a text in quotes"))
    }

    pub(super) fn string(&self) -> Result<String, Diagnostic> {
        self.str().map(str::to_owned)
    }

    /// A finite number.
    pub(super) fn number(&self) -> Result<f64, Diagnostic> {
        let text = match self.value.get_ref() {
            DeValue::Integer(n) if n.radix() == 10 => n.as_str(),
            DeValue::Float(n) => n.as_str(),
            _ => return Err(self.expected("a number")),
        };
        let number: Option<f64> = text.parse().ok();
        number.filter(|n| n.is_finite()).ok_or_else(|| self.expected("a finite number"))
    }

    pub(super) fn flag(&self) -> Option<bool> {
        self.value.get_ref().as_bool()
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub(super) fn is_array(&self) -> bool {
        self.value.get_ref().is_array()
    }

    pub(super) fn is_str(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// The value as written in the file, which shows how many digits were published.
    pub(super) fn text(&self) -> &'a str {
        let Range { start, end } = self.value.span();
        self.source.text.get(start..end).unwrap_or("")
    }

    pub(super) fn array(&self) -> Result<Vec<Node<'a>>, Diagnostic> {
        let items = self.value.get_ref().as_array().ok_or_else(|| self.expected("an array"))?;
        Ok(items.iter().map(|value| Node { source: self.source, value }).collect())
    }

    /// The value as a table that may hold only `known` keys.
    pub(super) fn fields(&self, known: &[&str], what: &str) -> Result<Fields<'a>, Diagnostic> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.expected("a table"))?;
        Fields::new(self.source, table, self.value.span(), known, what)
    }

    /// Keys and values of a table whose keys are checked by the caller.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Place, Node<'a>)>, Diagnostic> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.expected("a table"))?;
        let entry = |(key, value): (&'a Spanned<_>, &'a Spanned<DeValue<'a>>)| {
            let key: &'a Spanned<std::borrow::Cow<'a, str>> = key;
            let place = self.source.place(key.span().start);
            (key.get_ref().as_ref(), place, Node { source: self.source, value })
        };
        Ok(table.iter().map(entry).collect())
    }
}

/// The keys of one table.
pub(super) struct Fields<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
    span: Range<usize>,
    what: String,
}

impl<'a> Fields<'a> {
    fn new(
        source: &'a Source<'a>,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        known: &[&str],
        what: &str,
    ) -> Result<Self, Diagnostic> {
        let name = |key: &'a Spanned<std::borrow::Cow<'a, str>>| key.get_ref().as_ref();
        let wrong = table.keys().filter(|key| !known.contains(&name(key))).map(|key| {
            let message = format!("unknown key `{}` in {what}", name(key));
            Diagnostic::new(&source.place(key.span().start), message).with_help(hint(
                "keys",
                name(key),
                known.iter().copied(),
            ))
        });
        match Diagnostic::several(wrong) {
            None => Ok(Self { source, table, span, what: what.to_owned() }),
            Some(all) => Err(all),
        }
    }

    /// Where the table starts.
    pub(super) fn place(&self) -> Place {
        self.source.place(self.span.start)
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        let (_, value) = self.table.iter().find(|(name, _)| name.get_ref().as_ref() == key)?;
        Some(Node { source: self.source, value })
    }

    pub(super) fn need(&self, key: &str) -> Result<Node<'a>, Diagnostic> {
        self.get(key).ok_or_else(|| {
            Diagnostic::new(&self.place(), format!("{} has no `{key}`", self.what))
                .with_help(format!("add a line `{key} = ...`"))
        })
    }

    pub(super) fn string(&self, key: &str) -> Result<Option<String>, Diagnostic> {
        self.get(key).map(|node| node.string()).transpose()
    }

    pub(super) fn strings(&self, key: &str) -> Result<Vec<String>, Diagnostic> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(node) => node.array()?.iter().map(Node::string).collect(),
        }
    }

    /// One of a list of words, or nothing.
    pub(super) fn word<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Diagnostic> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let text = node.str()?;
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => Err(node.error(format!("`{text}` is not a value of `{key}`")).with_help(hint(
                "values",
                text,
                words.iter().map(|(word, _)| *word),
            ))),
        }
    }

    /// The elements of an array of tables, empty if there is none.
    pub(super) fn list(&self, key: &str) -> Result<Vec<Node<'a>>, Diagnostic> {
        self.get(key).map_or(Ok(Vec::new()), |node| node.array())
    }
}

/// The two ends of a range.
pub(super) fn ends(node: &Node<'_>) -> Result<(f64, f64), Diagnostic> {
    let numbers: Vec<f64> = node.array()?.iter().map(Node::number).collect::<Result<_, _>>()?;
    match numbers.as_slice() {
        [low, high] if low <= high => Ok((*low, *high)),
        _ => Err(node.error("a range is two numbers, the lower first").with_help("[0.9, 1.1]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_reported_with_place_and_fix() {
        let source = Source::new("mine.toml", "id = 1\n  mertic = 2\n");
        let error = source.parse().unwrap().fields(&["id", "metric"]).err().unwrap();
        assert_eq!(
            error.to_string(),
            "mine.toml:2:3: unknown key `mertic` in the file\n  help: did you mean `metric`?"
        );
    }

    #[test]
    fn all_unknown_keys_are_reported() {
        let source = Source::new("mine.toml", "mertic = 2\nid = 1\nunti = 3\n");
        let error = source.parse().unwrap().fields(&["id", "metric", "unit"]).err().unwrap();
        let lines: Vec<u32> = error.alone().map(|error| error.line).collect();
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn broken_toml_is_placed_too() {
        let source = Source::new("mine.toml", "id = 1\nvalue = = 2\n");
        let error = source.parse().err().unwrap();
        assert_eq!((error.line, error.column), (2, 9), "{error}");
    }
}

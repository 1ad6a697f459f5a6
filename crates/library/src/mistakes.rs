//! All mistakes of form in a file of a model, and not only the first.
//!
//! What reads a file ends at its first mistake. Each is therefore corrected in a copy, by the name
//! that was probably meant or by the value that a shipped file has at its place, and the copy is
//! read again. What is found there keeps its place in the user's file.

use super::diagnose;
pub use super::diagnose::{place, unknown_field};
use fio::{Diagnostic, suggest};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

/// Most mistakes that are shown of one file.
const MOST: usize = 20;

/// Files as they are shipped: name and text.
pub type Shelf = &'static [(&'static str, &'static str)];

/// Reads a file in which values may have been set: `text` is what came of `as_written`. What is
/// wrong only in `text` is the fault of what was set.
///
/// # Errors
/// All mistakes that were found, at most 20, each with its place.
pub fn read<T: DeserializeOwned>(
    file: &str,
    as_written: &str,
    text: &str,
    shelf: Shelf,
) -> Result<T, Diagnostic> {
    toml::from_str(text).map_err(|error| match toml::from_str::<T>(as_written) {
        Ok(_) => diagnose::toml("--set", "", &error, true),
        Err(error) => all::<T>(file, as_written, error, shelf),
    })
}

/// The first mistake with all others that can be found.
fn all<T: DeserializeOwned>(file: &str, text: &str, first: Error, shelf: Shelf) -> Diagnostic {
    // Of a plan there is none that `show` prints.
    let one = |error: &Error| diagnose::toml(file, text, error, !shelf.is_empty());
    let (mut table, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        // What else is wrong in a line comes of its first mistake.
        let mut found: Vec<Diagnostic> = syntax.iter().map(one).collect();
        found.dedup_by_key(|error| error.line);
        return Diagnostic::several(found).unwrap_or_else(|| one(&first));
    }
    let mut found = vec![one(&first)];
    let mut last = first;
    while found.len() < MOST && repair(&mut table, &last, shelf).is_some() {
        match T::deserialize(Deserializer::from(table.clone())) {
            Ok(_) => break,
            Err(next) => {
                found.push(one(&next));
                last = next;
            }
        }
    }
    Diagnostic::several(found).unwrap_or_else(|| one(&last))
}

/// Repairs one mistake; `None` if no repair is known.
fn repair<'t>(table: &mut Spanned<DeTable<'t>>, error: &Error, shelf: Shelf) -> Option<()> {
    let span = error.span()?;
    let root = table.get_mut();
    if let Some((wrong, known)) = diagnose::unknown_field(error.message())
        && error.message().starts_with("unknown field")
    {
        let mut path = path_to(root, &|key, _| key.is_some_and(|key| key.start == span.start))?;
        path.pop();
        let table = table_at(root, &path)?;
        let (key, value) = table.remove_entry(wrong.as_str())?;
        let right = suggest::nearest(&wrong, known.iter().map(String::as_str));
        if let Some(right) = right.filter(|right| !table.contains_key(*right)) {
            table.insert(Spanned::new(key.span(), right.to_owned().into()), value);
        }
        return Some(());
    }
    if error.message().starts_with("missing field") {
        let name = error.message().split('`').nth(1)?;
        let whole = |_: Option<Range>, value: &Spanned<DeValue<'_>>| {
            value.get_ref().is_table() && value.span().start == span.start
        };
        let mut path = path_to(root, &whole).unwrap_or_default();
        path.push(name.to_owned());
        return replace(root, &path, shelf);
    }
    let holds = |_: Option<Range>, value: &Spanned<DeValue<'_>>| {
        let at = value.span();
        at.start <= span.start && span.end <= at.end
    };
    let mut path = path_to(root, &holds)?;
    // A value that is in no shipped file may be wrong as a whole, or not needed at all.
    while !path.is_empty() {
        if replace(root, &path, shelf).is_some() {
            return Some(());
        }
        path.pop();
    }
    None
}

type Range = std::ops::Range<usize>;

/// The keys and numbers that lead to the innermost value that `is` it, by the spans of its key, if
/// it has one, and of itself.
fn path_to(
    table: &DeTable<'_>,
    is: &dyn Fn(Option<Range>, &Spanned<DeValue<'_>>) -> bool,
) -> Option<Vec<String>> {
    fn within(
        name: String,
        key: Option<Range>,
        value: &Spanned<DeValue<'_>>,
        is: &dyn Fn(Option<Range>, &Spanned<DeValue<'_>>) -> bool,
    ) -> Option<Vec<String>> {
        let inner = match value.get_ref() {
            DeValue::Table(table) => path_to(table, is),
            DeValue::Array(list) => list
                .iter()
                .enumerate()
                .find_map(|(number, value)| within(number.to_string(), None, value, is)),
            _ => None,
        };
        let path = inner.or_else(|| is(key, value).then(Vec::new))?;
        Some(std::iter::once(name).chain(path).collect())
    }
    table
        .iter()
        .find_map(|(key, value)| within(key.get_ref().to_string(), Some(key.span()), value, is))
}

/// The table at a path.
fn table_at<'a, 't>(root: &'a mut DeTable<'t>, path: &[String]) -> Option<&'a mut DeTable<'t>> {
    let Some((first, rest)) = path.split_first() else { return Some(root) };
    let mut value = root.get_mut(first.as_str())?.get_mut();
    let mut rest = rest.iter();
    loop {
        value = match value {
            DeValue::Table(table) => match rest.next() {
                None => return Some(table),
                Some(name) => table.get_mut(name.as_str())?.get_mut(),
            },
            DeValue::Array(list) => {
                let number: usize = rest.next()?.parse().ok()?;
                list.get_mut(number)?.get_mut()
            }
            _ => return None,
        };
    }
}

/// Puts the value that a shipped file has at a path in its place.
fn replace<'t>(root: &mut DeTable<'t>, path: &[String], shelf: Shelf) -> Option<()> {
    let good = shelf.iter().find_map(|(_, text)| {
        let mut shipped = DeTable::parse(text).ok()?.into_inner();
        let (name, above) = path.split_last()?;
        table_at(&mut shipped, above)?.remove(name.as_str())
    })?;
    let (name, above) = path.split_last()?;
    let table = table_at(root, above)?;
    let before = table.insert(Spanned::new(0..0, name.clone().into()), placeless(good));
    // What was put there before is not what is wrong.
    before.is_none_or(|before| before.span() != (0..0)).then_some(())
}

/// A value of another file, in tables without its places there.
fn placeless(value: Spanned<DeValue<'_>>) -> Spanned<DeValue<'_>> {
    let value = match value.into_inner() {
        DeValue::Table(table) => {
            let entry = |(key, value): (Spanned<_>, _)| {
                (Spanned::new(0..0, key.into_inner()), placeless(value))
            };
            DeValue::Table(table.into_iter().map(entry).collect())
        }
        other => other,
    };
    Spanned::new(0..0, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DriveFile, NandFile, shipped};

    fn mistakes<T: DeserializeOwned>(text: &str, shelf: Shelf) -> Vec<String> {
        let error = read::<T>("mine.toml", text, text, shelf).err().expect("mistakes");
        error.alone().map(|one| format!("{}: {}", one.line, one.message)).collect()
    }

    /// The line of a text with these words.
    fn line(text: &str, words: &str) -> usize {
        1 + text.lines().position(|line| line.starts_with(words)).expect("there")
    }

    #[test]
    fn misspelt_keys_missing_units_and_missing_keys_are_found_together() {
        let text = shipped::source_text("d5-p5430-15.36tb").unwrap();
        let text = text
            .replacen("read_cost =", "read_csot =", 1)
            .replacen("dies = { value = \"", "dies = { value = \"x", 1)
            .replacen("\n[suspend]\n", "\n[suspend]\nsometimes = 1\n", 1);
        let found = mistakes::<DriveFile>(&text, shipped::DRIVES);
        let at = |words| format!("{}: ", line(&text, words));
        assert_eq!(found.len(), 3, "{found:#?}");
        assert_eq!(found[0], at("read_csot") + "unknown field `read_csot`");
        assert!(found[1].starts_with(&at("dies =")), "{found:#?}");
        assert_eq!(found[2], at("sometimes") + "unknown field `sometimes`");
    }

    #[test]
    fn a_value_without_its_source_is_told_how_to_be_written() {
        let text = shipped::source_text("d5-p5430-15.36tb").unwrap();
        let text = text.replacen("capacity = {", "capacity = \"15 TB\" #", 1);
        let found = mistakes::<DriveFile>(&text, shipped::DRIVES);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("expected a value with its source: { value ="), "{found:#?}");
    }

    #[test]
    fn mistakes_of_a_nand_file_are_found_together() {
        let name = shipped::nands().next().unwrap();
        let text = shipped::nand_text(name).unwrap();
        let text = text.replacen("planes =", "plaens =", 1).replacen("erase =", "eraze =", 1);
        assert_eq!(mistakes::<NandFile>(&text, shipped::NANDS).len(), 2);
    }

    #[test]
    fn two_errors_of_syntax_are_found() {
        let found = mistakes::<NandFile>("a = = 1\nb = 2\nc = = 3\n", shipped::NANDS);
        let lines: Vec<&str> = found.iter().map(|one| &one[..1]).collect();
        assert_eq!(lines, ["1", "3"], "{found:?}");
    }
}

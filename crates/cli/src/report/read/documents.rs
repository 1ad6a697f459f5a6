//! The JSON in a text: fio prints warnings before, after and between, and with a status interval
//! one result after the other.

use serde_json::Value;
use std::ops::Range;

/// The JSON documents of a text.
#[derive(Debug)]
pub struct Documents<'t> {
    text: &'t str,
    /// Where the whole ones stand, those of fio if any is.
    pub whole: Vec<Range<usize>>,
    last: Option<Value>,
    /// The line in which the last one is cut off.
    pub cut_off: Option<usize>,
    /// What is wrong with the first that is malformed.
    wrong: Option<String>,
}

impl<'t> Documents<'t> {
    /// Looks for them. A document begins at the beginning of a line; indented braces are parts of
    /// another, unless there is no other.
    pub fn of(text: &'t str) -> Self {
        let left = Self::starting(text, |before| before.is_empty());
        match left.last.is_some() || left.cut_off.is_some() || left.wrong.is_some() {
            true => left,
            false => Self::starting(text, |before| before.trim().is_empty()),
        }
    }

    fn starting(text: &'t str, may_start: fn(&str) -> bool) -> Self {
        let mut all = Self { text, whole: Vec::new(), last: None, cut_off: None, wrong: None };
        let mut fio = false;
        let mut at = 0;
        while let Some(offset) = text[at..].find('{').map(|found| at + found) {
            at = offset + 1;
            let line = text[..offset].rfind('\n').map_or(0, |end| end + 1);
            if !may_start(&text[line..offset]) {
                continue;
            }
            let mut stream = serde_json::Deserializer::from_str(&text[offset..]).into_iter();
            match stream.next() {
                Some(Ok(value)) => {
                    at = offset + stream.byte_offset();
                    all.cut_off = None;
                    all.add(offset..at, value, &mut fio);
                }
                Some(Err(error)) if error.is_eof() => {
                    // What follows are its parts, unless another begins further down.
                    all.cut_off.get_or_insert(line_of(text, text.len()));
                }
                // A brace before something else is part of a message.
                Some(Err(_)) if !text[at..].trim_start().starts_with('"') => {}
                Some(Err(error)) => {
                    let line = line_of(text, offset) + error.line() - 1;
                    let what = error.to_string();
                    let what = what.split(" at line ").next().unwrap_or_default();
                    let column = error.column();
                    all.wrong.get_or_insert(format!("line {line}, column {column}: {what}"));
                }
                None => break,
            }
        }
        all
    }

    /// Takes a document up; those of fio count before others, such as a note in its output.
    fn add(&mut self, range: Range<usize>, value: Value, fio: &mut bool) {
        let is_fio = value.get("fio version").is_some();
        if *fio && !is_fio {
            return;
        }
        if is_fio && !*fio {
            self.whole.clear();
        }
        *fio = is_fio;
        self.whole.push(range);
        self.last = Some(value);
    }

    /// The last whole one.
    pub fn last(&self) -> Option<&Value> {
        self.last.as_ref()
    }

    /// Its text.
    pub fn last_text(&self) -> &'t str {
        self.whole.last().map_or("", |range| &self.text[range.clone()])
    }

    /// Why there is none.
    pub fn why_none(&self) -> String {
        match (self.cut_off, &self.wrong) {
            (Some(line), _) => {
                format!(
                    "the JSON is cut off at line {line}: the program that wrote it did not come \
                     to its end; run it again"
                )
            }
            (None, Some(wrong)) => format!("the JSON is malformed: {wrong}"),
            (None, None) => "there is no JSON in it; a Record is one, and fio writes one with \
                             --output-format=json"
                .to_owned(),
        }
    }
}

/// The number of the line, from 1, at an offset.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].trim_end().matches('\n').count() + 1
}

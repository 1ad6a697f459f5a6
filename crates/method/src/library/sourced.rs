//! A value with its source.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use toml::Spanned;

/// Where a value comes from; the first word of its source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// The vendor's data sheet.
    DataSheet,
    /// A published measurement or teardown.
    Published,
    /// Computed from other values; the formula follows.
    Derived,
    /// Chosen so that a measured figure comes out; the figures stand in `fitted_on`.
    Fitted,
    /// Assumed, with the reason.
    Assumed,
}

const BASES: [(&str, Basis); 5] = [
    ("data sheet", Basis::DataSheet),
    ("published", Basis::Published),
    ("derived", Basis::Derived),
    ("fitted", Basis::Fitted),
    ("assumed", Basis::Assumed),
];

/// A value, its source, and the figures it was fitted on if it was.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sourced<T> {
    value: Spanned<T>,
    source: Spanned<String>,
    #[serde(default)]
    fitted_on: Vec<String>,
}

impl<T> Sourced<T> {
    /// The value.
    pub fn get(&self) -> &T {
        self.value.get_ref()
    }

    /// First byte of the value in its file.
    pub fn at(&self) -> usize {
        self.value.span().start
    }

    /// The source text.
    pub fn source(&self) -> &str {
        self.source.get_ref()
    }

    /// Ids of the figures it was fitted on.
    pub fn fitted_on(&self) -> &[String] {
        &self.fitted_on
    }

    /// Checks that the source begins with a known basis and that only a fitted value names
    /// figures. The error is a byte offset and a message.
    pub fn check(&self) -> Result<Basis, (usize, String)> {
        let at = self.source.span().start;
        let text = self.source.get_ref();
        let known = BASES.iter().find(|(word, _)| {
            text.strip_prefix(word).is_some_and(|rest| rest.starts_with(':') && rest.len() > 2)
        });
        let Some(&(_, basis)) = known else {
            let words: Vec<&str> = BASES.iter().map(|(word, _)| *word).collect();
            let message = format!(
                "a source begins with `{}` and a colon, then says more; this one is `{text}`",
                words.join("`, `")
            );
            return Err((at, message));
        };
        if (basis == Basis::Fitted) == self.fitted_on.is_empty() {
            let message =
                "a fitted value names its figures in `fitted_on`, and no other value does";
            return Err((at, message.to_owned()));
        }
        Ok(basis)
    }
}

/// One sourced value, or a list of them that is not empty.
#[derive(Clone, Debug)]
pub struct OneOrMany<T>(Vec<Sourced<T>>);

impl<T> Deref for OneOrMany<T> {
    type Target = [Sourced<T>];

    fn deref(&self) -> &[Sourced<T>] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not an untagged enum: that would lose the places of the values in the file.
        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value with its source, or a list of such")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(OneOrMany(vec![Sourced::deserialize(MapAccessDeserializer::new(map))?]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        if values.is_empty() {
            return Err(A::Error::custom("the list is empty; give at least one value"));
        }
        Ok(OneOrMany(values))
    }
}

//! A value with its source.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use toml::Spanned;

/// A value, its source, the figures it was fitted on if it was, and how far off it may be.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a value with its source: { value = \"64 GB\", source = \"data sheet\" }"
)]
pub struct Sourced<T> {
    value: Spanned<T>,
    source: String,
    /// Read and checked by [`super::sources`], for every value of a file in one place.
    #[serde(default, rename = "fitted_on")]
    _fitted_on: IgnoredAny,
    #[serde(default, rename = "range")]
    _range: IgnoredAny,
    #[serde(default, rename = "correlated")]
    _correlated: IgnoredAny,
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
        &self.source
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

//! A `u128` in JSON: a decimal string, since JSON readers stop at 64 bits.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use std::borrow::Cow;

/// What such a number looks like, for a schema.
pub(crate) struct Digits;

impl JsonSchema for Digits {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Digits".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+$" })
    }
}

/// Writes the digits as a string.
pub(crate) fn serialize<S: Serializer>(value: &u128, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(value)
}

/// Reads what [`serialize`] wrote.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<u128, D::Error> {
    String::deserialize(input)?.parse().map_err(D::Error::custom)
}

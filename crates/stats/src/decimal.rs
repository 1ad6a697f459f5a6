//! A `u128` in JSON: a decimal string, since JSON readers stop at 64 bits.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the digits as a string.
pub(crate) fn serialize<S: Serializer>(value: &u128, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(value)
}

/// Reads what [`serialize`] wrote.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<u128, D::Error> {
    String::deserialize(input)?.parse().map_err(D::Error::custom)
}

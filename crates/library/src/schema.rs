//! Schemas of what model files say in texts: quantities with their units, words, and values with
//! their sources. The tables around them derive theirs.

use super::cell_file::{ClassName, CodingName};
use super::disk_file::WriteCache;
use super::file::Protection;
use super::ftl_file::Group;
use super::interface::Interface;
use super::jitter::Jitter;
use super::modes_file::{PaddingWord, WhenFullWord};
use super::nand_file::YesNo;
use super::policy_words::{SeparationWord, VictimWord, WearWord, WritePointsWord};
use super::queues_file::{ArbitrationWord, ClassesWord};
use super::size_mix::SizeMix;
use super::sourced::{OneOrMany, Sourced};
use super::sources;
use engine::{
    Area, Bandwidth, Bytes, Conductivity, Count, Duration, Energy, HeatCapacity, HeatTransfer,
    Length, Power, Quantity, Ratio, RotationSpeed, Temperature, ThermalResistance, Voltage,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// What a value with a source can be. The engine knows no schemas, so that its quantities cannot
/// have [`JsonSchema`].
pub trait Said {
    /// Its name among the definitions of a schema.
    fn name() -> Cow<'static, str>;

    /// The schema of its text.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

macro_rules! quantities {
    ($($name:ident)*) => {$(
        impl Said for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema(_: &mut SchemaGenerator) -> Schema {
                quantity::<$name>()
            }
        }
    )*};
}

quantities! {
    Area Bandwidth Bytes Conductivity Count Duration Energy HeatCapacity HeatTransfer Length Power
    Ratio RotationSpeed Temperature ThermalResistance Voltage
}

/// A quantity as a text.
fn quantity<Q: Quantity>() -> Schema {
    let spelling = Q::spelling();
    let kind = spelling.kind.trim_start_matches("a ");
    let (first, rest) = kind.split_at(1);
    let units = match spelling.units.is_empty() {
        true => "and what is counted".to_owned(),
        false => format!("with one of the units {}", spelling.units.join(", ")),
    };
    json_schema!({
        "description": format!("{}{rest}: a number {units}.", first.to_uppercase()),
        "type": "string",
        "pattern": spelling.pattern(),
        "examples": [spelling.example]
    })
}

/// Words have their own schema.
macro_rules! words {
    ($($name:ident)*) => {$(
        impl $crate::schema::Said for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                <$name as schemars::JsonSchema>::schema_name()
            }

            fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                generator.subschema_for::<$name>()
            }
        }
    )*};
}

pub(super) use words;

words! {
    ArbitrationWord ClassName ClassesWord CodingName Group Interface Jitter PaddingWord Protection
    SeparationWord SizeMix String VictimWord WearWord WhenFullWord WriteCache WritePointsWord YesNo
}

impl<T: Said> JsonSchema for Sourced<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Sourced{}", T::name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A value with its source.",
            "type": "object",
            "properties": {
                "value": T::schema(generator),
                "source": {
                    "description": "Where the value comes from: one of these words, a colon, and \
                                    more.",
                    "type": "string",
                    "pattern": sources::pattern(),
                    "examples": ["data sheet: 7000 MB/s", "assumed: as its predecessor"]
                },
                "fitted_on": {
                    "description": "Ids of the figures with which a fitted value was chosen, or \
                                    from which a derived one was solved.",
                    "type": "array",
                    "items": { "type": "string" },
                    "minItems": 1
                },
                "range": {
                    "description": "Least and largest value that it may have in truth, in the unit \
                                    of the value.",
                    "type": "array",
                    "items": { "type": "string" },
                    "minItems": 2,
                    "maxItems": 2,
                    "examples": [["45 us", "75 us"]]
                },
                "correlated": {
                    "description": "Path of another value of the file, and the correlation with \
                                    it: what was fitted together is off together.",
                    "type": "array",
                    "items": { "type": "string" },
                    "minItems": 2,
                    "maxItems": 2,
                    "examples": [["controller.copy_batch", "-0.95"]]
                }
            },
            "required": ["value", "source"],
            "additionalProperties": false,
            "if": { "properties": { "source": { "pattern": "^fitted:" } }, "required": ["source"] },
            "then": { "required": ["fitted_on"] },
            "else": {
                "if": { "not": { "properties": { "source": { "pattern": "^derived:" } } } },
                "then": { "not": { "required": ["fitted_on"] } }
            }
        })
    }
}

impl<T: Said> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Sourced<T>>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

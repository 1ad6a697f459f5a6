//! The tables of a reviews file as types, for its schema only.
//!
//! Reviews are read by hand, so that a mistake is reported at its word; nothing is ever made of
//! these types. A test holds them to the keys that are read.

#![expect(dead_code, reason = "only their schema is used")]

use super::claim::OPS;
use super::figure::{BASES, BOUNDS, CONFIDENCE, KINDS};
use metric::{OTHER_SYMBOLS, UNITS};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Published figures and claims of reviews.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReviewSchema {
    /// Published figures.
    #[schemars(rename = "ref")]
    figures: Option<Vec<Row>>,
    /// What reviews say in words.
    #[schemars(rename = "claim")]
    claims: Option<Vec<ClaimRow>>,
    /// Test beds.
    #[schemars(rename = "setup")]
    setups: Option<Vec<Text>>,
    /// What must be known of a review as a whole: where it contradicts itself, what it leaves open.
    #[schemars(rename = "remark")]
    remarks: Option<Vec<Text>>,
}

/// A text about a review.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Text {
    /// The review; the name of the file without its ending by default.
    review: Option<String>,
    /// What is said.
    text: String,
}

/// A published figure.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("allOf" = [drive(), test()]))]
struct Row {
    /// Its name, unique over all files that are read together.
    id: String,
    /// The review; the name of the file without its ending by default.
    review: Option<String>,
    /// Where it is in the review, for readers.
    place: Option<String>,
    /// The drive by a name of the table of names.
    device: Option<String>,
    /// The drive by its slug, or the path of a model file; counts before `device`.
    target: Option<String>,
    /// The test by a name of the table of names, which brings parameters.
    test: Option<String>,
    /// The method by its own name; counts before `test`.
    method: Option<String>,
    /// Several tests, of which a bound has to hold for every one.
    each: Option<Vec<String>>,
    /// Parameters of the method.
    params: Option<Params>,
    /// What is measured; an ending `_min` or `_max` states a bound.
    metric: String,
    /// The published number, or the two ends of a range.
    value: Value,
    /// Its unit.
    unit: Unit,
    /// Whether the number is a limit: at least (`min`) or at most (`max`).
    bound: Option<BoundWord>,
    /// A second drive: the number is the first's metric over the second's.
    relative_to: Option<String>,
    /// Parameters of that second run; of the same drive without `relative_to`.
    relative_params: Option<Params>,
    /// What other rows state of the same total; the model's total less this is compared.
    beside: Option<f64>,
    /// Where the number comes from; `measured` by default.
    kind: Option<KindWord>,
    /// How sure it is that the number belongs to this drive and test.
    confidence: Option<ConfidenceWord>,
    /// How the model relates to the number.
    basis: Option<BasisWord>,
    /// The parameters of the model that were chosen with it.
    fitted_parameters: Option<Vec<String>>,
    /// The row of the same review that states otherwise.
    refuted_by: Option<String>,
    /// Why the review itself refutes the number.
    refuted: Option<String>,
    /// Why any model would hit it.
    says_little: Option<String>,
    /// Another row that states the same number.
    same_as: Option<String>,
    /// Why it has this basis, or why it is missed.
    why: Option<String>,
    /// A remark on the published number.
    note: Option<String>,
}

/// What a review says in words. It holds if every check does.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ClaimRow {
    /// Its name, unique over all files that are read together.
    id: String,
    /// The review; the name of the file without its ending by default.
    review: Option<String>,
    /// The drive that it is about, for readers.
    device: Option<String>,
    /// What is said.
    claim: String,
    /// A comparison, or how the claim is to be checked in words.
    check: Option<Check>,
    /// The comparisons.
    checks: Option<Vec<Comparison>>,
    /// Why there are none.
    unchecked: Option<String>,
    /// Models with which the checks must fail, each with one of them at least.
    counter: Option<Counters>,
    /// How sure it is that the claim is read as it was meant.
    confidence: Option<ConfidenceWord>,
    /// A remark.
    note: Option<String>,
}

/// Which target stands in place of which; or several such tables.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Counters {
    /// One.
    One(BTreeMap<String, String>),
    /// Several.
    Several(Vec<BTreeMap<String, String>>),
}

/// A comparison, or a sentence.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Check {
    /// In words.
    Words(String),
    /// One that is run.
    Run(Box<Comparison>),
}

/// A comparison: `left op factor * right`, `left op value`, or a `range` of `left`, or of `left`
/// over `of`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["op"] }, { "required": ["range"] }]))]
struct Comparison {
    /// What is compared.
    left: Side,
    /// How it has to relate: `~` is equal within a tolerance.
    op: Option<OpWord>,
    /// With what; what it leaves out is that of `left`.
    right: Option<Side>,
    /// Multiplies the right side; 1 by default.
    factor: Option<f64>,
    /// Width of `~` as a share; 0.1 by default.
    tolerance: Option<f64>,
    /// The lowest and the highest quotient or value that holds.
    range: Option<[f64; 2]>,
    /// What the left side is divided by; what it leaves out is that of `left`.
    of: Option<Side>,
    /// A number instead of a right side.
    value: Option<f64>,
    /// Its unit.
    unit: Option<Unit>,
}

/// One side of a comparison.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Side {
    /// The drive by a name of the table of names.
    device: Option<String>,
    /// The drive by its slug, or the path of a model file; counts before `device`.
    target: Option<String>,
    /// The test by a name of the table of names, which brings parameters.
    test: Option<String>,
    /// The method by its own name; counts before `test`.
    method: Option<String>,
    /// One test in a list.
    each: Option<Vec<String>>,
    /// Parameters of the method.
    params: Option<Params>,
    /// What is compared.
    metric: Option<String>,
    /// A second drive: the quotient of both is compared.
    relative_to: Option<String>,
}

/// Parameters by name, with the unit in the value or in the name.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct Params(BTreeMap<String, Raw>);

/// The value of a parameter.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Raw {
    /// `"4 KiB"`.
    Text(String),
    /// `4`.
    Number(f64),
    /// `true`.
    Flag(bool),
}

/// A number, or the two ends of a range.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Value {
    /// A number.
    Number(f64),
    /// The lower end first.
    Range([f64; 2]),
}

/// One of the ways to name a drive.
fn drive() -> Schema {
    one_of(&["device", "target"])
}

/// One of the ways to name a test.
fn test() -> Schema {
    one_of(&["test", "method", "each"])
}

/// At least one of the keys is there. What is declared not to be modelled need name nothing.
fn one_of(keys: &[&str]) -> Schema {
    let required = |key: &&str| json_schema!({ "required": [key] });
    let named: Vec<Schema> = keys.iter().map(required).collect();
    json_schema!({
        "if": { "properties": { "basis": { "const": "not_modelled" } }, "required": ["basis"] },
        "else": { "anyOf": named }
    })
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $words:expr;)*) => {$(
        $(#[$doc])*
        struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let words: Vec<&str> = $words;
                json_schema!({ "type": "string", "enum": words })
            }
        }
    )*};
}

words! {
    /// How the model relates to a number.
    BasisWord: BASES.iter().map(|(word, _)| *word).collect();
    /// Whether a number is a limit.
    BoundWord: BOUNDS.iter().map(|(word, _)| *word).collect();
    /// How sure a reading is.
    ConfidenceWord: CONFIDENCE.iter().map(|(word, _)| *word).collect();
    /// Where a number comes from.
    KindWord: KINDS.iter().map(|(word, _)| *word).collect();
    /// How two sides relate.
    OpWord: OPS.iter().map(|(word, _)| *word).collect();
    /// A unit of a metric.
    Unit: {
        let others = OTHER_SYMBOLS.iter().map(|(symbol, _)| *symbol);
        UNITS.iter().map(|unit| unit.symbol).chain(others).collect()
    };
}

#[cfg(test)]
mod tests {
    use super::super::claim;
    use super::super::figure;
    use super::super::standing::STANDING_KEYS;
    use super::super::subject::SUBJECT_KEYS;
    use super::*;
    use std::collections::BTreeSet;

    fn has<T: JsonSchema>(keys: impl IntoIterator<Item = &'static str>) {
        let schema = schemars::schema_for!(T);
        let said = schema.get("properties").and_then(|value| value.as_object()).unwrap();
        let said: BTreeSet<&str> = said.keys().map(String::as_str).collect();
        assert_eq!(said, keys.into_iter().collect(), "{}", T::schema_name());
    }

    #[test]
    fn the_schema_has_the_keys_that_are_read() {
        has::<Row>(figure::KEYS.into_iter().chain(SUBJECT_KEYS).chain(STANDING_KEYS));
        has::<ClaimRow>(claim::KEYS);
        has::<Comparison>(claim::CHECK_KEYS);
        has::<Side>(SUBJECT_KEYS.into_iter().chain(claim::SIDE_KEYS));
    }
}

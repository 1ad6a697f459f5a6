//! The words of results are the words that people read: each is written in two places, for serde
//! and for tables, and both are the same.

use crate::{comparison, origin, reproduction};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// All words that the schema of a type knows.
fn words<T: JsonSchema>() -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("const").and_then(Value::as_str).map(str::to_owned));
                if let Some(Value::Array(list)) = map.get("enum") {
                    found.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                map.values().for_each(|value| collect(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| collect(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(schemars::schema_for!(T).as_value(), &mut found);
    found.sort();
    found.dedup();
    found
}

/// Holds the words of all values of a type together; `count` is how many there are.
fn held<T: DeserializeOwned + JsonSchema>(count: usize, word: fn(T) -> &'static str) {
    let words = words::<T>();
    assert_eq!(words.len(), count, "{words:?}");
    for known in words {
        let value: T = serde_json::from_value(known.as_str().into()).expect(&known);
        assert_eq!(word(value), known);
    }
}

#[test]
fn words_of_results_are_those_of_tables() {
    held(10, reproduction::Verdict::name);
    held(4, reproduction::Basis::name);
    held(4, reproduction::Said::name);
    held(4, comparison::Verdict::word);
    held(2, origin::Origin::word);
}

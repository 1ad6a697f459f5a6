//! JSON with one spelling: keys sorted, no white space, numbers in their shortest form.

use serde::Serialize;
use serde_json::Value;

/// The canonical JSON of a value.
///
/// Object keys are in ascending order of their bytes; integers are printed exactly, floats in
/// the shortest form that reads back as the same float. Two equal values have the same bytes on
/// every platform.
///
/// # Errors
/// If JSON has no form for the value (a map whose keys are not strings).
pub fn to_canonical_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let value = serde_json::to_value(value)?;
    let mut text = String::new();
    write(&value, &mut text);
    Ok(text)
}

/// Appends the canonical JSON of `value`.
pub(crate) fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(map) => {
            // The map keeps the order of insertion, or not, depending on the other crates in the
            // build.
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (i, (key, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                write(item, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_at_every_depth() {
        let value = json!({"b": [{"z": 1, "a": 1.5}], "a\n": null, "B": "ü\""});
        let text = to_canonical_json(&value).expect("serialises");
        assert_eq!(text, r#"{"B":"ü\"","a\n":null,"b":[{"a":1.5,"z":1}]}"#);
    }

    proptest! {
        #[test]
        fn floats_survive(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let text = to_canonical_json(&value).expect("serialises");
            let back: f64 = serde_json::from_str(&text).expect("parses");
            prop_assert_eq!(back.to_bits(), bits);
        }
    }
}

//! What stands behind the `@` of a target: values of its model that are otherwise.

/// Reads `KEY=VALUE`.
///
/// # Errors
/// A text without a `=`, or with nothing before it.
pub fn change(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(format!("`{text}` is no KEY=VALUE")),
    }
}

/// Reads `KEY=VALUE,KEY=VALUE`; a part without `=` belongs to the value before it.
///
/// # Errors
/// As [`change`], or a key that is said twice.
pub fn changes(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut changes: Vec<(String, String)> = Vec::new();
    for part in text.split(',') {
        match (part.contains('='), changes.last_mut()) {
            (false, Some((_, value))) => *value = format!("{value},{part}"),
            _ => changes.push(change(part)?),
        }
    }
    let twice = |(i, (key, _)): (usize, &(String, String))| {
        changes[..i].iter().any(|(other, _)| other == key).then(|| key.clone())
    };
    match changes.iter().enumerate().find_map(twice) {
        Some(key) => Err(format!("`{key}` is said twice")),
        None => Ok(changes),
    }
}

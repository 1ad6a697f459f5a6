//! What limits runs, in words: `dies (a, b); host (c)`.

use stats::Limit;

/// Runs that a group names; of more it says how many.
const NAMED: usize = 6;

/// What limits a run, with its values: of parts that the same thing limits one after the other, the
/// first and the last are named with the values of the last.
pub fn lines(limits: &[Limit]) -> Vec<String> {
    let several = limits.len() > 1;
    let line = |(part, limit): (String, &Limit)| match several {
        false => limit.to_string(),
        true => format!("{limit} in {part}"),
    };
    stats::stretches(limits).map(line).collect()
}

/// Runs by what limits them; nothing if it is not known of any.
pub fn grouped<'l>(named: impl Iterator<Item = (&'l str, &'l [Limit])>) -> String {
    let mut groups: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut count = 0;
    for (name, limits) in named {
        let mut by: Vec<&str> = Vec::new();
        for limit in limits {
            if !by.contains(&limit.by.word()) {
                by.push(limit.by.word());
            }
        }
        count += 1;
        match groups.iter_mut().find(|(known, _)| *known == by) {
            Some((_, names)) => names.push(name),
            None => groups.push((by, vec![name])),
        }
    }
    let part = |(by, names): &(Vec<&str>, Vec<&str>)| match names.len() {
        n if n == count => by.join(", then "),
        n if n > NAMED => format!("{} ({n} runs)", by.join(", then ")),
        _ => format!("{} ({})", by.join(", then "), names.join("; ")),
    };
    let said: Vec<String> = groups.iter().filter(|(by, _)| !by.is_empty()).map(part).collect();
    said.join("; ")
}

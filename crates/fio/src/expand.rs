//! `${VARIABLE}` from the environment, and the keywords `$pagesize`, `$mb_memory`, `$ncpus`.

use std::collections::BTreeMap;

use crate::jobfile::Machine;

/// A value after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// Variables that the environment lacks; they expand to nothing, as in fio.
    pub(crate) unset: Vec<String>,
    /// Keywords that were in the text; then the value is an expression.
    pub(crate) keywords: Vec<&'static str>,
}

/// The names of the variables of a text, in order, as often as they stand there.
pub fn variables(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, name, after) = variable(rest)?;
        rest = after;
        Some(name)
    })
}

/// What stands before the first variable, its name, and what stands behind it.
pub fn variable(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// Replaces variables, then keywords.
pub(crate) fn expand(text: &str, env: &BTreeMap<String, String>, machine: &Machine) -> Expanded {
    let mut result = Expanded::default();
    let mut rest = text;
    while let Some((before, name, after)) = variable(rest) {
        result.text.push_str(before);
        match env.get(name) {
            Some(value) => result.text.push_str(value),
            None => result.unset.push(name.to_owned()),
        }
        rest = after;
    }
    result.text.push_str(rest);
    for (keyword, value) in [
        ("$pagesize", machine.page_bytes),
        ("$mb_memory", machine.memory_mib),
        ("$ncpus", u64::from(machine.cpus)),
    ] {
        if result.text.contains(keyword) {
            result.text = result.text.replace(keyword, &value.to_string());
            result.keywords.push(keyword);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_keywords() {
        let env = BTreeMap::from([("SIZE".to_owned(), "4".to_owned())]);
        let machine = Machine { page_bytes: 4096, memory_mib: 100, cpus: 3 };
        let expanded = expand("${SIZE}k${NONE}x$pagesize*$ncpus", &env, &machine);
        assert_eq!(expanded.text, "4kx4096*3");
        assert_eq!(expanded.unset, ["NONE"]);
        assert_eq!(expanded.keywords, ["$pagesize", "$ncpus"]);
        assert_eq!(expand("a${b", &env, &machine).text, "a${b");
        assert_eq!(expand("${}", &env, &machine).unset, [""]);
        let names: Vec<&str> = variables("${SIZE}k${NONE}x$pagesize${b").collect();
        assert_eq!(names, ["SIZE", "NONE"]);
    }
}

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

/// Replaces variables, then keywords.
pub(crate) fn expand(text: &str, env: &BTreeMap<String, String>, machine: &Machine) -> Expanded {
    let mut result = Expanded::default();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start + 2..].find('}') else { break };
        let name = &rest[start + 2..start + 2 + length];
        result.text.push_str(&rest[..start]);
        match env.get(name) {
            Some(value) => result.text.push_str(value),
            None => result.unset.push(name.to_owned()),
        }
        rest = &rest[start + 2 + length + 1..];
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
    }
}

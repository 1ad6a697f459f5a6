//! Where in a TOML text a key stands.

use toml::de::{DeTable, DeValue};

/// First byte of what a key such as `vary.give_up` or `require.2` leads to. A part of a key may
/// hold dots itself.
pub fn offset(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    within(table.get_ref(), key)
}

fn within(table: &DeTable<'_>, key: &str) -> Option<usize> {
    if let Some((name, _)) = table.get_key_value(key) {
        return Some(name.span().start);
    }
    let (first, rest) = key.split_once('.')?;
    let (name, value) = table.get_key_value(first)?;
    inside(value.get_ref(), rest).or(Some(name.span().start))
}

fn inside(value: &DeValue<'_>, key: &str) -> Option<usize> {
    match value {
        DeValue::Table(table) => within(table, key),
        DeValue::Array(list) => {
            let (number, rest) = key.split_once('.').unwrap_or((key, ""));
            let entry = list.get(number.parse::<usize>().ok()?)?;
            inside(entry.get_ref(), rest).or(Some(entry.span().start))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_leads_to_its_place() {
        let text = "require = [\"a < 1\", \"b\"]\n[vary]\nqd = \"1..2\"\n\"flash.dies\" = \"3\"\n";
        let at = |key: &str| offset(text, key).map(|at| &text[at..][..3]);
        assert_eq!(at("require.1"), Some("\"b\""));
        assert_eq!(at("vary.qd"), Some("qd "));
        assert_eq!(at("vary.flash.dies"), Some("\"fl"));
        assert_eq!(at("vary.other"), Some("var"), "its section");
        assert_eq!(at("cost.drive.x"), None);
        let text = "[[test]]\nmethod = \"a\"\n[[test]]\nmethod = \"b\"\n";
        let at = |key: &str| offset(text, key).map(|at| &text[at..][..12]);
        assert_eq!(at("test.1.method"), Some("method = \"b\""));
    }
}

//! The text of a model file: its values that can be moved, and the text with others.

use super::quantity::Quantity;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value};

/// A quantity of a model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced {
    /// Its path, as for `--set`.
    pub key: String,
    /// The value.
    pub quantity: Quantity,
    /// Where it comes from, as the file says.
    pub source: String,
}

impl Sourced {
    /// Whether the value is not known: assumed, or chosen so that figures come out.
    pub fn is_open(&self) -> bool {
        ["assumed:", "fitted:"].iter().any(|word| self.source.starts_with(word))
    }
}

/// A value that a new file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its path.
    pub key: String,
    /// The value with its unit.
    pub value: String,
    /// Its source, which begins with `fitted:` or `assumed:`.
    pub source: String,
    /// The figures on which it was fitted.
    pub fitted_on: Vec<String>,
    /// Its least and its largest value, with their unit, if they are known.
    pub range: Option<(String, String)>,
    /// The path of another value and the correlation with it, if they go together.
    pub correlated: Option<(String, f64)>,
}

/// All quantities of a drive: those of its file, and those of its NAND file as `nand.KEY`, as
/// `--set` has them.
pub fn of_model(text: &str, nand: Option<&str>) -> Vec<Sourced> {
    let of_nand = |value: Sourced| Sourced { key: format!("{NAND}{}", value.key), ..value };
    let nand = nand.map(values).unwrap_or_default();
    values(text).into_iter().chain(nand.into_iter().map(of_nand)).collect()
}

/// What the keys of a NAND file begin with.
pub const NAND: &str = "nand.";

/// All quantities of a model file by key, in its order. Values in lists have no key of their own
/// and are left out; a text that is not TOML has none.
pub fn values(text: &str) -> Vec<Sourced> {
    let mut found = Vec::new();
    if let Ok(document) = text.parse::<DocumentMut>() {
        walk(document.as_table(), "", &mut found);
    }
    found
}

fn walk(table: &dyn TableLike, path: &str, found: &mut Vec<Sourced>) {
    for (key, item) in table.iter() {
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let Some(inner) = item.as_table_like() else { continue };
        let text = |name: &str| inner.get(name).and_then(Item::as_str);
        match (text("value"), text("source")) {
            (Some(value), Some(source)) => {
                let source = source.to_owned();
                let quantity = Quantity::parse(value);
                found.extend(quantity.map(|quantity| Sourced { key: path, quantity, source }));
            }
            _ => walk(inner, &path, found),
        }
    }
}

/// The text with other values. Comments, order and all that is not changed stay as they are. Of a
/// list of values, such as the sense times of the pages, all change; they are separated by commas.
/// A value that its section does not have comes last in it. `None` if a key is not a value with a
/// source, or its section is not there.
pub fn changed(text: &str, changes: &[Change]) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    for change in changes {
        let (path, last) = change.key.rsplit_once('.').unwrap_or(("", &change.key));
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for key in path.split('.').filter(|key| !key.is_empty()) {
            table = table.get_mut(key)?.as_table_like_mut()?;
        }
        match table.get_mut(last) {
            None if path.is_empty() => return None,
            None => {
                let mut one = InlineTable::new();
                one.insert("value", "".into());
                one.insert("source", "".into());
                change_one(&mut one, change, &change.value)?;
                table.insert(last, Item::Value(one.into()));
            }
            Some(Item::ArrayOfTables(list)) => {
                let values: Vec<&str> = change.value.split(", ").collect();
                if values.len() != list.len() {
                    return None;
                }
                for (entry, value) in list.iter_mut().zip(values) {
                    change_one(entry, change, value)?;
                }
            }
            Some(item) => change_one(item.as_table_like_mut()?, change, &change.value)?,
        }
    }
    Some(document.to_string())
}

fn change_one(table: &mut dyn TableLike, change: &Change, value: &str) -> Option<()> {
    put(table, "value", value.into())?;
    put(table, "source", change.source.as_str().into())?;
    list(table, "fitted_on", &change.fitted_on)?;
    let ends = change.range.iter().flat_map(|(low, high)| [low.clone(), high.clone()]);
    list(table, "range", &ends.collect::<Vec<_>>())?;
    let partner = change.correlated.iter().flat_map(|(key, r)| [key.clone(), format!("{r:.2}")]);
    list(table, "correlated", &partner.collect::<Vec<_>>())
}

/// Changes of a drive's own file and those of its NAND file, without what the keys of these begin
/// with.
pub fn apart(changes: impl Iterator<Item = Change>) -> (Vec<Change>, Vec<Change>) {
    // What is correlated is in one file.
    let within = |change: Change| {
        let same = |(key, _): &(String, f64)| key.starts_with(NAND) == change.key.starts_with(NAND);
        Change { correlated: change.correlated.clone().filter(same), ..change }
    };
    let (of_nand, own): (Vec<Change>, Vec<Change>) =
        changes.map(within).partition(|change| change.key.starts_with(NAND));
    let bare = |key: String| key.strip_prefix(NAND).map(str::to_owned).unwrap_or(key);
    let of_file = |change: Change| Change {
        key: bare(change.key),
        correlated: change.correlated.map(|(key, r)| (bare(key), r)),
        ..change
    };
    (own, of_nand.into_iter().map(of_file).collect())
}

/// The text under another name, without the other names it had. `None` if it has no name.
pub fn renamed(text: &str, name: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    put(document.as_table_mut(), "name", name.into())?;
    document.remove("aliases");
    Some(document.to_string())
}

/// Puts a list of texts behind what a value has; an empty one is no key.
fn list(table: &mut dyn TableLike, key: &str, texts: &[String]) -> Option<()> {
    if texts.is_empty() {
        table.remove(key);
        return Some(());
    }
    let texts: Array = texts.iter().map(String::as_str).collect();
    if let Some(old) = table.get_mut(key).and_then(Item::as_value_mut) {
        let decor = old.decor().clone();
        *old = Value::Array(texts);
        *old.decor_mut() = decor;
        return Some(());
    }
    // The blank before the brace belongs behind what is last now.
    let last = table.iter().last()?.0.to_owned();
    let last = table.get_mut(&last)?.as_value_mut()?.decor_mut();
    let behind = last.suffix().cloned().unwrap_or_default();
    last.set_suffix("");
    let mut texts = Value::Array(texts);
    texts.decor_mut().set_prefix(" ");
    texts.decor_mut().set_suffix(behind);
    table.insert(key, Item::Value(texts));
    Some(())
}

/// The text of a drive with another NAND file. `None` if it names none.
pub fn with_nand(text: &str, name: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    put(document.as_table_mut(), "nand", name.into())?;
    Some(document.to_string())
}

/// Replaces a value and keeps the text around it.
fn put(table: &mut dyn TableLike, key: &str, value: Value) -> Option<()> {
    let old = table.get_mut(key)?.as_value_mut()?;
    let decor = old.decor().clone();
    *old = value;
    *old.decor_mut() = decor;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A drive\nname = \"x\"\n\n[b] # late\n\
        one = { value = \"470 us\", source = \"assumed: so\" } # why\n\
        two = { value = \"yes\", source = \"assumed: so\" }\n\n[a]\n\
        bus = { value = \"800 MT/s\", source = \"data sheet: so\" }\n\
        [a.deep]\nn = { value = \"3 dies\", source = \"fitted: f\", fitted_on = [\"f1\"] }\n";

    #[test]
    fn quantities_are_found_by_path_in_the_order_of_the_file() {
        let found = values(TEXT);
        let keys: Vec<&str> = found.iter().map(|value| value.key.as_str()).collect();
        assert_eq!(keys, ["b.one", "a.bus", "a.deep.n"], "words are no quantities");
        let open: Vec<bool> = found.iter().map(Sourced::is_open).collect();
        assert_eq!(open, [true, false, true]);
        assert!(values("no toml [").is_empty());
    }

    #[test]
    fn only_what_is_fitted_changes() {
        let change = |key: &str, value: &str| Change {
            key: key.into(),
            value: value.into(),
            source: "fitted: to two".into(),
            fitted_on: vec!["r1".into(), "r2".into()],
            range: (key == "b.one").then(|| ("300 us".into(), "340 us".into())),
            correlated: None,
        };
        let new = changed(TEXT, &[change("b.one", "320 us"), change("a.deep.n", "5 dies")]);
        let wanted = TEXT
            .replace(
                "value = \"470 us\", source = \"assumed: so\" }",
                "value = \"320 us\", source = \"fitted: to two\", fitted_on = [\"r1\", \"r2\"], \
                 range = [\"300 us\", \"340 us\"] }",
            )
            .replace(
                "value = \"3 dies\", source = \"fitted: f\", fitted_on = [\"f1\"] }",
                "value = \"5 dies\", source = \"fitted: to two\", fitted_on = [\"r1\", \"r2\"] }",
            );
        assert_eq!(new.as_deref(), Some(wanted.as_str()));
        let more = changed(TEXT, &[change("b.three", "1 us")]).unwrap();
        assert!(
            more.contains("\nthree = { value = \"1 us\", source = \"fitted: to two\""),
            "{more}"
        );
        assert_eq!(changed(TEXT, &[change("c.three", "1 us")]), None);
        assert_eq!(changed(TEXT, &[change("name", "1 us")]), None);
    }

    #[test]
    fn what_goes_together_is_said_within_a_file() {
        let change = |key: &str, partner: &str| Change {
            key: key.into(),
            value: "320 us".into(),
            source: "fitted: to two".into(),
            fitted_on: vec!["r1".into()],
            range: Some(("300 us".into(), "340 us".into())),
            correlated: Some((partner.into(), -0.954)),
        };
        let new = changed(TEXT, &[change("b.one", "a.deep.n")]).unwrap();
        assert!(new.contains("correlated = [\"a.deep.n\", \"-0.95\"] }"), "{new}");
        let list = [("a.b", "c.d"), ("a.b", "nand.c"), ("nand.a", "nand.b"), ("nand.a", "c.d")];
        let (own, of_nand) = apart(list.into_iter().map(|(key, partner)| change(key, partner)));
        let partners = |list: Vec<Change>| -> Vec<Option<String>> {
            list.into_iter().map(|change| Some(change.correlated?.0)).collect()
        };
        assert_eq!(partners(own), [Some("c.d".to_owned()), None]);
        assert_eq!(partners(of_nand), [Some("b".to_owned()), None]);
    }

    #[test]
    fn the_values_of_a_list_change_together() {
        let text = "name = \"a\"\naliases = [\"b\"]\n\n[[sense]]\nvalue = \"45 us\"\n\
            source = \"assumed: so\"\n\n[[sense]]\nvalue = \"60 us\"\nsource = \"assumed: so\"\n";
        let change = |value: &str| Change {
            key: "sense".into(),
            value: value.into(),
            source: "measured: m".into(),
            fitted_on: Vec::new(),
            range: None,
            correlated: None,
        };
        let new = changed(text, &[change("50 us, 70 us")]).unwrap();
        let wanted = text.replace("45 us", "50 us").replace("60 us", "70 us");
        assert_eq!(new, wanted.replace("assumed: so", "measured: m"));
        assert_eq!(changed(text, &[change("50 us")]), None, "another number of values");
        let other = renamed(text, "c").unwrap();
        assert!(other.starts_with("name = \"c\"\n\n[[sense]]"), "{other}");
    }

    #[test]
    fn every_shipped_drive_comes_back_to_the_byte() {
        for slug in library::drives() {
            let text = library::source_text(slug).unwrap_or_default();
            assert_eq!(changed(text, &[]).as_deref(), Some(text), "{slug}");
        }
    }
}

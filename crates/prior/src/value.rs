//! The values of a model that come from somewhere.

use library::{Interface, Medium, System, Workload, source_text, workload_and_changes};

/// A value of a model with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its path, as for `--set`.
    pub key: String,
    /// The value as the file writes it; of a list all of them.
    pub text: String,
    /// What its source begins with.
    pub source: String,
    /// Its least and its largest, if the file says them; of a list those of its first entry.
    pub range: Option<(String, String)>,
    /// What it is a value of, wherever that is built in: two drives with the same flash have one
    /// program time.
    pub of: String,
    /// Another value, by its path, and the correlation with it.
    pub correlated: Option<(String, f64)>,
    /// Whether only whole numbers of its unit can be, besides counts and sizes.
    pub whole: bool,
}

/// Sources of values that are known before any figure is seen.
const KNOWN: [&str; 4] = ["data sheet", "published", "derived", "measured"];

impl Value {
    /// Whether it is known: neither assumed nor chosen with a figure.
    pub fn is_known(&self) -> bool {
        KNOWN.contains(&self.source.as_str())
    }

    /// Whether it is a link, whose values are a factor of two apart.
    pub fn is_link(&self) -> bool {
        self.text.parse::<Interface>().is_ok()
    }
}

/// All values of a drive or system that come from somewhere, by the paths that `--set` has.
pub fn of_system(system: &System) -> Vec<Value> {
    let mut found = Vec::new();
    if let Some(medium) = system.lone() {
        of_medium(medium, "", &mut found);
        return found;
    }
    Reader { of: &system.slug, prefix: String::new() }.read(&system.text, &mut found);
    for (name, medium) in system.named_media() {
        of_medium(medium, &format!("{name}.model."), &mut found);
    }
    found
}

/// The values of a workload profile of which its file says how far off they may be. The others are
/// what makes it this profile.
pub fn of_workload(name: &str) -> Vec<Value> {
    let text = Workload::text_of(name).unwrap_or_default();
    let mut found = Vec::new();
    let of = format!("workload {}", workload_and_changes(name).0);
    Reader { of: &of, prefix: String::new() }.read(&text, &mut found);
    found.retain(|value| value.range.is_some());
    // fio takes whole percents.
    found.iter_mut().for_each(|value| value.whole = true);
    found
}

fn of_medium(medium: &Medium, prefix: &str, found: &mut Vec<Value>) {
    // A slot may have narrowed the link in the text as used: the file says what the drive has.
    let text = source_text(medium.slug()).unwrap_or(medium.text());
    Reader { of: medium.slug(), prefix: prefix.to_owned() }.read(text, found);
    if let Medium::Flash(model) = medium {
        let of = name_of(&model.nand_text);
        Reader { of: &of, prefix: format!("{prefix}nand.") }.read(&model.nand_text, found);
    }
}

/// The name that a file gives itself.
fn name_of(text: &str) -> String {
    let table = toml::from_str::<toml::Table>(text).unwrap_or_default();
    table.get("name").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
}

/// Reads one file of a model.
struct Reader<'a> {
    of: &'a str,
    /// What stands before the paths of the file.
    prefix: String,
}

impl Reader<'_> {
    fn read(&self, text: &str, found: &mut Vec<Value>) {
        if let Ok(table) = toml::from_str::<toml::Table>(text) {
            self.walk(&table, "", found);
        }
    }

    fn walk(&self, table: &toml::Table, path: &str, found: &mut Vec<Value>) {
        for (key, value) in table {
            let path = format!("{path}{key}");
            match value {
                toml::Value::Table(inner) => match self.sourced(&path, inner) {
                    Some(value) => found.push(value),
                    None => self.walk(inner, &format!("{path}."), found),
                },
                toml::Value::Array(list) => {
                    let tables: Vec<&toml::Table> =
                        list.iter().filter_map(toml::Value::as_table).collect();
                    let all: Option<Vec<Value>> =
                        tables.iter().map(|entry| self.sourced(&path, entry)).collect();
                    match all.filter(|all| !all.is_empty()) {
                        Some(all) => found.extend(listed(all)),
                        // The parts of a system are named, and their names begin the paths.
                        None => tables.iter().for_each(|entry| {
                            if let Some(name) = entry.get("name").and_then(toml::Value::as_str) {
                                self.walk(entry, &format!("{name}."), found);
                            }
                        }),
                    }
                }
                _ => {}
            }
        }
    }

    /// The value of a table that is one.
    fn sourced(&self, path: &str, table: &toml::Table) -> Option<Value> {
        let value = table.get("value")?.as_str()?;
        let source = table.get("source")?.as_str()?;
        let basis = source.split_once(':').map_or(source, |(basis, _)| basis);
        let pair = |key: &str| {
            let list = table.get(key)?.as_array()?;
            let text = |i: usize| Some(list.get(i)?.as_str()?.to_owned());
            Some((text(0)?, text(1)?))
        };
        let partner = |(path, coefficient): (String, String)| {
            Some((format!("{}{path}", self.prefix), coefficient.parse().ok()?))
        };
        Some(Value {
            key: format!("{}{path}", self.prefix),
            text: value.to_owned(),
            source: basis.to_owned(),
            range: pair("range"),
            of: format!("{}: {path}", self.of),
            correlated: pair("correlated").and_then(partner),
            whole: false,
        })
    }
}

/// A list is one value: its entries come from one place and move together.
fn listed(all: Vec<Value>) -> Option<Value> {
    let texts: Vec<String> = all.iter().map(|value| value.text.clone()).collect();
    all.into_iter().next().map(|first| Value { text: texts.join(", "), ..first })
}

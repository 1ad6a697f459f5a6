//! The values of a model that come from somewhere, and the values beside them.

use fit::Quantity;
use library::{Interface, Medium, System, source_text};

/// A value of a model with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its path, as for `--set`.
    pub key: String,
    /// The value as the file writes it; of a list all of them.
    pub text: String,
    /// What its source begins with.
    pub source: String,
}

/// A value moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The new value.
    pub text: String,
    /// Change of its logarithm.
    pub by: f64,
}

/// Sources of values that are known before any figure is seen.
const KNOWN: [&str; 4] = ["data sheet", "published", "derived", "measured"];

/// So much of itself a value is moved by.
const PART: f64 = 1.05;

impl Value {
    /// Whether it is known: neither assumed nor chosen with a figure.
    pub fn is_known(&self) -> bool {
        KNOWN.contains(&self.source.as_str())
    }

    /// Values beside it, the one to be tried first at the front: first to the side on which a drive
    /// gets slower, since a limit that is lowered always shows and one that is raised may run into
    /// the next. What cannot be moved by a part of itself (a power of two, a count) is doubled or
    /// halved. Words have no value beside them.
    pub fn steps(&self) -> Vec<Step> {
        let parts: Option<Vec<Quantity>> = self.text.split(", ").map(Quantity::parse).collect();
        match parts {
            Some(parts) => steps_of(&parts),
            None => self.text.parse().map(|link| of_interface(link).to_vec()).unwrap_or_default(),
        }
    }

    /// Whether it is a link, whose values are a factor of two apart.
    pub fn is_link(&self) -> bool {
        self.text.parse::<Interface>().is_ok()
    }
}

fn steps_of(parts: &[Quantity]) -> Vec<Step> {
    let Some(first) = parts.first().filter(|first| first.number != 0.0) else { return Vec::new() };
    let times = |factor: f64| {
        let text = |part: &Quantity| written(part.number * factor, part);
        Step { text: parts.iter().map(text).collect::<Vec<_>>().join(", "), by: factor.ln() }
    };
    // Times and shares that are lost make a drive slower as they grow, all else as it shrinks.
    let grows = first.is_time() || first.is_share();
    let sides = |factor: f64| if grows { [factor, 1.0 / factor] } else { [1.0 / factor, factor] };
    if first.is_count() {
        let part = (first.number * (PART - 1.0)).round().max(1.0);
        let to = |number: f64| {
            let by = (number / first.number).ln();
            (number >= 1.0).then(|| Step { text: written(number, first), by })
        };
        let beside = [-part, part, -1.0, 1.0].map(|side| to(first.number + side));
        let doubled = [to((first.number / 2.0).floor()), to(first.number * 2.0)];
        return beside.into_iter().chain(doubled).flatten().collect();
    }
    sides(PART).into_iter().chain(sides(2.0)).map(times).collect()
}

/// Narrower, then wider.
fn of_interface(link: Interface) -> [Step; 2] {
    let by = 2f64.ln();
    let (half, double) = match link {
        Interface::Pcie { generation, lanes: 1 } => (
            Interface::Pcie { generation: generation - 1, lanes: 1 },
            Interface::Pcie { generation, lanes: 2 },
        ),
        Interface::Pcie { generation, lanes } => (
            Interface::Pcie { generation, lanes: lanes / 2 },
            Interface::Pcie { generation, lanes: lanes * 2 },
        ),
        Interface::Sata { .. } => {
            (Interface::Sata { gigabits: 3 }, Interface::Sata { gigabits: 6 })
        }
    };
    [Step { text: half.to_string(), by: -by }, Step { text: double.to_string(), by }]
}

/// A number as a model file writes it: whole where it counts things.
fn written(number: f64, like: &Quantity) -> String {
    match like.is_count() || like.unit == "B" {
        true => format!("{} {}", number.round(), like.unit),
        // Enough digits for any step, few enough for what parses them.
        false => format!("{} {}", (number * 1e6).round() / 1e6, like.unit),
    }
}

/// All values of a drive or system that come from somewhere, by the paths that `--set` has.
pub fn of_system(system: &System) -> Vec<Value> {
    let mut found = Vec::new();
    if let Some(medium) = system.lone() {
        of_medium(medium, "", &mut found);
        return found;
    }
    read(&system.text, "", &mut found);
    for (name, medium) in system.named_media() {
        of_medium(medium, &format!("{name}.model."), &mut found);
    }
    found
}

fn of_medium(medium: &Medium, prefix: &str, found: &mut Vec<Value>) {
    // A slot may have narrowed the link in the text as used: the file says what the drive has.
    read(source_text(medium.slug()).unwrap_or(medium.text()), prefix, found);
    if let Medium::Flash(model) = medium {
        read(&model.nand_text, &format!("{prefix}nand."), found);
    }
}

fn read(text: &str, prefix: &str, found: &mut Vec<Value>) {
    if let Ok(table) = toml::from_str::<toml::Table>(text) {
        walk(&table, prefix, found);
    }
}

fn walk(table: &toml::Table, prefix: &str, found: &mut Vec<Value>) {
    for (key, value) in table {
        let path = format!("{prefix}{key}");
        match value {
            toml::Value::Table(inner) => match sourced(inner) {
                Some((text, source)) => found.push(Value { key: path, text, source }),
                None => walk(inner, &format!("{path}."), found),
            },
            toml::Value::Array(list) => {
                let tables: Vec<&toml::Table> =
                    list.iter().filter_map(toml::Value::as_table).collect();
                let all: Option<Vec<_>> = tables.iter().map(|entry| sourced(entry)).collect();
                match all.filter(|all| !all.is_empty()) {
                    Some(all) => found.push(listed(path, all)),
                    // The parts of a system are named, and their names begin the paths.
                    None => tables.iter().for_each(|entry| {
                        if let Some(name) = entry.get("name").and_then(toml::Value::as_str) {
                            walk(entry, &format!("{name}."), found);
                        }
                    }),
                }
            }
            _ => {}
        }
    }
}

/// A list is one value: its entries come from one place and move together.
fn listed(key: String, all: Vec<(String, String)>) -> Value {
    let source = all.first().map(|(_, source)| source.clone()).unwrap_or_default();
    let texts: Vec<String> = all.into_iter().map(|(text, _)| text).collect();
    Value { key, text: texts.join(", "), source }
}

/// Value and first words of the source, if the table is a value with one.
fn sourced(table: &toml::Table) -> Option<(String, String)> {
    let value = table.get("value")?.as_str()?;
    let source = table.get("source")?.as_str()?;
    let basis = source.split_once(':').map_or(source, |(basis, _)| basis);
    Some((value.to_owned(), basis.to_owned()))
}

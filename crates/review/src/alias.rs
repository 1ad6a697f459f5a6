//! Names as reviews write them, and the drives and methods they mean.

use std::collections::BTreeMap;

use fio::Diagnostic;

use super::given::params_of;
use super::node::{Node, Source};
use metric::Params;
use metric::hint;

/// What a device name means.
#[derive(Clone, Debug, PartialEq)]
pub enum Device {
    /// A slug of the library of models, and what the name says of the run ("second run").
    Target(String, Params),
    /// Nothing that could be modelled, and why.
    NotModelled(String),
}

/// What a test name means.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// A method with default parameters.
    Method {
        /// Name of the method.
        name: String,
        /// Parameters that a row overrides.
        params: Params,
    },
    /// Several tests, of which a bound has to hold for each.
    Each(Vec<String>),
    /// Nothing that could be run, and why.
    NotModelled(String),
}

/// The two tables of names.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    devices: BTreeMap<String, (String, Device)>,
    tests: BTreeMap<String, (String, Test)>,
}

/// Names are compared without regard to case and runs of blanks.
fn key(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Aliases {
    /// Reads a table of names; `file` is what messages call it.
    ///
    /// # Errors
    /// The first mistake in the table, with its place: bad TOML, an unknown or missing key, or a
    /// name that is given twice with different meanings.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        let source = Source::new(file, text);
        let document = source.parse()?;
        let fields = document.fields(&["device", "test"])?;
        let mut aliases = Self::default();
        for node in fields.list("device")? {
            let fields =
                node.fields(&["names", "target", "params", "not_modelled"], "[[device]]")?;
            let device = match fields.string("not_modelled")? {
                Some(why) => Device::NotModelled(why),
                None => {
                    let params = params_of(fields.get("params"))?;
                    Device::Target(fields.need("target")?.string()?, params)
                }
            };
            insert(&mut aliases.devices, fields.strings("names")?, &device, &node)?;
        }
        for node in fields.list("test")? {
            let known = ["names", "method", "params", "each", "not_modelled"];
            let fields = node.fields(&known, "[[test]]")?;
            let test = match (fields.string("not_modelled")?, fields.get("each")) {
                (Some(why), _) => Test::NotModelled(why),
                (None, Some(_)) => Test::Each(fields.strings("each")?),
                (None, None) => Test::Method {
                    name: fields.need("method")?.string()?,
                    params: params_of(fields.get("params"))?,
                },
            };
            insert(&mut aliases.tests, fields.strings("names")?, &test, &node)?;
        }
        Ok(aliases)
    }

    /// The drive of that name.
    ///
    /// # Errors
    /// If no device has this name: a hint at the nearest names.
    pub fn device(&self, name: &str) -> Result<&Device, String> {
        find(&self.devices, name, "devices", "target = \"...\" with a slug or a model file")
    }

    /// The method of that test name.
    ///
    /// # Errors
    /// If no test has this name: a hint at the nearest names.
    pub fn test(&self, name: &str) -> Result<&Test, String> {
        find(&self.tests, name, "tests", "method = \"...\" and its params")
    }

    /// Device names as written in the table.
    pub fn device_names(&self) -> impl Iterator<Item = &str> {
        self.devices.values().map(|(name, _)| name.as_str())
    }

    /// Test names as written in the table.
    pub fn test_names(&self) -> impl Iterator<Item = &str> {
        self.tests.values().map(|(name, _)| name.as_str())
    }
}

fn insert<T: Clone>(
    table: &mut BTreeMap<String, (String, T)>,
    names: Vec<String>,
    value: &T,
    node: &Node<'_>,
) -> Result<(), Diagnostic> {
    for name in names {
        if table.insert(key(&name), (name.clone(), value.clone())).is_some() {
            return Err(node.error(format!("the name `{name}` has two meanings")));
        }
    }
    Ok(())
}

fn find<'t, T>(
    table: &'t BTreeMap<String, (String, T)>,
    name: &str,
    what: &str,
    instead: &str,
) -> Result<&'t T, String> {
    if let Some((_, value)) = table.get(&key(name)) {
        return Ok(value);
    }
    let known = table.values().map(|(name, _)| name.as_str());
    Err(format!("{}; or write {instead}", hint(what, name, known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"
        [[device]]
        names = ["Acme Fast 1TB", "Fast"]
        target = "fast-1tb"
        [[test]]
        names = ["Seq Read"]
        method = "corner"
        params = { pattern = "seq", op = "read" }
        [[test]]
        names = ["price"]
        not_modelled = "a price"
    "#;

    #[test]
    fn case_and_blanks_do_not_matter() {
        let aliases = Aliases::parse("a.toml", TABLE).unwrap();
        let fast = Device::Target("fast-1tb".into(), Params::default());
        assert_eq!(aliases.device("acme  fast 1tb").unwrap(), &fast);
        assert_eq!(aliases.device("FAST").unwrap(), &fast);
        assert_eq!(aliases.test("price").unwrap(), &Test::NotModelled("a price".into()));
        assert!(matches!(aliases.test("seq read").unwrap(), Test::Method { name, .. }
            if name == "corner"));
    }

    #[test]
    fn an_unknown_name_proposes_the_nearest() {
        let aliases = Aliases::parse("a.toml", TABLE).unwrap();
        assert!(aliases.device("Acme Fats 1TB").unwrap_err().contains("`Acme Fast 1TB`"));
        assert!(aliases.test("throw out of window").unwrap_err().contains("known tests: price"));
    }

    #[test]
    fn a_name_of_two_things_is_refused() {
        let twice = format!("{TABLE}\n[[device]]\nnames = [\"fast\"]\ntarget = \"other\"\n");
        let error = Aliases::parse("a.toml", &twice).unwrap_err();
        assert!(error.to_string().contains("two meanings"), "{error}");
    }
}

//! Where the values of a model file come from: every table with `value` and `source` in it.

use super::diagnose;
use super::size_mix::SizeMix;
use fio::Diagnostic;
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// The words that a source begins with: the vendor's data sheet; a published measurement or
/// teardown; computed from other values, the formula follows; chosen so that a measured figure
/// comes out, the figures are in `fitted_on`; assumed, with the reason.
const BASES: [&str; 5] = ["data sheet", "published", "derived", "fitted", "assumed"];

/// A regular expression for the beginning of every source.
pub(super) fn pattern() -> String {
    format!(r"^({}):[\s\S]{{2}}", BASES.join("|"))
}

/// The source of one value.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// First byte of its text in the file.
    at: usize,
    /// The keys that lead to the value, with dots between them.
    path: String,
    text: String,
    fitted_on: Vec<String>,
    /// The value, and what is said of how far off it may be.
    value: String,
    range: Option<Vec<String>>,
    /// The path of another value and how it goes with that.
    correlated: Option<Vec<String>>,
}

impl Source {
    /// Checks that it begins with a known word and that a fitted value names figures, which besides
    /// it only a derived one may. The
    /// error is a byte offset and a message.
    pub(super) fn check(&self) -> Result<(), (usize, String)> {
        let text = &self.text;
        let known = BASES.iter().find(|word| {
            text.strip_prefix(**word).is_some_and(|rest| rest.starts_with(':') && rest.len() > 2)
        });
        let Some(basis) = known else {
            let message = format!(
                "a source begins with `{}` and a colon, then says more; this one is `{text}`",
                BASES.join("`, `")
            );
            return Err((self.at, message));
        };
        let wrong = match *basis {
            "fitted" => self.fitted_on.is_empty(),
            // A value that was solved from a figure was chosen with it.
            "derived" => false,
            _ => !self.fitted_on.is_empty(),
        };
        if wrong {
            let message = "a fitted value names its figures in `fitted_on`; a derived one may, and \
                           no other value does";
            return Err((self.at, message.to_owned()));
        }
        if !self.range_holds() {
            let message = format!(
                "the range of a value is its least and its largest in the same unit, with the \
                 value between them: range = [\"45 us\", \"75 us\"]; this value is `{}`",
                self.value
            );
            return Err((self.at, message));
        }
        Ok(())
    }

    /// Checks that what it is correlated with is another value of the file.
    fn check_partner(&self, all: &[Source]) -> Result<(), (usize, String)> {
        let Some(said) = &self.correlated else { return Ok(()) };
        let holds = match said.as_slice() {
            [path, coefficient] => {
                let partner = all.iter().any(|other| other.path == *path);
                let within = coefficient.parse::<f64>().is_ok_and(|r| r.abs() < 1.0);
                partner && within && *path != self.path
            }
            _ => false,
        };
        let message = "a value is correlated with another one of its file, between -1 and 1: \
                       correlated = [\"controller.copy_batch\", \"-0.95\"]";
        if holds { Ok(()) } else { Err((self.at, message.to_owned())) }
    }

    /// Whether the range, if there is one, is about the value.
    fn range_holds(&self) -> bool {
        let Some(range) = &self.range else { return true };
        // What lies between two mixes of sizes is a mix; they have no order.
        if self.value.parse::<SizeMix>().is_ok() {
            return range.len() == 2 && range.iter().all(|end| end.parse::<SizeMix>().is_ok());
        }
        let read = |text: &String| metric::split_quantity(text).map(|(n, u)| (n, u.to_owned()));
        let all: Option<Vec<_>> = range.iter().chain([&self.value]).map(read).collect();
        match all.as_deref() {
            Some([low, high, value]) => {
                low.1 == value.1 && high.1 == value.1 && low.0 <= value.0 && value.0 <= high.0
            }
            _ => false,
        }
    }
}

/// All sources of a file, in its order. A text that is not TOML has none.
pub(super) fn of(text: &str) -> Vec<Source> {
    let mut found = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        walk(table.get_ref(), "", &mut found);
    }
    found.sort_by_key(|source| source.at);
    found
}

/// Checks all sources of a file.
pub(super) fn check(file: &str, text: &str) -> Result<(), Diagnostic> {
    let sources = of(text);
    let check = |source: &Source| source.check().and_then(|()| source.check_partner(&sources));
    let wrong = sources.iter().filter_map(|source| check(source).err());
    let all = wrong.map(|(at, message)| {
        Diagnostic::new(&diagnose::place(file, text, at), message)
            .with_help("for example `data sheet: 7000 MB/s` or `assumed: as the P5520`")
    });
    Diagnostic::several(all).map_or(Ok(()), Err)
}

/// First byte of the value at a path such as `arm.average`; 0 if there is none.
pub(super) fn place_of(text: &str, path: &str) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 0 };
    let mut at = table.span().start;
    let mut table = table.get_ref();
    for key in path.split('.').chain(["value"]) {
        let Some(value) = table.get(key) else { return at };
        at = value.span().start;
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => return at,
        }
    }
    at
}

/// Ids of all figures on which a value of the file was fitted.
pub(super) fn fitted_on(text: &str) -> BTreeSet<String> {
    of(text).into_iter().flat_map(|source| source.fitted_on).collect()
}

fn walk(table: &DeTable<'_>, path: &str, found: &mut Vec<Source>) {
    if let (Some(_), Some(source)) = (table.get("value"), table.get("source"))
        && let DeValue::String(text) = source.get_ref()
    {
        let figures = table.get("fitted_on").and_then(|list| list.get_ref().as_array());
        let figures = figures.into_iter().flat_map(|list| list.iter());
        let fitted_on = figures.filter_map(|id| id.get_ref().as_str().map(str::to_owned)).collect();
        let texts = |key: &str| {
            table.get(key).map(|list| match list.get_ref().as_array() {
                Some(list) => list.iter().map(|one| written(one.get_ref())).collect(),
                None => Vec::new(),
            })
        };
        let (range, correlated) = (texts("range"), texts("correlated"));
        let value = table.get("value").map(|value| written(value.get_ref())).unwrap_or_default();
        let (at, text) = (source.span().start, text.to_string());
        let path = path.to_owned();
        found.push(Source { at, path, text, fitted_on, value, range, correlated });
        return;
    }
    for (key, value) in table {
        let path = match path {
            "" => key.get_ref().to_string(),
            _ => format!("{path}.{}", key.get_ref()),
        };
        match value.get_ref() {
            DeValue::Table(table) => walk(table, &path, found),
            DeValue::Array(list) => {
                for entry in list.iter() {
                    if let DeValue::Table(table) = entry.get_ref() {
                        walk(table, &path, found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The text of a string; empty of anything else.
fn written(value: &DeValue<'_>) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        name = "x"
        [a]
        one = { value = "1 us", source = "assumed: because" }
        two = { value = "2 us", source = "fitted: to it", fitted_on = ["f1", "f2"] }
        [[list]]
        value = "3 us"
        source = "guess: so"
    "#;

    #[test]
    fn every_value_with_a_source_is_found_in_order() {
        let texts: Vec<String> = of(TEXT).into_iter().map(|source| source.text).collect();
        assert_eq!(texts, ["assumed: because", "fitted: to it", "guess: so"]);
        assert_eq!(fitted_on(TEXT), BTreeSet::from(["f1".to_owned(), "f2".to_owned()]));
    }

    #[test]
    fn an_unknown_word_and_a_fit_without_figures_are_refused_at_their_place() {
        let checks: Vec<_> = of(TEXT).iter().map(Source::check).collect();
        assert!(checks[0].is_ok() && checks[1].is_ok());
        let (at, message) = checks[2].clone().unwrap_err();
        assert_eq!(&TEXT[at..at + 7], "\"guess:");
        assert!(message.contains("`data sheet`"));
        let unnamed = TEXT.replace(", fitted_on = [\"f1\", \"f2\"]", "");
        assert!(of(&unnamed)[1].check().unwrap_err().1.contains("names its figures"));
    }

    #[test]
    fn a_range_is_two_ends_in_the_unit_of_the_value_around_it() {
        let check = |range: &str| {
            let text =
                format!("a = {{ value = \"60 us\", source = \"assumed: so\", range = {range} }}");
            of(&text)[0].check()
        };
        assert!(check("[\"45 us\", \"75 us\"]").is_ok() && check("[\"60 us\", \"60 us\"]").is_ok());
        for range in [
            "[\"61 us\", \"75 us\"]",
            "[\"45 us\", \"0.1 ms\"]",
            "[\"45 us\"]",
            "\"45 us\"",
            "[1, 2]",
        ] {
            let (_, message) = check(range).unwrap_err();
            assert!(message.contains("this value is `60 us`"), "{range}: {message}");
        }
    }

    #[test]
    fn a_value_is_correlated_with_another_one_of_its_file() {
        let with = |said: &str| {
            let value = "value = \"1 us\", source = \"assumed: so\"";
            let two = format!("two = {{ {value}, correlated = {said} }}");
            check("x.toml", &format!("[a]\none = {{ {value} }}\n{two}\n"))
        };
        assert!(with("[\"a.one\", \"-0.95\"]").is_ok());
        let wrong = ["a.one\", \"1.5", "a.two\", \"0.5", "a.four\", \"0.5", "a.one"];
        for said in wrong {
            let why = with(&format!("[\"{said}\"]")).unwrap_err().to_string();
            assert!(why.contains("correlated with another one"), "{said}: {why}");
        }
    }

    #[test]
    fn the_range_of_a_mix_of_sizes_is_two_mixes() {
        let check = |range: &str| {
            let value = "value = \"8 KiB 90 %, 64 KiB 10 %\", source = \"assumed: so\"";
            of(&format!("a = {{ {value}, range = {range} }}"))[0].check()
        };
        assert!(check("[\"8 KiB 100 %\", \"8 KiB 80 %, 64 KiB 20 %\"]").is_ok());
        assert!(check("[\"8 KiB 100 %\"]").is_err());
        assert!(check("[\"8 KiB 100 %\", \"8 KiB 80 %\"]").is_err());
    }
}

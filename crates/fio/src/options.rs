//! The table of options: what each is called, takes, and means on a model.

pub use crate::option_row::{Class, Kind, OptionRow, TimeUnit};
use crate::suggest;

/// Every option that the reader knows, in the order of fio's own help.
pub fn option_table() -> &'static [OptionRow] {
    crate::options_table::TABLE
}

/// Looks an option up by its name or one of its aliases.
pub fn find(name: &str) -> Option<&'static OptionRow> {
    option_table().iter().find(|row| row.name == name || row.aliases.contains(&name))
}

/// The known name that is nearest to a misspelt one.
pub fn nearest(name: &str) -> Option<&'static str> {
    let names = option_table()
        .iter()
        .flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()));
    suggest::nearest(name, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut seen = BTreeSet::new();
        for row in option_table() {
            for name in std::iter::once(&row.name).chain(row.aliases) {
                assert!(seen.insert(*name), "{name} is listed twice");
            }
            assert!(!row.help.is_empty() && !row.help.ends_with('.'), "{}", row.name);
        }
    }

    #[test]
    fn times_are_read_in_the_unit_of_their_option() {
        let read = |name, text| find(name).and_then(|row| row.microseconds(text));
        assert_eq!(read("thinktime", "50"), Some(50));
        assert_eq!(read("rate_cycle", "50"), Some(50_000));
        assert_eq!(read("startdelay", "50"), Some(50_000_000));
        assert_eq!(read("timeout", "2m"), Some(120_000_000));
        assert_eq!(read("runtime", "1.5"), None);
    }

    #[test]
    fn names_are_found() {
        assert_eq!(find("readwrite").map(|row| row.name), Some("rw"));
        assert_eq!(find("rwx").map(|row| row.name), None);
        assert_eq!(nearest("iodetph"), Some("iodepth"));
    }
}

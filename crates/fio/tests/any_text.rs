//! No text makes the reader panic.

use fio::LoadOptions;
use fio::jobfile::parse_str;
use fio::options::option_table;
use proptest::prelude::*;

const SEEDS: [&str; 3] = [
    include_str!("jobs/steady.fio"),
    include_str!("jobs/mixed.fio"),
    "[a]\nrandom_distribution=zoned:50/10:30/20:/,zipf:1.1\nbssplit=,4k/10:8k/,\nsize=(4k*2)\n",
];

/// Reads it; every error has a place within reach and a message.
fn read(text: &str) {
    if let Err(error) = parse_str("t.fio", text, &LoadOptions::default()) {
        assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
        assert!(error.line as usize <= text.lines().count().max(1));
    }
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-+]?[0-9]{0,25}(\\.[0-9]*)?[a-zA-Z%]{0,4}",
        "[0-9kmgKMG,:/%.\\-]{0,40}",
        "[(]{0,5}[0-9+*/^%() -]{0,20}[)]{0,5}",
        "\\$\\{[A-Z]{0,3}\\}?[0-9k]*",
        "\\PC{0,20}",
        "(zipf|zoned|zoned_abs|pareto|normal|sequence|read|randrw|bw_slope|poisson)[:=]?\
         [0-9.:/,%k-]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string(text in "\\PC{0,200}") {
        read(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_value_of_any_option(
        lines in proptest::collection::vec((0..option_table().len(), value(), any::<bool>()), 1..8),
    ) {
        let mut text = String::from("[a]\n");
        for (row, value, flag) in lines {
            text.push_str(option_table()[row].name);
            if !flag {
                text.push('=');
                text.push_str(&value);
            }
            text.push('\n');
        }
        read(&text);
    }

    #[test]
    fn mutated_files(
        seed in 0..SEEDS.len(),
        edits in proptest::collection::vec((any::<usize>(), 0..3_u8, any::<char>()), 1..12),
    ) {
        let mut characters: Vec<char> = SEEDS[seed].chars().collect();
        for (position, edit, character) in edits {
            let position = position % characters.len();
            match edit {
                0 => characters[position] = character,
                1 => characters.insert(position, character),
                _ => {
                    characters.remove(position);
                }
            }
        }
        read(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn files_cut_anywhere(seed in 0..SEEDS.len(), end in any::<prop::sample::Index>()) {
        let text = SEEDS[seed];
        let end = text.floor_char_boundary(end.index(text.len()));
        read(&text[..end]);
    }
}

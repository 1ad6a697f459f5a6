//! The model file of a twin: that of its sibling with other values, each with its source.

use super::stages::Made;
use crate::files;
use crate::fit::nand_file;
use crate::render::Failure;
use answer::twin::{TwinKnown, TwinValue};
use fit::model_text::{Change, apart, changed, renamed, with_nand};
use library::System;
use std::path::Path;

/// Writes the model, and its flash beside it.
///
/// # Errors
/// A file that cannot be written.
pub fn write(made: &Made, target: &str, output: &Path) -> Result<(), Failure> {
    let broken = || Failure::failed("the model of the twin cannot be written");
    let sibling = System::named(&made.draft.slug, &[]).map_err(|_| broken())?;
    let flash = sibling.lone_flash().ok_or_else(broken)?;
    let change = |(key, value): &(String, String)| Change {
        key: key.clone(),
        value: value.clone(),
        source: source(made, target, key),
        fitted_on: Vec::new(),
        range: range(made, key),
        correlated: None,
    };
    let (own, of_nand) = apart(made.draft.set.iter().map(change));
    let name = format!("Twin of {target}");
    let path = nand_file(output);
    let nand_name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let nand = changed(&flash.nand_text, &of_nand)
        .and_then(|text| renamed(&text, &format!("Flash of the twin of {target}")))
        .ok_or_else(broken)?;
    let text = changed(&sibling.text, &own)
        .and_then(|text| with_nand(&text, &nand_name))
        .and_then(|text| renamed(&text, &name))
        .ok_or_else(broken)?;
    let head = format!(
        "# {name}\n#\n# Made by `drivelab twin`; values without a word of it are those of {}.\n\n",
        made.draft.slug
    );
    files::write(&path, &(head.clone() + without_head(&nand)))?;
    files::write(output, &(head + without_head(&text)))?;
    // What was written is what any command reads.
    System::from_file(output, &[]).map(|_| ()).map_err(Failure::from)
}

/// A file without the comment at its top, which speaks of the sibling.
fn without_head(text: &str) -> &str {
    let mut rest = text;
    while let Some(line) = rest.lines().next()
        && (line.starts_with('#') || line.is_empty())
    {
        rest = rest[line.len()..].trim_start_matches('\n');
    }
    rest
}

fn said<'m>(made: &'m Made, key: &str) -> Option<&'m TwinValue> {
    made.values.iter().find(|value| value.key == key)
}

fn source(made: &Made, target: &str, key: &str) -> String {
    let Some(said) = said(made, key) else {
        return match key {
            "body.capacity" => format!("derived: what {target} holds"),
            _ => format!("assumed: as {} in proportion", made.draft.slug),
        };
    };
    match said.known {
        TwinKnown::Measured => format!("derived: drivelab twin, by {}", said.why),
        TwinKnown::Chosen => format!("derived: drivelab twin, chosen by {}", said.why),
        TwinKnown::Agreeing => format!("assumed: agrees with the tests of the twin; {}", said.why),
    }
}

/// The range of a single quantity.
fn range(made: &Made, key: &str) -> Option<(String, String)> {
    let said = said(made, key).filter(|said| said.known == TwinKnown::Measured)?;
    said.interval90.clone().filter(|(low, _)| !low.contains(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twin::bench::Draft;

    fn said(key: &str, value: &str, known: TwinKnown) -> TwinValue {
        let around = (value.to_owned(), value.to_owned());
        TwinValue {
            key: key.to_owned(),
            value: value.to_owned(),
            interval90: Some(around),
            known,
            why: "a test".to_owned(),
        }
    }

    #[test]
    fn the_file_of_a_twin_is_a_model_with_its_values() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("twin.toml");
        let all = [
            ("nand.sense", "44 us, 61 us, 74 us", TwinKnown::Measured),
            ("nand.program", "2.01 ms", TwinKnown::Measured),
            ("ftl.alpha", "1.09 x", TwinKnown::Measured),
            ("flash.program_limit", "31 dies", TwinKnown::Agreeing),
            ("buffer.protection", "protected", TwinKnown::Chosen),
            // A key that the sibling does not have.
            ("controller.read_path", "3.2 GB/s", TwinKnown::Measured),
        ];
        let mut set: Vec<(&str, String)> =
            all.iter().map(|(key, value, _)| (*key, (*value).to_owned())).collect();
        set.push(("body.capacity", "8000000000000 B".to_owned()));
        let made = Made {
            draft: Draft::of("p4510-8tb").with(&set),
            values: all.iter().map(|(key, value, known)| said(key, value, *known)).collect(),
            judged: None,
            notes: Vec::new(),
        };
        write(&made, "/dev/nvme1n1", &output).unwrap();
        let twin = System::from_file(&output, &[]).unwrap();
        assert_eq!(twin.name(), "Twin of /dev/nvme1n1");
        assert!(twin.text.contains("read_path = { value = \"3.2 GB/s\""), "{}", twin.text);
        let flash = &twin.lone_flash().unwrap().nand_text;
        assert!(flash.contains("74 us") && flash.contains("derived: drivelab twin, by a test"));
        assert!(!twin.text.contains("# Intel P4510"), "the comment of the sibling is gone");
    }
}

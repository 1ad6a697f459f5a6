//! The reference in `docs/reference/`, written from what the program itself knows.
//!
//! A hidden command writes the pages; a test (`tests/reference.rs`) fails where the pages that are
//! kept say something else.

mod commands;
mod library;
mod measurement;
mod validation;

use crate::files::{self, json_text};
use crate::render::Failure;
use crate::schemas::KINDS;
use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments of `reference`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  drivelab reference --dir docs/reference")]
pub struct ReferenceArgs {
    /// The directory, which has to be there
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// Where `make reproduce` keeps its results: the tables of the chapter there are written too
    #[arg(long, value_name = "DIR")]
    pub validation: Option<PathBuf>,
}

/// A page: its file, its title, a sentence about it, and its text.
type Page = (&'static str, &'static str, &'static str, String);

/// Runs the command.
pub fn command(args: &ReferenceArgs) -> Result<(), Failure> {
    if let Some(dir) = &args.validation {
        validation::write(dir)?;
    }
    let pages = pages()?;
    let mut index = "# Reference\n\nWritten from the code by `make reference`; a test holds the \
                     pages to it.\n\n"
        .to_owned();
    for (file, title, about, text) in pages {
        index.push_str(&format!("- [{title}]({file}): {about}\n"));
        let page = format!("# {title}\n\n{}.\n\n{}\n", sentence(about), text.trim_end());
        files::write(&args.dir.join(file), &page)?;
    }
    index.push_str(&schemas(&args.dir)?);
    files::write(&args.dir.join("README.md"), &index)
}

/// Writes the schemas; a paragraph about them for the index.
fn schemas(dir: &Path) -> Result<String, Failure> {
    let dir = dir.join("schema");
    std::fs::create_dir_all(&dir)
        .map_err(|error| Failure::failed(format!("{}: {error}", dir.display())))?;
    let mut text =
        "\nJSON Schemas, for editors ([how](../guide/editors.md)) and for programs:\n\n".to_owned();
    for kind in KINDS {
        let file = format!("{}.json", kind.name);
        files::write(&dir.join(&file), &json_text(&kind.schema())?)?;
        text.push_str(&format!("- [{}](schema/{file}): {}\n", kind.name, kind.what));
    }
    Ok(text)
}

fn pages() -> Result<Vec<Page>, Failure> {
    Ok(vec![
        ("commands.md", "Commands", "every command, its options and examples", commands::text()),
        ("methods.md", "Methods", "what a test does, its parameters, metrics and steps", {
            measurement::methods()
        }),
        ("metrics.md", "Metrics", "what a name means, its unit, and which way it is better", {
            measurement::metrics()
        }),
        (
            "models.md",
            "Models",
            "drives, systems, flash, cooling and workloads",
            library::models()?,
        ),
        ("reviews.md", "Reviews", "the published figures and claims", library::reviews()?),
    ])
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

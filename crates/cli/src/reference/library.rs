//! The reference of models and reviews.

use crate::list;
use crate::list::Shelf;
use crate::render::Failure;
use crate::show;
use review::Library;

/// Every model of the library.
pub fn models() -> Result<String, Failure> {
    let shelves = [
        ("Drives", Shelf::Drives),
        ("Systems", Shelf::Systems),
        ("Flash", Shelf::Nands),
        ("Cooling", Shelf::Coolings),
        ("Workloads", Shelf::Workloads),
    ];
    let mut text = "`drivelab show NAME` prints a model with the source of each value. The format \
                    is in [models](../../models/README.md).\n"
        .to_owned();
    for (title, shelf) in shelves {
        let table = list::shelves(shelf)?.to_table();
        text.push_str(&format!("\n## {title}\n\n{}", table.to_markdown()));
    }
    Ok(text)
}

/// Every review with its figures and claims.
pub fn reviews() -> Result<String, Failure> {
    let library = Library::shipped()?;
    let mut text = "What became of them: [validation](../validation/README.md). The format is in \
                    [reviews](../../reviews/README.md).\n"
        .to_owned();
    for name in library.names() {
        let read = library.select(&[name.to_owned()]).map_err(Failure::failed)?;
        text.push_str(&format!("\n## {name}\n"));
        for (_, setup) in &read.setups {
            text.push_str(&format!("\n{}\n", setup.trim()));
        }
        text.push_str(&format!("\n{}\nClaims:\n\n", show::figures_table(&read).to_markdown()));
        for claim in &read.claims {
            let said = claim.claim.split_whitespace().collect::<Vec<_>>().join(" ");
            text.push_str(&format!("- `{}`: {said}\n", claim.id));
        }
    }
    Ok(text)
}

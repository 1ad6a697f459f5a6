//! Data sheets of the drives of the library.

use crate::render::Failure;
use review::{Figure, Kind, Library};

/// All rows that state what a drive is rated for, in the order of the reviews.
///
/// # Errors
/// If the reviews cannot be read.
pub fn rows() -> Result<Vec<Figure>, Failure> {
    let library = Library::shipped()?;
    let names: Vec<String> = library.names().into_iter().map(str::to_owned).collect();
    let mut figures = library.select(&names).map_err(Failure::wrong)?.figures;
    figures.retain(|figure| figure.kind == Kind::Spec);
    Ok(figures)
}

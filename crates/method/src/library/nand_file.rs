//! A NAND file: one kind of flash die.

use super::sourced::Sourced;
use engine::{Bytes, Count, Duration};
use serde::Deserialize;

/// One kind of flash die, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NandFile {
    /// What it is, for people.
    pub name: String,
    /// Bits of a cell: `"4 bits"`. One word line holds as many pages.
    pub bits_per_cell: Sourced<Count>,
    /// Planes of a die.
    pub planes: Sourced<Count>,
    /// Bytes of a page, without spare.
    pub page: Sourced<Bytes>,
    /// Pages of a plane's block.
    pub pages_per_block: Sourced<Count>,
    /// Pages of a plane that one program writes; all pages of a word line if it is programmed in
    /// one go.
    pub pages_per_program: Sourced<Count>,
    /// Sense time of each page type, in the order of the pages of a word line.
    pub sense: Vec<Sourced<Duration>>,
    /// Program time of a program unit, that is of `pages_per_program` pages at once.
    pub program: Sourced<Duration>,
    /// Erase time of a block.
    pub erase: Sourced<Duration>,
    /// `"yes"` if planes sense different pages at the same time.
    pub independent_plane_reads: Sourced<YesNo>,
}

/// A flag in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum YesNo {
    /// It is so.
    Yes,
    /// It is not.
    No,
}

//! A NAND file: one kind of flash die.

use super::cell_file::CellFile;
use super::sourced::{OneOrMany, Sourced};
use super::{diagnose, mistakes, shipped, sources};
use engine::{Bytes, Count, Duration};
use fio::Diagnostic;
use schemars::JsonSchema;
use serde::Deserialize;

/// One kind of flash die, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NandFile {
    /// Its full name.
    pub name: String,
    /// Bits of a cell: `"4 bits"`. One word line holds as many pages.
    pub bits_per_cell: Sourced<Count>,
    /// Planes of a die.
    pub planes: Sourced<Count>,
    /// Bytes of a page, without spare.
    pub page: Sourced<Bytes>,
    /// Pages of a plane's block.
    pub pages_per_block: Sourced<Count>,
    /// Bytes that a die holds by its name, without spare: of a 512 Gb die 64 GiB.
    pub die_capacity: Sourced<Bytes>,
    /// Pages of a plane that one program writes; all pages of a word line if it is programmed in
    /// one go.
    pub pages_per_program: Sourced<Count>,
    /// Sense time of each page type, in the order of the pages of a word line.
    pub sense: Vec<Sourced<Duration>>,
    /// Program time of a program unit, that is of `pages_per_program` pages at once; a list if it
    /// differs from one program unit of a word line to the next (fast and slow pages of MLC).
    pub program: OneOrMany<Duration>,
    /// Erase time of a block.
    pub erase: Sourced<Duration>,
    /// `"yes"` if planes sense different pages at the same time.
    pub independent_plane_reads: Sourced<YesNo>,
    /// Program time of a page of every plane with one bit a cell, of dies that can.
    pub slc_program: Option<Sourced<Duration>>,
    /// Sense time of a page with one bit a cell.
    pub slc_sense: Option<Sourced<Duration>>,
    /// Errors of the cells and their correction; without it nothing is ever read wrong.
    pub cell: Option<CellFile>,
}

impl NandFile {
    /// From text; `file` is named in errors.
    ///
    /// # Errors
    /// All mistakes that are found in it.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        Self::changed(file, text, text)
    }

    /// The same of a text in which values were set; `as_written` is the one before.
    ///
    /// # Errors
    /// All mistakes that are found in it.
    pub(super) fn changed(file: &str, as_written: &str, text: &str) -> Result<Self, Diagnostic> {
        let nand: NandFile = mistakes::read(file, as_written, text, shipped::NANDS)?;
        sources::check(file, text)?;
        if let Some(cell) = &nand.cell {
            cell.check(nand.bits_per_cell.get().number).map_err(|(at, message, help)| {
                Diagnostic::new(&diagnose::place(file, text, at), message).with_help(help)
            })?;
        }
        Ok(nand)
    }
}

/// A flag in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl YesNo {
    /// Whether it is so.
    pub fn is_yes(self) -> bool {
        self == YesNo::Yes
    }
}

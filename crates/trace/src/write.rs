//! Traces for the installed fio: its iolog, version 3.

use crate::request::Op;
use std::io::{self, Write};

/// Writes requests as an iolog, whose times are us.
pub struct IologWriter<W: Write> {
    to: W,
    name: String,
    last_us: u64,
}

impl<W: Write> IologWriter<W> {
    /// Begins a log about one file. Its name must hold no blank.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn new(mut to: W, name: &str) -> io::Result<Self> {
        let name = name.replace(char::is_whitespace, "_");
        write!(to, "fio version 3 iolog\n0 {name} add\n0 {name} open\n")?;
        Ok(IologWriter { to, name, last_us: 0 })
    }

    /// Writes a request; times are rounded down to whole us.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn request(&mut self, at_ns: u64, op: Op, offset: u64, len: u64) -> io::Result<()> {
        self.last_us = at_ns / 1000;
        let action = match op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "sync",
        };
        writeln!(self.to, "{} {} {action} {offset} {len}", self.last_us, self.name)
    }

    /// Ends the log and gives back where it was written.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.to, "{} {} close", self.last_us, self.name)?;
        self.to.flush()?;
        Ok(self.to)
    }
}

//! How the states of a cell spell the bits of its pages.
//!
//! A cell of `b` bits has `2^b` states in order of threshold voltage and `2^b - 1` boundaries
//! between neighbours. In a Gray code neighbours differ in one bit, so each boundary belongs to one
//! page: reading that page compares the cell with the references at its boundaries (one sense
//! each), and a cell that has slipped over a boundary costs that page one bit.

use engine::narrow;

/// Which boundaries each page of a word line senses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// One bit: one page, one sense.
    Slc,
    /// Two bits: the lower page senses once, the upper page twice.
    Mlc,
    /// Three bits, 1-2-4 senses.
    Tlc124,
    /// Three bits, 2-3-2 senses.
    Tlc232,
    /// Four bits, 1-2-4-8 senses.
    Qlc1248,
    /// Four bits, 4-4-4-3 senses.
    Qlc4443,
}

impl Coding {
    /// All codings with the names by which model files call them.
    pub const ALL: [(&'static str, Coding); 6] = [
        ("1", Coding::Slc),
        ("1-2", Coding::Mlc),
        ("1-2-4", Coding::Tlc124),
        ("2-3-2", Coding::Tlc232),
        ("1-2-4-8", Coding::Qlc1248),
        ("4-4-4-3", Coding::Qlc4443),
    ];

    /// The boundaries of each page type, from 0 between the two lowest states.
    pub fn pages(self) -> &'static [&'static [u32]] {
        match self {
            Coding::Slc => &[&[0]],
            Coding::Mlc => &[&[1], &[0, 2]],
            Coding::Tlc124 => &[&[3], &[1, 5], &[0, 2, 4, 6]],
            Coding::Tlc232 => &[&[0, 4], &[1, 3, 5], &[2, 6]],
            Coding::Qlc1248 => &[&[7], &[3, 11], &[1, 5, 9, 13], &[0, 2, 4, 6, 8, 10, 12, 14]],
            Coding::Qlc4443 => &[&[0, 2, 4, 10], &[1, 7, 12, 14], &[3, 6, 8, 13], &[5, 9, 11]],
        }
    }

    /// Bits of a cell, which is also the number of page types.
    pub fn bits(self) -> u32 {
        narrow(self.pages().len())
    }

    /// States of a cell.
    pub fn states(self) -> u32 {
        1 << self.bits()
    }

    /// Senses of each page type.
    pub fn senses(self) -> impl Iterator<Item = u32> {
        self.pages().iter().map(|page| narrow(page.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coding_is_a_gray_code() {
        for (name, coding) in Coding::ALL {
            let mut code = 0u32;
            let mut seen = vec![code];
            for boundary in 0..coding.states() - 1 {
                let owners: Vec<usize> = (0..coding.bits() as usize)
                    .filter(|&page| coding.pages()[page].contains(&boundary))
                    .collect();
                assert_eq!(owners.len(), 1, "{name}: boundary {boundary} belongs to one page");
                code ^= 1 << owners[0];
                assert!(!seen.contains(&code), "{name}: two states spell the same bits");
                seen.push(code);
            }
        }
    }

    #[test]
    fn the_name_of_a_coding_counts_its_senses() {
        for (name, coding) in Coding::ALL {
            let senses: Vec<String> = coding.senses().map(|n| n.to_string()).collect();
            assert_eq!(senses.join("-"), name);
        }
    }
}

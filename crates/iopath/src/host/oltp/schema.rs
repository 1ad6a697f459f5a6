//! Rows to pages: tables clustered by their key, each with one secondary index.
//!
//! Only leaf pages are distinguished. The levels above them are a thousandth of the pages and are
//! used by every statement, so they never leave the pool: they only make it smaller
//! ([`Schema::inner_pages`]).

use engine::{Stream, narrow};

/// Bytes of a page of InnoDB.
pub const PAGE_BYTES: u64 = PAGE_LEN as u64;

/// The length of an I/O of one page.
pub const PAGE_LEN: u32 = 16 << 10;
/// Children of an inner page of InnoDB whose key is a 4 byte integer: records of 13 bytes, pages
/// filled to 15/16.
const FANOUT: u32 = 1100;
/// Uniform draws of which `special` takes the mean (`rand-spec-iter`).
const SPECIAL_DRAWS: u32 = 12;

/// How rows are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Each equally likely.
    Uniform,
    /// Sysbench's `special`: three of four within one percent in the middle of the table, the
    /// rest about the middle, as the mean of twelve uniform draws
    /// (`sb_rand_special` of sysbench 0.4 to 1.0 with its defaults).
    Special,
}

/// Tables of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Tables; at least 1.
    pub tables: u32,
    /// Rows of each; at least 1.
    pub rows: u64,
    /// Rows in a leaf page of the table; at least 1.
    pub rows_per_page: u32,
    /// Entries in a leaf page of the secondary index; at least 1.
    pub entries_per_page: u32,
}

impl Schema {
    /// Sysbench's tables in InnoDB's compact format: a row takes 5 bytes of header, 4 each for
    /// `id` and `k`, 13 for transaction and roll pointer, 2 for lengths, 120 and 60 for the two
    /// strings; pages are loaded to 15/16. An index entry takes 13 bytes.
    pub fn sysbench(tables: u32, rows: u64) -> Self {
        let room = (PAGE_LEN - 232) * 15 / 16;
        Schema { tables, rows, rows_per_page: room / 208, entries_per_page: room / 15 }
    }

    /// Leaf pages of one table.
    pub fn table_leaves(&self) -> u32 {
        narrow(self.rows.div_ceil(u64::from(self.rows_per_page)))
    }

    /// Leaf pages of one secondary index.
    pub fn index_leaves(&self) -> u32 {
        narrow(self.rows.div_ceil(u64::from(self.entries_per_page)))
    }

    /// All leaf pages.
    pub fn pages(&self) -> u32 {
        self.tables * (self.table_leaves() + self.index_leaves())
    }

    /// Inner pages of all trees.
    pub fn inner_pages(&self) -> u32 {
        let above = |leaves: u32| leaves.div_ceil(FANOUT) + 1;
        self.tables * (above(self.table_leaves()) + above(self.index_leaves()))
    }

    /// The leaf page of a row, from 0.
    #[inline]
    pub fn leaf(&self, table: u32, row: u64) -> u32 {
        let first = table * (self.table_leaves() + self.index_leaves());
        first + narrow::<u32>(row.min(self.rows - 1) / u64::from(self.rows_per_page))
    }

    /// The leaf page of the secondary index that has the entry of this order.
    #[inline]
    pub fn entry(&self, table: u32, order: u64) -> u32 {
        let first = table * (self.table_leaves() + self.index_leaves()) + self.table_leaves();
        first + narrow::<u32>(order.min(self.rows - 1) / u64::from(self.entries_per_page))
    }

    /// The table that a page belongs to.
    #[inline]
    pub fn table_of(&self, page: u32) -> u32 {
        page / (self.table_leaves() + self.index_leaves())
    }
}

impl Rows {
    /// A row of `0..rows`.
    #[inline]
    pub fn draw(self, rows: u64, stream: &mut Stream) -> u64 {
        match self {
            Rows::Uniform => stream.below(rows),
            Rows::Special => special(rows, stream),
        }
    }
}

/// With the defaults (`rand-spec-res` 75, `rand-spec-pct` 1) the first draw falls into a range four
/// times the table; a quarter of it is the mean of twelve draws, the rest is evenly within the
/// middle hundredth.
fn special(rows: u64, stream: &mut Stream) -> u64 {
    let first = stream.below(4 * rows);
    if first < rows {
        let sum: u64 = (0..SPECIAL_DRAWS).map(|_| stream.below(rows)).sum();
        return sum / u64::from(SPECIAL_DRAWS);
    }
    let hot = (rows / 100).max(1);
    (first % hot + rows / 2 - rows / 200).min(rows - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 tables of 10 million rows: some 240 GB, as such databases are known to take.
    #[test]
    fn the_published_database_has_its_size() {
        let schema = Schema::sysbench(100, 10_000_000);
        let bytes = f64::from(schema.pages()) * PAGE_BYTES as f64;
        assert!((225e9..250e9).contains(&bytes), "{bytes}");
        assert_eq!(schema.rows_per_page, 72);
        assert!(schema.inner_pages() < schema.pages() / 500);
    }

    #[test]
    fn every_row_has_a_page_of_its_table() {
        let schema = Schema { tables: 3, rows: 1000, rows_per_page: 72, entries_per_page: 1000 };
        assert_eq!((schema.table_leaves(), schema.index_leaves(), schema.pages()), (14, 1, 45));
        assert_eq!((schema.leaf(0, 71), schema.leaf(0, 72)), (0, 1));
        assert_eq!((schema.leaf(2, 999), schema.entry(2, 999)), (43, 44));
        // What is beyond the last row is on the last page: a range may end there.
        assert_eq!(schema.leaf(0, 5000), 13);
        assert_eq!((schema.table_of(14), schema.table_of(15), schema.table_of(44)), (0, 1, 2));
    }

    #[test]
    fn special_rows_are_three_quarters_hot() {
        let (rows, draws) = (1_000_000, 100_000);
        let mut stream = Stream::new(3, "rows");
        let hot = (0..draws)
            .map(|_| Rows::Special.draw(rows, &mut stream))
            .filter(|row| (495_000..505_000).contains(row))
            .count() as f64;
        // The mean of twelve has a deviation of a twelfth: 4.8 % of a quarter falls there too.
        let expected = draws as f64 * (0.75 + 0.25 * 0.0478);
        assert!((hot - expected).abs() < 600.0, "{hot} of {expected}");
    }
}

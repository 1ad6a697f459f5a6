//! A table that aligns itself, as plain text or as Markdown.

/// On which side a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// How its cells are aligned.
    pub align: Align,
}

impl Column {
    /// A column of words.
    pub fn left(title: &str) -> Self {
        Self { title: title.to_owned(), align: Align::Left }
    }

    /// A column of numbers.
    pub fn right(title: &str) -> Self {
        Self { title: title.to_owned(), align: Align::Right }
    }
}

/// Columns, rows of cells, and notes below them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows; a row that is too short is filled up with empty cells.
    pub rows: Vec<Vec<String>>,
    /// Lines that stand below.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Plain text: columns apart by two blanks, a rule below the titles, notes below.
    pub fn to_text(&self) -> String {
        let widths = self.widths();
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut text = String::new();
        for cells in [&titles, &rule].into_iter().chain(&self.rows) {
            let line = self.padded(cells, &widths).join("  ");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(note);
            text.push('\n');
        }
        text
    }

    /// A Markdown table, notes as a list below.
    pub fn to_markdown(&self) -> String {
        let escape = |cell: &str| cell.replace('|', "\\|").replace('\n', " ");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|column| escape(&column.title)).collect());
        let rules = self.columns.iter().map(|column| match column.align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        text.push_str(&line(rules.collect()));
        for row in &self.rows {
            let cell = |i: usize| row.get(i).map_or(String::new(), |cell| escape(cell));
            text.push_str(&line((0..self.columns.len()).map(cell).collect()));
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("- {}\n", note.trim()));
        }
        text
    }

    /// The widest cell of each column in characters.
    fn widths(&self) -> Vec<usize> {
        let widest = |(i, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(i));
            cells.chain([&column.title]).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        self.columns.iter().enumerate().map(widest).collect()
    }

    fn padded(&self, cells: &[String], widths: &[usize]) -> Vec<String> {
        let pad = |(i, (column, width)): (usize, (&Column, &usize))| {
            let cell = cells.get(i).map_or("", String::as_str);
            match column.align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
        };
        self.columns.iter().zip(widths).enumerate().map(pad).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(vec![Column::left("Name"), Column::right("IOPS")]);
        table.row(vec!["a|b".into(), "964000".into()]);
        table.row(vec!["short".into()]);
        table.notes.push("  a note".into());
        table
    }

    #[test]
    fn numbers_stand_right_and_lines_end_without_blanks() {
        let text = "Name     IOPS\n-----  ------\na|b    964000\nshort\n  a note\n";
        assert_eq!(table().to_text(), text);
    }

    #[test]
    fn markdown_escapes_its_own_signs() {
        let text =
            "| Name | IOPS |\n| --- | ---: |\n| a\\|b | 964000 |\n| short |  |\n\n- a note\n";
        assert_eq!(table().to_markdown(), text);
    }
}

//! One transaction as a list of what it does.

use super::config::{Mix, Rows};
use super::schema::Schema;
use engine::{Stream, narrow};

/// What a transaction does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The processor's part of a statement.
    Compute,
    /// Looks at a page.
    Read(u32),
    /// Changes a page.
    Change(u32),
    /// Changes a page of a secondary index, which may wait in the change buffer.
    ChangeIndex(u32),
    /// Makes it durable.
    Commit,
}

/// Writes the steps of the next transaction over those of the last.
pub(super) fn draw(
    steps: &mut Vec<Step>,
    mix: &Mix,
    schema: &Schema,
    rows: Rows,
    stream: &mut Stream,
) {
    steps.clear();
    // Sysbench 0.5 draws one table for a transaction. In tables of their real size its statements
    // do not meet all the same; in tables of a small simulation they would, and hit too often.
    let table = |stream: &mut Stream| narrow(stream.below(u64::from(schema.tables)));
    steps.push(Step::Compute);
    for _ in 0..mix.point_selects {
        let (table, row) = (table(stream), rows.draw(schema.rows, stream));
        steps.extend([Step::Compute, Step::Read(schema.leaf(table, row))]);
    }
    for _ in 0..mix.range_selects {
        let (table, row) = (table(stream), rows.draw(schema.rows, stream));
        steps.push(Step::Compute);
        let last = schema.leaf(table, row + u64::from(mix.range_rows) - 1);
        steps.extend((schema.leaf(table, row)..=last).map(Step::Read));
    }
    // The order of an entry in the index has nothing to do with its row's key.
    for _ in 0..mix.index_updates {
        let (table, row) = (table(stream), rows.draw(schema.rows, stream));
        let entry = schema.entry(table, rows.draw(schema.rows, stream));
        steps.extend([Step::Compute, Step::Change(schema.leaf(table, row))]);
        // The old entry is marked; the new one, with a key greater by one, is next to it.
        steps.push(Step::ChangeIndex(entry));
    }
    for _ in 0..mix.other_updates {
        let (table, row) = (table(stream), rows.draw(schema.rows, stream));
        steps.extend([Step::Compute, Step::Change(schema.leaf(table, row))]);
    }
    for _ in 0..mix.delete_inserts {
        let table = table(stream);
        let leaf = schema.leaf(table, rows.draw(schema.rows, stream));
        let old = schema.entry(table, rows.draw(schema.rows, stream));
        let new = schema.entry(table, rows.draw(schema.rows, stream));
        steps.extend([Step::Compute, Step::Change(leaf), Step::ChangeIndex(old)]);
        steps.extend([Step::Compute, Step::Change(leaf), Step::ChangeIndex(new)]);
    }
    steps.extend([Step::Compute, Step::Commit]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 points, 4 ranges of 100 rows over pages of 72 (2.375 each on average), 3 rows changed.
    #[test]
    fn a_transaction_touches_as_many_pages_as_its_statements_say() {
        let schema = Schema::sysbench(10, 1_000_000);
        let mut stream = Stream::new(1, "plan");
        let (mut steps, mut reads, mut changes, mut entries) = (Vec::new(), 0, 0, 0);
        let n = 20_000;
        for _ in 0..n {
            draw(&mut steps, &Mix::READ_WRITE, &schema, Rows::Uniform, &mut stream);
            let computing = steps.iter().filter(|step| **step == Step::Compute).count();
            assert_eq!(computing as u32, Mix::READ_WRITE.statements());
            assert_eq!(steps.last(), Some(&Step::Commit));
            for step in &steps {
                match step {
                    Step::Read(_) => reads += 1,
                    Step::Change(_) => changes += 1,
                    Step::ChangeIndex(_) => entries += 1,
                    _ => {}
                }
            }
        }
        let per = |count: u64| count as f64 / f64::from(n);
        assert!((per(reads) - (10.0 + 4.0 * (1.0 + 99.0 / 72.0))).abs() < 0.02, "{}", per(reads));
        assert_eq!((per(changes), per(entries)), (4.0, 3.0));
        assert_eq!(Mix::READ_WRITE.statements(), 20);
    }
}

//! A server's counters, read by sysbench itself so that no further program is needed.

use super::programs::{Programs, run_all};
use super::server::Server;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Counters of InnoDB by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    counts: BTreeMap<String, u64>,
}

impl Status {
    /// Queries a server; `None` if it does not answer, which is not an error.
    pub(super) fn of(server: &Server, programs: &Programs) -> Option<Self> {
        let home = server.home();
        let mut command = programs.guarded(&programs.sysbench, home.user);
        command.arg(home.script()).args(server.connection());
        command.args(["--threads=1", "--events=1", "--time=0", "--verbosity=1", "run"]);
        let said = run_all(vec![command], &programs.sysbench, &mut || ControlFlow::Continue(()));
        let status = Self::parse(&said.ok()?.pop()?.output);
        (!status.counts.is_empty()).then_some(status)
    }

    /// Reads `NAME<tab>NUMBER` lines; all others are skipped.
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let (name, value) = line.trim().split_once('\t')?;
            Some((name.to_owned(), value.trim().parse().ok()?))
        };
        Status { counts: text.lines().filter_map(line).collect() }
    }

    /// What was counted since an earlier time.
    pub fn since(&self, earlier: &Status) -> Self {
        let counts = self.counts.iter().map(|(name, now)| {
            (name.clone(), now.saturating_sub(earlier.counts.get(name).copied().unwrap_or(0)))
        });
        Status { counts: counts.collect() }
    }

    /// A counter, such as `Innodb_pages_written`.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.counts.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_and_subtracted() {
        let before = Status::parse("noise\nInnodb_pages_written\t10\nInnodb_x\ty\n");
        let after = Status::parse("Innodb_pages_written\t25\nInnodb_new\t3\n");
        let between = after.since(&before);
        assert_eq!(between.count("Innodb_pages_written"), Some(15));
        assert_eq!((between.count("Innodb_new"), between.count("Innodb_x")), (Some(3), None));
    }
}

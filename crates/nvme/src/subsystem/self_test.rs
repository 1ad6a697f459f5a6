//! Self-tests of the drive.

use super::{ALL, Subsystem};
use crate::backend::Backend;
use crate::command::Sqe;
use crate::completion::Completion;
use crate::status::Status;
use crate::wire::put;
use std::collections::VecDeque;

/// How a test ended, as the log has it.
const PASSED: u8 = 0;
const ABORTED: u8 = 1;
/// A format ended it.
pub(crate) const FORMATTED: u8 = 4;
const FAILED: u8 = 7;
/// A sanitize ended it.
pub(crate) const SANITIZED: u8 = 9;

/// Results that the log has room for.
const RESULTS: usize = 20;

/// A test that is under way.
#[derive(Clone, Copy, Debug)]
struct Running {
    extended: bool,
    nsid: u32,
    start: u64,
    due: u64,
}

/// The test under way, and the results of those before, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfTests {
    running: Option<Running>,
    results: VecDeque<[u8; 28]>,
}

/// Parts of a whole that have passed, in parts of `of`.
pub(crate) fn progress(start: u64, due: u64, now: u64, of: u128) -> u128 {
    let (passed, whole) = (now.saturating_sub(start), due.saturating_sub(start).max(1));
    (u128::from(passed) * of / u128::from(whole)).min(of - 1)
}

fn code(extended: bool) -> u8 {
    if extended { 2 } else { 1 }
}

impl SelfTests {
    pub(crate) fn due(&self) -> Option<u64> {
        self.running.map(|running| running.due)
    }

    /// Log page 06h.
    pub(crate) fn log(&self, now: u64) -> Vec<u8> {
        let mut log = vec![0; 4 + RESULTS * 28];
        if let Some(Running { extended, start, due, .. }) = self.running {
            log[0] = code(extended);
            log[1] = u8::try_from(progress(start, due, now, 100)).unwrap_or(99);
        }
        for place in 0..RESULTS {
            let at = 4 + place * 28;
            match self.results.get(place) {
                Some(result) => put(&mut log, at, result),
                None => log[at] = 0xf,
            }
        }
        log
    }
}

impl<B: Backend> Subsystem<B> {
    pub(crate) fn self_test(&mut self, sqe: &Sqe, now: u64) -> Result<Completion, Status> {
        if self.back.facts().self_test_minutes.is_none() {
            return Err(Status::INVALID_OPCODE);
        }
        if sqe.nsid() != 0 && sqe.nsid() != ALL {
            self.active(sqe.nsid())?;
        }
        let extended = match sqe.dword(10) & 0xf {
            1 => false,
            2 => true,
            0xf => {
                self.end_test_early(now, ABORTED);
                return Ok(Completion::ok(0));
            }
            _ => return Err(Status::INVALID_FIELD),
        };
        if self.self_tests.running.is_some() {
            return Err(Status::SELF_TEST_IN_PROGRESS);
        }
        let due = now.saturating_add(self.back.begin_self_test(extended)?);
        self.self_tests.running = Some(Running { extended, nsid: sqe.nsid(), start: now, due });
        Ok(Completion::ok(0))
    }

    pub(crate) fn end_self_test(&mut self, now: u64) {
        if self.self_tests.due().is_some_and(|due| due <= now) {
            let result = if self.back.end_self_test() { PASSED } else { FAILED };
            self.end_test_early(now, result);
        }
    }

    /// The test under way, if there is one, ends now and in this way.
    pub(crate) fn end_test_early(&mut self, now: u64, how: u8) {
        let Some(running) = self.self_tests.running.take() else { return };
        let mut result = [0; 28];
        result[0] = code(running.extended) << 4 | how;
        // The namespace is valid.
        result[2] = 1;
        let hours = u64::try_from(self.back.health(now).power_hours).unwrap_or(u64::MAX);
        put(&mut result, 4, &hours.to_le_bytes());
        put(&mut result, 12, &running.nsid.to_le_bytes());
        self.self_tests.results.push_front(result);
        self.self_tests.results.truncate(RESULTS);
    }
}

//! Format NVM and Sanitize.

use super::events::Event;
use super::self_test::{self, progress};
use super::{ALL, Done, Outcome, Subsystem};
use crate::backend::{Backend, Erase, Sanitize};
use crate::command::{Sqe, admin};
use crate::completion::Completion;
use crate::status::Status;
use crate::wire::put;

/// A format that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Formatting {
    pub due: u64,
    pub namespaces: Vec<u32>,
    cntlid: u16,
    cid: u16,
}

/// What became of the last sanitize.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Never,
    Running {
        cntlid: u16,
        start: u64,
        due: u64,
    },
    Succeeded,
    /// The host gets out of it without another sanitize only if it said so.
    Failed {
        may_leave: bool,
    },
}

/// The sanitizing of the drive.
#[derive(Clone, Debug)]
pub(crate) struct Sanitizing {
    state: State,
    /// Dword 10 of the last command.
    dword: u32,
    /// Overwriting passes that the last one made.
    passes: u8,
    /// Nothing was written since the last one succeeded.
    clean: bool,
}

impl Default for Sanitizing {
    fn default() -> Self {
        Sanitizing { state: State::Never, dword: 0, passes: 0, clean: false }
    }
}

impl Sanitizing {
    pub(crate) fn due(&self) -> Option<u64> {
        match self.state {
            State::Running { due, .. } => Some(due),
            _ => None,
        }
    }

    /// A host has written.
    pub(crate) fn written(&mut self) {
        self.clean = false;
    }

    /// Log page 81h.
    pub(crate) fn log(&self, now: u64) -> Vec<u8> {
        let mut log = vec![0; 512];
        let (code, part) = match self.state {
            State::Never => (0, 0xffff),
            State::Succeeded => (1, 0xffff),
            State::Running { start, due, .. } => (2, progress(start, due, now, 1 << 16)),
            State::Failed { .. } => (3, 0xffff),
        };
        let passes = if code == 1 { u16::from(self.passes) } else { 0 };
        let status = code | passes << 3 | u16::from(self.clean) << 8;
        put(&mut log, 0, &u16::try_from(part).unwrap_or(u16::MAX).to_le_bytes());
        put(&mut log, 2, &status.to_le_bytes());
        put(&mut log, 4, &self.dword.to_le_bytes());
        // How long each kind takes is not told beforehand.
        log[8..32].fill(0xff);
        log
    }
}

impl<B: Backend> Subsystem<B> {
    /// Whether a namespace is being formatted.
    pub(crate) fn is_formatting(&self, nsid: u32) -> bool {
        self.formatting.iter().any(|formatting| formatting.namespaces.contains(&nsid))
    }

    pub(crate) fn format(&mut self, cntlid: u16, sqe: &Sqe, now: u64) -> Outcome {
        match self.begin_format(sqe, now) {
            Ok((namespaces, due)) => {
                self.end_test_early(now, self_test::FORMATTED);
                let cid = sqe.cid();
                self.formatting.push(Formatting { due, namespaces, cntlid, cid });
                Outcome::Later
            }
            Err(status) => status.into(),
        }
    }

    /// Begins a format: which namespaces, and until when.
    fn begin_format(&mut self, sqe: &Sqe, now: u64) -> Result<(Vec<u32>, u64), Status> {
        let dword = sqe.dword(10);
        let format = u8::try_from(dword & 0xf).unwrap_or(u8::MAX);
        // Metadata and protection information do not exist.
        let plain = dword >> 4 & 0x1f == 0;
        if !plain || usize::from(format) >= self.back.facts().formats.len() {
            return Err(Status::INVALID_FORMAT);
        }
        let erase = match dword >> 9 & 7 {
            0 => Erase::No,
            1 => Erase::User,
            2 if self.back.facts().crypto_erase => Erase::Crypto,
            _ => return Err(Status::INVALID_FIELD),
        };
        let namespaces = if sqe.nsid() == ALL {
            self.back.namespaces().iter().map(|namespace| namespace.nsid).collect()
        } else {
            vec![self.active(sqe.nsid())?.nsid]
        };
        if namespaces.iter().any(|nsid| self.is_formatting(*nsid)) {
            return Err(Status::FORMAT_IN_PROGRESS);
        }
        let mut longest = 0;
        for nsid in &namespaces {
            longest = longest.max(self.back.format(*nsid, format, erase)?);
        }
        Ok((namespaces, now.saturating_add(longest)))
    }

    pub(crate) fn end_formats(&mut self, now: u64) {
        let ended: Vec<_> = self.formatting.extract_if(.., |one| one.due <= now).collect();
        for Formatting { namespaces, cntlid, cid, .. } in ended {
            self.done.push_back(Done { cntlid, cid, completion: Completion::ok(0) });
            namespaces.into_iter().for_each(|nsid| self.namespace_changed(cntlid, nsid));
        }
    }

    /// Whether an administrator may do this while the drive is sanitized, or after that failed.
    pub(crate) fn check_sanitize(&self, opcode: u8) -> Result<(), Status> {
        let changes = matches!(
            opcode,
            admin::FORMAT
                | admin::NAMESPACE_MANAGEMENT
                | admin::NAMESPACE_ATTACHMENT
                | admin::SELF_TEST
        );
        match self.sanitizing.state {
            State::Running { .. } if changes || opcode == admin::SANITIZE => {
                Err(Status::SANITIZE_IN_PROGRESS)
            }
            State::Failed { .. } if changes => Err(Status::SANITIZE_FAILED),
            _ => Ok(()),
        }
    }

    /// Whether data can be read and written.
    pub(crate) fn check_sanitize_io(&self) -> Result<(), Status> {
        match self.sanitizing.state {
            State::Running { .. } => Err(Status::SANITIZE_IN_PROGRESS),
            State::Failed { .. } => Err(Status::SANITIZE_FAILED),
            State::Never | State::Succeeded => Ok(()),
        }
    }

    pub(crate) fn sanitize(
        &mut self,
        cntlid: u16,
        sqe: &Sqe,
        now: u64,
    ) -> Result<Completion, Status> {
        let (dword, kinds) = (sqe.dword(10), self.back.facts().sanitize);
        let passes = u8::try_from(dword >> 4 & 0xf).unwrap_or(0);
        let passes = if passes == 0 { 16 } else { passes };
        let how = match dword & 7 {
            1 => return self.leave_failure(),
            2 if kinds.block => Sanitize::Block,
            3 if kinds.overwrite => {
                let invert = dword & 1 << 8 != 0;
                Sanitize::Overwrite { passes, pattern: sqe.dword(11), invert }
            }
            4 if kinds.crypto => Sanitize::Crypto,
            _ => return Err(Status::INVALID_FIELD),
        };
        let may_leave = dword & 1 << 3 != 0;
        let restricted = self.sanitizing.state == State::Failed { may_leave: false };
        if restricted && may_leave {
            return Err(Status::SANITIZE_FAILED);
        }
        if !self.formatting.is_empty() {
            return Err(Status::FORMAT_IN_PROGRESS);
        }
        let due = now.saturating_add(self.back.begin_sanitize(how)?);
        self.end_test_early(now, self_test::SANITIZED);
        let state = State::Running { cntlid, start: now, due };
        let passes = if matches!(how, Sanitize::Overwrite { .. }) { passes } else { 0 };
        self.sanitizing = Sanitizing { state, dword, passes, clean: false };
        Ok(Completion::ok(0))
    }

    /// Exit Failure Mode: nothing to do if there is no failure.
    fn leave_failure(&mut self) -> Result<Completion, Status> {
        match self.sanitizing.state {
            State::Failed { may_leave: false } => Err(Status::SANITIZE_FAILED),
            State::Failed { may_leave: true } => {
                self.sanitizing.state = State::Never;
                Ok(Completion::ok(0))
            }
            _ => Ok(Completion::ok(0)),
        }
    }

    pub(crate) fn end_sanitize(&mut self, now: u64) {
        let State::Running { cntlid, due, .. } = self.sanitizing.state else { return };
        if due > now {
            return;
        }
        let succeeded = self.back.end_sanitize();
        let may_leave = self.sanitizing.dword & 1 << 3 != 0;
        self.sanitizing.clean = succeeded;
        self.sanitizing.state =
            if succeeded { State::Succeeded } else { State::Failed { may_leave } };
        self.raise(cntlid, Event::Sanitized);
    }
}

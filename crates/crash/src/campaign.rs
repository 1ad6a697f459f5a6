//! One cut after the other.

use crate::error::CrashError;
use crate::folder::Folder;
use crate::plan::Plan;
use crate::programs::{LOOK, Program, Variables, shell};
use crate::result::CutResult;
use crate::served::Served;
use crate::volume::Volume;
use engine::Stream;
use serve::control::LastCut;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What serves a new drive, with its sockets in a folder.
type Start<'a> = dyn Fn(&Path) -> Result<Served, CrashError> + 'a;

/// A crash test under way.
pub struct Campaign<'a> {
    plan: &'a Plan,
    start: Box<Start<'a>>,
    stop: &'a dyn Fn() -> bool,
    /// The layers on the drive end before it does, and their directories last.
    volume: Volume,
    served: Option<Served>,
    folder: Folder,
    places: Stream,
    /// Writes of a run of the program that was not interrupted.
    usual: Option<u64>,
    done: u32,
    /// The last check failed: what it left is of no use.
    spoilt: bool,
}

impl Drop for Campaign<'_> {
    fn drop(&mut self) {
        process::end_orphans(&self.volume.processes());
    }
}

impl<'a> Campaign<'a> {
    /// Starts the drive with `start`, attaches it, and prepares it. `stop` says when the user wants
    /// an end.
    ///
    /// # Errors
    /// What keeps the test from beginning.
    pub fn begin(
        plan: &'a Plan,
        start: impl Fn(&Path) -> Result<Served, CrashError> + 'a,
        stop: &'a dyn Fn() -> bool,
    ) -> Result<Self, CrashError> {
        process::adopt_orphans();
        let folder = Folder::new()?;
        let mut campaign = Campaign {
            plan,
            start: Box::new(start),
            stop,
            volume: Volume::default(),
            served: None,
            folder,
            places: Stream::new(plan.seed, "crash/places"),
            usual: None,
            done: 0,
            spoilt: false,
        };
        campaign.prepare()?;
        Ok(campaign)
    }

    /// A new drive, a new file system on it, and what the user does once.
    fn prepare(&mut self) -> Result<(), CrashError> {
        process::end_orphans(&self.volume.processes());
        self.volume.detach()?;
        self.served = None;
        let served = (self.start)(self.folder.path())?;
        let (how, folder) = (self.plan.attach, self.folder.path());
        self.volume = Volume::attach(how, served.socket(), folder, true)?;
        self.served = Some(served);
        let Some(command) = &self.plan.prepare else { return Ok(()) };
        match self.shell("--prepare", command)? {
            Ok(()) => Ok(()),
            Err(said) => Err(CrashError::Program { what: "--prepare", said }),
        }
    }

    /// The next cut and its check; `None` when all are done.
    ///
    /// # Errors
    /// If the program fails while the drive has power, and what keeps the test from going on.
    pub fn next_cut(&mut self) -> Result<Option<CutResult>, CrashError> {
        if self.done >= self.plan.cuts {
            return Ok(None);
        }
        if std::mem::take(&mut self.spoilt) {
            self.prepare()?;
        }
        self.done += 1;
        let before = self.served()?.writes()?;
        let cut = self.work()?;
        let writes = self.served()?.writes()?.saturating_sub(before);
        if self.usual.is_none() && writes == 0 {
            let said = "it wrote nothing to the drive".to_owned();
            return Err(CrashError::Program { what: "the program", said });
        }
        self.usual.get_or_insert(writes);
        // Power has failed for what left the group of the program, too.
        process::end_orphans(&self.volume.processes());
        self.volume.detach()?;
        self.served()?.restore()?;
        let said = self.check()?;
        self.spoilt = said.is_err();
        Ok(Some(result(self.done, writes, cut, said)))
    }

    /// Lets the program work until power fails: after some of the writes that it does if nobody
    /// interrupts it, or when its time or its work is over.
    fn work(&mut self) -> Result<LastCut, CrashError> {
        let after = self.usual.map(|usual| 1 + self.places.below(usual));
        let served = self.served()?;
        if let Some(writes) = after {
            served.cut_after(writes)?;
        }
        let output = self.output();
        let mut program = Program::start(&self.plan.command, &self.variables()?, &output)?;
        let begun = Instant::now();
        loop {
            // What fails because power has failed does so after that was told.
            let ended = program.ended();
            if let Some(cut) = served.was_cut(LOOK) {
                program.kill();
                return Ok(cut);
            }
            if ended == Some(false) {
                let mut said = program.said();
                if said.is_empty() {
                    said = "it said nothing".to_owned();
                }
                let what = "the program";
                return Err(CrashError::Program { what, said });
            }
            if (self.stop)() {
                return Err(CrashError::Interrupted);
            }
            if ended.is_some() || begun.elapsed() > self.plan.work {
                let cut = served.cut()?;
                program.kill();
                return Ok(cut);
            }
        }
    }

    /// Attaches what the cut has left, and looks at it.
    fn check(&mut self) -> Result<Result<(), String>, CrashError> {
        let socket = self.served()?.socket().to_owned();
        let volume = Volume::attach(self.plan.attach, &socket, self.folder.path(), false);
        match volume {
            Ok(volume) => self.volume = volume,
            // A file system that cannot be mounted any more is a result.
            Err(CrashError::Tool { command, said }) => {
                return Ok(Err(format!("{command}: {said}")));
            }
            Err(error) => return Err(error),
        }
        self.shell("--check", &self.plan.check)
    }

    fn shell(&self, name: &'static str, command: &str) -> Result<Result<(), String>, CrashError> {
        let output = self.folder.path().join(name.trim_start_matches('-'));
        shell((name, command), &self.variables()?, &output, self.plan.patience, self.stop)
    }

    /// Where the program's output is, which is outside the drive.
    fn output(&self) -> PathBuf {
        self.folder.path().join("output")
    }

    fn variables(&self) -> Result<Variables, CrashError> {
        let mut variables: Variables = vec![
            ("DRIVELAB_URI", OsString::from(self.served()?.uri())),
            ("DRIVELAB_OUTPUT", self.output().into_os_string()),
            ("DRIVELAB_CUT", OsString::from(self.done.to_string())),
        ];
        let place = self.volume.variable();
        variables.extend(place.map(|(name, path)| (name, path.into_os_string())));
        Ok(variables)
    }

    fn served(&self) -> Result<&Served, CrashError> {
        let gone = || CrashError::Server("it is not there".to_owned());
        self.served.as_ref().ok_or_else(gone)
    }
}

fn result(number: u32, writes: u64, cut: LastCut, said: Result<(), String>) -> CutResult {
    CutResult {
        number,
        writes,
        lost_bytes: cut.lost_bytes,
        blocks_taken_back: cut.blocks_taken_back,
        blocks_unknown: cut.blocks_unknown,
        passed: said.is_ok(),
        said: said.err().unwrap_or_default(),
    }
}

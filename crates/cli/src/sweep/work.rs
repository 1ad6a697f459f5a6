//! The runs of a sweep, stage by stage: what can be made before the next stage follows from it.

use super::design::Design;
use super::measure::{self, Wanted};
use super::{Rows, Store};
use crate::console::Console;
use crate::render::Failure;
use answer::sweep::SweepPart;
use std::thread;
use std::time::Duration;
use sweep::Shard;

/// Between two looks at what the other parts have made.
const LOOK: Duration = Duration::from_secs(1);

/// Which runs are made.
#[derive(Clone, Copy)]
pub enum Share {
    /// All that are missing.
    All,
    /// Those of a part, which waits so long for the others before each stage that follows from
    /// them.
    Part(Shard, Option<Duration>),
    /// None: all have to be there.
    Nothing,
}

impl Share {
    /// The part, if it is one.
    pub fn shard(self) -> Option<Shard> {
        match self {
            Share::Part(shard, _) => Some(shard),
            Share::All | Share::Nothing => None,
        }
    }

    fn wait(self) -> Option<Duration> {
        match self {
            Share::Part(_, wait) => wait,
            Share::All | Share::Nothing => None,
        }
    }
}

/// What runs are made with, and how far they have come.
pub struct Work<'a> {
    /// Which of them are made.
    pub share: Share,
    /// Where rows are kept.
    pub store: &'a Store,
    /// All rows that are known.
    pub rows: &'a mut Rows,
    /// Where progress is shown.
    pub console: &'a mut Console,
    /// The stage that was worked on last.
    pub last: Option<Stage>,
}

/// How far a stage has come.
pub struct Stage {
    name: String,
    /// Runs that other parts have not made.
    missing: usize,
    /// No other follows.
    is_last: bool,
}

impl Work<'_> {
    /// Makes the wanted runs of a stage, or those of them that are in this part; of a merge they
    /// have to be there. Whether all of the stage are there.
    pub fn make(
        &mut self,
        design: &Design,
        wanted: &[Wanted],
        (name, is_last): (String, bool),
    ) -> Result<bool, Failure> {
        if matches!(self.share, Share::Nothing) {
            let missing = self.missing(design, wanted);
            if missing > 0 {
                let message = format!("{missing} of {} runs are missing", wanted.len());
                let help = "make the other parts, or make what is missing with `sweep` alone";
                return Err(Failure::failed(message).with_help(help));
            }
        }
        let shard = self.share.shard();
        let own = |(number, _): &(usize, &Wanted)| shard.is_none_or(|shard| shard.has(*number));
        let own: Vec<Wanted> = wanted.iter().enumerate().filter(own).map(|(_, one)| *one).collect();
        measure::measure(design, self.store, &own, self.rows, self.console)?;
        let mut missing = self.gathered(design, wanted)?;
        if let Some(longest) = self.share.wait().filter(|_| missing > 0 && !is_last) {
            self.await_others(design, wanted, &name, longest)?;
            missing = 0;
        }
        self.last = Some(Stage { name, missing, is_last });
        Ok(missing == 0)
    }

    /// Runs that nobody has made, once those of the other parts are known.
    fn gathered(&mut self, design: &Design, wanted: &[Wanted]) -> Result<usize, Failure> {
        if self.missing(design, wanted) > 0 {
            self.rows.extend(self.store.others().map_err(measure::store_failure)?);
        }
        Ok(self.missing(design, wanted))
    }

    /// Waits until the other parts have made their runs of a stage, as long as some come.
    fn await_others(
        &mut self,
        design: &Design,
        wanted: &[Wanted],
        name: &str,
        longest: Duration,
    ) -> Result<(), Failure> {
        let mut missing = self.missing(design, wanted);
        let runs = metric::counted(missing, "run");
        self.console.note(&format!("waiting for {runs} of {name} in other parts"));
        let (mut quiet, mut read) = (Duration::ZERO, None);
        while missing > 0 {
            if quiet >= longest {
                return Err(alone(name, missing, longest));
            }
            thread::sleep(LOOK.min(longest - quiet));
            quiet += LOOK;
            let written = Some(self.store.others_bytes().map_err(measure::store_failure)?);
            if written == read {
                continue;
            }
            read = written;
            let before = std::mem::replace(&mut missing, self.gathered(design, wanted)?);
            if missing < before {
                quiet = Duration::ZERO;
            }
        }
        Ok(())
    }

    fn missing(&self, design: &Design, wanted: &[Wanted]) -> usize {
        wanted.iter().filter(|one| !self.rows.contains_key(one.id(design))).count()
    }

    /// The stage that was made last is the last one.
    pub fn ends_early(&mut self) {
        if let Some(stage) = &mut self.last {
            stage.is_last = true;
        }
    }

    /// What became of the part that was asked for; `None` if all was.
    pub fn part(&self) -> Option<SweepPart> {
        let (shard, last) = (self.share.shard()?, self.last.as_ref()?);
        Some(SweepPart {
            schema: SweepPart::SCHEMA.to_owned(),
            part: shard.number,
            of: shard.of,
            stage: last.name.clone(),
            missing: last.missing,
            done: last.is_last,
        })
    }
}

fn alone(name: &str, missing: usize, longest: Duration) -> Failure {
    let seconds = metric::plain(longest.as_secs_f64());
    let runs = metric::counted(missing, "run");
    let message = format!("{name} lacks {runs}, and no other part has made one for {seconds} s");
    Failure::failed(message).with_help("run the other parts at the same time, or without --wait")
}

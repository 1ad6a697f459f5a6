//! A batch of dirty pages on its way to the disk, as InnoDB writes one (`buf0flu.c` of 5.5,
//! `buf_flush_buffered_writes`): first all of them to the doublewrite buffer, in one or two writes
//! in order; a flush; then each page in its place, all at once; when all are there, a flush of each
//! data file that was written, one after the other. Only one batch is in progress at a time, since
//! there is one doublewrite buffer. It has no notion of time.

use super::config::DOUBLEWRITE_HALF;
use engine::narrow;

/// What is to be done next for a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Write this many pages to this half of the doublewrite buffer.
    Double { half: u32, pages: u32 },
    /// Flush the doublewrite buffer.
    FlushDouble,
    /// Write all pages to their places.
    Places,
    /// Flush a data file.
    FlushFile,
    /// Wait for what is in flight.
    Wait,
    /// It is done.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Idle,
    Double(u32),
    FlushDouble,
    Places,
    Files,
}

/// The batch.
#[derive(Debug)]
pub(super) struct Batch {
    stage: Stage,
    /// Frames that are written.
    pub frames: Vec<u32>,
    /// They were chosen to be replaced.
    pub from_tail: bool,
    left: u32,
    /// Data files that get pages of it.
    files: u32,
}

impl Batch {
    pub(super) fn new() -> Self {
        let frames = Vec::new();
        Batch { stage: Stage::Idle, frames, from_tail: false, left: 0, files: 0 }
    }

    /// Whether one is in progress.
    pub(super) fn is_under_way(&self) -> bool {
        self.stage != Stage::Idle
    }

    /// Starts with the pages in `frames`, of which there is at least one, in this many files.
    pub(super) fn start(&mut self, files: u32, doublewrite: bool) -> Next {
        debug_assert!(!self.is_under_way() && !self.frames.is_empty());
        self.files = files;
        if doublewrite {
            return self.double(0);
        }
        self.places()
    }

    fn double(&mut self, half: u32) -> Next {
        self.stage = Stage::Double(half);
        let rest = narrow::<u32>(self.frames.len()) - half * DOUBLEWRITE_HALF;
        Next::Double { half, pages: rest.min(DOUBLEWRITE_HALF) }
    }

    fn places(&mut self) -> Next {
        self.stage = Stage::Places;
        self.left = narrow(self.frames.len());
        Next::Places
    }

    /// One of its I/Os has ended.
    pub(super) fn ended(&mut self) -> Next {
        match self.stage {
            Stage::Double(half) if (half + 1) * DOUBLEWRITE_HALF < narrow(self.frames.len()) => {
                self.double(half + 1)
            }
            Stage::Double(_) => {
                self.stage = Stage::FlushDouble;
                Next::FlushDouble
            }
            Stage::FlushDouble => self.places(),
            Stage::Places => {
                self.left -= 1;
                if self.left > 0 {
                    return Next::Wait;
                }
                self.stage = Stage::Files;
                self.left = self.files;
                Next::FlushFile
            }
            Stage::Files => {
                self.left -= 1;
                if self.left > 0 {
                    return Next::FlushFile;
                }
                self.stage = Stage::Idle;
                self.frames.clear();
                Next::Over
            }
            Stage::Idle => unreachable!("no batch is under way"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(pages: u32, files: u32, doublewrite: bool) -> Vec<Next> {
        let mut batch = Batch::new();
        batch.frames = (0..pages).collect();
        let mut all = vec![batch.start(files, doublewrite)];
        while batch.is_under_way() {
            all.push(batch.ended());
        }
        all
    }

    #[test]
    fn every_page_is_written_twice_and_every_file_flushed_once() {
        for (pages, halves) in [(1, 1), (64, 1), (65, 2), (128, 2)] {
            let all = walk(pages, 3, true);
            let doubled: Vec<u32> = all
                .iter()
                .filter_map(|next| match next {
                    Next::Double { pages, .. } => Some(*pages),
                    _ => None,
                })
                .collect();
            assert_eq!((doubled.len(), doubled.iter().sum::<u32>()), (halves, pages));
            let count = |wanted: Next| all.iter().filter(|next| **next == wanted).count();
            assert_eq!((count(Next::FlushDouble), count(Next::Places)), (1, 1));
            assert_eq!((count(Next::FlushFile), count(Next::Over)), (3, 1));
        }
    }

    #[test]
    fn without_doublewrite_pages_go_to_their_places_at_once() {
        assert_eq!(walk(1, 1, false), [Next::Places, Next::FlushFile, Next::Over]);
    }
}

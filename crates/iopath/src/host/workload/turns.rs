//! Which of its regions a thread goes to next.

use super::places::Places;
use super::spec::Turns;
use engine::{Stream, narrow};

/// How far a thread has come with its regions. As with fio, a region is left out when a pass over
/// it is made, until one is made over all of them.
pub(super) struct Turn {
    law: Turns,
    /// I/Os left in the present region; not used where whole passes are made.
    ios_left: u32,
    /// Bytes left of the pass over each region.
    left: Vec<u64>,
    /// Regions with bytes left.
    open: usize,
}

impl Turn {
    /// The turns of a thread with these regions; `None` if there is but one.
    pub(super) fn new(law: Turns, places: &[Places]) -> Option<Turn> {
        let ios_left = match law {
            Turns::InTurn { every } => every,
            // The first of them is drawn too.
            Turns::AtRandom { .. } | Turns::Whole => 0,
        };
        let mut turn = Turn { law, ios_left, left: vec![0; places.len()], open: 0 };
        turn.begin_pass(places);
        (places.len() > 1).then_some(turn)
    }

    fn begin_pass(&mut self, places: &[Places]) {
        for (left, places) in self.left.iter_mut().zip(places) {
            *left = places.region.pass.max(1);
        }
        self.open = places.len();
    }

    /// The region of the next I/O, after one in `at`.
    pub(super) fn next(&mut self, at: u32, places: &[Places], stream: &mut Stream) -> u32 {
        let begins = self.open == 0;
        if begins {
            self.begin_pass(places);
        }
        let stays = match self.law {
            Turns::InTurn { .. } | Turns::AtRandom { .. } => self.ios_left > 0,
            Turns::Whole => true,
        };
        let next = match stays && self.left[at as usize] > 0 {
            // Another pass begins at the first.
            _ if begins => self.other(narrow(places.len() - 1), stream),
            true => at,
            false => self.other(at, stream),
        };
        self.ios_left = self.ios_left.saturating_sub(1);
        next
    }

    /// Another region with bytes left.
    fn other(&mut self, at: u32, stream: &mut Stream) -> u32 {
        let count = self.left.len() as u64;
        if let Turns::InTurn { every } | Turns::AtRandom { every } = self.law {
            self.ios_left = every;
        }
        let mut next = at;
        loop {
            next = match self.law {
                Turns::AtRandom { .. } => narrow(stream.below(count)),
                Turns::InTurn { .. } | Turns::Whole => narrow((u64::from(next) + 1) % count),
            };
            if self.left[next as usize] > 0 {
                return next;
            }
        }
    }

    /// An I/O of so many bytes goes to a region.
    pub(super) fn took(&mut self, region: u32, len: u32) {
        let left = &mut self.left[region as usize];
        if *left > 0 {
            *left = left.saturating_sub(u64::from(len));
            self.open -= usize::from(*left == 0);
        }
    }
}

//! Intel's timed workload counters: media wear E2h, share of reads E3h, minutes E4h.
//!
//! Intel's data sheets (710, DC S3500, DC S3700) say: SMART EXECUTE OFF-LINE IMMEDIATE with
//! subcommand 40h resets them; they read FFFFh until 60 minutes have passed; from then on they are
//! saved every minute, so that the values shown are those of the last whole minute. E2h is the
//! share of the rated cycles used since the reset, in 1/1024 of a percent; E3h the percentage of
//! read operations.

use engine::narrow;

/// Minutes for which the counters show FFFFh after a reset.
pub const HOLD_MINUTES: u64 = 60;
/// Steps of E2h in the whole life.
const STEPS: u128 = 100 * 1024;
/// E2h never reaches FFFFh, which says "not valid".
const MOST: u64 = 0xFFFE;

/// The drive's counters at one time.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Erases over all groups.
    pub erases: u64,
    /// Read commands.
    pub reads: u64,
    /// Read and write commands.
    pub commands: u64,
}

/// What the counters show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// FFFFh: less than 60 minutes since the reset.
    NotYet,
    /// Valid values.
    Valid {
        /// E2h, in 1/1024 of a percent of the rated cycles.
        media_wear: u64,
        /// E3h, percent.
        reads_percent: u64,
        /// E4h.
        minutes: u64,
    },
}

/// The timed workload since its last reset.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct TimedWorkload {
    base: Reading,
    saved: Reading,
    minutes: u64,
}

impl TimedWorkload {
    /// Reset now.
    pub fn reset(now: Reading) -> Self {
        TimedWorkload { base: now, saved: now, minutes: 0 }
    }

    /// Whole minutes that have been saved.
    pub fn minutes(&self) -> u64 {
        self.minutes
    }

    /// So many whole minutes have passed since the reset, and the counters read this. Minutes that
    /// nobody has looked at in between count as just saved; one that was saved is not saved again.
    pub fn advance(&mut self, minutes: u64, now: Reading) {
        if minutes > self.minutes {
            self.minutes = minutes;
            self.saved = now;
        }
    }

    /// What a host reads. `rated_erases` is the number of erases that all groups together are
    /// rated for, above zero.
    pub fn shown(&self, rated_erases: u64) -> Shown {
        if self.minutes < HOLD_MINUTES {
            return Shown::NotYet;
        }
        let erases = u128::from(self.saved.erases - self.base.erases);
        let wear = erases * STEPS / u128::from(rated_erases.max(1));
        let (reads, commands) =
            (self.saved.reads - self.base.reads, self.saved.commands - self.base.commands);
        Shown::Valid {
            media_wear: narrow(wear.min(u128::from(MOST))),
            reads_percent: narrow(reads as u128 * 100 / u128::from(commands.max(1))),
            minutes: self.minutes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(erases: u64, reads: u64, commands: u64) -> Reading {
        Reading { erases, reads, commands }
    }

    #[test]
    fn fifty_nine_minutes_show_nothing_and_sixty_do() {
        let mut timed = TimedWorkload::reset(reading(1000, 10, 20));
        timed.advance(HOLD_MINUTES - 1, reading(2000, 20, 40));
        assert_eq!(timed.shown(1_000_000), Shown::NotYet);
        timed.advance(HOLD_MINUTES, reading(2000, 20, 40));
        // 1,000 of 1,000,000 erases: 0.1 % are 102.4 steps.
        let shown = Shown::Valid { media_wear: 102, reads_percent: 50, minutes: 60 };
        assert_eq!(timed.shown(1_000_000), shown);
    }

    #[test]
    fn what_is_shown_is_of_the_last_whole_minute() {
        let mut timed = TimedWorkload::reset(Reading::default());
        timed.advance(100, reading(50, 1, 3));
        let saved = timed;
        timed.advance(100, reading(9999, 9, 9));
        assert_eq!(timed, saved, "inside a minute nothing is saved");
        timed.advance(101, reading(100, 2, 3));
        assert_eq!(
            timed.shown(100),
            Shown::Valid { media_wear: 0xFFFE, reads_percent: 66, minutes: 101 },
            "a whole life in one workload does not turn into the mark of no value"
        );
    }

    #[test]
    fn a_step_is_a_1024th_of_a_percent_and_rounds_down() {
        let rated = 102_400 * 7;
        let mut timed = TimedWorkload::reset(Reading::default());
        for (erases, steps) in [(6, 0), (7, 1), (13, 1), (14, 2)] {
            timed = TimedWorkload::reset(Reading::default());
            timed.advance(60, reading(erases, 0, 1));
            let Shown::Valid { media_wear, .. } = timed.shown(rated) else { panic!("valid") };
            assert_eq!(media_wear, steps, "{erases}");
        }
        assert_eq!(timed.minutes(), 60);
    }

    #[test]
    fn a_reset_begins_again() {
        let mut timed = TimedWorkload::reset(Reading::default());
        timed.advance(90, reading(500, 5, 10));
        let mut again = TimedWorkload::reset(reading(500, 5, 10));
        again.advance(59, reading(600, 5, 20));
        assert_eq!(again.shown(1000), Shown::NotYet);
        again.advance(60, reading(600, 5, 20));
        let shown = Shown::Valid { media_wear: 10_240, reads_percent: 0, minutes: 60 };
        assert_eq!(again.shown(1000), shown);
    }
}

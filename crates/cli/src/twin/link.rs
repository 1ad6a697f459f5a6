//! The link of a drive, and its own paths to the flash and from it.

use super::bench::{Bench, Draft, MODEL_ERROR, NO_PATH, READ_PATH, WRITE_PATH};
use super::plan;
use super::stages::{Made, NINE_OF_TEN};
use super::structure;
use super::tested::Tested;
use crate::render::Failure;
use answer::twin::TwinKnown;

/// Links and what a packet holds, by what they carry.
const LINKS: [(&str, &str); 15] = [
    ("SATA 3 Gbit/s", "8 KiB"),
    ("SATA 6 Gbit/s", "8 KiB"),
    ("PCIe 3.0 x2", "128 B"),
    ("PCIe 3.0 x2", "256 B"),
    ("PCIe 3.0 x2", "512 B"),
    ("PCIe 3.0 x4", "128 B"),
    ("PCIe 3.0 x4", "256 B"),
    ("PCIe 3.0 x4", "512 B"),
    ("PCIe 4.0 x4", "128 B"),
    ("PCIe 4.0 x4", "256 B"),
    ("PCIe 4.0 x4", "512 B"),
    ("PCIe 5.0 x4", "128 B"),
    ("PCIe 5.0 x4", "256 B"),
    ("PCIe 5.0 x4", "512 B"),
    ("PCIe 6.0 x4", "512 B"),
];

impl Made {
    /// The slowest link that carries what the drive reads in order and takes in bursts, and the
    /// rates of the drive's own paths where they are slower.
    pub fn link(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let planned = plan::of_the_link(&self.draft.slug);
        let read = of.numbers.get("stream-read.read_bandwidth");
        let (Some(planned), Some(read)) = (planned, read) else { return Ok(()) };
        let taken = structure::taken_rate(&of.numbers);
        let with = |(link, payload): &(&str, &str)| {
            let set = [
                ("link.interface", (*link).to_owned()),
                ("link.payload", (*payload).to_owned()),
                (READ_PATH, NO_PATH.to_owned()),
                (WRITE_PATH, NO_PATH.to_owned()),
            ];
            self.draft.possible(&set)
        };
        let drafts: Vec<Draft> = LINKS.iter().filter_map(with).collect();
        let asked: Vec<(&Draft, &lab::Run)> =
            drafts.iter().map(|draft| (draft, &planned.run)).collect();
        let seen = bench.measure(&asked, "the link")?;
        let rates = seen.iter().map(|seen| {
            let number = seen.as_ref().ok().and_then(|seen| planned.number(&read.metric, seen));
            number.map_or(0.0, |number| number.value)
        });
        let most = taken.unwrap_or(0.0).max(read.value);
        let carries = |rate: f64| rate >= most * (1.0 - structure::ALIKE);
        let Some((draft, rate)) = drafts.iter().zip(rates).find(|(_, rate)| carries(*rate)) else {
            self.notes.push("no link of the sibling carries what was read in order".to_owned());
            return Ok(());
        };
        for key in ["link.interface", "link.payload"] {
            self.draft = self.draft.with(&[(key, draft.get(key).unwrap_or_default().to_owned())]);
        }
        self.say_of_draft(
            "link.interface",
            TwinKnown::Agreeing,
            "the slowest that carries all tests",
        );
        self.path(READ_PATH, (None, rate), "");
        self.path(WRITE_PATH, (taken, rate), "what is taken at most, in bursts or by an SLC cache");
        Ok(())
    }

    /// The rate of the drive's own read path, where its flash and its link would give more.
    pub fn read_path(&mut self, bench: &Bench, of: &Tested) -> Result<(), Failure> {
        let planned = of.planned("stream-read");
        let wanted = of.numbers.get("stream-read.read_bandwidth");
        let (Some(planned), Some(wanted)) = (planned, wanted) else { return Ok(()) };
        let seen = bench.measure(&[(&self.draft, &planned.run)], "the read path")?;
        let seen = seen.first().and_then(|seen| seen.as_ref().ok());
        let rest = seen.and_then(|seen| planned.number(&wanted.metric, seen));
        if let Some(rest) = rest.filter(|rest| rest.value > wanted.value * (1.0 + structure::ALIKE))
        {
            self.path(READ_PATH, (Some(wanted.value), rest.value), "stream-read");
        }
        Ok(())
    }

    /// The rate of a path of the drive, where it is slower than what everything else gives. A path
    /// of the sibling that is in nobody's way is as fast as that.
    fn path(&mut self, key: &str, (wanted, rest): (Option<f64>, f64), why: &str) {
        let own = wanted.filter(|wanted| *wanted < rest * (1.0 - structure::ALIKE));
        let text = |rate: f64| format!("{} MB/s", fit::significant(rate / 1e6));
        let Some(rate) = own.or_else(|| self.draft.quantity(key).map(|_| rest)) else { return };
        let Some(with) = self.draft.possible(&[(key, text(rate))]) else { return };
        self.draft = with;
        if own.is_some() {
            self.say_of_draft(key, TwinKnown::Measured, why);
            let off = (NINE_OF_TEN * MODEL_ERROR).exp();
            self.say_interval(key, Some((text(rate / off), text(rate * off))));
        }
    }
}

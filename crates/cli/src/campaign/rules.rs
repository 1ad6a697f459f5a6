//! What ends a campaign before it is done.

use super::events::Event;
use super::file::{FileDrive, Stop};
use super::plan::{Plan, Run};
use super::show;
use super::supervise::Watched;
use crate::progress;
use crate::target;
use answer::Campaign;
use answer::campaign::TestState;
use real::device::Device;

/// The rules as they stand when a test begins.
pub struct Rules<'a> {
    stop: &'a Stop,
    drive: &'a str,
    /// Writes that the drive is rated for, bytes.
    rated: Option<f64>,
    /// What it wrote in this campaign before.
    written: f64,
    /// Time of all tests before, s.
    seconds: f64,
    failures: u32,
}

impl<'a> Rules<'a> {
    /// Of a run that is next.
    pub fn new(plan: &'a Plan, run: &Run, campaign: &Campaign, events: &[Event]) -> Self {
        let drive = plan.drive(run);
        let rated = drive.tbw.map(|bytes| bytes.base() as f64).or_else(|| {
            // As the estimates have it, which know the model.
            let mut known = campaign.tests.iter().filter(|test| test.drive == drive.name);
            known.find_map(|test| {
                let estimate = test.estimate?;
                Some(estimate.written_most / estimate.wear_most.filter(|wear| *wear > 0.0)?)
            })
        });
        let of_drive = events.iter().filter(|event| event.drive == drive.name);
        let failed = campaign.tests.iter().filter(|test| test.state == TestState::Failed);
        Self {
            stop: &plan.file.stop,
            drive: &drive.name,
            rated,
            written: of_drive.filter_map(|event| event.written).sum(),
            seconds: events.iter().map(|event| event.seconds).sum(),
            failures: u32::try_from(failed.count()).unwrap_or(u32::MAX),
        }
    }

    /// Why the next test does not begin.
    pub fn before(&self) -> Option<String> {
        if let Some(most) = self.stop.failures.filter(|most| self.failures >= *most) {
            return Some(format!("{} tests failed, and {most} are enough", self.failures));
        }
        self.spent(0.0, 0.0)
    }

    /// Why a test that runs is ended.
    pub fn during(&self, watched: &Watched) -> Option<String> {
        if let (Some(limit), Some(celsius)) = (self.stop.temperature, watched.celsius)
            && celsius > limit.celsius()
        {
            let limit = limit.celsius();
            return Some(format!("{} is at {celsius:.0} C, above {limit:.0} C", self.drive));
        }
        self.spent(watched.seconds(), watched.written().unwrap_or(0.0))
    }

    fn spent(&self, seconds: f64, written: f64) -> Option<String> {
        if let Some(most) = self.stop.time.map(|time| time.ns() as f64 / 1e9)
            && self.seconds + seconds >= most
        {
            return Some(format!("the tests took {}", progress::time(self.seconds + seconds)));
        }
        let written = self.written + written;
        let (most, rated) = (self.stop.wear?.fraction(), self.rated?);
        (written > most * rated)
            .then(|| format!("{} were written to {}", show::bytes(written), self.drive))
    }
}

/// Which rules cannot act on a real drive, because nothing of what they watch is seen of its
/// `devices`; empty of a model. `accepted` is the share of its rated writes that was accepted.
pub fn blind(
    stop: &Stop,
    drive: &FileDrive,
    (devices, accepted): (&[Device], f64),
    campaign: &Campaign,
) -> Vec<String> {
    let name = &drive.name;
    if !target::is_real(&drive.on) {
        return Vec::new();
    }
    let mut blind = Vec::new();
    if stop.temperature.is_some() && !Watched::new(devices).has_thermometer() {
        blind.push(format!(
            "{name}: no temperature sensor is seen, so [stop] temperature never ends a test"
        ));
    }
    let of_drive = || campaign.tests.iter().filter(|test| test.drive == *name);
    let is_rated = drive.tbw.is_some()
        || of_drive().any(|test| test.estimate.is_some_and(|cost| cost.wear_most.is_some()));
    if stop.wear.is_some() && !is_rated {
        blind.push(format!(
            "{name}: its rated writes are not known, so [stop] wear never ends a test; say tbw or \
             model of the drive"
        ));
    }
    if of_drive().all(|test| test.estimate.is_none()) {
        blind.push(format!(
            "{name}: what the tests write is not known without a model of the drive, so \
             --accept-wear {}% is not held against it; say --model",
            100.0 * accepted
        ));
    }
    blind
}

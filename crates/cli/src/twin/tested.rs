//! A target put through the tests of a twin.

use super::plan::{self, Number, Numbers, Of, Planned};
use crate::console::Console;
use crate::laboratory::Made;
use crate::on_target::{OnTarget, Saved};
use crate::render::Failure;
use crate::target;
use lab::Run;
use metric::Measurement;
use std::collections::BTreeMap;

/// What tests of a target gave.
pub struct Tested {
    /// User capacity of the target, bytes.
    pub capacity: f64,
    /// The tests.
    pub planned: Vec<Planned>,
    /// Their results by the name of the test.
    pub made: BTreeMap<String, Measurement>,
    /// Their numbers.
    pub numbers: Numbers,
    /// Tests that could not be made, and why.
    pub notes: Vec<String>,
}

impl Tested {
    /// Puts a target through the tests: first those that stand for themselves, then reads beside
    /// writes at shares of the rate that it was found to write at. Also where they are saved.
    ///
    /// # Errors
    /// See [`OnTarget::measure`].
    pub fn of(
        on: &OnTarget<'_>,
        capacity: f64,
        pool: &rayon::ThreadPool,
        console: &mut Console,
    ) -> Result<(Self, Vec<Saved>), Failure> {
        let subject = on.subject;
        let device = !subject.real || target::is_device(&subject.target);
        let of = Of { target: &subject.target, real: subject.real, device };
        let mut tested = Tested {
            capacity,
            planned: Vec::new(),
            made: BTreeMap::new(),
            numbers: Numbers::new(),
            notes: Vec::new(),
        };
        let mut measure = |tested: &mut Tested, planned: Vec<Planned>| {
            let runs: Vec<&Run> = planned.iter().map(|planned| &planned.measured).collect();
            let (made, saved) = on.measure(&runs, pool, console)?;
            tested.add(planned, made);
            Ok::<Saved, Failure>(saved)
        };
        let mut saved = vec![measure(&mut tested, plan::first(of))?];
        let rate = tested.numbers.get("stream-write.write_bandwidth").map(|rate| rate.value);
        if let Some(rate) = rate {
            saved.push(measure(&mut tested, plan::beside(of, rate))?);
        }
        Ok((tested, saved))
    }

    fn add(&mut self, planned: Vec<Planned>, made: Vec<Made>) {
        for (planned, made) in planned.into_iter().zip(made) {
            match made {
                Ok(made) => {
                    let numbers = planned.numbers(&made).into_iter();
                    self.numbers.extend(numbers.map(|number| (number.id.clone(), number)));
                    self.made.insert(planned.id.clone(), made);
                }
                Err(why) => self.notes.push(format!("{} could not be made: {why}", planned.id)),
            }
            self.planned.push(planned);
        }
    }

    /// The test of a name.
    pub fn planned(&self, id: &str) -> Option<&Planned> {
        self.planned.iter().find(|planned| planned.id == id)
    }

    /// The numbers of tests whose names begin so.
    pub fn numbers_of(&self, tests: &[&str]) -> Vec<&Number> {
        let is_of = |number: &&Number| tests.iter().any(|test| number.id.starts_with(test));
        self.numbers.values().filter(is_of).collect()
    }
}

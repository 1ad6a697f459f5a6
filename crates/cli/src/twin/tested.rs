//! A target put through the tests of a twin.

use super::plan::{self, Number, Numbers, Of, Planned};
use crate::console::Console;
use crate::laboratory::Made;
use crate::on_target::{Asked, OnTarget, Saved};
use crate::render::Failure;
use crate::target;
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
    /// Puts a target through the tests: on the empty and the filled drive first, then on one that
    /// is written at random; reads beside writes are at shares of the rate that it was found to
    /// write at. Also where they are saved.
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
        let device = !subject.real || target::is_whole_drive(&subject.target);
        let of = Of { target: &subject.target, real: subject.real, device };
        let mut tested = Tested {
            capacity,
            planned: Vec::new(),
            made: BTreeMap::new(),
            numbers: Numbers::new(),
            notes: Vec::new(),
        };
        let mut saved = Vec::new();
        let mut measure = |tested: &mut Tested, planned: Vec<Planned>| {
            if !planned.is_empty() {
                let asked: Vec<Asked<'_>> = planned.iter().map(Planned::asked).collect();
                let (made, kept) = on.measure(&asked, pool, console)?;
                saved.push(kept);
                tested.add(planned, made);
            }
            Ok::<(), Failure>(())
        };
        measure(&mut tested, plan::in_order(of))?;
        if let Some(first) = tested.notes.first().filter(|_| tested.numbers.is_empty()) {
            return Err(Failure::failed(format!("no test of it can be made: {first}")));
        }
        if let Some(rate) = tested.number("stream-write.write_bandwidth") {
            measure(&mut tested, plan::beside_in_order(of, rate))?;
        }
        measure(&mut tested, plan::scattered_over(of))?;
        if let Some(iops) = tested.number("random-64k.write_iops") {
            measure(&mut tested, plan::beside_random(of, iops * 65536.0))?;
        }
        measure(&mut tested, plan::with_spare(of))?;
        Ok((tested, saved))
    }

    fn number(&self, id: &str) -> Option<f64> {
        self.numbers.get(id).map(|number| number.value)
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

//! The models of a sweep: each is read once, however many points it has.

use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use crate::values::Pair;
use lab::ModelBench;
use library::{Scale, System};
use std::collections::BTreeMap;
use std::sync::Arc;
use sweep::{Factor, Part, Values, hash};

/// Memory of a run on a model, bytes: of the program, of a drive, of a mapping unit.
const OF_RUN: f64 = 70e6;
const OF_DRIVE: f64 = 40e6;
const OF_UNIT: f64 = 9.0;
/// Size of a mapping unit where it is not known, bytes: the smallest.
const UNIT: f64 = 4096.0;

/// A model with values set.
pub struct Variant {
    /// It.
    pub subject: Subject,
    /// Hash of all texts that it was read from.
    pub texts: String,
    /// Its drives.
    pub parts: Vec<Part>,
    /// Capacity that the host sees, bytes, nothing given up.
    pub capacity: Option<f64>,
    /// Bytes that its flash is rated for; `None` if its model does not say so.
    pub flash_writes: Option<f64>,
    /// Devices that the host sees; a load runs on each of them.
    pub devices: usize,
    /// Values of its texts, and how many of them are assumed.
    pub values: (usize, usize),
    /// Memory of a run, bytes, about.
    pub memory: u64,
}

impl Variant {
    /// How many of the values of its model nobody states, if any; to be said of an `answer` that
    /// leans on it, as "the set".
    pub fn assumed(&self, answer: &str) -> Option<String> {
        let (count, assumed) = self.values;
        let target = &self.subject.target;
        (assumed > 0).then(|| {
            format!(
                "`{target}` is {answer}, and {assumed} of the {count} values of its model are \
                 assumed (`drivelab show {target}`)"
            )
        })
    }
}

/// The models so far.
pub struct Targets {
    bench: ModelBench,
    known: BTreeMap<String, Result<Arc<Variant>, String>>,
}

impl Targets {
    /// None is known yet.
    pub fn new(bench: ModelBench) -> Self {
        Self { bench, known: BTreeMap::new() }
    }

    /// A target with values set; or why the model cannot have these values, in a sentence.
    ///
    /// # Errors
    /// A target that is not known at all, or is no model.
    pub fn variant(
        &mut self,
        name: &str,
        set: &[Pair],
    ) -> Result<Result<Arc<Variant>, String>, Failure> {
        let key = format!("{name} {set:?}");
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let subject = match Subject::changed(name, set, None) {
            Ok(subject) if subject.real => {
                let message = format!("`{name}` is real, and only models are swept");
                let help = "name a drive or system of the library, or a model file";
                return Err(Failure::wrong(message).with_help(help));
            }
            Ok(subject) => {
                if let Some(pair) = set.iter().find(|pair| !subject.set.contains(pair)) {
                    return Err(fixed_too(&pair.key, name));
                }
                Ok(subject)
            }
            // The name by itself is wrong, or what is set.
            Err(failure) => match Subject::parse(name) {
                Ok(_) => Err(failure.message),
                Err(failure) => return Err(failure),
            },
        };
        let built = subject.and_then(|subject| {
            let system = target::model(&subject.target, &subject.set);
            system.map_err(|failure| failure.message).map(|system| (subject, system))
        });
        let variant = built.map(|(subject, system)| Arc::new(self.of(subject, &system)));
        self.known.insert(key, variant.clone());
        Ok(variant)
    }

    fn of(&self, subject: Subject, system: &System) -> Variant {
        let capacity_of = |name: &str| self.bench.fact(name, "capacity");
        let parts = system.parts().into_iter().map(|(drive, count)| {
            let bytes = capacity_of(drive).unwrap_or(0.0);
            Part { drive: drive.to_owned(), count, bytes }
        });
        let parts: Vec<Part> = parts.collect();
        let bench = self.bench.clone().with_set(subject.pairs());
        let capacity = bench.fact(&subject.target, "capacity");
        let devices = bench.devices(&subject.target);
        let drives: u32 = parts.iter().map(|part| part.count).sum();
        let all: f64 = parts.iter().map(|part| part.bytes * f64::from(part.count)).sum();
        let units = match self.bench.options().simulated() {
            Scale::Units(units) => (units as f64).min(all / UNIT),
            Scale::Share(share) => all * share / UNIT,
            Scale::Bytes(bytes) => bytes as f64 / UNIT,
        };
        let memory = OF_RUN + OF_DRIVE * f64::from(drives) + OF_UNIT * units;
        let texts = system.texts();
        let values = (texts.matches("source = ").count(), texts.matches("\"assumed:").count());
        let texts = hash(&texts);
        let memory = engine::whole(memory);
        Variant {
            subject,
            texts,
            parts,
            capacity,
            flash_writes: system.rated_flash_writes(),
            devices,
            values,
            memory,
        }
    }
}

/// A value that is varied and stands behind the `@` of a target: one of them would count for
/// nothing.
pub fn fixed_too(key: &str, target: &str) -> Failure {
    Failure::wrong(format!("`{key}` is varied, and fixed in `{target}`"))
        .with_help("leave one of them out")
}

/// A target whose name is that of a series is each drive of it, with the same changes.
pub fn each_of_series(target: &str) -> Vec<String> {
    let (name, changes) = target.split_at(target.find('@').unwrap_or(target.len()));
    match library::series(name).as_slice() {
        [] => vec![target.to_owned()],
        drives => drives.iter().map(|drive| format!("{drive}{changes}")).collect(),
    }
}

/// Where a value of a factor of targets is the name of a series, all its drives take its place.
///
/// # Errors
/// If one is there twice then.
pub fn each_drive(factor: &mut Factor) -> Result<(), String> {
    if let Values::List(list) = &factor.values {
        let all = list.iter().flat_map(|target| each_of_series(target)).collect();
        *factor = Factor::list(&factor.name, all)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_each_of_its_drives() {
        let all = each_of_series("p5520@give_up=25%");
        assert_eq!(all, ["d7-p5520-7.68tb@give_up=25%", "d7-p5520-15.36tb@give_up=25%"]);
        assert_eq!(each_of_series("p4510"), ["p4510"]);
        assert_eq!(each_of_series("nothing"), ["nothing"]);
    }

    #[test]
    fn a_series_in_a_factor_is_each_of_its_drives() {
        let mut factor = Factor::parse("drive", "cd6,p5520").unwrap();
        assert_eq!(each_drive(&mut factor), Ok(()));
        let all = ["cd6", "d7-p5520-7.68tb", "d7-p5520-15.36tb"];
        assert_eq!(factor.values, Values::List(all.map(str::to_owned).to_vec()));
        let mut twice = Factor::parse("drive", "p5520,d7-p5520-7.68tb").unwrap();
        assert!(each_drive(&mut twice).unwrap_err().contains("twice"));
    }
}

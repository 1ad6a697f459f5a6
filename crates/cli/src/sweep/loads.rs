//! The loads of a sweep: the one that all points share, or one for each value of the factor `load`.

use super::plan::{Asked, LOAD};
use crate::compare::loads::{entries, job_file, parts, steady};
use crate::method;
use crate::render::Failure;
use crate::values::Pair;
use fio::JobFile;
use lab::Method;
use std::collections::BTreeSet;
use sweep::{Factor, Mistake, Values, hash};

/// A load without what is varied.
pub struct OwnLoad {
    /// As it was written.
    text: String,
    /// The name of its method, and the method.
    pub name: String,
    /// The method.
    pub method: &'static Method,
    /// Hash of the method's text.
    pub method_hash: String,
    /// Its own parameters.
    pub pairs: Vec<Pair>,
    /// The entries of its report, if it is a job file.
    entries: Vec<String>,
    /// Its jobs, if it is one.
    pub jobs: Option<JobFile>,
}

/// All loads, one at least.
pub struct Loads(Vec<OwnLoad>);

impl Loads {
    /// The loads that were asked for.
    ///
    /// # Errors
    /// A load that cannot be read, none at all, or one that is named beside those that are varied.
    pub fn of(asked: &Asked) -> Result<Self, Failure> {
        let varied = asked.factors.iter().position(|(factor, _)| factor.name == LOAD);
        let (key, texts) = match (varied, &asked.load) {
            (Some(number), None) => (asked.key(number), listed(asked, number)?),
            (None, Some(text)) => (LOAD.to_owned(), vec![text.clone()]),
            (Some(number), Some(_)) => {
                let message = "the load is named and varied";
                let help = "leave --load (`load`) out, or `load` among what is varied";
                return Err(asked.failure(Mistake::new(asked.key(number), message, help)));
            }
            (None, None) => {
                let help = "name a method with its parameters: --load mixed@read=70%,qd=16, or \
                            `load` in the plan";
                return Err(Failure::wrong("there is nothing to measure").with_help(help));
            }
        };
        let read = |text: &String| OwnLoad::read(text, &key, asked);
        Ok(Self(texts.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Each.
    pub fn all(&self) -> &[OwnLoad] {
        &self.0
    }

    /// The number of the load of a value of the factor; without a value that of the only one.
    pub fn number(&self, text: Option<&String>) -> usize {
        let found = text.and_then(|text| self.0.iter().position(|load| load.text == *text));
        found.unwrap_or(0)
    }

    /// Whether there are several.
    pub fn are_varied(&self) -> bool {
        self.0.len() > 1
    }

    /// All as they were written.
    pub fn text(&self) -> String {
        self.0.iter().map(|load| load.text.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// Their methods, each once.
    pub fn methods(&self) -> String {
        let names: BTreeSet<&str> = self.0.iter().map(|load| load.name.as_str()).collect();
        names.into_iter().collect::<Vec<_>>().join("; ")
    }

    /// The parameters that all have.
    pub fn shared(&self) -> impl Iterator<Item = &Pair> {
        let (first, rest) = self.0.split_first().map_or((None, &[][..]), |(f, r)| (Some(f), r));
        let pairs = first.into_iter().flat_map(|load| &load.pairs);
        pairs.filter(|pair| rest.iter().all(|load| load.pairs.contains(pair)))
    }

    /// The first of them that does not measure a metric.
    pub fn without(&self, metric: &str) -> Option<&OwnLoad> {
        self.0.iter().find(|load| !load.method.gives_by(&load.entries, metric))
    }
}

/// The values of the factor.
fn listed(asked: &Asked, number: usize) -> Result<Vec<String>, Failure> {
    match &asked.factors[number].0 {
        Factor { values: Values::List(list), .. } => Ok(list.clone()),
        Factor { values: Values::Range(_), .. } => {
            let help = "say --load for each of them, or give a list in the plan";
            Err(asked.failure(Mistake::new(asked.key(number), "loads are no range", help)))
        }
    }
}

impl OwnLoad {
    /// Its parameters that count unless it or a factor says another: job files and block traces run
    /// in the steady state, as in `choose`. Designs are told apart by how they collect, which a
    /// drive that was filled in order does not before its spare area is used up.
    pub fn usual(&self) -> Vec<Pair> {
        self.method.is_own_load().then(steady).into_iter().collect()
    }

    fn read(text: &str, key: &str, asked: &Asked) -> Result<Self, Failure> {
        let wrong = |why: String| asked.failure(Mistake::new(key, why, ""));
        let (name, pairs) = parts(text).map_err(wrong)?;
        let method = method::find(name)?;
        let (method_hash, entries) = (hash(&method.text), entries(method));
        let (text, name) = (text.to_owned(), name.to_owned());
        Ok(Self { text, name, method, method_hash, pairs, entries, jobs: job_file(method) })
    }
}

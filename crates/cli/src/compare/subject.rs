//! What is compared: drives and systems of the library, variations of them, real paths.

use super::args::CompareArgs;
use crate::render::Failure;
use crate::target::{self, Target};
use crate::values::{self, Pair};
use engine::Ratio;
use stats::Pairing;

/// One column of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// What stands at the top of its column; no two have the same.
    pub label: String,
    /// Slug, model file or path.
    pub target: String,
    /// Values of the model that are set.
    pub set: Vec<Pair>,
    /// Share of the user capacity given up.
    pub give_up: Ratio,
    /// Subjects of one lineage are a model and its variations, which share their seeds.
    pub lineage: u64,
    /// Whether it is a file or device that exists.
    pub real: bool,
}

impl Subject {
    /// How its runs belong to those of another.
    pub fn pairing(&self, other: &Subject) -> Pairing {
        match self.lineage == other.lineage && !self.real {
            true => Pairing::Paired,
            false => Pairing::Independent,
        }
    }

    /// Values set, as the library takes them.
    pub fn pairs(&self) -> Vec<(String, String)> {
        self.set.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect()
    }

    fn same_run(&self, other: &Subject) -> bool {
        if self.real && other.real {
            return target::same_place(&self.target, &other.target);
        }
        (&self.target, &self.set, self.give_up) == (&other.target, &other.set, other.give_up)
    }

    /// Reads `NAME`, or `NAME@KEY=VALUE,...` of a model.
    fn parse(text: &str) -> Result<Subject, Failure> {
        let (name, variation) = match text.split_once('@') {
            // A path may hold the sign itself.
            Some((name, variation)) if !target::is_real(name) => (name, Some(variation)),
            _ => (text, None),
        };
        let mut subject = Subject {
            label: String::new(),
            target: String::new(),
            set: Vec::new(),
            give_up: Ratio::default(),
            lineage: 0,
            real: false,
        };
        for pair in
            variation.map(pairs).transpose().map_err(|why| wrong(text, &why))?.unwrap_or_default()
        {
            match pair.key.as_str() {
                "give_up" | "give-up" => {
                    subject.give_up =
                        values::share(&pair.value).map_err(|why| wrong(text, &why))?;
                }
                _ => subject.set.push(pair),
            }
        }
        match target::resolve(name, &subject.set)? {
            Target::Model(model) => subject.target = model.slug,
            Target::Real(paths) => {
                subject.target = target::joined(&paths);
                subject.real = true;
            }
        }
        Ok(subject)
    }

    fn name(&self) -> String {
        let set = self.set.iter().map(|pair| format!("{}={}", pair.key, pair.value));
        let given = (self.give_up > Ratio::default()).then(|| format!("give_up={}", self.give_up));
        let parts: Vec<String> = set.chain(given).collect();
        match parts.is_empty() {
            true => self.target.clone(),
            false => format!("{}@{}", self.target, parts.join(",")),
        }
    }
}

fn wrong(text: &str, why: &str) -> Failure {
    Failure::wrong(format!("`{text}`: {why}")).with_help(
        "a variation is written MODEL@KEY=VALUE,...: a model value as in --set, or give_up=10%",
    )
}

/// Reads `KEY=VALUE,KEY=VALUE`; a part without `=` belongs to the value before it.
pub fn pairs(text: &str) -> Result<Vec<Pair>, String> {
    let mut pairs: Vec<Pair> = Vec::new();
    for part in text.split(',') {
        match (part.contains('='), pairs.last_mut()) {
            (false, Some(last)) => last.value = format!("{},{part}", last.value),
            _ => pairs.push(values::pair(part)?),
        }
    }
    match pairs.iter().enumerate().find(|(i, a)| pairs[..*i].iter().any(|b| a.key == b.key)) {
        Some((_, twice)) => Err(format!("`{}` is said twice", twice.key)),
        None => Ok(pairs),
    }
}

/// The subjects in the order of their columns, and which of them is the baseline.
pub fn subjects(args: &CompareArgs) -> Result<(Vec<Subject>, usize), Failure> {
    let mut list = Vec::new();
    for text in &args.targets {
        let named = Subject::parse(text)?;
        let base = named.clone();
        list.push(named);
        if base.real {
            continue;
        }
        for give_up in &args.give_up {
            list.push(Subject { give_up: *give_up, ..base.clone() });
        }
        for pair in &args.set {
            let mut varied = base.clone();
            varied.set.retain(|known| known.key != pair.key);
            varied.set.push(pair.clone());
            // What is wrong with it is said at the option.
            let name = text.split('@').next().unwrap_or(text);
            target::resolve(name, &varied.set)?;
            list.push(varied);
        }
    }
    if list.iter().all(|subject| subject.real) && !(args.give_up.is_empty() && args.set.is_empty())
    {
        let message = "--give-up and --set vary models, and every target is real";
        return Err(Failure::wrong(message).with_help("name a modelled drive, or leave them out"));
    }
    if list.len() < 2 {
        let help = "name a second target, or vary it: --give-up 10%, --set KEY=VALUE";
        return Err(Failure::wrong("one target has nothing to be compared with").with_help(help));
    }
    name_apart(&mut list);
    let baseline = match &args.baseline {
        None => 0,
        Some(text) => baseline(&list, text)?,
    };
    Ok((list, baseline))
}

/// Gives each its label and its lineage. What is named again without a change is measured anew,
/// with seeds of its own: then only chance can make it differ.
fn name_apart(list: &mut [Subject]) {
    for i in 0..list.len() {
        let (before, rest) = list.split_at_mut(i);
        let Some(this) = rest.first_mut() else { continue };
        let copies = before.iter().filter(|other| other.same_run(this)).count();
        let kin = before.iter().find(|other| other.target == this.target);
        this.lineage = match kin {
            Some(kin) if copies == 0 => kin.lineage,
            _ => i as u64,
        };
        this.label = match copies {
            0 => this.name(),
            n => format!("{} ({})", this.name(), n + 1),
        };
    }
}

fn baseline(list: &[Subject], text: &str) -> Result<usize, Failure> {
    let wanted = Subject::parse(text)?;
    let found = list.iter().position(|subject| subject.same_run(&wanted));
    found.ok_or_else(|| {
        let labels: Vec<&str> = list.iter().map(|subject| subject.label.as_str()).collect();
        Failure::wrong(format!("the baseline `{text}` is none of the targets"))
            .with_help(format!("the targets are {}", labels.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(key: &str, value: &str) -> Pair {
        Pair { key: key.into(), value: value.into() }
    }

    #[test]
    fn a_comma_inside_a_value_stays_there() {
        let read = pairs("a.b=45 us, 75 us,give_up=10%").unwrap();
        assert_eq!(read, [pair("a.b", "45 us, 75 us"), pair("give_up", "10%")]);
        assert!(pairs("a=1,a=2").unwrap_err().contains("twice"));
        assert!(pairs("").is_err() && pairs("a").is_err() && pairs("=1").is_err());
    }

    #[test]
    fn a_variation_changes_the_model_and_its_name() {
        let varied = Subject::parse("p4510@flash.bus=800 MT/s,give_up=10%").unwrap();
        assert_eq!(varied.name(), "p4510-8tb@flash.bus=800 MT/s,give_up=10 %");
        assert!(!varied.real && varied.set == [pair("flash.bus", "800 MT/s")]);
        let path = Subject::parse("./disk@home").unwrap();
        assert!(path.real && path.target == "./disk@home");
        for text in ["p4510@", "p4510@dies", "p4510@give_up=often", "p4510@flash.diez=3"] {
            assert_eq!(Subject::parse(text).unwrap_err().exit, 2, "{text}");
        }
    }

    #[test]
    fn variations_share_seeds_and_what_is_named_again_does_not() {
        let mut list: Vec<Subject> = ["p4510", "p5430", "p4510@give_up=10%", "p4510"]
            .iter()
            .map(|text| Subject::parse(text).unwrap())
            .collect();
        name_apart(&mut list);
        let lineages: Vec<u64> = list.iter().map(|subject| subject.lineage).collect();
        assert_eq!(lineages, [0, 1, 0, 3]);
        assert_eq!(list[3].label, "p4510-8tb (2)");
        assert_eq!(list[2].pairing(&list[0]), Pairing::Paired);
        assert_eq!(list[3].pairing(&list[0]), Pairing::Independent);
    }
}

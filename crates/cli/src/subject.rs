//! What is measured: drives and systems of the library, variations of them, real paths.

use crate::configuration;
use crate::render::Failure;
use crate::target;
use crate::values::{self, Pair};
use engine::Ratio;
use library::{Overrides, Scale};
use serde_json::Value;
use stats::Pairing;

/// A target as it is named on the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name in results; no two of a comparison have the same.
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

    /// Whether two names mean the same.
    pub fn is(&self, other: &Subject) -> bool {
        if self.real && other.real {
            return target::same_place(&self.target, &other.target);
        }
        (&self.target, &self.set, self.give_up) == (&other.target, &other.set, other.give_up)
    }

    /// Reads `NAME`, or `NAME@KEY=VALUE,...` of a model.
    ///
    /// # Errors
    /// A name that is not known, and a value that the model cannot have.
    pub fn parse(text: &str) -> Result<Subject, Failure> {
        Self::changed(text, &[], None)
    }

    /// The same of a model that is changed: `set` and `give_up` are of all targets of the command
    /// line, and what stands behind the `@` of this one counts before them. A real target cannot
    /// be changed and is left as it is.
    ///
    /// # Errors
    /// A name that is not known, and a value that the model cannot have.
    pub fn changed(text: &str, set: &[Pair], give_up: Option<Ratio>) -> Result<Subject, Failure> {
        let (name, variation) = match text.split_once('@') {
            // A path may hold the sign itself.
            Some((name, variation)) if !target::is_real(name) => (name, Some(variation)),
            _ => (text, None),
        };
        let own = variation.map(pairs).transpose().map_err(|why| wrong(text, &why))?;
        if target::is_real(name) {
            let target = target::joined(&target::paths(name)?);
            return Ok(Subject { real: true, ..Subject::of(target) });
        }
        let mut subject = Subject::of(String::new());
        subject.give_up = give_up.unwrap_or_default();
        for pair in own.unwrap_or_default() {
            match pair.key.as_str() {
                "give_up" | "give-up" => {
                    subject.give_up =
                        values::share(&pair.value).map_err(|why| wrong(text, &why))?;
                }
                _ => subject.set.push(pair),
            }
        }
        if let Some(pair) = (1..set.len()).find(|i| set[..*i].iter().any(|p| p.key == set[*i].key))
        {
            let message = format!("`{}` is set twice", set[pair].key);
            return Err(Failure::wrong(message).at("--set").with_help("leave one of them out"));
        }
        let others = set.iter().filter(|pair| subject.set.iter().all(|own| own.key != pair.key));
        subject.set = others.chain(&subject.set).cloned().collect();
        let slug = target::model(name, &subject.set)?.slug;
        Ok(Subject { label: subject.name_of(&slug), target: slug, ..subject })
    }

    /// A target as it is.
    fn of(target: String) -> Subject {
        Subject {
            label: target.clone(),
            target,
            set: Vec::new(),
            give_up: Ratio::default(),
            lineage: 0,
            real: false,
        }
    }

    /// It as the Record keeps it, with what else was changed about the model.
    ///
    /// # Errors
    /// A model that cannot be at this scale.
    pub fn kept(&self, scale: Scale, others: Overrides) -> Result<stats::Target, Failure> {
        let model = target::model(&self.target, &self.set)?;
        let overrides = Overrides { give_up: self.give_up, set: self.pairs(), ..others };
        let resolved = model.resolve(scale, &overrides)?;
        let of = configuration::target(&model, &overrides, scale, &resolved, Value::Null);
        Ok(stats::Target { name: self.label.clone(), ..of })
    }

    /// Its name with what is changed about it.
    pub fn name(&self) -> String {
        self.name_of(&self.target)
    }

    fn name_of(&self, target: &str) -> String {
        let set = self.set.iter().map(|pair| format!("{}={}", pair.key, pair.value));
        let given = (self.give_up > Ratio::default()).then(|| format!("give_up={}", self.give_up));
        let parts: Vec<String> = set.chain(given).collect();
        match parts.is_empty() {
            true => target.to_owned(),
            false => format!("{target}@{}", parts.join(",")),
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
    let changes = library::changes(text)?.into_iter();
    Ok(changes.map(|(key, value)| Pair { key, value }).collect())
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
        let set = [pair("flash.bus", "800 MT/s"), pair("flash.bus", "400 MT/s")];
        assert!(Subject::changed("p4510", &set, None).unwrap_err().message.contains("set twice"));
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
    fn what_is_set_for_all_gives_way_to_what_is_said_of_one() {
        let all = [pair("flash.bus", "600 MT/s"), pair("buffer.size", "32 MiB")];
        let ten = values::share("10%").ok();
        let own = Subject::changed("p4510@flash.bus=800 MT/s,give_up=20%", &all, ten).unwrap();
        assert_eq!(own.name(), "p4510-8tb@buffer.size=32 MiB,flash.bus=800 MT/s,give_up=20 %");
        let other = Subject::changed("p4510", &all, ten).unwrap();
        assert_eq!(other.label, "p4510-8tb@flash.bus=600 MT/s,buffer.size=32 MiB,give_up=10 %");
        assert_eq!(Subject::changed("./disk", &all, ten).unwrap().name(), "./disk");
    }
}

//! What a factor changes, by its name.

use super::plan::LOAD;
use lab::Method;
use metric::{Params, lookup};

/// What a factor changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The drive or system.
    Target,
    /// The load.
    Load,
    /// The share of the capacity that is given up.
    GiveUp,
    /// A parameter of the method, by its canonical name.
    Param(&'static str),
    /// A value of the model.
    Set(String),
}

/// Names under which the target is varied.
const TARGETS: [&str; 3] = ["drive", "system", "target"];

impl Role {
    /// What a name is.
    ///
    /// # Errors
    /// A name that is nothing that can be varied, with a help.
    pub fn of(name: &str, method: &Method) -> Result<Self, (String, String)> {
        if TARGETS.contains(&name) {
            return Ok(Role::Target);
        }
        if name == LOAD {
            return Ok(Role::Load);
        }
        if matches!(name, "give_up" | "give-up") {
            return Ok(Role::GiveUp);
        }
        if name.contains('.') {
            return Ok(Role::Set(name.to_owned()));
        }
        match lookup(name).filter(|(spec, _)| method.params.contains_key(spec.name)) {
            Some((spec, _)) => Ok(Role::Param(spec.name)),
            None if name == "op" => Ok(Role::Param("op")),
            None => {
                let help = format!(
                    "`drive`, `give_up`, a parameter of `{0}` (`drivelab show {0}`) or a value of \
                     the model with a dot in its name, such as `flash.dies`",
                    method.name
                );
                Err((format!("`{name}` is nothing that can be varied here"), help))
            }
        }
    }

    /// What a name is in the methods of all loads, which are one at least.
    ///
    /// # Errors
    /// The first method in which it is nothing that can be varied.
    pub fn in_all<'a>(
        name: &str,
        methods: impl Iterator<Item = &'a Method>,
    ) -> Result<Self, (String, String)> {
        let roles = methods.map(|method| Self::of(name, method));
        let roles = roles.collect::<Result<Vec<_>, _>>()?;
        Ok(roles.into_iter().next().unwrap_or(Role::Load))
    }

    /// Whether it is this parameter.
    pub fn is_param(&self, name: &str) -> bool {
        let canonical = lookup(name).map_or(name, |(spec, _)| spec.name);
        matches!(self, Role::Param(own) if *own == canonical)
    }

    /// Whether a value can be read.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check(&self, value: &str, method: &Method) -> Result<(), String> {
        match self {
            Role::GiveUp => Params::from_pairs([("give_up", value)]).map(drop),
            Role::Param(name) => {
                let params = Params::from_pairs([(*name, value)])?;
                match method.foreign(&params).first() {
                    Some(foreign) => Err(format!("`{}` has no parameter `{foreign}`", method.name)),
                    None => Ok(()),
                }
            }
            // What it is called is looked up.
            Role::Target | Role::Load | Role::Set(_) => Ok(()),
        }
    }

    /// How its values are written.
    pub fn help(&self, method: &Method) -> String {
        match self {
            Role::GiveUp => "a share of the capacity: `0..25%`".to_owned(),
            _ => format!("`drivelab show {}` lists the parameters and their units", method.name),
        }
    }
}

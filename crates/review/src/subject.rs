//! What a row is about: which drive under which test, and the runs that this means.

use std::collections::BTreeMap;

use fio::{Diagnostic, Place};

use super::alias::{Aliases, Device, Test};
use super::given::params_of;
use super::node::{Fields, Node};
use lab::find;
use lab::{Run, complete};
use metric::Params;
use metric::lookup;

/// A name, and whether the file gave it itself or an alias led to it.
///
/// A target or method that the file names itself must exist; one that an alias leads to may be
/// missing from this version, which makes the row not modelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// True if the file gave it itself.
    pub explicit: bool,
    /// Where.
    pub at: Place,
}

/// Where parameters are named, by canonical name.
pub type Places = BTreeMap<&'static str, Place>;

/// What a row is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// One run, or several of which a bound has to hold for each.
    Runs {
        /// The drive.
        target: Named,
        /// The method.
        method: Named,
        /// The runs; never empty.
        runs: Vec<Run>,
        /// Where the row names which parameter.
        named: Places,
    },
    /// Nothing that is modelled, and why.
    NotModelled(String),
}

impl Subject {
    /// The name of the drive, none if it is not modelled.
    pub fn target(&self) -> Option<&str> {
        match self {
            Subject::Runs { target, .. } => Some(&target.name),
            Subject::NotModelled(_) => None,
        }
    }

    /// The runs, none if it is not modelled.
    pub fn runs(&self) -> &[Run] {
        match self {
            Subject::Runs { runs, .. } => runs,
            Subject::NotModelled(_) => &[],
        }
    }
}

/// Names as written, before they are resolved.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) target: Option<(Who, String, Place)>,
    pub(super) method: Option<(How, Vec<String>, Place)>,
    pub(super) params: Option<Params>,
    named: Places,
    at: Place,
}

/// Which key named the drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Who {
    Device,
    Target,
}

/// Which key named the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum How {
    Test,
    Method,
    Each,
}

/// Keys of a table that [`Wanted::read`] understands.
pub(super) const SUBJECT_KEYS: [&str; 6] = ["device", "target", "test", "method", "each", "params"];

impl Wanted {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Diagnostic> {
        let target = match (fields.get("target"), fields.get("device")) {
            (Some(node), _) => Some((Who::Target, node.string()?, node.place())),
            (None, Some(node)) => Some((Who::Device, node.string()?, node.place())),
            (None, None) => None,
        };
        let method = match (fields.get("each"), fields.get("method"), fields.get("test")) {
            (Some(node), ..) => Some((How::Each, fields.strings("each")?, node.place())),
            (_, Some(node), _) => Some((How::Method, vec![node.string()?], node.place())),
            (_, _, Some(node)) => Some((How::Test, vec![node.string()?], node.place())),
            _ => None,
        };
        let params = fields.get("params").map(|node| params_of(Some(node))).transpose()?;
        let named = fields.get("params").map_or_else(|| Ok(Places::new()), |node| places(&node))?;
        Ok(Self { target, method, params, named, at: fields.place() })
    }

    /// The same, with what it leaves out taken from `other`.
    pub(super) fn or(self, other: &Wanted) -> Self {
        Self {
            target: self.target.or_else(|| other.target.clone()),
            method: self.method.or_else(|| other.method.clone()),
            named: if self.params.is_some() { self.named } else { other.named.clone() },
            params: self.params.or_else(|| other.params.clone()),
            at: self.at,
        }
    }

    /// Drive, method and parameters. A least queue depth means every one from there on if the row
    /// states a bound (`bounded`), else the least.
    pub(super) fn resolve(&self, aliases: &Aliases, bounded: bool) -> Result<Subject, Diagnostic> {
        let missing = |what: &str, help: &str| {
            Diagnostic::new(&self.at, format!("the row names no {what}")).with_help(help)
        };
        let (who, name, at) = self
            .target
            .as_ref()
            .ok_or_else(|| missing("drive", "add device = \"...\" or target = \"...\""))?;
        let target = match resolve_target(*who, name, at, aliases)? {
            Ok(target) => target,
            Err(why) => return Ok(Subject::NotModelled(why)),
        };
        let said = match (who, aliases.device(name)) {
            (Who::Device, Ok(Device::Target(_, params))) => params.clone(),
            _ => Params::default(),
        };
        let (how, names, at) = self
            .method
            .as_ref()
            .ok_or_else(|| missing("test", "add test = \"...\" or method = \"...\""))?;
        let mut runs = Vec::new();
        let mut first = None;
        for (name, params) in match self.tests(*how, names, at, aliases)? {
            Ok(tests) => tests,
            Err(why) => return Ok(Subject::NotModelled(why)),
        } {
            // The row's own words count before those of its drive's name, these before the test's.
            let own = self.params.clone().unwrap_or_default();
            let params = own.over(&said).over(&params);
            first.get_or_insert_with(|| name.clone());
            for mut params in depths(&name, params, bounded) {
                complete(&name, &mut params).map_err(|why| Diagnostic::new(at, why))?;
                runs.push(Run { target: target.name.clone(), method: name.clone(), params });
            }
        }
        let Some(name) = first else {
            return Err(Diagnostic::new(at, "`each` names no test")
                .with_help("each = [\"seq read\", \"seq write\"]"));
        };
        let method = Named { name, explicit: *how == How::Method, at: at.clone() };
        Ok(Subject::Runs { target, method, runs, named: self.named.clone() })
    }

    /// Methods and default parameters, or why there are none.
    fn tests(
        &self,
        how: How,
        names: &[String],
        at: &Place,
        aliases: &Aliases,
    ) -> Result<Result<Vec<(String, Params)>, String>, Diagnostic> {
        if how == How::Method {
            let bare = names.iter().map(|name| (name.clone(), Params::default()));
            return Ok(Ok(bare.collect()));
        }
        let mut found = Vec::new();
        let mut open: Vec<(&str, bool)> = names.iter().rev().map(|n| (n.as_str(), true)).collect();
        while let Some((name, outer)) = open.pop() {
            let test = aliases.test(name).map_err(|hint| {
                Diagnostic::new(at, format!("unknown test `{name}`")).with_help(hint)
            })?;
            match test {
                Test::Method { name, params } => found.push((name.clone(), params.clone())),
                Test::NotModelled(why) => return Ok(Err(why.clone())),
                // Groups do not nest, so that a table of names cannot send this loop in circles.
                Test::Each(inner) if outer => {
                    open.extend(inner.iter().rev().map(|n| (n.as_str(), false)));
                }
                Test::Each(_) => {
                    return Err(Diagnostic::new(at, format!("`{name}` is a group in a group")));
                }
            }
        }
        Ok(Ok(found))
    }
}

/// Deepest queue of a sweep that a row begins and does not end: what SATA drives have.
const DEEPEST: u64 = 32;

/// The parameters for each queue depth of a row that states only the least, where the method has
/// one depth.
fn depths(method: &str, mut params: Params, bounded: bool) -> Vec<Params> {
    let has = |name: &str| find(method).is_ok_and(|m| m.params.contains_key(name));
    let least = params.count("qd_min").filter(|_| has("qd") && !has("qd_min"));
    let (Some(least), None) = (least, params.count("qd")) else { return vec![params] };
    params.remove("qd_min");
    let last = if bounded { DEEPEST.max(least) } else { least };
    let depths =
        std::iter::successors(Some(least), |qd| qd.checked_mul(2).filter(|qd| *qd <= last));
    let with = |qd: u64| {
        let mut params = params.clone();
        // A whole number within the limits of the parameter that it comes from.
        let _ = params.give("qd", &qd.to_string());
        params
    };
    depths.map(with).collect()
}

/// The drive behind a name, or why it is not modelled.
pub(super) fn resolve_target(
    who: Who,
    name: &str,
    at: &Place,
    aliases: &Aliases,
) -> Result<Result<Named, String>, Diagnostic> {
    let named = |name: &str, explicit| Named { name: name.to_owned(), explicit, at: at.clone() };
    if who == Who::Target {
        return Ok(Ok(named(name, true)));
    }
    match aliases.device(name) {
        Ok(Device::Target(slug, _)) => Ok(Ok(named(slug, false))),
        Ok(Device::NotModelled(why)) => Ok(Err(why.clone())),
        // The library's own names need no alias.
        Err(hint) => library::System::named(name, &[])
            .map(|system| Ok(named(&system.slug, false)))
            .map_err(|_| Diagnostic::new(at, format!("unknown device `{name}`")).with_help(hint)),
    }
}

/// Where a table of parameters names which.
fn places(node: &Node<'_>) -> Result<Places, Diagnostic> {
    let canonical = |name: &str| match name {
        "op" => Some("read"),
        _ => lookup(name).map(|(spec, _)| spec.name),
    };
    let entries = node.entries()?.into_iter();
    Ok(entries.filter_map(|(name, place, _)| Some((canonical(name)?, place))).collect())
}

//! What is asked for: a method with its parameters on some targets.

use super::args::TestArgs;
use crate::method;
use crate::on_real;
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use crate::values::Pair;
use lab::{FACTS, Method, Run};
use metric::{Params, lookup};

/// A run on a target.
pub(super) struct Asked {
    pub(super) subject: Subject,
    pub(super) run: Run,
}

/// The method, unless it is the one whose values are read from the model.
///
/// # Errors
/// A name that is not known, and mistakes in a file.
pub(super) fn method_of(args: &TestArgs) -> Result<Option<&'static Method>, Failure> {
    if args.method == FACTS { Ok(None) } else { method::find(&args.method).map(Some) }
}

/// The runs: the method with its parameters on each target.
///
/// # Errors
/// All that cannot be measured, before anything is.
pub(super) fn asked(args: &TestArgs, method: Option<&Method>) -> Result<Vec<Asked>, Failure> {
    let mut subjects: Vec<Subject> = Vec::new();
    for name in &args.on {
        let subject = Subject::changed(name, &args.change.set, args.change.give_up)?;
        if subjects.iter().any(|known| known.is(&subject)) {
            let message = format!("`{name}` is named twice: {}", subject.label);
            return Err(Failure::wrong(message).with_help("name each drive once"));
        }
        subjects.push(subject);
    }
    let params = params(args, method, subjects.iter().any(|subject| subject.real))?;
    let with_run = |subject: Subject| {
        let (target, method) = (subject.target.clone(), args.method.clone());
        Asked { subject, run: Run { target, method, params: params.clone() } }
    };
    let list: Vec<Asked> = subjects.into_iter().map(with_run).collect();
    if let (None, Some(_)) = (method, args.interval) {
        let message = format!("`{FACTS}` runs nothing: its values are those of the model");
        return Err(Failure::wrong(message).with_help("leave out --interval"));
    }
    let real = || list.iter().filter(|asked| asked.subject.real);
    let names = || real().map(|asked| asked.subject.target.as_str());
    target::check_distinct(names())?;
    args.result.check_apart(names())?;
    if real().count() == list.len() {
        on_real::check_options(&args.bench)?;
        on_real::refuse(on_models(args))?;
    }
    if let (Some(asked), false) = (real().next(), args.devices.describe().is_empty()) {
        let message = format!("`{}` is real: its devices are what they are", asked.subject.label);
        return Err(Failure::wrong(message).with_help("leave out --drives and --namespaces"));
    }
    Ok(list)
}

/// Options that change models.
fn on_models(args: &TestArgs) -> impl Iterator<Item = &'static str> {
    let given = [
        ("--age", args.age.is_some()),
        ("--set", !args.change.set.is_empty()),
        ("--give-up", args.change.give_up.is_some()),
        ("--interval", args.interval.is_some()),
    ];
    given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name)
}

/// The parameters of the method, complete, for targets of which some are `real`.
fn params(args: &TestArgs, method: Option<&Method>, real: bool) -> Result<Params, Failure> {
    let help = || format!("`drivelab show {}` lists the parameters", args.method);
    let wrong = |why: String| Failure::wrong(why).with_help(help());
    let mut pairs: Vec<Pair> = args.param.clone();
    if let Some(state) = args.state {
        pairs.push(Pair { key: "state".to_owned(), value: state.word().to_owned() });
    }
    let is_given_up = |pair: &Pair| lookup(&pair.key).is_some_and(|(of, _)| of.name == "give_up");
    if args.change.give_up.is_some() && args.param.iter().any(is_given_up) {
        return Err(wrong(
            "what is given up is said twice, by --give-up and by --param".to_owned(),
        ));
    }
    let pairs = pairs.iter().map(|pair| (pair.key.as_str(), pair.value.as_str()));
    let mut params = Params::from_pairs(pairs).map_err(wrong)?;
    // Facts are read as they are, whatever is given.
    let Some(method) = method else { return Ok(params) };
    if let Some(name) = method.foreign(&params).first() {
        return Err(wrong(format!("method `{}` has no parameter `{name}`", args.method)));
    }
    method::complete(method, &mut params, real).map_err(wrong)?;
    Ok(params)
}

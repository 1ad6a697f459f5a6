//! `drivelab run`: a job file on a target.

mod args;
mod health;
mod modelled;
mod output;
mod real;
mod site;
mod start;
mod trace;
mod words;

use crate::console::Console;
use crate::files;
use crate::job_source::{self, JobSource};
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use crate::subject::Subject;
use crate::target::{self, Target};
use crate::values::Format;
use ::fio::Job;
use ::trace::Replays;
pub use args::RunArgs;
use stats::{Cost, Outcome};

pub use output::report;
pub use site::a_drive_each;
pub use start::default_state;

/// What a run on either kind of target yields.
pub struct Finished {
    /// The hashed part of the Record; its `run` is always there.
    pub outcome: Outcome,
    /// The jobs, for fio's banner and the columns of logs; empty if only the installed fio
    /// understands them.
    pub jobs: Vec<Job>,
    /// Simulated events.
    pub events: u64,
    /// Simulated I/Os.
    pub ios: u64,
    /// What went wrong in the end, though there is a result.
    pub broken: Option<String>,
}

/// Runs the command.
pub fn command(args: &RunArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.quiet);
    let places = [&args.output, &args.record, &args.save_state];
    files::check_places(places.into_iter().flatten(), args.overwrite)?;
    if let Some(folder) = args.logs.as_ref().filter(|folder| !folder.is_dir()) {
        let message = format!("{}: there is no such directory for logs", folder.display());
        return Err(Failure::wrong(message).with_help("make it first"));
    }
    let subject = Subject::changed(&args.on, &args.model.change.set, args.model.change.give_up)?;
    let target = target::resolve(&subject.target, &subject.set)?;
    if let Target::Real(paths) = &target {
        target::check_distinct([args.on.as_str()])?;
        files::check_apart(args.output.iter().chain(&args.record), paths)?;
    }
    check_options(args, &target)?;
    let replayed = trace::find(args, &mut console)?;
    let source = match &replayed {
        Some(replayed) => replayed.source.clone(),
        None => JobSource::read(&args.job)?,
    };
    let env = job_source::environment();
    let finished = match target {
        Target::Model(model) => {
            let on = (&*model, &subject);
            modelled::run(args, on, &source, &env, replayed, &mut console)?
        }
        Target::Real(paths) => match replayed {
            None => {
                let (replays, replay) = (Replays::default(), None);
                let what = real::What { source: &source, replays, replay };
                real::run(args, &paths, what, &env, &mut console)?
            }
            Some(replayed) => real::replay(args, &paths, replayed, &env, &mut console)?,
        },
    };
    let cost = Cost { events: finished.events, ios: finished.ios, ..watch.cost() };
    let folder = args.logs.as_deref().unwrap_or(std::path::Path::new("."));
    output::write_logs(&finished, folder, &mut console)?;
    let formats = if args.json { &[Format::Json][..] } else { &args.output_format };
    files::deliver(&report(&finished, formats), args.output.as_deref())?;
    let Finished { outcome, broken, .. } = finished;
    if let Some(path) = &args.record {
        records::save(outcome, cost, path)?;
    }
    match broken {
        Some(why) => Err(Failure::failed(why)),
        None => Ok(()),
    }
}

/// Options that the target cannot heed are mistakes: a user who gave them expects something.
fn check_options(args: &RunArgs, target: &Target) -> Result<(), Failure> {
    let on_model = [
        ("--state", args.state.is_some()),
        ("--load-state", args.load_state.is_some()),
        ("--save-state", args.save_state.is_some()),
        ("--smart-before", args.smart_before.is_some()),
        ("--smart-after", args.smart_after.is_some()),
        ("--scale", args.scale.is_some()),
        ("--give-up", args.model.change.give_up.is_some()),
        ("--set", !args.model.change.set.is_empty()),
        ("--age", args.age.is_some()),
        ("--power-state", args.model.power_state.is_some()),
        ("--drives", args.model.devices.drives.is_some()),
        ("--namespaces", args.model.devices.namespaces.is_some()),
        ("--cooling", args.model.surroundings.cooling.is_some()),
        ("--fan", args.model.surroundings.fan.is_some()),
        ("--ambient", args.model.surroundings.ambient.is_some()),
        ("--seed", args.seed.is_some()),
        ("--budget", args.budget.is_some()),
    ];
    let on_real =
        [("--size", args.size.is_some()), ("--destroy-data", args.destroy_data.is_some())];
    let (options, kind) = match target {
        Target::Model(_) => (&on_real[..], "a model"),
        Target::Real(_) => (&on_model[..], "a real drive"),
    };
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!("{name} has no meaning on {kind}, and `{}` is one", args.on);
            Err(Failure::wrong(message).with_help(format!("leave {name} out")))
        }
    }
}

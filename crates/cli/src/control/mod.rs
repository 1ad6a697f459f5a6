//! `drivelab control`: what a served drive is told beside its data.

mod args;
mod words;

pub use args::ControlArgs;

use crate::files;
use crate::render::Failure;
use crate::serve;
use crate::surroundings::SurroundingsArgs;
use ::serve::control::{Action, Answer, ask};
use args::What;
use std::io::ErrorKind;
use std::path::Path;

/// Runs the command.
pub fn command(args: &ControlArgs) -> Result<(), Failure> {
    if let What::Timeline { record: Some(path), overwrite } = &args.action {
        files::check_place(path, *overwrite)?;
    }
    let answer = tell(&args.socket, &action(&args.action)?)?;
    if let Some(error) = answer.error {
        return Err(Failure::failed(format!("it was not done: {error}")));
    }
    let Some(served) = answer.served else {
        let text = match args.json {
            true => files::json_text(&answer.state)?,
            false => serve::state(&answer.state),
        };
        return files::print(&text);
    };
    let line = served.run.timeline.clone().unwrap_or_default();
    files::print(&match args.json {
        true => files::json_text(&line)?,
        false => words::timeline(&line),
    })?;
    match &args.action {
        What::Timeline { record: Some(path), .. } => serve::save(served, &answer.state, path),
        _ => Ok(()),
    }
}

fn action(what: &What) -> Result<Action, Failure> {
    Ok(match what {
        What::Health => Action::Health,
        What::Timeline { .. } => Action::Timeline,
        What::Age { age } => Action::Age { age: *age },
        What::Cool(around) => cool(around)?,
        What::Throttle { limit } => Action::Throttle { limit: limit.0 },
        What::FailMember { member } => Action::FailMember { member: *member },
        What::ReplaceMember { member } => Action::ReplaceMember { member: *member },
        What::CutPower { after_writes, at_random } => {
            let within_writes = at_random.unwrap_or(0);
            Action::CutPower { after_writes: *after_writes, within_writes }
        }
        What::Restore => Action::Restore,
        What::Stop => Action::Stop,
    })
}

/// The server may run in another folder: a cooling file is named by its whole path.
fn cool(around: &SurroundingsArgs) -> Result<Action, Failure> {
    let whole = |name: &String| match name.ends_with(".toml") {
        false => Ok(name.clone()),
        true => match std::path::absolute(Path::new(name)) {
            Ok(path) => Ok(path.display().to_string()),
            Err(error) => Err(Failure::wrong(error.to_string()).at(name.clone())),
        },
    };
    let cooling = around.cooling.as_ref().map(whole).transpose()?;
    if cooling.is_none() && around.fan.is_none() && around.ambient.is_none() {
        return Err(Failure::wrong("nothing is said of the cooling")
            .with_help("give --cooling, --fan or --ambient: `drivelab list coolings`"));
    }
    Ok(Action::Cool { cooling, fan: around.fan, ambient: around.ambient })
}

fn tell(socket: &Path, action: &Action) -> Result<Answer, Failure> {
    ask(socket, action).map_err(|error| {
        let place = socket.display().to_string();
        match error.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::NotFound => {
                Failure::wrong(format!("no served drive answers there: {error}"))
                    .at(place)
                    .with_help("`drivelab serve` names its control socket when it starts")
            }
            _ => {
                let failed = Failure::failed(error.to_string()).at(place);
                let control = files::with_ending(socket, ".control");
                match control.exists() {
                    true => failed.with_help(format!(
                        "this is the socket of clients; {} is that of the control",
                        control.display()
                    )),
                    false => failed,
                }
            }
        }
    })
}

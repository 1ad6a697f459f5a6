//! `drivelab endurance`: from health logs to wear, life and cost.

mod args;
mod show;

pub use args::EnduranceArgs;

use crate::console::Console;
use crate::files;
use crate::render::Failure;
use real::{ToolError, Tools};
use smart::Snapshot;
use smart::endurance::{Named, between, so_far};
use std::path::Path;

/// Runs the command.
pub fn command(args: &EnduranceArgs) -> Result<(), Failure> {
    files::check_places(args.save.iter().chain(&args.output), args.overwrite)?;
    let devices = [Some(&args.before), args.after.as_ref()];
    let devices = devices.into_iter().flatten().filter(|path| is_device(path)).count();
    if devices == 2 {
        let message = "both logs would be read now, and nothing lies between them";
        return Err(Failure::wrong(message).with_help("save the earlier one first: --save FILE"));
    }
    if args.save.is_some() && devices == 0 {
        let message = "--save keeps what is read from a device, and none is named";
        return Err(Failure::wrong(message).with_help("name a device, or leave --save out"));
    }
    let mut console = Console::new(args.quiet);
    let before = read(&args.before, args, &mut console)?;
    let before_name = args.before.display().to_string();
    let first = Named { file: &before_name, snapshot: &before };
    let options = args.options();
    let (report, after) = match &args.after {
        None => (so_far(first, &options)?, None),
        Some(path) => {
            let after = read(path, args, &mut console)?;
            let file = path.display().to_string();
            let second = Named { file: &file, snapshot: &after };
            (between(first, second, &options)?, Some(after))
        }
    };
    let drive = after.as_ref().unwrap_or(&before);
    let text = match args.json {
        true => files::json_text(&show::answer(&report, drive))?,
        false => show::table(&report, drive),
    };
    files::deliver(&text, args.output.as_deref())?;
    match report.shortfall {
        Some(why) => Err(why.into()),
        None => Ok(()),
    }
}

fn is_device(path: &Path) -> bool {
    path.starts_with("/dev") && path != Path::new("/dev/stdin")
}

/// Reads a log from a file, or asks a device for it.
fn read(path: &Path, args: &EnduranceArgs, console: &mut Console) -> Result<Snapshot, Failure> {
    if is_device(path) {
        return ask(path, args, console);
    }
    let name = path.display().to_string();
    let wrong = |why: String| Failure::wrong(why).at(name.as_str());
    if path.is_dir() {
        return Err(wrong("it is a directory".to_owned()).with_help("name a health log"));
    }
    let bytes = std::fs::read(path).map_err(|error| {
        wrong(format!("the health log cannot be read: {error}"))
            .with_help("name a file with the JSON of smartctl or nvme-cli, or a device")
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(smart::read::snapshot(&name, &text)?)
}

fn ask(path: &Path, args: &EnduranceArgs, console: &mut Console) -> Result<Snapshot, Failure> {
    let tools = Tools::installed();
    let is_nvme = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("nvme"));
    let health = match real::smartctl::health(&tools, path) {
        Err(ToolError::Missing { .. }) if is_nvme => real::nvme::health(&tools, path)?,
        other => other?,
    };
    for warning in &health.warnings {
        console.warn(&format!("{}: {warning}", path.display()));
    }
    if let Some(file) = &args.save {
        files::write(file, &health.text)?;
        console.note(&format!("{} written", file.display()));
    }
    Ok(health.snapshot)
}

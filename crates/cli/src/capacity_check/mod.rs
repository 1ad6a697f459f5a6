//! `drivelab capacity-check`: whether a drive has the capacity that it says.

mod args;

use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::progress::Bar;
use crate::render::Failure;
use crate::target;
use answer::Capacity;
pub use args::CapacityArgs;
use real::run::RunOptions;
use real::{
    InstalledFio, Output, Permit, Progress, RealJob, Request, SourceOptions, System, capacity,
};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Runs the command.
pub fn command(args: &CapacityArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.quiet);
    let paths = target::paths(&args.on)?;
    let [path] = &paths[..] else {
        let message = "one drive is checked at a time";
        return Err(Failure::wrong(message).with_help("name a single path"));
    };
    let _orderly = interrupt::orderly();
    let system = System::real();
    let request = Request {
        path: path.clone(),
        writes: true,
        purge: false,
        overwrite: args.consent.overwrite,
        destroy_data: target::serials(args.consent.destroy_data.as_deref(), 1)?
            .into_iter()
            .next()
            .flatten(),
    };
    let permit = system.examine(&request).map_err(|refusal| Failure::wrong(refusal.to_string()))?;
    let bytes = match (permit.size_bytes(), args.consent.size.map(engine::Bytes::base)) {
        (0, None) => {
            let message = format!("{}: there is no such file", path.display());
            return Err(Failure::wrong(message).with_help("to make it, add --size"));
        }
        (0, Some(size)) => size,
        (there, _) => there,
    };
    permit.check_room(bytes).map_err(|refusal| Failure::wrong(refusal.to_string()))?;
    console.note(&format!("{}: {}", path.display(), permit.why()));
    let volume = (!args.full).then(|| capacity::sample(bytes)).filter(|volume| *volume < bytes);
    let check = Check { system, fio: InstalledFio::find()?, permit, bytes, volume };
    check.run(false, &console)?;
    let read = check.run(true, &console)?;
    let answer = check.answer(&args.on, &read);
    let text = match args.json {
        true => files::json_text(&answer)?,
        false => shown(&answer),
    };
    files::print(&text)?;
    match answer.holds() {
        true => Ok(()),
        false => Err(Failure::failed(format!("{} does not hold what was written", args.on))),
    }
}

/// A check under way.
struct Check {
    system: System,
    fio: InstalledFio,
    permit: Permit,
    bytes: u64,
    /// Bytes of a sample; `None` is every block.
    volume: Option<u64>,
}

impl Check {
    /// Writes the blocks, or reads and checks them.
    fn run(&self, checks: bool, console: &Console) -> Result<Output, Failure> {
        let text = capacity::job(checks, self.volume);
        let options = SourceOptions {
            name: "capacity-check".to_owned(),
            base_dir: PathBuf::from("."),
            ..SourceOptions::default()
        };
        let permits = [self.permit.renewed(&self.system).map_err(wrong)?];
        let redirected = RealJob::parse(&text, &options)?.redirect(&permits, Some(self.bytes))?;
        let bar = Bar::new(console, if checks { "reading blocks" } else { "writing blocks" });
        let mut news = |progress: Progress| {
            if let Progress::Line { percent: Some(percent), .. } = progress {
                bar.set(percent / 100.0, String::new());
            }
            match interrupt::happened() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let run = RunOptions::default();
        let output =
            real::run::run(&self.system, &self.fio, &permits, &redirected, &run, &mut news)?;
        bar.finish();
        if output.cancelled {
            return Err(Failure::failed("interrupted"));
        }
        let found = capacity::wrong(&output.messages);
        match output.success || checks && !found.is_empty() {
            true => Ok(output),
            false => Err(Failure::failed(format!("fio failed: {}", output.messages.trim()))),
        }
    }

    fn answer(&self, target: &str, read: &Output) -> Capacity {
        let found = capacity::wrong(&read.messages);
        let blocks = self.volume.unwrap_or(self.bytes) / capacity::BLOCK;
        Capacity {
            target: target.to_owned(),
            says_bytes: self.bytes,
            blocks,
            block_bytes: capacity::BLOCK,
            full: self.volume.is_none(),
            wrong: found.len() as u64,
            real_bytes: capacity::real_bytes(&found),
            finds_one_percent: match self.volume {
                None => 1.0,
                Some(_) => capacity::found(blocks, 0.01),
            },
        }
    }
}

fn wrong(refusal: real::Refusal) -> Failure {
    Failure::wrong(refusal.to_string())
}

fn shown(answer: &Capacity) -> String {
    let Capacity { target, says_bytes, blocks, .. } = answer;
    let says = metric::show_volume(*says_bytes);
    if answer.holds() {
        let sure = match answer.full {
            true => "every block".to_owned(),
            false => format!(
                "a drive of which 1 % is missing is found with a probability of {:.4} %",
                100.0 * answer.finds_one_percent
            ),
        };
        return format!(
            "{target} has the {says} that it says: {blocks} blocks hold what was written ({sure})\n"
        );
    }
    let wrong = answer.wrong;
    let mut text =
        format!("{target} says {says}, and {wrong} of {blocks} blocks are not what was written\n");
    if let Some(real) = answer.real_bytes {
        text += &format!("it seems to have {}\n", metric::show_volume(real));
    }
    text
}

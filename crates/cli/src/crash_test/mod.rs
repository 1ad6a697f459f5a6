//! `drivelab crash-test`: does a program keep what it promised when power fails?

mod args;
mod words;

pub use args::CrashTestArgs;

use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::render::Failure;
use crate::serve::{Live, half_of_free, in_memory};
use ::serve::transport::{self, Costs};
use crash::{Campaign, CrashError, CrashTest, Plan, Served};
use std::path::Path;

/// Least size and alignment of a request: what file systems expect.
const SECTOR: u32 = 512;

/// Runs the command.
pub fn command(args: &CrashTestArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.quiet);
    let plan = plan(args)?;
    let live = Live::new(&args.on, &args.live)?;
    live.resolved.warnings.iter().for_each(|warning| console.warn(warning));
    let costs = transport::measure(false, args.live.slower())
        .map_err(|error| Failure::failed(format!("the sockets: {error}")))?;
    let _orderly = interrupt::orderly();
    console.note(&words::begins(&live, args));
    let start = |folder: &Path| start(&live, costs, folder);
    let mut campaign = Campaign::begin(&plan, start, &interrupt::happened).map_err(failure)?;
    let (mut cuts, mut broken) = (Vec::new(), None);
    loop {
        let cut = match campaign.next_cut() {
            Ok(Some(cut)) => cut,
            Ok(None) => break,
            // What was found before it is told all the same.
            Err(error) => {
                broken = Some(failure(error));
                break;
            }
        };
        console.event(&words::progress(&cut, plan.cuts));
        let goes_on = cut.passed || plan.keep_going;
        cuts.push(cut);
        if !goes_on {
            break;
        }
    }
    drop(campaign);
    if let Some(failure) = broken.take_if(|_| cuts.is_empty()) {
        return Err(failure);
    }
    let passed = cuts.iter().filter(|cut| cut.passed).count();
    let result = CrashTest {
        target: live.system.slug.clone(),
        flush: args.live.flush.word().to_owned(),
        attach: plan.attach.word().to_owned(),
        seed: plan.seed,
        asked: plan.cuts,
        passed,
        failed: cuts.len() - passed,
        cuts,
    };
    let text = match args.json {
        true => files::json_text(&result)?,
        false => words::table(&result),
    };
    files::print(&text)?;
    match (broken, result.failed) {
        (Some(failure), _) => Err(failure),
        (None, 0) => Ok(()),
        (None, 1) => Err(Failure::failed("a check failed: something that was promised is lost")),
        (None, n) => Err(Failure::failed(format!("{n} checks failed: what was promised is lost"))),
    }
}

/// What is done, if this machine can do it.
fn plan(args: &CrashTestArgs) -> Result<Plan, Failure> {
    let attach = args.attach.how();
    let mut obstacles = attach.obstacles().into_iter().map(failure);
    if let Some(first) = obstacles.next() {
        return Err(Failure { others: obstacles.collect(), ..first });
    }
    Ok(Plan {
        cuts: args.cuts.get(),
        seed: args.live.seed,
        attach,
        prepare: args.prepare.clone(),
        command: args.command.clone(),
        check: args.check.clone(),
        work: args.work,
        patience: args.patience,
        keep_going: args.keep_going,
    })
}

/// Serves the drive from memory.
fn start(live: &Live, costs: Costs, folder: &Path) -> Result<Served, CrashError> {
    let live = live.clone();
    Served::start(folder, move || {
        let contents = |_, bytes, block| Ok::<_, String>(in_memory(half_of_free(), bytes, block));
        let drive = live.build(contents)?;
        let options = live.options(&drive, costs, SECTOR);
        Ok((drive, options))
    })
}

fn failure(error: CrashError) -> Failure {
    let message = error.to_string();
    match error {
        CrashError::Missing { package, .. } => {
            Failure::wrong(message).with_help(format!("apt-get install {package}"))
        }
        CrashError::NotRoot => {
            Failure::wrong(message).with_help("run it as root, or use --attach file or nbd")
        }
        _ => Failure::failed(message),
    }
}

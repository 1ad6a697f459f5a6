//! `drivelab campaign`: tests on drives, one after another, looked after.

mod args;
mod course;
mod estimate;
mod events;
pub mod file;
mod plan;
mod quality;
mod rules;
mod show;
mod supervise;

use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::preflight;
use crate::progress;
use crate::render::Failure;
use crate::target;
use answer::Campaign;
use answer::campaign::{CampaignTest, Estimate, TestState};
pub use args::CampaignArgs;
use course::{Course, minute_line};
use estimate::Like;
use events::{Begun, Event, Folder, cut_off};
use plan::{Plan, Run};
use process::bound;
use real::device::Device;
use rules::Rules;
use stats::Record;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use supervise::{Ended, Watched};

/// How long the machine is listened to before a campaign.
const LISTEN: Duration = Duration::from_secs(3);
/// What the preflight saw.
const PREFLIGHT: &str = "preflight.json";
/// The report of all results.
const REPORT: &str = "report.html";
/// How often what a test has done so far is kept, s: a campaign that is killed has lost as much.
const KEPT_EVERY_S: u64 = 10;
/// How often it is looked whether a test may begin.
const NAP: Duration = Duration::from_secs(1);

/// Runs the command.
pub fn command(args: &CampaignArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.quiet);
    let plan = Plan::read(args)?;
    plan.remarks.iter().for_each(|remark| console.warn(remark));
    let drives = looked(args, &plan, &mut console)?;
    let estimates = estimates(&plan, &drives)?;
    let mut campaign = answer_of(&plan, &estimates);
    if args.dry_run {
        return match args.json {
            true => files::print(&files::json_text(&campaign)?),
            false => files::print(&show::estimates(&campaign)),
        };
    }
    let Some(output) = &args.output else {
        return Err(Failure::wrong("no directory is named").with_help("name one: -o DIR"));
    };
    check_wear(args, &plan, &campaign)?;
    let mut folder = Folder::take(output)?;
    let seen: Vec<_> = drives.iter().filter_map(|drive| drive.seen.as_ref()).collect();
    files::write(&output.join(PREFLIGHT), &files::json_text(&seen)?)?;
    update(&mut campaign, &plan, &folder)?;
    if campaign.tests.iter().any(|test| test.estimate.is_some()) {
        console.note(&show::estimates(&campaign));
    }
    for (drive, found) in plan.file.drives.iter().zip(&drives) {
        let accepted = args.accept_wear.fraction();
        let blind = rules::blind(&plan.file.stop, drive, (&found.devices, accepted), &campaign);
        blind.iter().for_each(|why| console.warn(why));
    }
    let made = run_all(args, &plan, &drives, &mut campaign, &mut folder, &mut console);
    // However it ended: what is done has its report, and whoever waits for the end is told.
    campaign.stopped = match &made {
        Ok(stopped) => stopped.clone(),
        Err(failure) => Some(failure.message.clone()),
    };
    campaign.report = report(&plan, &campaign, output, &mut console);
    let finished = finish(args, &plan, &campaign, &mut console);
    made.and(finished)
}

/// A drive as it was found.
struct Found {
    devices: Vec<Device>,
    /// Bytes that a test can address.
    bytes: Option<u64>,
    /// What the preflight saw; `None` of a model.
    seen: Option<answer::Preflight>,
}

/// Looks at all drives; a refusal ends it.
fn looked(args: &CampaignArgs, plan: &Plan, console: &mut Console) -> Result<Vec<Found>, Failure> {
    let mut all = Vec::new();
    for drive in &plan.file.drives {
        if !target::is_real(&drive.on) {
            all.push(Found { devices: Vec::new(), bytes: None, seen: None });
            continue;
        }
        let consent = args.consent(drive.size, drive.serial.clone());
        let looked = match consent.look(&drive.on) {
            Err(failure) if !args.dry_run => return Err(failure),
            looked => looked,
        };
        if let Err(failure) = &looked {
            console.warn(&failure.message);
        }
        let targets = [(drive.on.as_str(), looked)];
        let seen = preflight::look(&targets, LISTEN);
        console.note(&preflight::shown(&seen));
        let [(_, looked)] = targets;
        let looked = looked.unwrap_or_default();
        all.push(Found {
            bytes: looked.iter().map(|(identity, _)| identity.size_bytes).min(),
            devices: looked.into_iter().filter_map(|(_, device)| device).collect(),
            seen: Some(seen),
        });
    }
    Ok(all)
}

/// What each run takes, where a model tells.
fn estimates(plan: &Plan, drives: &[Found]) -> Result<Vec<Option<Estimate>>, Failure> {
    let mut known: BTreeMap<&str, Like> = BTreeMap::new();
    // fio is asked only if a whole drive is tested.
    let (has_sprandom, mut all) = (LazyCell::new(lab::has_sprandom), Vec::new());
    for run in &plan.runs {
        let drive = plan.drive(run);
        let model = drive.model.as_deref().filter(|_| target::is_real(&drive.on));
        let Some(model) = model else {
            all.push(None);
            continue;
        };
        if !known.contains_key(model) {
            known.insert(model, Like::new(model)?);
        }
        let found = &drives[run.drive];
        let whole = found.devices.iter().all(|device| device.parent.is_none());
        let one_pass = whole && target::is_whole_drive(&drive.on) && *has_sprandom;
        // A target that was refused, as in a dry run without fio, still has the size it is given.
        let bytes = found.bytes.or(drive.size.map(|size| size.base()));
        all.push(known[model].estimate(plan, run, bytes, one_pass)?);
    }
    Ok(all)
}

fn answer_of(plan: &Plan, estimates: &[Option<Estimate>]) -> Campaign {
    let test = |(run, estimate): (&Run, &Option<Estimate>)| CampaignTest {
        drive: plan.drive(run).name.clone(),
        method: run.method.map_or(lab::FACTS, |method| &method.name).to_owned(),
        state: TestState::Open,
        why: None,
        record: None,
        estimate: *estimate,
        seconds: 0.0,
        written: None,
        celsius: None,
        marks: Vec::new(),
    };
    Campaign {
        name: plan.name.clone(),
        tests: plan.runs.iter().zip(estimates).map(test).collect(),
        stopped: None,
        report: None,
    }
}

/// Refuses to wear a drive more than the user accepted.
fn check_wear(args: &CampaignArgs, plan: &Plan, campaign: &Campaign) -> Result<(), Failure> {
    for drive in &plan.file.drives {
        let tests = campaign.tests.iter().filter(|test| test.drive == drive.name);
        let wear: f64 = tests.filter_map(|test| test.estimate?.wear_most).sum();
        if wear > args.accept_wear.fraction() {
            let percent = 100.0 * wear;
            let message =
                format!("{}: the tests may take {percent:.2} % of its rated writes", drive.name);
            let help = format!("if they may, say --accept-wear {}%", percent.ceil());
            return Err(Failure::wrong(message).with_help(help));
        }
    }
    Ok(())
}

/// How the tests stand: by their Records, and by what happened.
fn update(campaign: &mut Campaign, plan: &Plan, folder: &Folder) -> Result<(), Failure> {
    let tests = campaign.tests.iter_mut().zip(&plan.runs);
    tests.into_iter().try_for_each(|(test, run)| update_one(test, run, folder))
}

/// How one test stands.
fn update_one(test: &mut CampaignTest, run: &Run, folder: &Folder) -> Result<(), Failure> {
    let path = run.record(folder.path());
    let events: Vec<&Event> =
        folder.events().iter().filter(|event| event.run == run.key()).collect();
    test.seconds = events.iter().map(|event| event.seconds).fold(0.0, |sum, one| sum + one);
    let written = events.iter().map(|event| event.written);
    test.written = written.sum::<Option<f64>>().filter(|_| !events.is_empty());
    test.celsius = events.iter().filter_map(|event| event.celsius).reduce(f64::max);
    if let Some(record) = done(run, &path)? {
        (test.state, test.why) = (TestState::Done, None);
        test.marks = quality::marks(&record);
        test.record = Some(path.display().to_string());
    } else if let Some(last) = events.last() {
        // Its Record was there and is gone: it is made again.
        let gone = last.state == TestState::Done;
        test.state = if gone { TestState::Open } else { last.state };
        test.why = last.why.clone();
    }
    Ok(())
}

/// The Record of a run, if it is done. One of another test is not touched.
fn done(run: &Run, path: &Path) -> Result<Option<Record>, Failure> {
    if !path.exists() {
        return Ok(None);
    }
    let record = Record::load(path).map_err(|error| Failure::wrong(error.to_string()))?;
    match record.made.command.starts_with(&run.words) {
        true => Ok(Some(record)),
        false => {
            let message = format!("{}: it is the Record of another test", path.display());
            let help = "the plan was changed: name another -o, or move that Record";
            Err(Failure::wrong(message).with_help(help))
        }
    }
}

/// Makes the tests that are not done; why it ended before all were tried, if it did.
fn run_all(
    args: &CampaignArgs,
    plan: &Plan,
    drives: &[Found],
    campaign: &mut Campaign,
    folder: &mut Folder,
    console: &mut Console,
) -> Result<Option<String>, Failure> {
    let _orderly = interrupt::orderly();
    let all = plan.runs.len();
    for (number, run) in plan.runs.iter().enumerate() {
        // A result that is spoiled is made once more.
        while campaign.tests[number].state != TestState::Done {
            let rules = Rules::new(plan, run, campaign, folder.events());
            if let Some(why) = rules.before() {
                return Ok(Some(why));
            }
            wait(plan, console)?;
            let label = format!("[{}/{all}] {}", number + 1, run.label);
            console.event(&format!("{label} begins"));
            let mut watched = Watched::new(&drives[run.drive].devices);
            let begun = Begun::new(plan, run, folder);
            let course = Course::of(campaign, number);
            let mut kept = folder.add(begun.event(TestState::Ended, cut_off(), &watched));
            let place = folder.path().to_path_buf();
            let ended = one(run, &place, &mut watched, |watched, second| {
                if second > 0 && second.is_multiple_of(60) {
                    console.event(&minute_line(&label, watched, &course));
                }
                if kept.is_ok() && second > 0 {
                    kept = folder.add(begun.event(TestState::Ended, cut_off(), watched));
                }
                rules.during(watched)
            })?;
            kept?;
            let (state, why) = match &ended {
                Ended::Done => outcome(args, plan, campaign, (run, number), folder)?,
                Ended::Failed(why) => (TestState::Failed, Some(why.clone())),
                Ended::Stopped(why) => (TestState::Ended, Some(why.clone())),
                Ended::Interrupted => (TestState::Ended, Some("interrupted".to_owned())),
            };
            let took = progress::time(watched.seconds());
            console.event(&format!("{label} {} ({took})", state.word()));
            if let Some(why) = &why {
                console.event(&format!("{label}: {why}"));
            }
            folder.add(begun.event(state, why, &watched))?;
            update_one(&mut campaign.tests[number], run, folder)?;
            match ended {
                Ended::Interrupted => {
                    interrupt::set_last_words("the same command goes on from here".to_owned());
                    return Err(Failure::failed("interrupted"));
                }
                Ended::Stopped(why) => return Ok(Some(why)),
                Ended::Failed(_) => break,
                Ended::Done => {}
            }
        }
    }
    let failed = campaign.tests.iter().filter(|test| test.state == TestState::Failed).count();
    Ok((failed > 0)
        .then(|| format!("{failed} of {all} tests failed; the same command tries again")))
}

/// What came of a test that has a result: if that is doubtful, it is put aside, and the test is
/// made once more.
fn outcome(
    args: &CampaignArgs,
    plan: &Plan,
    campaign: &Campaign,
    (run, number): (&Run, usize),
    folder: &Folder,
) -> Result<(TestState, Option<String>), Failure> {
    let record = done(run, &run.record(folder.path()))?;
    let marks = record.as_ref().map(quality::marks).unwrap_or_default().join("; ");
    if marks.is_empty() {
        return Ok((TestState::Done, None));
    }
    let accepted = args.accept_wear.fraction();
    let why = match args.no_repeat {
        true => Some("--no-repeat"),
        false => quality::no_repeat(plan, campaign, (run, number), folder.events(), accepted),
    };
    if let Some(why) = why {
        return Ok((TestState::Done, Some(format!("{marks}: marked, not made again ({why})"))));
    }
    let first = quality::put_aside(run, folder.path())?;
    let first = first.display();
    Ok((TestState::Spoiled, Some(format!("{marks}: made once more; this result is in {first}"))))
}

/// Runs one test. `look` is asked again and again whether it may go on, with the seconds that are
/// over once each [`KEPT_EVERY_S`] and 0 in between.
fn one(
    run: &Run,
    folder: &Path,
    watched: &mut Watched,
    mut look: impl FnMut(&Watched, u64) -> Option<String>,
) -> Result<Ended, Failure> {
    let place = run.record(folder);
    let parent = place.parent().unwrap_or(folder);
    let made = std::fs::create_dir_all(parent);
    made.map_err(|error| Failure::failed(format!("{}: {error}", parent.display())))?;
    // A table without its Record is of a test that was cut off between them.
    let _ = std::fs::remove_file(run.table(folder));
    let mut told = 0;
    supervise::run(&run.command(folder), &run.said(folder), watched, |watched| {
        let tens = engine::whole(watched.seconds() / KEPT_EVERY_S as f64);
        let second = if tens > told { tens * KEPT_EVERY_S } else { 0 };
        told = tens;
        look(watched, second)
    })
}

/// Waits until a test may begin.
fn wait(plan: &Plan, console: &mut Console) -> Result<(), Failure> {
    while !plan.file.start.allows(progress::time_of_day()) {
        if let Some(from) = plan.file.start.from {
            console.note(&format!("waits until {}", from.format("%H:%M")));
        }
        if interrupt::happened() {
            return Err(Failure::failed("interrupted"));
        }
        thread::sleep(NAP);
    }
    Ok(())
}

/// Makes the report of what is done, and says where it is.
fn report(
    plan: &Plan,
    campaign: &Campaign,
    folder: &Path,
    console: &mut Console,
) -> Option<String> {
    let records: Vec<&String> =
        campaign.tests.iter().filter_map(|test| test.record.as_ref()).collect();
    if records.is_empty() {
        return None;
    }
    let missing = campaign.tests.iter().filter(|test| test.record.is_none()).map(|test| {
        let why = test.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("{} {} is missing: {}{why}", test.drive, test.method, test.state.word())
    });
    let missing = missing.flat_map(|note| ["--note".to_owned(), note]);
    let place = folder.join(REPORT).display().to_string();
    let program = std::env::current_exe().ok()?;
    let mut command = bound(&program, None);
    command.arg("report").args(records).args(["-o", &place, "--overwrite", "--title", &plan.name]);
    command.args(missing);
    if let Some(operator) = &plan.file.operator {
        command.args(["--operator", operator]);
    }
    match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Some(place),
        _ => {
            console.warn("the report could not be made; `drivelab report` says why");
            None
        }
    }
}

/// Tells the result: to standard output, and to the command of the plan.
fn finish(
    args: &CampaignArgs,
    plan: &Plan,
    campaign: &Campaign,
    console: &mut Console,
) -> Result<(), Failure> {
    let json = files::json_text(campaign)?;
    if let Some((program, rest)) = plan.file.end.command.split_first() {
        let mut command = bound(Path::new(program), None);
        let child = command.args(rest).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let told = child.and_then(|mut child| {
            let mut input = child.stdin.take();
            let sent = input.as_mut().map_or(Ok(()), |input| input.write_all(json.as_bytes()));
            drop(input);
            // One that does not read its input may still have done what it is for.
            let _ = sent;
            child.wait()
        });
        match told {
            Ok(status) if status.success() => {}
            Ok(status) => console.warn(&format!("`{program}` at the end: {status}")),
            Err(error) => console.warn(&format!("`{program}` at the end: {error}")),
        }
    }
    files::print(&if args.json { json } else { show::results(campaign) })?;
    match &campaign.stopped {
        None => Ok(()),
        Some(why) => Err(Failure::failed(format!("the campaign ended before it was done: {why}"))),
    }
}

//! `drivelab preflight`: whether targets may be tested, and what of the machine disturbs a test.

mod args;

use crate::files;
use crate::render::Failure;
use answer::preflight::{Finding, Preflight, PreflightTarget};
pub use args::PreflightArgs;
use metric::{Dimension, show};
use real::conditions::NOT_SHOWN;
use real::device::Device;
use real::{Conditions, Identity, Noise, System};
use report::{Column, Table};
use std::path::Path;
use std::time::Duration;

/// Runs the command.
pub fn command(args: &PreflightArgs) -> Result<(), Failure> {
    let listen = Duration::from_secs(args.listen.into());
    let looked: Vec<(&str, Looked)> =
        args.on.iter().map(|target| (target.as_str(), args.consent.look(target))).collect();
    let seen = look(&looked, listen);
    let text = match args.json {
        true => files::json_text(&seen)?,
        false => shown(&seen),
    };
    files::print(&text)?;
    match seen.targets.iter().find_map(|target| target.refused.as_ref()) {
        Some(why) => Err(Failure::failed(why.clone())),
        None if args.strict && !seen.is_clear() => {
            let help = "see what is said above, or leave --strict out";
            Err(Failure::failed("something disturbs a measurement").with_help(help))
        }
        None => Ok(()),
    }
}

/// What the guard said to a target.
pub type Looked = Result<Vec<(Identity, Option<Device>)>, Failure>;

/// What the guard said to each target, what its drives show, and what goes on at the machine.
pub fn look(targets: &[(&str, Looked)], listen: Duration) -> Preflight {
    let system = System::real();
    let (mut all, mut devices) = (Vec::new(), Vec::<Device>::new());
    for (target, looked) in targets {
        let (permitted, refused, drives) = match looked {
            Ok(looked) => {
                let why = looked.iter().map(|(identity, _)| identity.permitted.clone());
                let drives: Vec<Device> =
                    looked.iter().filter_map(|(_, device)| device.clone()).collect();
                (Some(why.collect::<Vec<_>>().join("; ")), None, drives)
            }
            Err(failure) => (None, Some(failure.message.clone()), Vec::new()),
        };
        let room = looked.iter().flatten().filter_map(|(identity, _)| room(identity));
        let seen = drives.iter().flat_map(|device| Conditions::of(&system, device).findings());
        let mut findings: Vec<Finding> = room.chain(seen.map(answered)).collect();
        // Of several drives the machine is the same.
        findings.dedup();
        let target = (*target).to_owned();
        all.push(PreflightTarget { target, permitted, refused, findings });
        devices.extend(drives);
    }
    devices.sort_by(|a, b| a.name.cmp(&b.name));
    devices.dedup();
    let machine = Noise::listen(&system, &devices, listen).findings();
    Preflight { targets: all, machine: machine.into_iter().map(answered).collect() }
}

/// How much room there is beside a file; `None` of a device.
fn room(identity: &Identity) -> Option<Finding> {
    identity.file_system.as_ref()?;
    let free = real::space::free_beside(Path::new(&identity.path));
    let found = match free {
        Some(free) => format!("{} beside it", show(Dimension::Bytes, free as f64)),
        None => NOT_SHOWN.to_owned(),
    };
    Some(Finding { what: "free space".to_owned(), found, concern: None })
}

fn answered(finding: real::Finding) -> Finding {
    let real::Finding { what, found, concern } = finding;
    Finding { what: what.to_owned(), found, concern }
}

/// The page.
pub fn shown(seen: &Preflight) -> String {
    let mut text = String::new();
    for target in &seen.targets {
        text += &format!("{}\n", target.target);
        match (&target.permitted, &target.refused) {
            (Some(why), _) => text += &format!("  may be tested: {why}\n\n"),
            (None, why) => {
                text += &format!("  may not be tested: {}\n\n", why.as_deref().unwrap_or("?"));
            }
        }
        text += &table(&target.findings);
    }
    text += "The machine\n\n";
    text += &table(&seen.machine);
    if seen.is_clear() {
        text += "Nothing that was looked at disturbs a test.\n";
    }
    text
}

fn table(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "  Nothing is known of it here.\n\n".to_owned();
    }
    let columns = ["Looked at", "Found", "Verdict"].map(Column::left);
    let mut table = Table::new(columns.into());
    for finding in findings {
        let verdict = match &finding.concern {
            Some(_) => "attend",
            None if finding.found == NOT_SHOWN => "-",
            None => "ok",
        };
        table.row(vec![finding.what.clone(), finding.found.clone(), verdict.to_owned()]);
    }
    let mut text = table.to_text() + "\n";
    for concern in findings.iter().filter_map(|finding| finding.concern.as_ref()) {
        text += &format!("- {concern}\n");
    }
    if findings.iter().any(|finding| finding.concern.is_some()) {
        text.push('\n');
    }
    text
}

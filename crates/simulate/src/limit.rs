//! What limits a phase, from the counters that are read at both ends of its measured window.

use super::checks::{DriveMeter, Meter};
use iopath::device::flash::config::DriveConfig;
use stats::{Limit, LimitedBy, LittleCheck};

/// What is in use so much of the time holds the rest back.
const FULL: f64 = 0.85;
/// What is in use so much of the time is told where nothing holds the rest back.
const NOTABLE: f64 = 0.7;
/// A write waits for room so much of the time: the buffer is full, whatever the mean says.
const WAITING: f64 = 0.5;
/// A mean power so near to a limit is held by it.
const AT_CAP: f64 = 0.95;
/// With fewer in flight than this share of what the jobs allow, their rates or pauses decide.
const IN_FLIGHT: f64 = 0.9;

/// What the jobs of a phase do.
pub(super) struct Asked {
    /// What the phase is called.
    pub name: String,
    /// I/Os that they keep in flight at most.
    pub depth: f64,
    /// Their threads.
    pub threads: f64,
    /// Time that a thread needs to submit an I/O, ps.
    pub submit_ps: f64,
}

/// How much of something is used.
struct Use {
    by: LimitedBy,
    share: f64,
    detail: String,
}

impl Use {
    fn new(by: LimitedBy, share: f64, detail: impl Into<String>) -> Use {
        // Work is booked when it is asked for: at the end of a window some is ahead.
        Use { by, share: share.min(1.0), detail: detail.into() }
    }

    /// Servers at work a part of the time.
    fn of(by: LimitedBy, name: &str, busy_ps: f64, window_ps: f64, servers: f64) -> Use {
        let share = (busy_ps / window_ps / servers.max(1.0)).min(1.0);
        Use::new(by, share, format!("{name} {:.0} % of the time", 100.0 * share))
    }
}

/// What limits a phase from one reading to another.
pub(super) fn of_phase(
    from: &Meter,
    to: &Meter,
    drives: &[&DriveConfig],
    little: &LittleCheck,
    asked: &Asked,
) -> Option<Limit> {
    let window_ps = to.at_ps.saturating_sub(from.at_ps) as f64;
    if window_ps <= 0.0 {
        return None;
    }
    let mut uses = Vec::new();
    for (i, config) in drives.iter().enumerate() {
        let (from, to) = (&from.drives[i], &to.drives[i]);
        uses.extend(of_drive(from, to, window_ps, config));
    }
    for (worker, before) in to.workers.iter().zip(&from.workers) {
        let busy = worker.busy_ps.saturating_sub(before.busy_ps) as f64;
        uses.push(Use::of(worker.by, worker.name, busy, window_ps, f64::from(worker.servers)));
    }
    let submitting = little.departures as f64 * asked.submit_ps / asked.threads.max(1.0);
    let name = "the threads of the jobs submit";
    uses.push(Use::of(LimitedBy::Host, name, submitting, window_ps, 1.0));
    // What waits for power counts as at work: the limit on it comes before what it slows.
    let powered = uses.iter().position(|each| each.by == LimitedBy::Power);
    let most = match powered {
        Some(at) => Some(uses.swap_remove(at)),
        None => {
            uses.into_iter().reduce(|most, next| if next.share > most.share { next } else { most })
        }
    };
    let found = match most {
        Some(most) if most.share >= FULL => most,
        most => waiting(from, to, window_ps, little, asked, most.as_ref()),
    };
    let Use { by, share, detail } = found;
    Some(Limit { of: asked.name.clone(), by, share, detail })
}

/// Nothing is in use all the time: writes wait for room, or the jobs ask for no more. What is most
/// in use is told: it may be in the way of some I/Os while others leave it alone.
fn waiting(
    from: &Meter,
    to: &Meter,
    window_ps: f64,
    little: &LittleCheck,
    asked: &Asked,
    most: Option<&Use>,
) -> Use {
    let pairs = from.drives.iter().zip(&to.drives);
    let waited = pairs.map(|(from, to)| (to.waited_ps - from.waited_ps) as f64 / window_ps);
    let waited = waited.fold(0.0, f64::max).min(1.0);
    if waited >= WAITING {
        let detail = format!("a write waits for room {:.0} % of the time", 100.0 * waited);
        return Use::new(LimitedBy::Buffer, waited, detail);
    }
    let in_flight = little.outstanding_integral as f64 / (little.window_ps as f64).max(1.0);
    let share = in_flight / asked.depth.max(1.0);
    let why = match share >= IN_FLIGHT {
        true => "the queue depth of the jobs",
        false => "rates, pauses or submission of the jobs",
    };
    let mut detail = format!("{why}: {in_flight:.1} of {:.0} I/Os in flight", asked.depth);
    if let Some(most) = most.filter(|most| most.share >= NOTABLE) {
        detail = format!("{detail}; most in use: {}", most.detail);
    }
    Use::new(LimitedBy::Host, share, detail)
}

fn of_drive(from: &DriveMeter, to: &DriveMeter, window_ps: f64, config: &DriveConfig) -> Vec<Use> {
    let g = &config.geometry;
    let of = |by, name: &str, from: u64, to: u64, servers: u32| {
        Use::of(by, name, (to - from) as f64, window_ps, f64::from(servers))
    };
    let (link, cores) = (LimitedBy::Link, config.controller.cores);
    let bus = (to.nand.bus_busy_ps - from.nand.bus_busy_ps) as f64;
    let channels = f64::from(g.channels);
    let mut uses = vec![
        of(link, "link to the drive", from.down_ps, to.down_ps, 1),
        of(link, "link to the host", from.up_ps, to.up_ps, 1),
        of(link, "the controller's way for writes", from.write_path_ps, to.write_path_ps, 1),
        of(link, "the controller's way for reads", from.read_path_ps, to.read_path_ps, 1),
        of(LimitedBy::Cores, "controller cores", from.cores_ps, to.cores_ps, cores),
        Use::of(LimitedBy::Channels, "channels", bus, window_ps, channels),
    ];
    uses.extend(of_dies(from, to, window_ps, config));
    if let Some(cap) = config.power.cap {
        let joules = to.energy_pj.saturating_sub(from.energy_pj) as f64;
        // Picojoules over picoseconds are watts, and a limit is in microwatts.
        let (watts, limit) = (joules / window_ps, cap.base() as f64 / 1e6);
        if watts >= AT_CAP * limit {
            let detail = format!("{watts:.1} W of {limit:.1} W that the power state allows");
            uses.push(Use::new(LimitedBy::Power, watts / limit, detail));
        }
    }
    uses
}

/// Dies are at work while their planes sense and their arrays program or erase, and of those that
/// program there may be a limit.
fn of_dies(from: &DriveMeter, to: &DriveMeter, window_ps: f64, config: &DriveConfig) -> [Use; 2] {
    let dies = f64::from(config.geometry.dies);
    let collecting = (to.nand.collecting_ps - from.nand.collecting_ps) as f64 / window_ps;
    let allowed = |limit: u32| f64::from(limit).min(dies);
    let (alone, beside) = (config.programs.dies, config.programs.dies_collecting);
    let limit = allowed(alone) + collecting * (allowed(beside) - allowed(alone));
    let programming = (to.nand.programming_ps - from.nand.programming_ps) as f64 / window_ps;
    let planes = match config.nand.independent_planes {
        true => f64::from(config.geometry.planes),
        false => 1.0,
    };
    let sensing = (to.nand.sensing_ps - from.nand.sensing_ps) as f64 / window_ps / planes;
    let erases = (to.nand.erases - from.nand.erases) as f64;
    let erasing = erases * config.nand.erase.ps() as f64 / window_ps;
    let at_work = (sensing + programming + erasing).min(dies);
    let detail = format!("{at_work:.1} of {dies:.0} dies at work");
    let programs = format!("{programming:.1} of {limit:.1} dies programming, as many as may");
    // Where all dies may program, the dies are what limits.
    let share = if limit < dies { programming / limit } else { 0.0 };
    [
        Use::new(LimitedBy::Programs, share, programs),
        Use::new(LimitedBy::Dies, at_work / dies, detail),
    ]
}

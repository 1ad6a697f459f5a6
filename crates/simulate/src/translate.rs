//! A job file as a plan: which threads run in which phase, and which entry reports them.

use super::extents::{self, Region};
use super::needs;
use super::options::HostCost;
use super::refuse;
use super::replay;
use super::scale::{Room, Scale};
use super::thread::{self, Copy, Place};
use super::warn::{push_once, warning};
use engine::Stream;
use engine::rng::fnv1a;
use fio::{Diagnostic, Job};
use iopath::host::workload::ThreadSpec;
use library::Least;
use stats::Warning;
use std::collections::BTreeSet;
use trace::Replays;

/// One thread of the plan.
pub(super) struct Planned {
    /// Position of its job in the file.
    pub job: usize,
    /// Reporting entry.
    pub entry: usize,
    /// Its phase, from 0.
    pub phase: u32,
    /// What it does.
    pub spec: ThreadSpec,
}

/// A reporting entry: a copy of a job, or a group.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Position of its first job in the file.
    pub job: usize,
    /// Threads.
    pub threads: u64,
    grouped: bool,
}

/// What a run will do.
pub(super) struct Plan {
    /// All threads, by phase and then in the order of the file.
    pub threads: Vec<Planned>,
    /// All entries, in the order of the file.
    pub entries: Vec<Entry>,
    /// Number of phases.
    pub phases: u32,
    /// Files that fio would write before it reads them.
    pub layout: Vec<Extent>,
    /// Regions of devices themselves that are read.
    pub read_on_drive: Vec<Extent>,
    /// What was changed or skipped.
    pub warnings: Vec<Warning>,
    /// Files and regions that are listed above.
    noted: BTreeSet<(Extent, bool)>,
}

/// A range of a simulated device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Extent {
    /// Number of the device, from 0.
    pub device: usize,
    /// First byte on it.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What a plan depends on besides the job file.
#[derive(Clone)]
pub(super) struct Setting {
    /// The devices.
    pub rooms: Vec<Room>,
    /// Accesses that they are too small for.
    pub least: Vec<Least>,
    /// A drive compresses.
    pub compresses: bool,
    /// The node and the namespace of each device.
    pub targets: Vec<(u16, u16)>,
    /// Seed of the rig.
    pub seed: u64,
    /// Number of the run on this rig: jobs without `randrepeat` draw other numbers in each.
    pub run: u64,
    /// All jobs draw other numbers.
    pub reseed: bool,
    /// Readers in order begin anywhere in their regions.
    pub anywhere: bool,
    /// Small regions shrink with the drive too.
    pub shrink: bool,
    /// Cost of an I/O on the host.
    pub host: HostCost,
}

/// Plans the jobs of a file.
pub(super) fn plan(jobs: &[Job], setting: &Setting, replays: &Replays) -> Result<Plan, Diagnostic> {
    let mut warnings = Vec::new();
    for job in jobs {
        refuse::refuse(job)?;
        needs::enough(job, &setting.least)?;
        refuse::passed_over(job, setting.compresses, &mut warnings);
    }
    let real: Vec<u64> = setting.rooms.iter().map(|room| room.real_bytes).collect();
    let unit_bytes = setting.rooms.iter().map(|room| room.unit_bytes).max().unwrap_or(1);
    let extents = extents::place(jobs, &real, unit_bytes)?;
    let scales = Scale::of_devices(&setting.rooms, &extents, setting.shrink);
    // Traces do not shrink, and say so themselves.
    if jobs.iter().any(|job| job.replay.is_none()) {
        warnings.extend(scales.iter().find_map(Scale::warning));
    }
    warnings.extend(extents::shortened(&extents, real[0]));
    let phases = phases(jobs, &mut warnings);
    let mut plan = Plan {
        threads: Vec::new(),
        entries: Vec::new(),
        phases: phases.iter().max().map_or(0, |last| last + 1),
        layout: Vec::new(),
        read_on_drive: Vec::new(),
        warnings,
        noted: BTreeSet::new(),
    };
    let mut number = 0;
    for (index, job) in jobs.iter().enumerate() {
        // Traces go to the first device.
        let replayed = replay::place(job, replays, &setting.rooms[0], &mut plan.warnings)?;
        for of_copy in &extents.regions[index] {
            let cut = extents::cut_at_end(job, of_copy);
            cut.into_iter().for_each(|cut| push_once(&mut plan.warnings, cut));
            let places = places(job, of_copy, &scales, setting)?;
            let copy = Copy {
                number,
                phase: phases[index],
                seed: seed_of(job, setting),
                host: setting.host,
            };
            let mut spec = thread::spec(job, &copy, &places)?;
            let entry = plan.entry(jobs, index);
            match &replayed {
                Some(placed) => {
                    thread::replace_by(&mut spec, &placed.replay);
                    let on_first = |&(start, bytes)| Extent { device: 0, start, bytes };
                    plan.read_on_drive.extend(placed.reads.iter().map(on_first));
                }
                None if job.rw.read => plan.note_reads(&places),
                None => {}
            }
            if setting.anywhere && job.rw.read && !job.rw.write && !job.rw.random {
                begin_anywhere(job, &mut spec, setting);
            }
            plan.threads.push(Planned { job: index, entry, phase: copy.phase, spec });
            number += 1;
        }
    }
    plan.threads.sort_by_key(|thread| thread.phase);
    Ok(plan)
}

impl Plan {
    /// The entry of the next thread of a job.
    fn entry(&mut self, jobs: &[Job], index: usize) -> usize {
        let job = &jobs[index];
        if let Some(last) = self.entries.last_mut()
            && job.group_reporting
            && last.grouped
            && jobs[last.job].group_id == job.group_id
        {
            last.threads += 1;
        } else {
            self.entries.push(Entry { job: index, threads: 1, grouped: job.group_reporting });
        }
        self.entries.len() - 1
    }

    fn note_reads(&mut self, places: &[Place<'_>]) {
        for Region { device, start, span: bytes, is_file } in places.iter().map(|at| at.region) {
            let extent = Extent { device, start, bytes };
            if self.noted.insert((extent, is_file)) {
                let list = if is_file { &mut self.layout } else { &mut self.read_on_drive };
                list.push(extent);
            }
        }
    }
}

/// The files of a copy on the simulated devices.
fn places<'a>(
    job: &Job,
    regions: &[Region],
    scales: &'a [Scale],
    setting: &Setting,
) -> Result<Vec<Place<'a>>, Diagnostic> {
    let all = extents::bytes_by_device(regions, scales.len());
    let place = |real: &Region| {
        let scale = &scales[real.device];
        let (target, namespace) = setting.targets[real.device];
        let region = scale.region(job, *real, all[real.device])?;
        Ok(Place { target, namespace, real: *real, region, scale })
    };
    regions.iter().map(place).collect()
}

/// fio repeats a job's numbers in every run unless `randrepeat=0`.
fn seed_of(job: &Job, setting: &Setting) -> u64 {
    let own = job.randseed.unwrap_or(0);
    if job.randrepeat && !setting.reseed {
        return own;
    }
    fnv1a(format!("{}/{}/{own}", setting.seed, setting.run).as_bytes())
}

/// Begins each region of a thread at a place by the thread's name, the seed and the run.
fn begin_anywhere(job: &Job, spec: &mut ThreadSpec, setting: &Setting) {
    let seed = fnv1a(format!("{}/{}/first", setting.seed, setting.run).as_bytes());
    let block = job.max_block_bytes().max(1);
    let mut draws = Stream::new(seed, &spec.name);
    for region in &mut spec.regions {
        region.first = draws.below((region.span / block).max(1)) * block;
    }
}

/// The phase of each job: a `stonewall` waits for all jobs before it, `wait_for` for one.
fn phases(jobs: &[Job], warnings: &mut Vec<Warning>) -> Vec<u32> {
    let mut phases: Vec<u32> = Vec::new();
    let mut base = 0;
    for (index, job) in jobs.iter().enumerate() {
        if job.stonewall && index > 0 {
            base = phases.iter().max().map_or(0, |last| last + 1);
        }
        let awaited = job
            .wait_for
            .as_ref()
            .and_then(|name| jobs[..index].iter().rposition(|earlier| earlier.name == *name));
        let mut phase = base;
        if let Some(awaited) = awaited {
            phase = phase.max(phases[awaited] + 1);
            let others = (0..index).any(|i| i != awaited && phases[i] >= phases[awaited]);
            if others && phase > base {
                let message = format!(
                    "`wait_for`: job `{}` also waits for the jobs that run beside `{}`",
                    job.name, jobs[awaited].name
                );
                push_once(warnings, warning("waits-for-all", job.name.clone(), message));
            }
        }
        phases.push(phase);
    }
    phases
}

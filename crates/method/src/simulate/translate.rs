//! A job file as a plan: which threads run in which phase, and who reports them.

use super::extents::{self, Region};
use super::options::HostCost;
use super::refuse;
use super::replay::{self, Replays};
use super::scale::{Room, Scale};
use super::thread::{self, Copy};
use super::warn::{push_once, warning};
use engine::rng::fnv1a;
use fio::{Diagnostic, Job};
use iopath::workload::ThreadSpec;
use stats::Warning;

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
    /// Files that fio would write before it reads them: first byte and bytes.
    pub layout: Vec<(u64, u64)>,
    /// Regions of the drive itself that are read: first byte and bytes.
    pub read_on_drive: Vec<(u64, u64)>,
    /// What was changed or passed over.
    pub warnings: Vec<Warning>,
}

/// What a plan depends on besides the job file.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// The drive.
    pub room: Room,
    /// The drive compresses.
    pub compresses: bool,
    /// Its node.
    pub target: u16,
    /// Seed of the rig.
    pub seed: u64,
    /// Number of the run on this rig: jobs without `randrepeat` draw anew in each.
    pub run: u64,
    /// All jobs draw anew.
    pub reseed: bool,
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
        refuse::passed_over(job, setting.compresses, &mut warnings);
    }
    let room = setting.room;
    let extents = extents::place(jobs, room.real_bytes, room.unit_bytes)?;
    let scale = Scale::new(room, &extents, setting.shrink);
    // Traces do not shrink, and say so themselves.
    if jobs.iter().any(|job| job.replay.is_none()) {
        warnings.extend(scale.warning());
    }
    let phases = phases(jobs, &mut warnings);
    let mut plan = Plan {
        threads: Vec::new(),
        entries: Vec::new(),
        phases: phases.iter().max().map_or(0, |last| last + 1),
        layout: Vec::new(),
        read_on_drive: Vec::new(),
        warnings,
    };
    let mut number = 0;
    for (index, job) in jobs.iter().enumerate() {
        let replayed = replay::place(job, replays, &room, &mut plan.warnings)?;
        for real in &extents.regions[index] {
            let region = scale.region(job, *real)?;
            let copy = Copy {
                number,
                phase: phases[index],
                target: setting.target,
                seed: seed_of(job, setting),
                host: setting.host,
            };
            let mut spec = thread::spec(job, &copy, region, *real, &scale)?;
            let entry = plan.entry(jobs, index);
            match &replayed {
                Some(placed) => {
                    thread::replace_by(&mut spec, &placed.replay);
                    plan.read_on_drive.extend(&placed.reads);
                }
                None => plan.note_reads(job, region),
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

    fn note_reads(&mut self, job: &Job, region: Region) {
        let list = if region.is_file { &mut self.layout } else { &mut self.read_on_drive };
        let extent = (region.start, region.span);
        if job.rw.read && !list.contains(&extent) {
            list.push(extent);
        }
    }
}

/// fio repeats a job's numbers in every run unless `randrepeat=0`.
fn seed_of(job: &Job, setting: &Setting) -> u64 {
    let own = job.randseed.unwrap_or(0);
    if job.randrepeat && !setting.reseed {
        return own;
    }
    fnv1a(format!("{}/{}/{own}", setting.seed, setting.run).as_bytes())
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

//! The rate that a load asks for.

use fio::workload::{BlockSize, RateProcess};
use fio::{Job, JobFile};
use lab::EVERY_DEVICE;
use metric::Measurement;

/// What a load asks for, whatever the target.
#[derive(Clone, Debug, PartialEq)]
pub enum Offered {
    /// Each entry of the report has a rate.
    Rates(Rates),
    /// Requests at the times of a recording.
    Recorded,
    /// As many I/Os as the target takes.
    Free,
}

/// The rates of a job file.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// By entry.
    entries: Vec<(String, Rate)>,
    /// Arrivals are random: their number scatters.
    random: bool,
}

/// I/Os a second of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rate {
    /// On every device of the target: a job of `/dev/target` runs on each.
    each: f64,
    /// Once, on the device that the job names.
    once: f64,
}

impl Rate {
    fn on(self, devices: usize) -> f64 {
        self.once + devices as f64 * self.each
    }
}

impl std::iter::Sum for Rate {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let add = |a: Rate, b: Rate| Rate { each: a.each + b.each, once: a.once + b.once };
        all.fold(Rate::default(), add)
    }
}

impl Offered {
    /// What the jobs of a file ask for.
    pub fn of(file: Option<&JobFile>) -> Self {
        let Some(file) = file else { return Offered::Free };
        if file.jobs.iter().any(|job| job.replay.is_some()) {
            return Offered::Recorded;
        }
        let rate = |places: &[usize]| -> Option<Rate> {
            places.iter().map(|place| of_job(&file.jobs[*place])).sum()
        };
        let entries = file.entries().into_iter();
        let entries = entries.map(|(name, places)| Some((name.to_owned(), rate(&places)?)));
        let random = file.jobs.iter().any(|job| job.rate_process == RateProcess::Poisson);
        match entries.collect::<Option<Vec<(String, Rate)>>>() {
            Some(entries) => Offered::Rates(Rates { entries, random }),
            None => Offered::Free,
        }
    }

    /// The rates, if there are any.
    pub fn rates(&self) -> Option<&Rates> {
        match self {
            Offered::Rates(rates) => Some(rates),
            Offered::Recorded | Offered::Free => None,
        }
    }
}

impl Rates {
    /// All of them together on a target that shows so many devices, I/Os a second.
    pub fn all(&self, devices: usize) -> f64 {
        self.entries.iter().map(|(_, rate)| rate.on(devices)).sum()
    }

    /// The share of the rates that a run on so many devices kept, of the entries that had begun
    /// when it ended, and how many I/Os that rests on. `None` if none had.
    pub fn kept(&self, run: &Measurement, devices: usize) -> Option<(f64, f64)> {
        let (mut achieved, mut asked, mut ios) = (0.0, 0.0, 0.0);
        for (name, rate) in &self.entries {
            let of = |metric: &str| {
                let name = match self.entries.len() {
                    1 => metric.to_owned(),
                    _ => format!("{name}.{metric}"),
                };
                run.metrics.get(&name)
            };
            let samples = ["read_lat_mean", "write_lat_mean"].map(of).into_iter().flatten();
            let samples: u64 = samples.filter_map(|latency| latency.samples).sum();
            let Some(iops) = of("iops").filter(|iops| iops.value > 0.0) else { continue };
            achieved += iops.value;
            asked += rate.on(devices);
            ios += samples as f64;
        }
        (asked > 0.0).then(|| (achieved / asked, ios))
    }

    /// What chance may take from the share where arrivals are random, in one of 20 cases: their
    /// number over a time scatters by its root (Poisson).
    pub fn chance(&self, ios: f64) -> f64 {
        if self.random { 1.96 / ios.max(1.0).sqrt() } else { 0.0 }
    }
}

/// Directions with a rate of their own are both kept.
fn of_job(job: &Job) -> Option<Rate> {
    let rates = job.used().map(|direction| {
        let i = direction.index();
        let block = match job.block_size[i] {
            BlockSize::Fixed(bytes) => Some(bytes as f64),
            _ => None,
        };
        let by_bytes = || Some(job.rate[i]? as f64 / block?);
        job.rate_iops[i].map(|rate| rate as f64).or_else(by_bytes)
    });
    let rate = rates.sum::<Option<f64>>()? * f64::from(job.numjobs);
    Some(match job.filenames.as_slice() {
        [name] if name == EVERY_DEVICE => Rate { each: rate, ..Rate::default() },
        _ => Rate { once: rate, ..Rate::default() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fio::{LoadOptions, jobfile};

    fn offered(jobs: &str) -> Offered {
        offered_on("/dev/x", jobs)
    }

    fn offered_on(name: &str, jobs: &str) -> Offered {
        let text = format!("[global]\nfilename={name}\nbs=8k\nnumjobs=4\n{jobs}");
        Offered::of(Some(&jobfile::parse_str("j.fio", &text, &LoadOptions::default()).unwrap()))
    }

    fn rate(jobs: &str) -> Option<f64> {
        offered(jobs).rates().map(|rates| rates.all(2))
    }

    #[test]
    fn copies_and_directions_add() {
        assert_eq!(rate("[a]\nrw=randread\nrate_iops=1000"), Some(4000.0));
        assert_eq!(rate("[a]\nrw=randrw\nrate_iops=700,300"), Some(4000.0));
        assert_eq!(rate("[a]\nrw=randread\nrate=8192000"), Some(4000.0));
        let both = "[a]\nrw=randread\nrate_iops=10\n[b]\nrw=randwrite\nrate_iops=5";
        assert_eq!(rate(both), Some(60.0));
        let Offered::Rates(rates) = offered(both) else { panic!("rates") };
        let of = |once| Rate { once, each: 0.0 };
        assert_eq!(rates.entries, [("a".to_owned(), of(40.0)), ("b".to_owned(), of(20.0))]);
    }

    /// Two devices side by side are each asked for what one is asked for.
    #[test]
    fn a_job_of_the_target_runs_on_each_of_its_devices() {
        let all = offered_on("/dev/target", "[a]\nrw=randread\nrate_iops=10");
        let Offered::Rates(rates) = all else { panic!("rates") };
        assert_eq!((rates.all(1), rates.all(2)), (40.0, 80.0));
    }

    #[test]
    fn without_a_rate_of_every_job_there_is_none() {
        assert_eq!(rate("[a]\nrw=randread\n[b]\nrw=randwrite\nrate_iops=5"), None);
        assert_eq!(offered("[a]\nrw=randread"), Offered::Free);
    }

    /// Of 10,000 random arrivals two in a hundred may be missing by chance.
    #[test]
    fn random_arrivals_scatter_by_their_root() {
        let poisson = "[a]\nrw=randread\nrate_iops=10\nrate_process=poisson";
        let Offered::Rates(rates) = offered(poisson) else { panic!("rates") };
        assert!((rates.chance(10_000.0) - 0.0196).abs() < 1e-12);
        let Offered::Rates(even) = offered("[a]\nrw=randread\nrate_iops=10") else { panic!() };
        assert_eq!(even.chance(10_000.0), 0.0);
    }
}

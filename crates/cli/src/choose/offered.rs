//! The rate that a load asks for.

use fio::workload::BlockSize;
use fio::{Job, LoadOptions, jobfile};
use lab::Method;
use std::collections::BTreeMap;

/// What a load asks for, whatever the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offered {
    /// So many I/Os a second of all jobs together.
    Rate(f64),
    /// Requests at the times of a recording.
    Recorded,
    /// As many I/Os as the target takes.
    Free,
}

impl Offered {
    /// What the load of a method asks for.
    pub fn of(method: &Method) -> Self {
        let text = method.jobs.values().next().filter(|_| method.is_job_file());
        // The job that replays a trace leaves its depth open.
        let env = BTreeMap::from([("DEPTH".to_owned(), "1".to_owned())]);
        let options = LoadOptions { env, ..LoadOptions::default() };
        let parsed = text.and_then(|text| jobfile::parse_str(&method.name, text, &options).ok());
        parsed.map_or(Offered::Free, |file| Self::by(&file.jobs))
    }

    fn by(jobs: &[Job]) -> Self {
        if jobs.iter().any(|job| job.replay.is_some()) {
            return Offered::Recorded;
        }
        jobs.iter().map(of_job).sum::<Option<f64>>().map_or(Offered::Free, Offered::Rate)
    }

    /// I/Os a second, if they are said.
    pub fn rate(self) -> Option<f64> {
        match self {
            Offered::Rate(rate) => Some(rate),
            Offered::Recorded | Offered::Free => None,
        }
    }
}

/// Directions with a rate of their own are both kept.
fn of_job(job: &Job) -> Option<f64> {
    let does = [job.rw.read, job.rw.write, job.rw.trim];
    let of = |(direction, _): (usize, &bool)| {
        let block = match job.block_size[direction] {
            BlockSize::Fixed(bytes) => Some(bytes as f64),
            _ => None,
        };
        let by_bytes = || Some(job.rate[direction]? as f64 / block?);
        job.rate_iops[direction].map(|rate| rate as f64).or_else(by_bytes)
    };
    let rates = does.iter().enumerate().filter(|(_, does)| **does).map(of);
    Some(rates.sum::<Option<f64>>()? * f64::from(job.numjobs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(jobs: &str) -> Offered {
        let text = format!("[global]\nfilename=/dev/x\nbs=8k\nnumjobs=4\n{jobs}");
        let file = jobfile::parse_str("j.fio", &text, &LoadOptions::default()).unwrap();
        Offered::by(&file.jobs)
    }

    #[test]
    fn copies_and_directions_add() {
        assert_eq!(rate("[a]\nrw=randread\nrate_iops=1000"), Offered::Rate(4000.0));
        assert_eq!(rate("[a]\nrw=randrw\nrate_iops=700,300"), Offered::Rate(4000.0));
        assert_eq!(rate("[a]\nrw=randread\nrate=8192000"), Offered::Rate(4000.0));
        let both = "[a]\nrw=randread\nrate_iops=10\n[b]\nrw=randwrite\nrate_iops=5";
        assert_eq!(rate(both), Offered::Rate(60.0));
    }

    #[test]
    fn without_a_rate_of_every_job_there_is_none() {
        assert_eq!(rate("[a]\nrw=randread\n[b]\nrw=randwrite\nrate_iops=5"), Offered::Free);
        assert_eq!(rate("[a]\nrw=randread"), Offered::Free);
    }
}

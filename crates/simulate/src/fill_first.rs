//! Jobs that precondition the drive themselves.

use fio::job::Job;
use fio::workload::Size;

/// Whether in the first phase some job writes a whole drive in order, or as `sprandom` does, and a
/// later phase waits for that. Such jobs begin on a fresh drive, others on one in use.
pub fn fill_first(jobs: &[Job]) -> bool {
    let second = jobs.iter().skip(1).position(|job| job.stonewall || job.wait_for.is_some());
    let Some(second) = second.map(|at| at + 1) else { return false };
    let whole = |job: &Job| match job.size {
        None => true,
        Some(Size::Percent(percent)) => percent >= 100,
        Some(Size::Bytes(_)) => false,
    };
    let fills = |job: &Job| {
        let each_block = !job.rw.random || job.sprandom.is_some();
        let only_writes = job.rw.write && !job.rw.read && each_block;
        let to_the_end = job.runtime_us.is_none() && job.number_ios.is_none();
        only_writes && to_the_end && (job.fill_device || whole(job))
    };
    jobs[..second].iter().any(fills)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> bool {
        let file = fio::jobfile::parse_str("j", text, &fio::LoadOptions::default()).unwrap();
        fill_first(&file.jobs)
    }

    #[test]
    fn what_writes_the_whole_drive_before_others_preconditions_it() {
        let first = "[fill]\nfilename=/dev/x\nrw=write\nbs=128k\n";
        let then = "[then]\nfilename=/dev/x\nstonewall\nrw=randread\n";
        assert!(fill(&format!("{first}{then}")));
        assert!(!fill(first), "nothing comes of it");
        let random = "[fill]\nfilename=/dev/x\nrw=randwrite\n";
        assert!(fill(&format!("{random}sprandom=1\n{then}")));
        assert!(!fill(&format!("{random}{then}")), "a drive that is in use goes on so");
        assert!(!fill(&format!("{first}size=1g\n{then}")), "a part only");
        assert!(!fill(&format!("{first}runtime=9\n{then}")), "cut short");
        assert!(!fill(then));
    }
}

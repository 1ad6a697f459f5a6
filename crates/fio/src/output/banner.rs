//! The lines that fio prints before it starts.

use super::number_text::bytes_binary;
use crate::job::Job;

/// One line a job, the version and the number of copies.
pub fn banner(jobs: &[Job]) -> String {
    let mut out = String::new();
    for job in jobs {
        let sizes: Vec<String> = ["(R)", "(W)", "(T)"]
            .iter()
            .zip(&job.block_size)
            .map(|(name, size)| {
                format!("{name} {}-{}", bytes_binary(size.min()), bytes_binary(size.max()))
            })
            .collect();
        out.push_str(&format!(
            "{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}\n",
            job.name,
            job.group_id,
            job.rw.name(),
            sizes.join(", "),
            job.engine,
            job.iodepth
        ));
        if job.numjobs > 1 {
            out.push_str("...\n");
        }
    }
    out.push_str("fio-3.33\n");
    let copies = |threads: bool| -> u64 {
        let of_kind = jobs.iter().filter(|job| job.thread == threads);
        of_kind.map(|job| u64::from(job.numjobs)).sum()
    };
    let words = [(copies(true), "thread", "threads"), (copies(false), "process", "processes")];
    let counts: Vec<String> = words
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    out.push_str(&format!("Starting {}\n", counts.join(" and ")));
    out
}

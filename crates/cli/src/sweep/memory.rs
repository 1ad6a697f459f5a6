//! Memory as what bounds how many runs there are at a time.

use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

/// Share of the memory that is free at the beginning.
const SHARE: f64 = 0.7;
/// Free memory where the system does not tell, bytes.
const UNKNOWN: u64 = 2 << 30;

/// What runs may take together.
pub struct Memory {
    all: u64,
    taken: Mutex<u64>,
    freed: Condvar,
}

impl Memory {
    /// A part of what is free now.
    pub fn free() -> Self {
        let of_group = free_of_group(Path::new("/proc"), Path::new("/sys/fs/cgroup"));
        let free = free_of_machine().unwrap_or(UNKNOWN).min(of_group.unwrap_or(u64::MAX));
        Self::of(engine::whole(free as f64 * SHARE))
    }

    fn of(all: u64) -> Self {
        Self { all, taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until there is room for so many bytes and takes them while `work` is done. What is
    /// larger than all there is runs alone.
    pub fn within<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> T {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 && *taken + bytes > self.all {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += bytes;
        drop(taken);
        let made = work();
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.freed.notify_all();
        made
    }
}

/// Free memory of the machine, bytes.
fn free_of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// What is left of the limit of this process's control group and of those that it is in, bytes:
/// what files in memory take is given back when it is needed. `None` without a limit. Of version 2
/// and of the memory controller of version 1.
fn free_of_group(proc: &Path, mounted: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(proc.join("self/cgroup")).ok()?;
    let of_line = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, place) = rest.split_once(':')?;
        let place = place.trim_start_matches('/');
        let (root, files) = match controllers {
            "" => (mounted.to_path_buf(), ["memory.max", "memory.current"]),
            _ if controllers.split(',').any(|one| one == "memory") => {
                (mounted.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes"])
            }
            _ => return None,
        };
        let own = root.join(place);
        // In a container the group's own place may not be seen: its limit is that of the root.
        let groups = own.ancestors().take_while(|group| group.starts_with(&root));
        groups.filter_map(|group| left_in(group, files)).min()
    };
    text.lines().filter_map(of_line).min()
}

/// What is left in a control group, bytes.
fn left_in(group: &Path, [limit, used]: [&str; 2]) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        std::fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()
    };
    let stat = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let files = ["inactive_file ", "total_inactive_file "];
    let files = files.iter().find_map(|name| stat.lines().find_map(|line| line.strip_prefix(name)));
    let files: u64 = files.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(files)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tightest of the groups that a process is in is its limit.
    #[test]
    fn what_is_left_of_control_groups() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |file: &str, text: &str| {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        let left = || free_of_group(&folder.path().join("proc"), &folder.path().join("cg"));
        assert_eq!(left(), None);
        put("proc/self/cgroup", "0::/job/task\n");
        put("cg/job/task/memory.max", "max\n");
        put("cg/job/task/memory.current", "5\n");
        assert_eq!(left(), None, "no limit");
        put("cg/job/memory.max", "1000\n");
        put("cg/job/memory.current", "700\n");
        put("cg/job/memory.stat", "anon 1\ninactive_file 100\n");
        assert_eq!(left(), Some(400));
        put("proc/self/cgroup", "3:cpu:/x\n4:memory:/old\n");
        put("cg/memory/old/memory.limit_in_bytes", "90\n");
        put("cg/memory/old/memory.usage_in_bytes", "100\n");
        assert_eq!(left(), Some(0));
    }
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn no_more_is_taken_than_there_is_and_what_is_too_large_runs_alone() {
        let (memory, now, most) = (Memory::of(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [40, 40, 40, 40, 500] {
                let (memory, now, most) = (&memory, &now, &most);
                scope.spawn(move || {
                    memory.within(bytes, || {
                        let sum = now.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        assert!(sum <= 100 || sum == 500, "{sum}");
                        most.fetch_max(sum, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        now.fetch_sub(bytes, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 500);
    }
}

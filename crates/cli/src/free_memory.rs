//! Memory that is free: of the machine, and of the control group that this process is in.

use std::path::Path;

/// Free memory of the machine, bytes.
pub fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// What is left of the limit of this process's control group and of those that it is in, bytes:
/// what files in memory take is given back when it is needed. `None` without a limit. Of version 2
/// and of the memory controller of version 1.
pub fn of_group() -> Option<u64> {
    of_group_in(Path::new("/proc"), Path::new("/sys/fs/cgroup"))
}

fn of_group_in(proc: &Path, mounted: &Path) -> Option<u64> {
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
        let left = || of_group_in(&folder.path().join("proc"), &folder.path().join("cg"));
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
}

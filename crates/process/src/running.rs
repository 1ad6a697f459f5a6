//! Child processes that do not outlive their parent.
//!
//! util-linux's setpriv requests from the kernel a signal to the program when its parent ends,
//! however that ends. The program is the leader of a process group of its own: Ctrl-C in a terminal
//! reaches drivelab alone, which ends the program in order, and what it leaves behind is found by
//! its group.

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group,
    set_child_subreaper, waitid, waitpgid, waitpid,
};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// Of util-linux, which every Linux system has.
const SETPRIV: &str = "setpriv";
/// How often a program that was asked to end is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How often processes that were killed are looked for again.
const ROUNDS: u32 = 100;

/// A command whose process is asked to end (TERM) as soon as this process is gone, as another user
/// if one is named. The thread that starts it must live as long: the kernel watches the thread.
pub fn bound(program: &Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(SETPRIV);
    command.args(["--pdeathsig", "TERM"]);
    if let Some((uid, gid)) = user {
        command.arg(format!("--reuid={uid}")).arg(format!("--regid={gid}"));
        command.arg("--clear-groups");
    }
    command.arg("--").arg(program).process_group(0);
    command
}

/// From now on whatever loses its parent below this process becomes its child, so that it is gone
/// for good when its group is ended: where nobody waits for it, its number stays in use, and a
/// database takes it for a server that still runs.
pub fn adopt_orphans() {
    // Where the system refuses, the first process of the system has them, as usual.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills the children that this process has adopted, those of `ours` excepted: programs that left
/// the group of whoever started them. All that they adopt in turn follows.
pub fn end_orphans(ours: &[u32]) {
    for _ in 0..ROUNDS {
        let orphans: Vec<Pid> =
            children().filter(|(id, _)| !ours.contains(id)).map(|(_, pid)| pid).collect();
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::empty());
        }
    }
}

/// The children of this process.
fn children() -> impl Iterator<Item = (u32, Pid)> {
    let own = std::process::id().to_string();
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(move |entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        // Behind the name, which may hold anything: the state, and the parent.
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?;
        (parent == own).then_some((id, Pid::from_raw(i32::try_from(id).ok()?)?))
    })
}

/// What starts programs, for messages.
pub fn starter() -> &'static Path {
    Path::new(SETPRIV)
}

/// Kills every process that works in a directory of ours. fio's workers have sessions of their own:
/// where their main process was killed they would continue, and no group has them all.
pub fn end_all_in(directory: &Path) {
    for _ in 0..ROUNDS {
        let mut found = false;
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let works_there = fs::read_link(entry.path().join("cwd")).is_ok_and(|p| p == directory);
            let pid = entry.file_name().to_string_lossy().parse().ok().and_then(Pid::from_raw);
            if let (true, Some(pid)) = (works_there, pid) {
                found = true;
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        if !found {
            return;
        }
        thread::sleep(LOOK);
    }
}

/// A process that does not outlive its owner, nor does anything in its group.
pub struct Running {
    child: Child,
    /// How it is asked to end.
    ask: Signal,
    /// How long it may take to end in order.
    patience: Duration,
    /// Whether it ended well; `None` while it runs.
    success: Option<bool>,
    /// With which code; `None` while it runs, or if a signal has ended it.
    code: Option<i32>,
}

impl Running {
    /// A process that is asked to end by `ask` and may take so long for it.
    pub fn new(child: Child, ask: Signal, patience: Duration) -> Self {
        Self { child, ask, patience, success: None, code: None }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The process, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether it has ended, and if so whether well. What it left in its group is ended, too.
    pub fn ended(&mut self) -> Option<bool> {
        if self.success.is_none() && self.has_exited(WaitIdOptions::NOHANG) {
            self.reap();
        }
        self.success
    }

    /// The code with which it has ended; `None` while it runs, or if a signal has ended it.
    pub fn code(&self) -> Option<i32> {
        self.code
    }

    /// Asks it to end in order, and does not wait.
    pub fn ask_to_end(&self) {
        if let (None, Some(pid)) = (self.success, self.pid()) {
            // If it is gone already there is nothing to do.
            let _ = kill_process(pid, self.ask);
        }
    }

    /// Waits for its end and says whether it ended well.
    pub fn wait(&mut self) -> bool {
        if self.success.is_none() {
            self.has_exited(WaitIdOptions::empty());
            self.reap();
        }
        self.success == Some(true)
    }

    /// Ends it and its group at once, as a power cut does.
    pub fn kill(&mut self) {
        if self.success.is_none() {
            self.reap();
        }
    }

    /// Asks it to end, waits, and kills it with its group if it does not.
    pub fn stop(&mut self) {
        self.ask_to_end();
        for _ in 0..self.patience.as_millis() / LOOK.as_millis() {
            if self.ended().is_some() {
                return;
            }
            thread::sleep(LOOK);
        }
        self.kill();
    }

    /// Whether it has exited; it stays a zombie, so that its number is given to no other.
    fn has_exited(&self, how: WaitIdOptions) -> bool {
        let Some(pid) = self.pid() else { return true };
        let how = how | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), how), Ok(None))
    }

    /// Kills the group, which has the number of the child as long as that was not waited for, and
    /// takes note of how the child ended.
    fn reap(&mut self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let status = self.child.wait().ok();
        self.success = Some(status.is_some_and(|status| status.success()));
        self.code = status.and_then(|status| status.code());
        if let Some(group) = self.pid() {
            // Those of the group that became ours, see `adopt_orphans`.
            while matches!(waitpgid(group, WaitOptions::empty()), Ok(Some(_))) {}
        }
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(self.child.id() as i32)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// One test ends all orphans of this process: what another starts meanwhile would be one.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shell(script: &str) -> Running {
        let mut command = bound(Path::new("/bin/sh"), None);
        let child = command.args(["-c", script]).spawn().unwrap();
        Running::new(child, Signal::TERM, Duration::from_millis(300))
    }

    /// Whether a process is there and not only a zombie.
    fn lives(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    }

    /// A killed process takes a moment to be gone.
    fn dies(pid: &str) -> bool {
        (0..100).any(|_| {
            thread::sleep(LOOK);
            !lives(pid)
        })
    }

    #[test]
    fn it_says_how_it_ended() {
        let _alone = alone();
        assert!(shell("exit 0").wait());
        assert!(!shell("exit 3").wait());
        assert_eq!(shell("sleep 60").ended(), None);
    }

    #[test]
    fn an_orphan_with_a_session_of_its_own_is_ended() {
        let _alone = alone();
        adopt_orphans();
        let ours: Vec<u32> = children().map(|(id, _)| id).collect();
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("pid");
        let script = format!(
            "setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; sleep 60' &
             until [ -e {0} ]; do sleep 0.01; done",
            note.display()
        );
        assert!(shell(&script).wait());
        let pid = fs::read_to_string(&note).unwrap();
        assert!(lives(&pid));
        let mut known: Vec<u32> = children().map(|(id, _)| id).collect();
        known.retain(|id| ours.contains(id) || id.to_string() != pid.trim());
        end_orphans(&known);
        assert!(dies(&pid));
    }

    /// What a program starts and forgets ends with it, and one that does not listen is killed.
    #[test]
    fn nothing_of_its_group_is_left() {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("pid");
        let write = format!("sleep 60 & echo $! > {0}.new; mv {0}.new {0};", note.display());
        let read = || {
            while !note.exists() {
                thread::sleep(LOOK);
            }
            fs::read_to_string(&note).unwrap()
        };
        let mut forgets = shell(&format!("{write} exit 0"));
        let pid = read();
        assert!(forgets.wait() && dies(&pid));
        fs::remove_file(&note).unwrap();
        let deaf = shell(&format!("trap '' TERM; {write} wait; sleep 60"));
        let pid = read();
        assert!(lives(&pid));
        drop(deaf);
        assert!(dies(&pid));
    }
}

//! The power state of NVMe drives while something runs on them.

use crate::device::Device;
use crate::system::System;
use crate::tool::Tools;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Asks NVMe drives again and again for their power state, beside what runs on them: nobody waits
/// for an answer.
#[derive(Debug, Default)]
pub struct PowerStates {
    nvme: PathBuf,
    drives: Vec<Drive>,
}

#[derive(Debug)]
struct Drive {
    node: PathBuf,
    question: Question,
}

#[derive(Debug)]
enum Question {
    /// None is open.
    Free,
    /// It was put and is not answered yet.
    Put(Child),
    /// There is no answer to be had: nvme-cli is missing, or the drive does not tell.
    Vain,
}

impl PowerStates {
    /// Those of the drives that are NVMe drives.
    pub fn of(system: &System, tools: &Tools, devices: &[Device]) -> Self {
        let whole = devices.iter().filter_map(|device| device.whole().ok());
        let nodes = whole.filter(|device| device.name.starts_with("nvme"));
        let drive = |node| Drive { node, question: Question::Free };
        let drives = nodes.map(|device| drive(system.dev.join(device.name)));
        Self { nvme: tools.nvme.clone(), drives: drives.collect() }
    }

    /// The highest power state, 0 to 31, that the drives were in when this was called last; `None`
    /// if they are none, if this is the first call, or if one of them has not answered. The next
    /// question is put.
    pub fn deepest(&mut self) -> Option<u8> {
        let nvme = &self.nvme;
        let answers: Vec<Option<u8>> = self.drives.iter_mut().map(|one| one.ask(nvme)).collect();
        answers.into_iter().collect::<Option<Vec<u8>>>()?.into_iter().max()
    }
}

impl Drive {
    /// What the last question gave; puts the next one unless the last is still open.
    fn ask(&mut self, nvme: &PathBuf) -> Option<u8> {
        let state = match &mut self.question {
            Question::Free => None,
            Question::Vain => return None,
            Question::Put(child) => match child.try_wait() {
                Ok(None) => return None,
                Ok(Some(ended)) if ended.success() => {
                    let mut said = String::new();
                    let read = child.stdout.take().map(|mut out| out.read_to_string(&mut said));
                    read.and_then(Result::ok).and_then(|_| state(&said))
                }
                _ => None,
            },
        };
        let unanswered = matches!(self.question, Question::Put(_)) && state.is_none();
        let mut command = Command::new(nvme);
        command.arg("get-feature").arg(&self.node).args(["-f", "2"]).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.question = match unanswered {
            true => Question::Vain,
            false => command.spawn().map_or(Question::Vain, Question::Put),
        };
        state
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        if let Question::Put(child) = &mut self.question {
            // A drive that hangs keeps its question, and not us.
            let _ = child.kill();
            let _ = child.try_wait();
        }
    }
}

/// The state in what nvme-cli says of feature 2: bits 4 to 0 of its value (NVM Express base
/// specification, power management).
fn state(said: &str) -> Option<u8> {
    let (_, value) = said.split_once("value:")?;
    let value = value.split_whitespace().next()?;
    let value = u32::from_str_radix(value.trim_start_matches("0x"), 16).ok()?;
    u8::try_from(value & 0x1f).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_nvme_cli_say_it_differently() {
        let old = "get-feature:0x2 (Power Management), Current value:0x000003\n";
        assert_eq!(state(old), Some(3));
        let new = "get-feature:0x02 (Power Management), Current value:00000041\n";
        assert_eq!(state(new), Some(1), "bits 7 to 5 are a hint of the workload");
        assert_eq!(state("get-feature:0x02 (Power Management), Current value:0x1f"), Some(31));
        for said in ["", "value:", "value: x", "Current value", "value:0x", "value:1234567890"] {
            assert_eq!(state(said), None, "{said}");
        }
    }
}

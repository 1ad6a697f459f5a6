//! The states in which a target can be, each with what the guard says, on machines that do not
//! exist and on files that do. After each refusal nothing on the machine has changed by a byte;
//! each permission has its reason. The table is printed by
//! `cargo test -p real --test all states:: -- --nocapture`.

mod devices;
mod files;

use crate::common::fakes::FakePrograms;
use crate::common::{Machine, snapshot};
use real::run::{RunOptions, run};
use real::{InstalledFio, Permit, RealJob, Reason, Request, SourceOptions};
use std::fs::{self, OpenOptions};
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

/// What the guard says: a reason against it, or words of the reason for it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    No(Reason),
    Yes(&'static str),
}
use Says::{No, Yes};

/// A state: its name, how a machine gets into it, and what is said to the request then.
type State = (&'static str, fn(&mut Bench) -> Request, Says);

/// A machine, and a fio that fills the file it is given with 1 MiB.
struct Bench {
    machine: Machine,
    programs: FakePrograms,
    /// What another drivelab holds.
    held: Vec<Permit>,
}

const FIO: &str = "\
case \"$1\" in
--version) echo fio-3.33 ;;
--cmdhelp*|--enghelp*) printf 'rw: x\\nsize: x\\n' ;;
*) file=$(sed -n 's/^filename=//p' job.fio | tail -n 1)
   head -c 1048576 /dev/zero | tr '\\0' Z > \"$file\"; echo '{\"jobs\": []}' > output.json ;;
esac";

impl Bench {
    fn new() -> Self {
        let programs = FakePrograms::new();
        programs.add("fio", FIO);
        Self { machine: Machine::new(), programs, held: Vec::new() }
    }

    fn file(&self) -> PathBuf {
        self.machine.path("drive/data")
    }

    /// A file of someone's, 1 MiB without any format.
    fn stranger(&self) -> PathBuf {
        let file = self.file();
        fs::create_dir_all(file.parent().expect("has one")).expect("made");
        fs::write(&file, vec![7; 1 << 20]).expect("written");
        file
    }

    /// A file that drivelab made in a run that came to its end.
    fn own(&self) -> PathBuf {
        let file = self.file();
        fs::create_dir_all(file.parent().expect("has one")).expect("made");
        let permit = self.machine.system.examine(&write(&file)).expect("a new file");
        let job = RealJob::parse("[j]\nrw=write\nsize=1m\n", &SourceOptions::default());
        let permits = [permit];
        let job = job.expect("parses").redirect(&permits, None).expect("redirected");
        let fio = InstalledFio::at(&self.programs.path().join("fio")).expect("there");
        let options =
            RunOptions { scratch_root: self.programs.path().into(), ..RunOptions::default() };
        let go_on = &mut |_| ControlFlow::Continue(());
        run(&self.machine.system, &fio, &permits, &job, &options, go_on).expect("runs");
        assert_eq!(fs::metadata(&file).expect("made").len(), 1 << 20);
        file
    }

    /// A free device and its node.
    fn disk(&mut self) -> PathBuf {
        self.machine.device("sdb", (8, 16), None)
    }

    fn poke(&self, file: &Path, at: u64, bytes: &[u8]) {
        let file = OpenOptions::new().write(true).open(file).expect("opened");
        file.write_all_at(bytes, at).expect("written");
    }

    /// A process that holds a path open, as procfs shows it.
    fn process(&self, path: &Path) {
        self.machine.put("proc/4242/comm", "qemu-system-x86\n");
        fs::create_dir_all(self.machine.path("proc/4242/fd")).expect("made");
        symlink(path, self.machine.path("proc/4242/fd/3")).expect("linked");
    }
}

fn read(path: &Path) -> Request {
    Request { path: path.into(), ..Request::default() }
}

fn write(path: &Path) -> Request {
    Request { writes: true, ..read(path) }
}

fn overwrite(path: &Path) -> Request {
    Request { overwrite: true, ..write(path) }
}

fn purge(path: &Path) -> Request {
    Request { purge: true, ..read(path) }
}

fn destroy(path: &Path, serial: &str) -> Request {
    Request { destroy_data: Some(serial.into()), ..write(path) }
}

#[test]
fn each_state_has_its_answer_and_a_refusal_changes_nothing() {
    let mut wrong = Vec::new();
    for (name, make, says) in files::FILES.iter().chain(devices::DEVICES) {
        let mut bench = Bench::new();
        let request = make(&mut bench);
        let before = contents(&bench);
        let answer = bench.machine.system.examine(&request);
        let (fits, shown) = match &answer {
            Ok(permit) => (
                matches!(says, Yes(words) if permit.why().contains(words)),
                format!("permitted: {}", permit.why()),
            ),
            Err(refusal) => {
                assert!(!refusal.why.is_empty() && !refusal.help.is_empty(), "{name}");
                (*says == No(refusal.reason), format!("refused: {}", refusal.why))
            }
        };
        println!("{name:68} {shown}");
        if !fits {
            wrong.push(format!("{name}: {shown}, not {says:?}"));
        }
        if contents(&bench) != before {
            wrong.push(format!("{name}: something was changed"));
        }
    }
    let states = files::FILES.len() + devices::DEVICES.len();
    println!("{states} states");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(states >= 60);
}

/// All files of the machine, devices included, with their bytes; of a pipe the name.
fn contents(bench: &Bench) -> Vec<(PathBuf, Vec<u8>)> {
    let root = bench.machine.system.sys.parent().expect("has one");
    snapshot(root)
}

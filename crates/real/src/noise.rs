//! What goes on at a machine while nothing is tested: processors that are busy, bytes that others
//! move on a drive, arrays that are being rebuilt.

use crate::conditions::Finding;
use crate::device::Device;
use crate::seen::Moved;
use crate::system::System;
use std::fs;
use std::thread;
use std::time::Duration;

/// Share of the processors' time that others may take.
const BUSY_MOST: f64 = 0.1;
/// Share of it that the host of a virtual machine may take away.
const STOLEN_MOST: f64 = 0.01;
/// Bytes a second that others may move on a drive.
const MOVED_MOST: f64 = 1e5;

/// Ticks of all processors since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ticks {
    busy: f64,
    stolen: f64,
    all: f64,
}

impl Ticks {
    /// Until now; `None` where the kernel does not tell.
    pub fn now(system: &System) -> Option<Self> {
        let stat = fs::read_to_string(system.proc.join("stat")).ok()?;
        Self::parse(stat.lines().next()?)
    }

    /// Share of the processors' time that was used since an earlier count, 0 to 1; `None` if no
    /// time went by.
    pub fn busy_since(self, before: Self) -> Option<f64> {
        self.share_since(before, |ticks| ticks.busy)
    }

    fn share_since(self, before: Self, of: fn(Self) -> f64) -> Option<f64> {
        let all = self.all - before.all;
        (all > 0.0).then(|| (of(self) - of(before)) / all)
    }

    /// `cpu user nice system idle iowait irq softirq steal ...`; time of guests is in `user`.
    fn parse(line: &str) -> Option<Self> {
        let counts = line.strip_prefix("cpu ")?.split_whitespace();
        let counts: Vec<f64> = counts.take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
        let [user, nice, kernel, idle, waiting, irq, soft, stolen] = counts.try_into().ok()?;
        let busy = user + nice + kernel + irq + soft;
        Some(Self { busy, stolen, all: busy + stolen + idle + waiting })
    }
}

/// What went on in a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noise {
    /// Share of the processors' time that was used.
    busy: Option<f64>,
    /// Share of it that a virtual machine was not given.
    stolen: Option<f64>,
    /// Bytes a second that were moved on each drive, by its name.
    moved: Vec<(String, f64)>,
    /// Arrays of the kernel that are rebuilt or checked.
    arrays: Vec<String>,
}

impl Noise {
    /// Listens for a time.
    pub fn listen(system: &System, devices: &[Device], time: Duration) -> Self {
        let moved = || -> Vec<Option<u64>> {
            let moved = devices.iter().map(|device| Moved::of(system, device));
            moved.map(|moved| moved.map(Moved::both)).collect()
        };
        let (before, moved_before) = (Ticks::now(system), moved());
        thread::sleep(time);
        let (after, moved_after) = (Ticks::now(system), moved());
        let share = |of: fn(Ticks) -> f64| after?.share_since(before?, of);
        let pairs = devices.iter().zip(moved_before.into_iter().zip(moved_after));
        let moved = pairs.filter_map(|(device, (before, after))| {
            let bytes = after?.checked_sub(before?)?;
            Some((device.name.clone(), bytes as f64 / time.as_secs_f64()))
        });
        Self {
            busy: share(|ticks| ticks.busy),
            stolen: share(|ticks| ticks.stolen),
            moved: moved.collect(),
            arrays: arrays(&fs::read_to_string(system.proc.join("mdstat")).unwrap_or_default()),
        }
    }

    /// What was heard, with what disturbs a test.
    pub fn findings(&self) -> Vec<Finding> {
        let mut all = Vec::new();
        if let Some(busy) = self.busy {
            let percent = 100.0 * busy;
            let found = format!("{percent:.0} %");
            all.push(Finding::new("processors busy", found).attended(busy > BUSY_MOST, || {
                format!("other programs take {percent:.0} % of the processors' time: end them")
            }));
        }
        if let Some(stolen) = self.stolen {
            let percent = 100.0 * stolen;
            let found = format!("{percent:.1} %");
            let much = stolen > STOLEN_MOST;
            all.push(Finding::new("time stolen by the host", found).attended(much, || {
                format!(
                    "the host of this virtual machine takes {percent:.1} % of its time away: \
                     latencies hold it"
                )
            }));
        }
        for (drive, rate) in &self.moved {
            let mb = rate / 1e6;
            let found = format!("{mb:.1} MB/s on {drive}");
            all.push(Finding::new("I/O of others", found).attended(*rate > MOVED_MOST, || {
                format!("{drive}: others move {mb:.1} MB/s on it before the test begins")
            }));
        }
        for array in &self.arrays {
            all.push(Finding::new("arrays at work", array.clone()).attended(true, || {
                format!("an array is at work ({array}): wait until it is done")
            }));
        }
        all
    }
}

/// Lines about work in `/proc/mdstat`, with the names of their arrays.
fn arrays(mdstat: &str) -> Vec<String> {
    let mut name = "";
    let mut found = Vec::new();
    for line in mdstat.lines() {
        if let Some((array, _)) = line.split_once(" : ") {
            name = array;
        }
        let works = ["resync", "recovery", "check", "reshape"];
        if let Some(work) = works.iter().find(|work| line.contains(&format!("{work} ="))) {
            found.push(format!("{} {work}", name.trim()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_all_processors_is_read() {
        let ticks = Ticks::parse("cpu  10 1 20 900 50 2 3 14 7 0").unwrap();
        assert_eq!(ticks, Ticks { busy: 36.0, stolen: 14.0, all: 1000.0 });
        assert_eq!(Ticks::parse("cpu0 1 2 3"), None);
        let later = Ticks::parse("cpu  60 1 20 1050 50 2 3 14 7 0").unwrap();
        assert_eq!((later.busy_since(ticks), ticks.busy_since(ticks)), (Some(0.25), None));
    }

    #[test]
    fn an_array_at_work_is_named() {
        let text = "Personalities : [raid1]\nmd0 : active raid1 sdb[1] sda[0]\n      \
                    [=>...]  resync = 12.6% (37043392/292945152) finish=127.5min\n";
        assert_eq!(arrays(text), ["md0 resync"]);
        assert_eq!(arrays("Personalities :\nunused devices: <none>\n"), Vec::<String>::new());
    }

    #[test]
    fn quiet_is_no_concern_and_noise_is() {
        let noise = |busy, rate| Noise {
            busy: Some(busy),
            stolen: Some(0.0),
            moved: vec![("sda".to_owned(), rate)],
            arrays: Vec::new(),
        };
        let concerns = |noise: &Noise| {
            noise.findings().into_iter().filter_map(|finding| finding.concern).count()
        };
        assert_eq!(concerns(&noise(0.1, 1e5)), 0, "at the limits");
        assert_eq!(concerns(&noise(0.101, 1.01e5)), 2, "above them");
    }
}

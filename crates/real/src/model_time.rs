//! The time that the model of a served drive takes, beside what fio measures: the difference is the
//! socket and this machine, and no property of the drive.

use crate::guard::{Permit, PermitKind, connect};
use serde_json::Value;
use stats::{Direction, RunResult};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;

/// What is asked for on the control socket.
const HEALTH: &str = "{\"action\":\"health\"}\n";
/// Share of the model's time that may come on top of it before that is said.
const NOTABLE: f64 = 0.1;

/// Requests of a direction so far, and the time that the model took for all of them, us.
type Sums = [(f64, f64); 2];

/// What a served drive has done so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelTime {
    /// How often slower than the clock the model runs.
    slower: f64,
    sums: Sums,
}

impl ModelTime {
    /// Asks the drive of a permit; `None` if none is served there, or its server does not say.
    pub fn ask(permit: &Permit) -> Option<ModelTime> {
        let PermitKind::ServedDrive(_) = permit.kind() else { return None };
        let mut control = permit.path().as_os_str().to_os_string();
        control.push(".control");
        answer(&PathBuf::from(control)).ok().as_ref().and_then(ModelTime::read)
    }

    fn read(answer: &Value) -> Option<ModelTime> {
        let state = answer.get("state")?;
        let of = |direction: Direction| {
            let Some(kind) = state["requests"].get(direction.name()) else { return (0.0, 0.0) };
            let number = |key: &str| kind[key].as_f64().unwrap_or(0.0);
            (number("requests"), number("requests") * number("mean_us"))
        };
        let sums = [of(Direction::Read), of(Direction::Write)];
        Some(ModelTime { slower: state["slower"].as_f64()?, sums })
    }

    /// How much longer than the model took fio measured, from this state to a later one, if that is
    /// worth a word: a sentence a direction.
    pub fn until(&self, later: &ModelTime, measured: &RunResult) -> Vec<String> {
        let mut said = Vec::new();
        for (i, direction) in [Direction::Read, Direction::Write].into_iter().enumerate() {
            let ((before, earlier), (after, total)) = (self.sums[i], later.sums[i]);
            let (requests, measured) = (after - before, mean_us(measured, direction));
            let Some(measured) = measured.filter(|_| requests > 0.0) else { continue };
            let model = self.slower * (total - earlier) / requests;
            if measured > (1.0 + NOTABLE) * model {
                said.push(format!(
                    "{}s: fio measures {measured:.1} us in the mean, and the model of the drive \
                     takes {model:.1} us: the socket and this machine add {:.1} us, to percentiles \
                     too (`drivelab control` shows those of the model)",
                    direction.name(),
                    measured - model
                ));
            }
        }
        said
    }
}

/// Mean latency of all jobs that fio has measured, us; `None` without one.
fn mean_us(measured: &RunResult, direction: Direction) -> Option<f64> {
    let sides = measured.jobs.iter().map(|job| job.direction(direction));
    let all = sides.map(|side| if side.lat.n > 0 { &side.lat } else { &side.clat });
    let (n, sum) = all.fold((0.0, 0.0), |(n, sum), lat| {
        (n + lat.n as f64, sum + lat.n as f64 * lat.mean_ns / 1e3)
    });
    (n > 0.0).then(|| sum / n)
}

fn answer(control: &std::path::Path) -> io::Result<Value> {
    let mut stream = connect(control)?;
    stream.write_all(HEALTH.as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn state(reads: u64, mean_us: f64) -> ModelTime {
        let read = json!({ "requests": reads, "mean_us": mean_us });
        let answer = json!({ "state": { "slower": 2, "requests": { "read": read } } });
        ModelTime::read(&answer).expect("a state")
    }

    fn measured(mean_us: f64) -> RunResult {
        let mut job = stats::JobResult::default();
        let side = job.direction_mut(Direction::Read);
        (side.lat.n, side.lat.mean_ns) = (10, mean_us * 1e3);
        RunResult { jobs: vec![job], ..RunResult::default() }
    }

    /// 100 reads of 20 us and then 100 of 40 us of model time, which are 80 us by a clock that runs
    /// twice as fast.
    #[test]
    fn what_the_machine_adds_is_the_difference_of_the_means_of_the_run() {
        let (before, after) = (state(100, 20.0), state(200, 30.0));
        assert!(before.until(&after, &measured(87.9)).is_empty(), "within a tenth");
        let said = before.until(&after, &measured(100.0));
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("reads: fio measures 100.0 us"), "{said:?}");
        assert!(said[0].contains("takes 80.0 us") && said[0].contains("add 20.0 us"), "{said:?}");
        assert!(after.until(&after, &measured(100.0)).is_empty(), "nothing was asked of it");
    }
}

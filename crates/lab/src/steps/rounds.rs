//! Rounds until a number is steady, as SNIA's test specification asks for.

mod by_round;

use super::{Action, Step};
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use by_round::{beside, between, cells, mean_numbers, means};
use metric::{MetricValue, Point, tail};
use schemars::JsonSchema;
use serde::Deserialize;
use stats::{ByRound, Convergence, SniaCriterion, SniaVerdict, Tracked};

/// Repeats steps until a number is steady by both criteria of SNIA's specification (over five
/// rounds a range of at most 20 % and an excursion of the line of at most 10 % of the mean), or
/// 25 rounds are done. The points of its sweeps are means over the last five that were judged, and
/// so are the numbers of its steps, which it gives as `STEP.NAME` (`NAME` of an only step), beside
/// `rounds`, `steady`, `first`, `mean`, `range` and `drive_fills`. Where nothing is swept, in it or
/// around it, the rounds themselves are its points.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The number that is followed, written `STEP.NAME`.
    pub track: String,
    /// Other numbers that have to be steady at the same time.
    #[serde(default)]
    pub also: Vec<String>,
    /// They have to be only if one of these conditions holds; always if there is none.
    #[serde(default)]
    pub also_when: Vec<String>,
    /// Most rounds; 25 if it is not said.
    pub max: Option<String>,
    /// Only every so manyth round is judged, from round `first` on; each if it is not said.
    pub every: Option<u32>,
    /// The first round that is judged; the first of all if it is not said.
    pub first: Option<u32>,
    /// Only rounds are judged before which the jobs have written so many user capacities.
    pub after_writes: Option<String>,
    /// The rounds end when the jobs have written so many user capacities.
    pub until_writes: Option<String>,
    /// What is done in each round.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// Of the step that is followed, what the point of a round holds besides the number itself.
const KEPT: [&str; 10] = [
    "iops",
    "bandwidth",
    "read_lat_mean",
    "read_lat_p99.999",
    "read_lat_max",
    "write_lat_mean",
    "write_lat_p99.999",
    "write_lat_max",
    "write_amplification",
    "temperature",
];
/// How often the user capacity has been written at the end of a round.
const FILLS: &str = "drive_fills";

/// What the rounds gave so far.
struct Course {
    criterion: SniaCriterion,
    /// Values of each tracked number, a round each.
    tracked: Vec<Vec<f64>>,
    /// Points of the sweeps of each round.
    points: Vec<Vec<Point>>,
    /// What the followed step gave in each round.
    kept: Vec<Point>,
    /// What all steps gave in each round.
    numbers: Vec<Values>,
    /// Rounds that are judged, from 0.
    judged: Vec<usize>,
}

impl Action for Rounds {
    fn said(&self) -> String {
        let also = self.also.iter().map(|path| format!(" and {path}"));
        format!(
            "rounds_until_steady `{}`: follows {}{}",
            self.name,
            self.track,
            also.collect::<String>()
        )
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let course = self.rounds(session)?;
        let swept = !course.points.iter().all(Vec::is_empty);
        if swept {
            session.points.extend(means(&course.in_window(&course.points)));
        } else if session.at.is_empty() {
            session.points.extend(course.kept.iter().cloned());
        }
        let convergence = self.convergence(session, &course);
        let values = self.values(&course, &convergence);
        for one in &convergence.tracked {
            if !one.verdict.is_some_and(|verdict| verdict.steady) {
                let (rounds, path) = (course.points.len(), path_of(&one.rounds));
                session.warn(unsteady(&path, rounds, &course.criterion, one.verdict));
            }
        }
        session.results.insert(self.name.clone(), values);
        session.convergence.push(convergence);
        Ok(())
    }
}

impl Rounds {
    /// The numbers that are tracked.
    fn paths(&self, session: &Session<'_>) -> Vec<&String> {
        let all = self.also_when.is_empty() || session.holds(&self.also_when);
        std::iter::once(&self.track).chain(self.also.iter().filter(|_| all)).collect()
    }

    /// Does the rounds.
    fn rounds(&self, session: &mut Session<'_>) -> Result<Course, Failure> {
        let mut course = self.course(session)?;
        let most = course.criterion.rounds_max;
        let capacity =
            session.target.capacity().max(1) as f64 * session.target.devices().len() as f64;
        let before = session.host_written;
        let limit = |session: &Session<'_>, written: &Option<String>| match written {
            Some(text) => session.count(text).map(|count| count.map(|count| count as f64)),
            None => Ok(None),
        };
        let (after, until) =
            (limit(session, &self.after_writes)?, limit(session, &self.until_writes)?);
        let first = session.points.len();
        let (from, to) = session.part;
        for round in 0..most {
            session.part.0 = from + (to - from) * round as f64 / most as f64;
            session.tell(&format!("round {}", round + 1), 0.0);
            let fills = |session: &Session<'_>| (session.host_written - before) / capacity;
            if after.is_none_or(|after| fills(session) >= after) && self.judges(round) {
                course.judged.push(round);
            }
            session.steps(&self.steps)?;
            for (path, values) in self.paths(session).into_iter().zip(&mut course.tracked) {
                values.push(followed(session, path)?);
            }
            let fills = fills(session);
            course.kept.push(self.point(session, round, fills));
            course.points.push(session.points.split_off(first));
            course.numbers.push(session.numbers_of(&self.steps));
            let verdicts = course.verdicts();
            let steady = verdicts.iter().all(|one| one.is_some_and(|verdict| verdict.steady));
            if steady || until.is_some_and(|until| fills >= until) {
                break;
            }
        }
        session.part = (from, to);
        Ok(course)
    }

    fn course(&self, session: &Session<'_>) -> Result<Course, Failure> {
        let mut criterion = SniaCriterion::default();
        if let Some(written) = &self.max {
            let most = session.count(written)?.unwrap_or(criterion.rounds_max as u64);
            criterion.rounds_max = usize::try_from(most).unwrap_or(1).max(1);
        }
        let tracked = vec![Vec::new(); self.paths(session).len()];
        Ok(Course {
            criterion,
            tracked,
            points: Vec::new(),
            kept: Vec::new(),
            numbers: Vec::new(),
            judged: Vec::new(),
        })
    }

    /// Whether a round, from 0, is one of those that are judged.
    fn judges(&self, round: usize) -> bool {
        let first = self.first.unwrap_or(1).max(1) as usize - 1;
        let every = self.every.unwrap_or(1).max(1) as usize;
        round.checked_sub(first).is_some_and(|since| since % every == 0)
    }

    /// What the followed step gave in a round.
    fn point(&self, session: &Session<'_>, round: usize, fills: f64) -> Point {
        let (step, name) = self.track.split_once('.').unwrap_or(("", &self.track));
        let of_step = session.results.get(step).into_iter().flatten();
        let keep =
            |(own, _): &(&String, &MetricValue)| *own == name || KEPT.contains(&own.as_str());
        let mut metrics: Values =
            of_step.filter(keep).map(|(name, value)| (name.clone(), *value)).collect();
        if fills > 0.0 {
            metrics.insert(FILLS.to_owned(), MetricValue::exact(fills));
        }
        let mut at = session.at.clone();
        at.push(("round".to_owned(), (round + 1).to_string()));
        Point { at, metrics }
    }

    /// The numbers of the rounds.
    fn values(&self, course: &Course, convergence: &Convergence) -> Values {
        let mut values = mean_numbers(&course.in_window(&course.numbers));
        let mut put = |name: &str, value: f64| {
            values.insert(name.to_owned(), MetricValue::exact(value));
        };
        put("rounds", course.points.len() as f64);
        put("steady", if convergence.steady() { 1.0 } else { 0.0 });
        let tracked = convergence.tracked.first();
        put("first", tracked.and_then(|one| one.rounds.values.first()).copied().unwrap_or(0.0));
        if let Some(verdict) = tracked.and_then(|one| one.verdict) {
            put("mean", verdict.mean);
            put("range", verdict.range_percent / 100.0);
        }
        if let Some(fills) = course.kept.last().and_then(|point| point.metrics.get(FILLS)) {
            put(FILLS, fills.value);
        }
        values
    }

    fn convergence(&self, session: &Session<'_>, course: &Course) -> Convergence {
        let by = |(path, values): (&String, &Vec<f64>)| {
            let (step, name) = path.split_once('.').unwrap_or(("", path));
            ByRound { at: step.to_owned(), metric: name.to_owned(), values: values.clone() }
        };
        let rounds = self.paths(session).into_iter().zip(&course.tracked).map(by);
        let tracked = rounds.zip(course.verdicts());
        let point = session.point();
        let space = if point.is_empty() { "" } else { " " };
        Convergence {
            name: format!("{}{space}{point}", self.name),
            criterion: course.criterion,
            judged: course.judged.iter().map(|round| engine::narrow(*round + 1)).collect(),
            tracked: tracked.map(|(rounds, verdict)| Tracked { rounds, verdict }).collect(),
            others: match course.points.iter().all(Vec::is_empty) {
                true => beside(&course.numbers),
                false => {
                    let metric = tail(&self.track);
                    let mut all = between(&self.steps, metric, &course.numbers);
                    all.extend(cells(metric, &course.points));
                    all
                }
            },
        }
    }
}

impl Course {
    /// Those of the rounds that a result rests on: the last that were judged, or, if they are too
    /// few, the last of all.
    fn in_window<'c, T>(&self, rounds: &'c [T]) -> Vec<&'c T> {
        let window = self.criterion.window;
        match self.judged.len().checked_sub(window) {
            Some(first) => self.judged[first..].iter().filter_map(|i| rounds.get(*i)).collect(),
            None => rounds[rounds.len().saturating_sub(window)..].iter().collect(),
        }
    }

    /// What the criterion says of each tracked number.
    fn verdicts(&self) -> Vec<Option<SniaVerdict>> {
        let judge = |values: &Vec<f64>| {
            let judged: Vec<f64> =
                self.judged.iter().filter_map(|round| values.get(*round)).copied().collect();
            self.criterion.judge(&judged)
        };
        self.tracked.iter().map(judge).collect()
    }
}

/// The value of a number that is followed.
fn followed(session: &Session<'_>, path: &str) -> Result<f64, Failure> {
    let missing = || Failure::failed(format!("no step gives `{path}`, which is followed"));
    session.value(path).map(|value| value.value).ok_or_else(missing)
}

/// The path of a tracked number.
fn path_of(rounds: &ByRound) -> String {
    format!("{}.{}", rounds.at, rounds.metric)
}

/// By how much a number is not steady.
fn unsteady(
    track: &str,
    rounds: usize,
    criterion: &SniaCriterion,
    verdict: Option<SniaVerdict>,
) -> String {
    let window = criterion.window;
    let how = match verdict {
        None => format!("{window} are judged"),
        Some(seen) => format!(
            "over the last {window} it ranges over {:.1} % of its mean ({} % may be) and its line \
             moves by {:.1} % ({} % may be)",
            seen.range_percent,
            criterion.range_percent,
            seen.excursion_percent,
            criterion.excursion_percent
        ),
    };
    format!("`{track}` is not steady after {rounds} rounds: {how}; the last ones are reported")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(every: Option<u32>, first: Option<u32>) -> Rounds {
        Rounds {
            name: "rounds".to_owned(),
            track: "load.iops".to_owned(),
            also_when: Vec::new(),
            also: vec!["other.bandwidth".to_owned()],
            max: None,
            every,
            first,
            after_writes: None,
            until_writes: None,
            steps: Vec::new(),
        }
    }

    #[test]
    fn what_is_not_steady_says_by_how_much() {
        let criterion = SniaCriterion::default();
        let rounds = [100.0, 90.0, 80.0, 70.0, 60.0];
        assert_eq!(
            unsteady("load.iops", 5, &criterion, criterion.judge(&rounds)),
            "`load.iops` is not steady after 5 rounds: over the last 5 it ranges over 50.0 % of \
             its mean (20 % may be) and its line moves by 50.0 % (10 % may be); the last ones are \
             reported"
        );
        let few = unsteady("load.iops", 3, &criterion, criterion.judge(&rounds[..3]));
        assert!(few.contains("after 3 rounds: 5 are judged"), "{few}");
    }

    /// Every 31st minute, the last minute of half an hour, the first minute of half an hour.
    #[test]
    fn some_rounds_are_judged() {
        let judged = |every, first| -> Vec<usize> {
            (0..92).filter(|round| rounds(every, first).judges(*round)).map(|r| r + 1).collect()
        };
        assert_eq!(judged(Some(30), Some(31)), [31, 61, 91]);
        assert_eq!(judged(Some(30), Some(30)), [30, 60, 90]);
        assert_eq!(judged(Some(30), None), [1, 31, 61, 91]);
        assert_eq!(judged(None, None).len(), 92);
    }

    /// All that is tracked has to be steady, in the rounds that are judged.
    #[test]
    fn one_unsteady_number_is_enough() {
        let criterion = SniaCriterion::default();
        let mut course = Course {
            criterion,
            tracked: vec![vec![100.0; 5], vec![100.0, 90.0, 80.0, 70.0, 60.0]],
            points: vec![Vec::new(); 5],
            kept: Vec::new(),
            numbers: Vec::new(),
            judged: (0..5).collect(),
        };
        let steady = |course: &Course| -> Vec<bool> {
            course.verdicts().into_iter().map(|one| one.is_some_and(|v| v.steady)).collect()
        };
        assert_eq!(steady(&course), [true, false]);
        course.tracked[1] = vec![60.0; 5];
        assert_eq!(steady(&course), [true, true]);
        // Of four that are judged nothing can be said.
        course.judged.pop();
        assert_eq!(steady(&course), [false, false]);
    }

    /// Where every 30th round is judged, a result rests on five of these, not on the last five.
    #[test]
    fn a_result_rests_on_what_was_judged() {
        let values =
            |i: i32| Values::from([("load.iops".to_owned(), MetricValue::exact(f64::from(i)))]);
        let mut course = Course {
            criterion: SniaCriterion::default(),
            tracked: Vec::new(),
            points: Vec::new(),
            kept: Vec::new(),
            numbers: (0..10).map(values).collect(),
            judged: vec![0, 2, 4, 6, 8],
        };
        let mean =
            |course: &Course| mean_numbers(&course.in_window(&course.numbers))["load.iops"].value;
        assert_eq!(mean(&course), 4.0);
        course.judged.pop();
        assert_eq!(mean(&course), 7.0, "too few are judged: the last five");
        assert_eq!(beside(&course.numbers)[0].values.len(), 10);
    }
}

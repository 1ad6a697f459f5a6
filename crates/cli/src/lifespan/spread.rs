//! Whether a load writes as the drives were written that it is measured on: what it amplifies its
//! writes by in the long run is measured at once only then.

use fio::workload::{Distribution, Size, ZoneMode};
use fio::{Job, JobFile};
use lab::EVERY_DEVICE;
use metric::{ParamValue, Params, Pattern, State};
use stats::Direction;

/// What a run says of the write amplification that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amplified {
    /// It is the one that was measured.
    Known,
    /// It is no more: drives that were written at random all over are at their worst.
    AtMost,
    /// It is no less: nothing that the load overwrote had to be collected yet.
    AtLeast,
}

/// How a load spreads its writes over a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Evenly, at random.
    AtRandom,
    /// All in order.
    InOrder,
    /// In part, unevenly, both, or in a way that is not known.
    Otherwise,
}

impl Amplified {
    /// That of a load with these parameters, of which `file` has the jobs if it is a job file.
    pub fn of(params: &Params, file: Option<&JobFile>) -> Self {
        let spread = file.map_or_else(|| of_method(params), of_jobs);
        match (params.state().unwrap_or(State::Steady), spread) {
            (State::Steady, Spread::AtRandom) | (State::Filled, Spread::InOrder) => Self::Known,
            (State::Steady, _) => Self::AtMost,
            _ => Self::AtLeast,
        }
    }

    /// What to keep in mind of how long candidates last.
    pub fn warning(self) -> Option<String> {
        let text = match self {
            Self::Known => return None,
            Self::AtMost => {
                "candidates last at least as long as is shown: the drives were written at random \
                 all over before, and the load writes otherwise, so it amplifies its writes by \
                 what was measured at most; one that writes all in order is measured with \
                 @state=filled"
            }
            Self::AtLeast => {
                "candidates last no longer than is shown: the load was not measured in a state \
                 that lasts, and amplifies its writes by more later; leave `state` out"
            }
        };
        Some(text.to_owned())
    }
}

/// How a method with parameters writes.
fn of_method(params: &Params) -> Spread {
    let whole = |share: &ParamValue| share.base().is_none_or(|share| share >= 1.0);
    let is_part =
        params.get("span").is_some() || params.get("partition").is_some_and(|one| !whole(one));
    match params.pattern() {
        Some(Pattern::Random) if !is_part => Spread::AtRandom,
        Some(Pattern::Sequential) if !is_part => Spread::InOrder,
        _ => Spread::Otherwise,
    }
}

/// How the jobs of a file write.
fn of_jobs(file: &JobFile) -> Spread {
    let writers: Vec<&Job> = file
        .jobs
        .iter()
        .filter(|job| job.rw.write || job.rw.trim || job.replay.is_some())
        .collect();
    let all = |is: fn(&Job) -> bool| writers.iter().all(|job| is_whole(job) && is(job));
    if all(is_at_random) {
        Spread::AtRandom
    } else if all(|job| !job.rw.random) {
        Spread::InOrder
    } else {
        Spread::Otherwise
    }
}

/// Whether a job writes all of the target, and nothing but that.
fn is_whole(job: &Job) -> bool {
    job.replay.is_none()
        && !job.rw.trim
        && job.filenames == [EVERY_DEVICE]
        && matches!(job.size, None | Some(Size::Percent(100)))
        && job.offset == Size::Bytes(0)
        && job.zone_mode == ZoneMode::None
}

/// Whether each block is written as often as any other.
fn is_at_random(job: &Job) -> bool {
    let write = Direction::Write.index();
    job.rw.random
        && job.percentage_random[write] == 100
        && job.random_distribution[write] == Distribution::Uniform
}

#[cfg(test)]
mod tests {
    use super::*;
    use fio::{LoadOptions, jobfile};

    fn spread(jobs: &str) -> Spread {
        let text = format!("[global]\nfilename=/dev/target\nbs=8k\n{jobs}");
        of_jobs(&jobfile::parse_str("j.fio", &text, &LoadOptions::default()).unwrap())
    }

    #[test]
    fn jobs_write_at_random_in_order_or_otherwise() {
        let reads = "[r]\nrw=read\n";
        for (jobs, expected) in [
            ("[a]\nrw=randwrite\n", Spread::AtRandom),
            ("[a]\nrw=randrw\n[b]\nrw=randwrite\nbs=64k\n", Spread::AtRandom),
            ("[a]\nrw=rw\n", Spread::InOrder),
            ("[a]\nrw=write\n[b]\nrw=randwrite\n", Spread::Otherwise),
            ("[a]\nrw=randwrite\nrandom_distribution=zipf:1.1\n", Spread::Otherwise),
            ("[a]\nrw=randwrite\nsize=10%\n", Spread::Otherwise),
            ("[a]\nrw=randwrite\noffset=1g\n", Spread::Otherwise),
            ("[a]\nrw=randtrim\n", Spread::Otherwise),
            ("[a]\nrw=randwrite\npercentage_random=50\n", Spread::Otherwise),
        ] {
            assert_eq!(spread(&format!("{jobs}{reads}")), expected, "{jobs}");
        }
    }

    #[test]
    fn the_state_has_to_be_that_of_the_load() {
        let of = |pairs: &[(&str, &str)]| {
            Amplified::of(&Params::from_pairs(pairs.iter().copied()).unwrap(), None)
        };
        assert_eq!(of(&[("pattern", "rand")]), Amplified::Known);
        assert_eq!(of(&[("pattern", "seq"), ("state", "steady")]), Amplified::AtMost);
        assert_eq!(of(&[("pattern", "seq"), ("state", "filled")]), Amplified::Known);
        assert_eq!(of(&[("pattern", "rand"), ("state", "filled")]), Amplified::AtLeast);
        assert_eq!(of(&[("pattern", "rand"), ("partition", "50 %")]), Amplified::AtMost);
    }
}

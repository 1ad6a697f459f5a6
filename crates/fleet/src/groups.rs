//! Drives in arrays: failures that meet.

/// How drives stand together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groups {
    /// Drives of an array.
    pub drives: u32,
    /// How many may be missing at once.
    pub spare: u32,
    /// Time until a failed drive is replaced and filled, s.
    pub rebuild: f64,
    /// Drives of one batch are spread over all arrays, not put in one.
    pub mixed: bool,
}

/// A drive of an array has failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// When, s.
    pub at: f64,
    /// In which slot.
    pub slot: u32,
}

impl Groups {
    /// How often an array loses data by these failures: drives are missing in more slots than may
    /// be before the first of them is filled again. A new drive that fails in a slot that is
    /// not filled yet is none more. What follows a loss begins anew.
    pub fn losses(&self, failures: &mut [Failure]) -> u32 {
        failures.sort_by(|a, b| a.at.total_cmp(&b.at));
        let needed = self.spare as usize + 1;
        let (mut losses, mut first, mut slots) = (0, 0, Vec::new());
        for last in 0..failures.len() {
            while failures[first].at + self.rebuild <= failures[last].at {
                first += 1;
            }
            slots.clear();
            slots.extend(failures[first..=last].iter().map(|failure| failure.slot));
            slots.sort_unstable();
            slots.dedup();
            if slots.len() >= needed {
                losses += 1;
                first = last + 1;
            }
        }
        losses
    }
}

/// The most of these times, which are in order, within a window.
pub(crate) fn most_within(times: &[f64], window: f64) -> u32 {
    let (mut most, mut first) = (0, 0);
    for (last, time) in times.iter().enumerate() {
        while times[first] + window <= *time {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    engine::narrow(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_lost_when_one_failure_too_many_meets_a_rebuild() {
        let of = |spare, times: &[f64]| {
            let groups = Groups { drives: 6, spare, rebuild: 10.0, mixed: false };
            let failures = (0..).zip(times).map(|(slot, at)| Failure { at: *at, slot });
            groups.losses(&mut failures.collect::<Vec<_>>())
        };
        assert_eq!(of(1, &[5.0, 15.0]), 0, "it has just been filled again");
        assert_eq!(of(1, &[14.9, 5.0]), 1);
        assert_eq!(of(2, &[5.0, 14.9]), 0);
        assert_eq!(of(2, &[5.0, 9.0, 14.9]), 1);
        assert_eq!(of(0, &[5.0, 6.0]), 2, "each is a loss where none may be missing");
        assert_eq!(of(1, &[5.0, 6.0, 7.0, 30.0, 31.0]), 2);
        assert_eq!(of(1, &[]), 0);
    }

    #[test]
    fn a_slot_is_missing_once() {
        let groups = Groups { drives: 2, spare: 1, rebuild: 10.0, mixed: false };
        let same = [5.0, 9.0].map(|at| Failure { at, slot: 0 });
        assert_eq!(groups.losses(&mut same.to_vec()), 0);
        let other = Failure { at: 12.0, slot: 1 };
        assert_eq!(groups.losses(&mut [same[0], same[1], other]), 1);
    }

    #[test]
    fn the_fullest_window_counts() {
        assert_eq!(most_within(&[], 5.0), 0);
        assert_eq!(most_within(&[1.0, 2.0, 6.0, 6.5, 6.9, 7.0], 5.0), 4);
        assert_eq!(most_within(&[0.0, 5.0, 10.0], 5.0), 1);
    }
}

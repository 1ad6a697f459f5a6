//! Whole erases, shared out among the groups as the windows so far have shown.

use engine::whole;

/// How the windows so far have worn the groups.
pub(super) struct Advance {
    /// Erases that windows have shown, by group.
    shown: Vec<u64>,
    /// What is left of an erase, by group, so that rounding never adds up.
    rest: Vec<f64>,
}

impl Advance {
    /// For as many groups as there are erase counts.
    pub(super) fn new(erases: &[u32]) -> Self {
        Advance { shown: vec![0; erases.len()], rest: vec![0.0; erases.len()] }
    }

    /// Erases of each group in `factor` windows that erase as much as the last one did. A window
    /// erases most groups once or not at all, which says little about a group; all windows so far
    /// say more, so the erases are shared out by those.
    pub(super) fn step(&mut self, before: &[u32], after: &[u32], factor: f64) -> Vec<u32> {
        let mut window = 0u64;
        for ((shown, from), to) in self.shown.iter_mut().zip(before).zip(after) {
            let erases = u64::from(to.saturating_sub(*from));
            *shown += erases;
            window += erases;
        }
        let all: u64 = self.shown.iter().sum();
        let each = window as f64 * factor / all.max(1) as f64;
        self.rest
            .iter_mut()
            .zip(&self.shown)
            .map(|(rest, shown)| {
                *rest += *shown as f64 * each;
                let full = rest.floor();
                *rest -= full;
                u32::try_from(whole(full)).unwrap_or(u32::MAX)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Advance;

    #[test]
    fn parts_of_erases_are_not_lost() {
        let mut advance = Advance::new(&[0, 0, 0]);
        let mut sum = [0u32; 3];
        for _ in 0..10 {
            let more = advance.step(&[5, 5, 5], &[6, 5, 8], 0.3);
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        // Ten times 0.3 of one erase, of none, and of three; a float may keep the last one back.
        assert!(sum[0].abs_diff(3) <= 1 && sum[1] == 0 && sum[2].abs_diff(9) <= 1, "{sum:?}");
    }

    /// Two windows that erase different groups once wear both alike from then on.
    #[test]
    fn groups_are_worn_as_all_windows_have_shown() {
        let mut advance = Advance::new(&[0, 0]);
        assert_eq!(advance.step(&[0, 0], &[1, 0], 10.0), [10, 0]);
        assert_eq!(advance.step(&[11, 0], &[11, 1], 10.0), [5, 5]);
    }
}

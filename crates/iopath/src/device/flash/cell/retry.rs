//! Read retry: when the states have sunk, the page is read again with lower references.
//!
//! Step `k` lowers the reference midway between the two highest states by `k` times the step and
//! the others in proportion to their height, as the states themselves sink. A controller goes
//! through the steps in order and stops at the first that the code can correct, so the number of
//! steps follows the distance that the states have sunk. Every step costs a sense, a transfer and a
//! decoding.

use super::ecc::Ecc;
use engine::narrow;

/// How a read of a page ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Senses after the first.
    pub retries: u32,
    /// Raw bit error rate at the references that were used last, or at the best if none would do.
    pub rber: f64,
    /// Raw bit error rate at the best references.
    pub best: f64,
    /// The code corrects it.
    pub within: bool,
}

impl Reading {
    /// Probability that one codeword of the page stays uncorrectable.
    pub fn failure(&self, ecc: Ecc) -> f64 {
        ecc.failure(self.rber)
    }
}

/// What a controller does with a page whose raw bit error rate after each step is `steps` (the
/// first is the default references) and `added` whatever the references, with a code that corrects
/// `limit`. If no step will do it tries them all and keeps the best.
pub fn read(steps: &[f64], added: f64, limit: f64) -> Reading {
    let found = steps.iter().position(|rber| rber + added <= limit);
    let best = steps.iter().copied().fold(f64::INFINITY, f64::min) + added;
    let (retries, rber) = match found {
        Some(step) => (step, steps[step] + added),
        None => (steps.len().saturating_sub(1), best),
    };
    Reading { retries: narrow(retries), rber, best, within: found.is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ECC: Ecc = Ecc { bits: 24, data_bytes: 1024 };

    #[test]
    fn the_first_step_that_the_code_can_correct_is_the_last_that_is_tried() {
        let limit = ECC.limit(1e-15);
        let steps = [9e-3, 2e-3, 3e-4, 1e-4];
        assert_eq!(read(&steps, 0.0, limit).retries, 2);
        assert_eq!(read(&steps[2..], 0.0, limit).retries, 0, "good at once");
        // Disturbed reads do not care for the references: one more step is needed.
        assert_eq!(read(&steps, 3e-4, limit).retries, 3);
    }

    #[test]
    fn a_page_beyond_every_step_is_tried_with_all_and_likely_fails() {
        let limit = ECC.limit(1e-15);
        let reading = read(&[9e-2, 5e-2, 8e-2], 0.0, limit);
        assert_eq!((reading.retries, reading.rber), (2, 5e-2));
        assert!(!reading.within && reading.failure(ECC) > 0.999);
    }
}

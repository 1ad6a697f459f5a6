//! From a drive's answer to the thread that waits for it: the host's interrupt and wake-up.

use crate::device::flash::config::LinkConfig;
use engine::{Duration, Instant, Quantiles, Stream};

/// When the host sees what a drive has completed.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Delay of every completion.
    least: Duration,
    /// What comes on top of it, each time anew.
    jitter: Option<Quantiles>,
    draws: Stream,
}

impl Completion {
    /// Of a drive behind `link`. Its mean is the link's completion latency, with or without jitter.
    pub fn new(link: &LinkConfig, seed: u64, name: &str) -> Self {
        let mean = link.jitter.as_ref().map_or(0, |jitter| jitter.mean().ps());
        Completion {
            least: Duration::from_ps(link.completion_latency.ps().saturating_sub(mean)),
            jitter: link.jitter.clone(),
            draws: Stream::new(seed, &format!("{name}/host")),
        }
    }

    /// When a command is seen whose last byte is through at `at`.
    #[inline]
    pub fn seen(&mut self, at: Instant) -> Instant {
        match &self.jitter {
            None => at + self.least,
            Some(jitter) => at + self.least + jitter.draw(&mut self.draws),
        }
    }
}

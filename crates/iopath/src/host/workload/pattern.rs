//! Where I/Os go inside a thread's region.

use engine::Sampler;

/// How the next place is chosen.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// One after the other, from the start again at the end.
    Sequential,
    /// By a distribution over the aligned places of the region.
    Random(Sampler),
}

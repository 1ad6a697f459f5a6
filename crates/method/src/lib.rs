//! Review methods over a target, published figures, and the one place where an event of the
//! model becomes a statistic.

pub mod basis;
pub mod fit;
pub mod health;
pub mod library;
pub mod life;
pub mod measure;
pub mod review;
pub mod simulate;

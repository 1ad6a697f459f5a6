//! Says which points a sweep has, and what their results mean; runs nothing that it is not given.
//!
//! A [`Space`] of [`Factor`]s is sampled into points, each a value of every factor. What a point
//! gave is a [`Row`]; a [`Store`] keeps rows in a journal that survives a kill at any time.
//! [`judge()`] holds all of them to requirements and objectives.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod classes;
mod cost;
mod effects;
mod factor;
mod goal;
pub mod halving;
mod id;
pub mod judge;
mod mistake;
pub mod nsga2;
mod paired;
mod pareto;
mod plan;
mod point;
pub mod race;
mod row;
mod sampler;
mod sobol;
mod space;
mod store;

pub use classes::Classes;
pub use cost::{Cost, CostTable, Part};
pub use effects::{Effect, effects};
pub use factor::{Factor, GRAMMAR, Values, one_spelling};
pub use goal::{Objective, Standing, requirement};
pub use id::{hash, id};
pub use judge::{Judged, judge};
pub use mistake::Mistake;
pub use pareto::{Span, front};
pub use plan::{PlanFile, Word, Words};
pub use point::{
    Estimate, Point, has_no_interval, has_too_few_samples, of_one_run, too_few_samples,
};
pub use row::{Row, Status};
pub use sampler::Sampler;
pub use sobol::{DIMENSIONS, Sobol};
pub use space::{Drawn, POINTS_MAX, Space};
pub use store::{Head, Part as Shard, Store, StoreError};

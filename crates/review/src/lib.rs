//! Published figures and claims of reviews, measured again on models.
//!
//! A reviews file ([`ReviewFile`]) holds figures ([`Figure`]) and claims ([`Claim`]). Names of
//! drives and tests resolve through a table ([`Aliases`]) to targets and methods; parameters take
//! one canonical form ([`metric::Params`]), so that figures about the same run share it. A [`Plan`]
//! lists the distinct runs, a [`Bench`] makes them, [`Plan::coarse`] says which to make once more,
//! and [`Plan::judge`] gives the [`answer::Reproduction`].
//! `reviews/README.md` documents the format, the methods, the parameters and the metrics.

mod alias;
pub mod basis;
mod bench;
mod claim;
mod claim_verdict;
mod counter;
mod figure;
mod figure_verdict;
mod given;
mod labels;
mod model_error;
mod models;
mod node;
mod number;
mod plan;
mod precision;
mod reading;
mod relation;
mod reproduce;
mod reviews;
mod schema;
mod spread;
mod standing;
mod subject;
mod summary;
mod uncertain;
mod value;
mod verdict;

#[cfg(test)]
mod tests;

pub use alias::{Aliases, Device, Test};
pub use bench::Bench;
pub use claim::{Against, Check, Claim, Op, Side};
pub use figure::{Figure, Kind};
pub use labels::{CARRIES, Derived, DerivedFile, Labels, fitted_on_by_method};
pub use model_error::{Case, Class, LEAST_CASES, ModelError, OfClass, held, model_error};
pub use plan::{Plan, PlannedRun, Results};
pub use reproduce::{Progress, reproduce};
pub use reviews::{Library, ReviewFile, texts};
pub use schema::ReviewSchema;
pub use standing::Standing;
pub use subject::{Named, Places, Subject};
pub use verdict::{BOUND_FAR, FITTED_WITHIN, PREDICTED_WITHIN};

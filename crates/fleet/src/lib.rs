//! Many drives over years: who wears out when, who fails of what, how many spares that takes.
//!
//! Drives are not simulated one by one. What a drive writes, how full it is and how warm it runs
//! is drawn from a [`Use`]; how much of that its flash amplifies comes from a [`Surface`], which a
//! few simulations hold up; when it fails follows from [`Hazards`], which are the user's. A
//! [`Fleet`] is lived through by [`live`], slot by slot, and summed up by month. [`stratified`]
//! picks drives of it that are simulated one by one, to hold all this to account.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod ending;
mod groups;
mod hazard;
mod histogram;
mod life;
mod normal;
mod sample;
mod spread;
mod surface;
mod usage;

pub use ending::{Cause, Ending};
pub use groups::{Failure, Groups};
pub use hazard::{Frailty, Hazards, Infant, Thermal, WearOut};
pub use histogram::Histogram;
pub use life::{Fleet, MONTH, Month, Outcome, YEAR, live};
pub use normal::quantile as normal_quantile;
pub use sample::stratified;
pub use spread::Spread;
pub use surface::Surface;
pub use usage::{Record, Use, Written};

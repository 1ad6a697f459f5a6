//! How the label of a figure is derived: each sourced value of its model is moved by a little, and
//! the figure measured again.
//!
//! `steps` gives the values beside one, [`Shaken`] is a bench on which models have values set,
//! [`derive`](derive::derive) takes the elasticities, and [`inputs`] is the fingerprint by which a
//! label is known to be of these models. What comes out is kept in `reviews/basis` and read by this
//! crate.

pub mod derive;
mod fingerprint;
mod shaken;
mod steps;

#[cfg(test)]
mod tests;

pub use derive::{Effect, Measure, Moved, derive};
pub use fingerprint::inputs;
pub use shaken::Shaken;

//! What is not known of a model: how far each of its values may be from what its file says, draws
//! of all of them, and the interval of an answer that follows.
//!
//! [`of_system`] lists the values of a model with their sources, [`Value::prior`] says how far off
//! one may be, an [`Ensemble`] draws models, and [`Interval`] is what their answers span. What a
//! model lacks altogether is no value of it: `review` knows how far predictions of the same kind
//! were from what was published.

mod ensemble;
mod interval;
mod spread;
mod value;

pub use ensemble::Ensemble;
pub use interval::{COVERS, Interval, LEAST_DRAWS};
pub use spread::Prior;
pub use value::{Value, of_system};

//! What is not known of a model: how far each of its values may be from what its file says, draws
//! of all of them, and the interval of an answer that follows.
//!
//! [`of_system`] lists the values of a model with their sources, [`of_workload`] those of a profile
//! that are not known, [`Value::at`] says what one may be, an [`Ensemble`] draws models and
//! workloads, and [`Interval`] is what their answers span. What a model lacks altogether is no
//! value of it: `review` knows how far predictions of the same kind were from what was published.

mod ensemble;
mod interval;
mod spread;
mod value;

pub use ensemble::Ensemble;
pub use interval::{COVERS, Interval, LEAST_DRAWS};
pub use value::{Value, of_system, of_workload};

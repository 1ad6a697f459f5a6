//! Fitting: free parameters of a model within physical bounds, to measured figures.
//!
//! The arithmetic here knows neither drives nor files: [`Simulate`] gives the figures at points,
//! [`fit`] finds the best point and says how sure it is. [`model_text`] reads the values of a model
//! file that can be free and writes a new file; [`bounds`] gives their bounds. Formulae and their
//! sources are in `docs/theory.md`.

mod again;
pub mod bounds;
mod cross;
mod ensemble;
mod identify;
mod jacobian;
pub mod model_text;
mod parameter;
mod problem;
mod proposal;
mod quantity;
mod run;
mod solve;
mod uncertainty;
mod weighted;

pub use again::REPEATS;
pub use cross::Prediction;
pub use ensemble::{Ensemble, Span};
pub use identify::{Dropped, Unidentified};
pub use parameter::{Axis, Parameter};
pub use problem::{Problem, Repeated, Seen, Simulate, Wanted};
pub use quantity::{Quantity, significant};
pub use run::{Choice, Fit, FitError, Found, Judged, Options, fit, judge, search};
pub use solve::Ended;
pub use uncertainty::Certainty;

//! What commands answer: the types of every `--json` and of what a Record keeps besides fio's
//! report. A command fills one in, and a report reads the same type.
//!
//! The order of the fields is the order in JSON. Values are in base units (s, B, 1/s, ...) unless a
//! field says otherwise. A field that a later version added has a default, so that results of
//! earlier versions are read; [`read`] says where a result is something else.

pub mod age;
pub mod budget;
pub mod calibration;
pub mod campaign;
pub mod capacity;
pub mod check;
pub mod choice;
pub mod comparison;
pub mod corpus;
pub mod devices;
pub mod endurance;
pub mod fit;
pub mod fleet;
mod interval90;
mod kept;
pub mod measured;
pub mod origin;
mod pairs;
pub mod preflight;
mod read;
pub mod reproduction;
pub mod run;
pub mod shelf;
pub mod shown;
pub mod spec;
pub mod sweep;
pub mod tested;
pub mod trace;
pub mod twin;
#[cfg(test)]
mod words;

pub use age::Age;
pub use budget::Budget;
pub use calibration::Calibration;
pub use campaign::Campaign;
pub use capacity::Capacity;
pub use choice::Choice;
pub use comparison::Comparison;
pub use endurance::Endurance;
pub use fit::Fitted;
pub use fleet::Fleet;
pub use interval90::Interval90;
pub use kept::Answer;
pub use measured::Measured;
pub use origin::Origin;
pub use pairs::Pairs;
pub use preflight::Preflight;
pub use read::{NotAnAnswer, read};
pub use reproduction::Reproduction;
pub use run::Run;
pub use spec::Spec;
pub use sweep::{Sweep, SweepPart};
pub use tested::Tested;
pub use twin::Twin;

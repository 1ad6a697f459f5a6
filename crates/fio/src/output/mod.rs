//! Results in the forms that fio 3.33 prints: text, JSON, JSON+ and logs.
//!
//! Everything is a function of its arguments: no clock is read, and the same result gives the
//! same bytes.

mod banner;
pub mod date;
mod json;
mod json_format;
mod latency_text;
pub mod layout;
mod logs;
mod number_text;
mod text;

pub use banner::banner;
pub use json::{JsonKind, json};
pub use layout::Provenance;
pub use logs::{LogFormat, hist_log_name, log_name, write_hist_log, write_log};
pub use text::normal;

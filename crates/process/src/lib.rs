//! Child processes that do not outlive their parent, alone or as a group.

mod running;

pub use running::{Running, adopt_orphans, bound, end_all_in, end_orphans, starter};

pub use rustix::process::Signal;

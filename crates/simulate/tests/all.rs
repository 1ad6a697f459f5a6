//! All tests of the crate in one binary: it is linked once.

mod absurd_times;
mod cells;
mod health;
mod limits;
mod models;
mod sense;
mod states;
mod systems;

//! All tests of the crate in one binary: it is linked once.

mod common;
mod conditions;
mod database;
mod end_to_end;
mod guard;
mod health;
mod power;
mod purge;
mod redirect;
mod source;
mod states;
mod states_real;

//! All tests of the crate in one binary: it is linked once.

mod bad_input;
mod commands;
mod common;
mod compare;
mod crash;
mod endurance;
mod examples;
mod fit;
mod golden;
mod guide;
mod interrupt;
mod intervals;
mod own_methods;
mod real_targets;
mod reference;
mod report;
mod report_real;
mod report_values;
mod reproduce;
mod results;
mod run;
mod schemas;
mod serve;
mod served_clients;
mod served_nvme;
mod served_targets;

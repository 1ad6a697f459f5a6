//! All tests of the crate in one binary: it is linked once.

mod array_condition;
mod array_methods;
mod brief;
mod built_of;
mod client_methods;
mod cut;
mod devices;
mod distributions;
mod gates;
mod heat;
mod highest_load;
mod life;
mod load_curve;
mod methods;
mod p5430;
mod pressure;
mod real_target;
mod rebuild;
mod scale_law;
mod series;
mod snia;
mod streams;
mod sysbench_oltp;

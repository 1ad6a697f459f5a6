//! All tests of the crate in one binary: it is linked once.

mod absurd_times;
mod array_methods;
mod cells;
mod client_methods;
mod cut;
mod devices;
mod distributions;
mod doors;
mod fit;
mod health;
mod heat;
mod life;
mod load_curve;
mod media;
mod methods;
mod models;
mod p5430;
mod policies;
mod pressure;
mod queues;
mod real_target;
mod series;
mod streams;
mod sysbench_oltp;
mod systems;
mod tier_system;

//! A flash drive: the drive with its link, controller and buffer, the FTL, the flash, its cells.

pub mod cell;
pub mod config;
pub mod drive;
pub mod ftl;
pub mod geometry;
pub mod nand;
mod prefetch;

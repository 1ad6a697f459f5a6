//! Storage devices: flash drives, hard disks, modules of 3D XPoint, and what they share.

pub mod completion;
pub mod disk;
pub mod flash;
pub mod health;
pub mod heat;
pub mod queues;
pub mod xpoint;

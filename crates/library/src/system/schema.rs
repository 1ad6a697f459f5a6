//! Schemas of the words of system files.

use super::super::schema::words;
use super::cache_file::{OrderWord, RetentionWord};
use super::ports::{Ports, Upstream};
use super::raid_file::{LayoutWord, LevelWord, LockWord, LogWord, ModifyWord, ReadsWord};
use super::tier_file::{AdmissionWord, EvictionWord, ModeWord, WritesWord};

words! {
    AdmissionWord EvictionWord LayoutWord LevelWord LockWord LogWord ModeWord ModifyWord OrderWord
    Ports ReadsWord RetentionWord Upstream WritesWord
}

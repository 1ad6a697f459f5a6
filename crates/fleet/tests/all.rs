//! Laws of fleets.

mod laws;

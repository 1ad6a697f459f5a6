//! Marks: a state that is come back to later, at a cost that follows what was written since and not
//! the size of the drive.

use super::Ftl;
use super::map::Map;
use crate::kernel::payload::Payload;

/// All of a marked state but its map. It belongs to the FTL that was marked.
pub struct Mark<P: Payload>(Ftl<P>);

impl<P: Payload> Ftl<P> {
    /// Marks the state as it is; an older mark is forgotten.
    pub fn mark(&mut self) -> Mark<P> {
        let map = std::mem::replace(&mut self.map, Map::new(0, 0, 0));
        let rest = self.clone();
        self.map = map;
        self.map.mark();
        Mark(rest)
    }

    /// Makes everything as it was at the last mark, which stays.
    ///
    /// # Panics
    /// If there is no mark.
    pub fn go_back(&mut self, mark: &Mark<P>) {
        let mut map = std::mem::replace(&mut self.map, Map::new(0, 0, 0));
        map.go_back();
        *self = Ftl { map, ..mark.0.clone() };
    }
}

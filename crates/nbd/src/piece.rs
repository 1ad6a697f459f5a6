//! A piece of a message whose length is known and whose bytes arrive in parts.

/// Bytes of which `want` are expected.
///
/// A header alone must not cost memory: room is made for what has arrived and at most as much
/// again, never beyond `want`.
#[derive(Debug)]
pub(crate) struct Piece {
    want: usize,
    got: usize,
    keep: bool,
    data: Vec<u8>,
}

impl Piece {
    /// A piece of `want` bytes. If it is not kept, its bytes are only counted.
    pub(crate) fn new(want: usize, keep: bool) -> Self {
        Piece { want, got: 0, keep, data: Vec::new() }
    }

    /// Begins anew in the same memory.
    pub(crate) fn restart(&mut self, want: usize) {
        (self.want, self.got, self.keep) = (want, 0, true);
        self.data.clear();
    }

    /// Takes what belongs to it from the front of `bytes`. True if it is whole.
    pub(crate) fn fill(&mut self, bytes: &mut &[u8]) -> bool {
        let (mine, rest) = bytes.split_at(bytes.len().min(self.want - self.got));
        *bytes = rest;
        self.got += mine.len();
        if self.keep {
            self.make_room(mine.len());
            self.data.extend_from_slice(mine);
        }
        self.got == self.want
    }

    fn make_room(&mut self, more: usize) {
        let needed = self.data.len() + more;
        if needed > self.data.capacity() {
            let room = needed.max(2 * self.data.capacity()).min(self.want);
            self.data.reserve_exact(room - self.data.len());
        }
    }

    /// The bytes that are kept so far.
    pub(crate) fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes that are kept, handed out without a copy.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_takes_its_bytes_and_no_more() {
        let mut piece = Piece::new(3, true);
        let mut bytes: &[u8] = b"ab";
        assert!(!piece.fill(&mut bytes));
        bytes = b"cde";
        assert!(piece.fill(&mut bytes));
        assert_eq!((piece.take(), bytes), (b"abc".to_vec(), &b"de"[..]));
    }

    #[test]
    fn an_empty_piece_is_whole_at_once() {
        assert!(Piece::new(0, true).fill(&mut &b""[..]));
    }

    #[test]
    fn room_follows_what_arrives() {
        let mut piece = Piece::new(32 << 20, true);
        assert_eq!(piece.data.capacity(), 0, "an announcement costs nothing");
        piece.fill(&mut &[0; 100][..]);
        assert_eq!(piece.data.capacity(), 100);
        piece.fill(&mut &[0; 1][..]);
        assert_eq!(piece.data.capacity(), 200);
        let mut all = Piece::new(101, true);
        all.fill(&mut &[0; 100][..]);
        all.fill(&mut &[0; 1][..]);
        assert_eq!(all.data.capacity(), 101, "never more than the whole");
    }

    #[test]
    fn what_is_skipped_is_not_kept() {
        let mut piece = Piece::new(5, false);
        assert!(!piece.fill(&mut &b"1234"[..]));
        assert!(piece.fill(&mut &b"5"[..]));
        assert_eq!(piece.data.capacity(), 0);
    }
}

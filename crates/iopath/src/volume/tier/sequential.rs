//! Streams of commands that follow one another: a cache may let them pass, because a disk is good
//! at them and they would push out everything else.

/// Streams that are followed at once.
const STREAMS: usize = 16;

/// The ends of the streams seen last, the most recent first.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// Where the next command of a stream would begin, and its bytes so far.
    ends: [(u64, u64); STREAMS],
}

impl Streams {
    /// A command comes; returns the bytes of its stream, its own included.
    #[inline]
    pub fn note(&mut self, start: u64, len: u64) -> u64 {
        let known = self.ends.iter().position(|&(end, run)| run > 0 && end == start);
        let place = known.unwrap_or(STREAMS - 1);
        let run = if known.is_some() { self.ends[place].1 + len } else { len };
        self.ends[..=place].rotate_right(1);
        self.ends[0] = (start + len, run);
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_followed_side_by_side() {
        let mut streams = Streams::default();
        for i in 0..10 {
            for stream in 0..STREAMS as u64 {
                assert_eq!(streams.note((stream << 32) + i * 8, 8), (i + 1) * 8);
            }
        }
    }

    #[test]
    fn the_stream_least_recently_seen_is_forgotten() {
        let mut streams = Streams::default();
        streams.note(0, 8);
        for other in 1..=STREAMS as u64 {
            streams.note(other << 32, 8);
        }
        assert_eq!(streams.note(8, 8), 8, "the first is the seventeenth");
        assert_eq!(streams.note((STREAMS as u64) << 32 | 8, 8), 16);
    }
}

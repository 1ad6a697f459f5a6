//! Memory as what bounds how many runs there are at a time.

use crate::free_memory;
use std::sync::{Condvar, Mutex, PoisonError};

/// Share of the memory that is free at the beginning.
const SHARE: f64 = 0.7;
/// Free memory where the system does not tell, bytes.
const UNKNOWN: u64 = 2 << 30;

/// What runs may take together.
pub struct Memory {
    all: u64,
    taken: Mutex<u64>,
    freed: Condvar,
}

impl Memory {
    /// A part of what is free now.
    pub fn free() -> Self {
        let of_group = free_memory::of_group().unwrap_or(u64::MAX);
        let free = free_memory::of_machine().unwrap_or(UNKNOWN).min(of_group);
        Self::of(engine::whole(free as f64 * SHARE))
    }

    fn of(all: u64) -> Self {
        Self { all, taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until there is room for so many bytes and takes them while `work` is done. What is
    /// larger than all there is runs alone.
    pub fn within<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> T {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 && *taken + bytes > self.all {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += bytes;
        drop(taken);
        let made = work();
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.freed.notify_all();
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn no_more_is_taken_than_there_is_and_what_is_too_large_runs_alone() {
        let (memory, now, most) = (Memory::of(100), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [40, 40, 40, 40, 500] {
                let (memory, now, most) = (&memory, &now, &most);
                scope.spawn(move || {
                    memory.within(bytes, || {
                        let sum = now.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        assert!(sum <= 100 || sum == 500, "{sum}");
                        most.fetch_max(sum, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        now.fetch_sub(bytes, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 500);
    }
}

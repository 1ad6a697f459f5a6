//! Something built that knows whether it is as it was built.

use std::ops::{Deref, DerefMut};

/// A value, and whether anybody could have changed it since it was built.
pub(super) struct Pristine<T> {
    value: T,
    is_new: bool,
}

impl<T> Pristine<T> {
    /// Just built.
    pub(super) fn new(value: T) -> Self {
        Pristine { value, is_new: true }
    }

    /// True if nobody could have changed it.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }
}

impl<T> Deref for Pristine<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Pristine<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.is_new = false;
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::Pristine;

    #[test]
    fn reading_leaves_it_new_and_a_mutable_borrow_does_not() {
        let mut list = Pristine::new(vec![1]);
        assert!(list.len() == 1 && list.is_new());
        list.push(2);
        assert!(!list.is_new());
    }
}

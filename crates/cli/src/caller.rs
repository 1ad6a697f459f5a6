//! A program that calls this one as a library. It takes the answers, hears of progress, and may end
//! what runs. Each call has its own, known to the thread that makes it; what works in other threads
//! takes it from there.

use crate::render::Failure;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Hears of progress: the share done, 0 to 1, and what is under way; from any thread.
pub type Hear = Box<dyn Fn(f64, &str) + Send + Sync>;

/// Who calls.
#[derive(Default)]
pub struct Caller {
    answer: Mutex<Vec<u8>>,
    hear: Option<Hear>,
    ended: AtomicBool,
}

thread_local! {
    static CALLER: RefCell<Option<Arc<Caller>>> = const { RefCell::new(None) };
}

/// What unwinds from work whose caller has ended it.
struct Ended;

impl Caller {
    /// A caller that hears of progress, if it wants to.
    pub fn new(hear: Option<Hear>) -> Arc<Self> {
        Arc::new(Self { hear, ..Self::default() })
    }

    /// Ends what runs, from another thread; what was measured and saved stays.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Who called in this thread; `None` on a command line.
    pub(crate) fn here() -> Option<Arc<Self>> {
        CALLER.with(|caller| caller.borrow().clone())
    }

    /// Whether it has ended what runs.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Takes a part of the answer.
    pub(crate) fn take(&self, bytes: &[u8]) {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }

    /// Tells of progress. Work that was ended unwinds from here, up to [`Self::calls`]: that costs
    /// the layers between, which hold nothing but memory, no test of it.
    pub(crate) fn tell(&self, share: f64, what: &str) {
        if self.has_ended() {
            resume_unwind(Box::new(Ended));
        }
        if let Some(hear) = &self.hear {
            hear(share, what);
        }
    }

    /// Does something for this caller, and gives back the answer.
    pub(crate) fn calls(
        self: &Arc<Self>,
        work: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Vec<u8>, Failure> {
        CALLER.with(|caller| *caller.borrow_mut() = Some(self.clone()));
        let done = catch_unwind(AssertUnwindSafe(work));
        CALLER.with(|caller| *caller.borrow_mut() = None);
        match done {
            Ok(done) => done?,
            Err(cause) if is_end(&*cause) => return Err(Failure::failed("interrupted")),
            Err(cause) => return Err(Failure::failed(format!("a bug: {}", reason(&*cause)))),
        }
        Ok(std::mem::take(&mut *self.answer.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Whether this unwinds because a caller has ended the work.
pub(crate) fn is_end(cause: &(dyn Any + Send)) -> bool {
    cause.is::<Ended>()
}

/// What a panic says.
pub(crate) fn reason(cause: &(dyn Any + Send)) -> &str {
    let owned = cause.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

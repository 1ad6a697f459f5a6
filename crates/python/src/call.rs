//! A command of drivelab, called from Python: it runs in a thread of its own, while the thread that
//! called looks for Ctrl-C and tells of progress.

use cli::{Caller, Failure};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// How long work that was ended may take to unwind before it is left behind.
const UNWIND: Duration = Duration::from_secs(2);

create_exception!(_native, Failed, PyException, "A command failed: a list of mistakes.");

/// The last that was heard: the share done, and of what.
type Heard = Arc<Mutex<Option<(f64, String)>>>;

/// Does what the words of a command line say and returns what it would print.
#[pyfunction]
#[pyo3(signature = (words, on_progress=None))]
pub fn call<'py>(
    py: Python<'py>,
    words: Vec<String>,
    on_progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let heard = Heard::default();
    let caller = Caller::new(on_progress.is_some().then(|| {
        let heard = heard.clone();
        let hear = move |share: f64, what: &str| {
            let mut last = heard.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Some((share, what.to_owned()));
        };
        Box::new(hear) as cli::Hear
    }));
    let (sender, receiver) = channel();
    let own = caller.clone();
    std::thread::spawn(move || {
        // Nobody waits any more for work that was left behind.
        let _ = sender.send(cli::call(&words, &own));
    });
    // A receiver is for one thread, and Python may change the thread meanwhile.
    let receiver = Mutex::new(receiver);
    let wait = |time: Duration| {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(time)
    };
    let told = || -> PyResult<()> {
        py.check_signals()?;
        let last = heard.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(hear), Some((share, what))) = (&on_progress, last) {
            hear.call1((share, what))?;
        }
        Ok(())
    };
    loop {
        match py.detach(|| wait(LOOK)) {
            Ok(answer) => {
                told()?;
                return answer.map(|bytes| PyBytes::new(py, &bytes)).map_err(failed);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failed::new_err((
                    1,
                    vec![("a bug: its thread ended", None::<String>, None::<String>)],
                )));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(ended) = told() {
            caller.end();
            // What it gives now is of no interest.
            let _ = py.detach(|| wait(UNWIND));
            return Err(ended);
        }
    }
}

/// The exit code, and each mistake: message, place, help.
fn failed(failure: Failure) -> PyErr {
    let exit = failure.exit;
    Failed::new_err((exit, mistakes(failure)))
}

fn mistakes(failure: Failure) -> Vec<(String, Option<String>, Option<String>)> {
    let Failure { message, place, help, others, .. } = failure;
    let rest = others.into_iter().flat_map(mistakes);
    std::iter::once((message, place, help)).chain(rest).collect()
}

//! A test file that is written or read once in order.

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use crate::target::Work;
use crate::{curve::Curve, metrics};
use engine::Duration;
use metric::{MetricValue, State};
use schemars::JsonSchema;
use serde::Deserialize;

/// Writes or reads the first bytes of the target once in order. They keep their true size on a
/// drive at a fraction of its capacity.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestFile {
    /// Name of its numbers; without it they are not kept.
    #[serde(rename = "as")]
    pub name: Option<String>,
    /// `read` or `write`.
    pub op: String,
    /// Bytes.
    pub size: String,
    /// Transfer size.
    pub block: String,
    /// I/Os in flight; 1 if it is not said.
    pub qd: Option<String>,
}

/// Window of the rate, ms of simulated time.
const WINDOW_MS: u64 = 10;

impl Action for TestFile {
    fn said(&self) -> String {
        format!("file: {} {} once in order", self.op, self.size)
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let read = match self.op.as_str() {
            "read" => true,
            "write" => false,
            other => {
                return Err(Failure::failed(format!("a file is read or written, not {other}")));
            }
        };
        let needed = |what: &str| Failure::failed(format!("the size of a test file's {what}"));
        let block = session.bytes(&self.block)?.ok_or_else(|| needed("I/Os"))?;
        let size = session.bytes(&self.size)?.ok_or_else(|| needed("data"))?;
        let size = (size.min(session.target.capacity()) / block).max(1) * block;
        let depth = match &self.qd {
            Some(written) => session.count(written)?.unwrap_or(1),
            None => 1,
        };
        session.tell(if read { "reading the test file" } else { "writing the test file" }, 0.0);
        let load = Load::file(read, size, block, depth, &session.params);
        let window = Duration::from_ms(WINDOW_MS);
        let ran = session.measure(&Work { keep_size: true, ..Work::pass(&load, window) })?;
        let name = self.name.as_deref().unwrap_or("file");
        session.follow(name, Some(&ran), false);
        // Data there is overwritten, and a fresh drive has something to read now.
        session.written |= !read && session.state != State::Fresh;
        let Some(name) = &self.name else { return Ok(()) };
        let mut values = metrics::of(&ran);
        values.insert("time".to_owned(), MetricValue::exact(ran.measured_s));
        if let Some(windows) = &ran.windows {
            let curve = Curve::of(windows, 1.0, false);
            values.insert("low".to_owned(), MetricValue::exact(curve.low()));
        }
        session.results.insert(name.clone(), values);
        Ok(())
    }
}

//! Why a step of a method gave nothing.

use fio::Diagnostic;
use metric::MeasureError;

/// Why a step failed.
#[derive(Debug)]
pub enum Failure {
    /// The measurement cannot be made, or went wrong.
    Measure(MeasureError),
    /// A job that this drive cannot run (too small a span at this scale, for example).
    Job(Diagnostic),
}

impl Failure {
    /// The method or the target leaves this out.
    pub fn left_out(why: impl Into<String>) -> Self {
        Failure::Measure(MeasureError::NotModelled(why.into()))
    }

    /// It was tried and went wrong.
    pub fn failed(why: impl Into<String>) -> Self {
        Failure::Measure(MeasureError::Failed(why.into()))
    }
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        Failure::Measure(error)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Job(diagnostic)
    }
}

impl From<Failure> for MeasureError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Measure(error) => error,
            Failure::Job(diagnostic) => {
                MeasureError::NotModelled(diagnostic.to_string().replace("\n  help: ", "; "))
            }
        }
    }
}

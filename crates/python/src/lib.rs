//! The program as a module of Python: `drivelab._native`. It has three functions; what users see of
//! them is in `python/drivelab`.

mod call;
mod stream;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Failed", module.py().get_type::<call::Failed>())?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("BUILD", cli::build())?;
    module.add_function(wrap_pyfunction!(call::call, module)?)?;
    module.add_function(wrap_pyfunction!(unit, module)?)?;
    module.add_function(wrap_pyfunction!(stream::stream, module)?)
}

/// The base unit of a metric; nothing for a plain number.
#[pyfunction]
fn unit(metric: &str) -> &'static str {
    metric::base_unit(metric)
}

//! What can be measured, and how it is written: metrics with their units and bounds, parameters of
//! methods, and the values that a measurement gives.

mod measurement;
mod metric;
mod metric_table;
mod param_table;
mod params;
mod shown;
mod spelling;
mod unit;

pub use measurement::{
    Limit, MeasureError, Measurement, MetricValue, NamedHistogram, PhaseKind, Point, Provenance,
    Series, SeriesPhase,
};
pub use metric::{BOUNDS, Bound, Metric, Versus};
pub use metric_table::{Better, METRICS, MetricSpec};
pub use param_table::{PARAMS, ParamKind, ParamSpec, lookup};
pub use params::{ParamValue, Params, Pattern, Raw, State};
pub use shown::{digits, reader_unit, show};
pub use spelling::{hint, nearest};
pub use unit::{Dimension, OTHER_SYMBOLS, UNITS, Unit, parse_quantity};

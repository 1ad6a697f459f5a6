//! What can be measured, and how it is written: metrics with their units and bounds, parameters of
//! methods, and the values that a measurement gives.

mod kept;
mod measurement;
mod metric;
mod metric_table;
mod param_table;
mod param_value;
mod params;
mod requirement;
mod shown;
mod spelling;
mod unit;

pub use kept::{kept, kept_digits, kept_unit_of};
pub use measurement::{
    Limit, MeasureError, Measurement, MetricValue, NamedHistogram, PhaseKind, Point, Provenance,
    Series, SeriesPhase,
};
pub use metric::{BOUNDS, Bound, Metric, Versus, percent, resolution, tail};
pub use metric_table::{Better, METRICS, MetricSpec};
pub use param_table::{PARAMS, ParamKind, ParamSpec, lookup};
pub use param_value::{ParamValue, Raw};
pub use params::{Params, Pattern, State};
pub use requirement::{Requirement, base_unit, named};
pub use shown::{Digits, Shown, counted, plain, show, show_block, show_metric, show_volume};
pub use spelling::{hint, nearest};
pub use unit::{Dimension, OTHER_SYMBOLS, UNITS, Unit, YEAR_S, parse_quantity, split_quantity};

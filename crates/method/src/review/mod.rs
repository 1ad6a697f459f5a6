//! Published figures and claims of reviews, measured again on models.
//!
//! A reviews file ([`ReviewFile`]) holds figures ([`Figure`]) and claims ([`Claim`]). Names of
//! drives and tests resolve through a table ([`Aliases`]) to targets and methods; parameters take
//! one canonical form ([`Params`]), so that figures about the same run share it. A [`Plan`] lists
//! the distinct runs, a [`Bench`] makes them, and [`Plan::judge`] gives the [`Reproduction`].
//! `reviews/README.md` documents the format, the methods, the parameters and the metrics.

mod alias;
mod bench;
mod claim;
mod claim_verdict;
mod complete;
mod figure;
mod figure_verdict;
mod label;
mod labels;
mod library;
mod metric;
mod metric_table;
mod node;
mod number;
mod param_table;
mod params;
mod plan;
mod reading;
mod reproduce;
mod spelling;
mod spread;
mod standing;
mod subject;
mod summary;
mod unit;
mod value;
mod verdict;

#[cfg(test)]
mod tests;

pub use alias::{Aliases, Device, Test};
pub use bench::{
    Bench, MeasureError, Measurement, MetricValue, NamedHistogram, PhaseKind, Point, Provenance,
    Series, SeriesPhase,
};
pub use claim::{Against, Check, Claim, Op, Side};
pub use claim_verdict::{ClaimResult, Said};
pub use complete::{FACTS, complete};
pub use figure::{Basis, Figure, Kind};
pub use figure_verdict::FigureResult;
pub use label::reader_unit;
pub use labels::{CARRIES, Carrier, Derived, DerivedFile, Labels, fitted_on_by_method};
pub use library::{Library, ReviewFile};
pub use metric::{Bound, Metric};
pub use metric_table::{Better, METRICS, MetricSpec};
pub use param_table::{PARAMS, ParamKind, ParamSpec};
pub use params::{ParamValue, Params, Pattern, Raw, State};
pub use plan::{Plan, PlannedRun, Results};
pub use reproduce::{Progress, Reproduction, reproduce};
pub use spelling::{hint, nearest};
pub use standing::Standing;
pub use subject::{Named, Places, Run, Subject};
pub use summary::{BasisSummary, Informative, Summary};
pub use unit::{Dimension, UNITS, Unit, parse_quantity};
pub use verdict::{BOUND_FAR, FITTED_WITHIN, PREDICTED_WITHIN, Verdict};

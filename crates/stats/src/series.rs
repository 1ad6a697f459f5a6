//! A curve over time, in columns: what a load got, and how the drive was at that time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a stretch of time was used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhaseKind {
    /// I/O before the measurement begins.
    Ramp,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// More than one of these.
    Mixed,
    /// No I/O from outside.
    #[default]
    Idle,
    /// An array is rebuilt.
    Rebuild,
    /// Something that takes no simulated time: a state that is built, a fill, a format.
    Untimed,
}

/// A stretch of a curve with a name: a step of a method, a section of a job file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SeriesPhase {
    /// What it is called: `torture`, `idle`, the names of the sections.
    pub name: String,
    /// What was done in it.
    pub kind: PhaseKind,
    /// When it began, s since the beginning of the curve.
    pub from_s: f64,
    /// When it ended, s; the next one begins then. Equal to `from_s` if it took no simulated time.
    pub to_s: f64,
}

/// A curve over time: one element of each column a stretch of time, all columns of one length. A
/// column is empty where nothing was sampled. An element is `None` where there is nothing to divide
/// by.
///
/// Times, bytes and I/Os are those of the real drive where they represent volumes (a scan, hours of
/// writing), and those that were simulated elsewhere; levels are those of the real drive in the
/// series of methods, and as simulated in the timeline of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Series {
    /// The step that made it, or `timeline` for all steps together.
    pub name: String,
    /// End of each stretch, s since the beginning.
    pub time_s: Vec<f64>,
    /// Bytes done by then.
    pub position_bytes: Vec<f64>,
    /// Bytes a second in the stretch, in all directions.
    pub bytes_per_s: Vec<f64>,
    /// Bytes read a second; empty unless the curve has more than one direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_bytes_per_s: Vec<f64>,
    /// Bytes written a second; empty unless the curve has more than one direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_bytes_per_s: Vec<f64>,
    /// I/Os a second, in all directions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub iops: Vec<f64>,
    /// Reads a second; empty unless the curve has more than one direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_iops: Vec<f64>,
    /// Writes a second; empty unless the curve has more than one direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_iops: Vec<f64>,
    /// Mean completion latency of the I/Os that ended in the stretch, s.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latency_mean_s: Vec<Option<f64>>,
    /// The same of reads, s; empty unless the curve has more than one direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_latency_mean_s: Vec<Option<f64>>,
    /// The same of writes, s; empty unless the curve has more than one direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_latency_mean_s: Vec<Option<f64>>,
    /// Bytes written to the flash for each byte that the host wrote in the stretch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_amplification: Vec<Option<f64>>,
    /// Share of the stretch, 0 to 1, in which the drive moved data by itself: collection, folding
    /// of the cache, wear levelling, refresh. Known to the length of a sample (see
    /// [`crate::Timeline`]).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collecting: Vec<f64>,
    /// Bytes a second that it moved so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_bytes_per_s: Vec<f64>,
    /// What the blocks of the SLC cache hold room for at the end of the stretch, bytes, over all
    /// drives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slc_used_bytes: Vec<f64>,
    /// What the cache may grow to at that time, bytes: less as the drive fills up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slc_room_bytes: Vec<f64>,
    /// Share of the logical units that hold data at the end of the stretch, 0 to 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mapped: Vec<f64>,
    /// Temperature of the warmest drive at the end of the stretch, degrees Celsius.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub celsius: Vec<f64>,
    /// Power state that a real NVMe drive reported at the end of the stretch, 0 to 31; of several
    /// the highest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub power_state: Vec<u8>,
    /// Bytes a second that other programs moved on a real drive, at least: what it moved less what
    /// the test did in that second or in one beside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others_bytes_per_s: Vec<f64>,
    /// Mean power in the stretch, W, over all drives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watts: Vec<f64>,
    /// What was done when. They follow each other without a gap from 0 to the end of the curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<SeriesPhase>,
}

impl Series {
    /// Number of stretches.
    pub fn len(&self) -> usize {
        self.time_s.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.time_s.is_empty()
    }

    /// Length of each stretch, s.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        let starts = std::iter::once(0.0).chain(self.time_s.iter().copied());
        self.time_s.iter().zip(starts).map(|(end, start)| end - start)
    }

    /// Each column that must have as many elements as the others, with its length.
    fn lengths_of_columns(&self) -> [(&'static str, usize); 20] {
        [
            ("position_bytes", self.position_bytes.len()),
            ("bytes_per_s", self.bytes_per_s.len()),
            ("read_bytes_per_s", self.read_bytes_per_s.len()),
            ("write_bytes_per_s", self.write_bytes_per_s.len()),
            ("iops", self.iops.len()),
            ("read_iops", self.read_iops.len()),
            ("write_iops", self.write_iops.len()),
            ("latency_mean_s", self.latency_mean_s.len()),
            ("read_latency_mean_s", self.read_latency_mean_s.len()),
            ("write_latency_mean_s", self.write_latency_mean_s.len()),
            ("write_amplification", self.write_amplification.len()),
            ("collecting", self.collecting.len()),
            ("moved_bytes_per_s", self.moved_bytes_per_s.len()),
            ("slc_used_bytes", self.slc_used_bytes.len()),
            ("slc_room_bytes", self.slc_room_bytes.len()),
            ("mapped", self.mapped.len()),
            ("celsius", self.celsius.len()),
            ("power_state", self.power_state.len()),
            ("others_bytes_per_s", self.others_bytes_per_s.len()),
            ("watts", self.watts.len()),
        ]
    }

    /// Whether the curve can be drawn.
    ///
    /// # Errors
    /// The first column whose length is not that of the times, a time that falls, or a phase that
    /// does not begin where the one before it ends.
    pub fn check(&self) -> Result<(), String> {
        let n = self.len();
        let wrong = |(_, len): &(&str, usize)| *len != n && *len != 0;
        if let Some((name, len)) = self.lengths_of_columns().into_iter().find(wrong) {
            return Err(format!("column `{name}` has {len} elements, `time_s` has {n}"));
        }
        if self.time_s.windows(2).any(|pair| pair[1] < pair[0]) {
            return Err("the times fall".to_owned());
        }
        let mut end = 0.0;
        for phase in &self.phases {
            if phase.from_s != end || phase.to_s < phase.from_s {
                return Err(format!("phase `{}` does not begin at {end} s", phase.name));
            }
            end = phase.to_s;
        }
        match self.phases.is_empty() || self.time_s.last().is_none_or(|last| *last == end) {
            true => Ok(()),
            false => Err(format!("the phases end at {end} s, the curve does not")),
        }
    }

    /// The phase to which a time (s) belongs; one that takes time, unless there is none.
    pub fn phase_at(&self, time_s: f64) -> Option<&SeriesPhase> {
        self.phases.iter().find(|phase| phase.from_s <= time_s && time_s < phase.to_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(name: &str, from_s: f64, to_s: f64) -> SeriesPhase {
        SeriesPhase { name: name.to_owned(), kind: PhaseKind::Write, from_s, to_s }
    }

    fn series() -> Series {
        Series {
            name: "timeline".to_owned(),
            time_s: vec![1.0, 2.0, 4.0],
            position_bytes: vec![10.0, 20.0, 20.0],
            bytes_per_s: vec![10.0, 10.0, 0.0],
            phases: vec![phase("fill", 0.0, 2.0), phase("idle", 2.0, 4.0)],
            ..Series::default()
        }
    }

    #[test]
    fn a_valid_curve_passes_and_a_broken_one_is_reported() {
        assert_eq!(series().check(), Ok(()));
        assert_eq!(series().lengths().collect::<Vec<_>>(), [1.0, 1.0, 2.0]);
        let short = Series { iops: vec![1.0], ..series() };
        assert!(short.check().is_err_and(|why| why.contains("`iops` has 1 elements")));
        let gap = Series { phases: vec![phase("a", 0.0, 1.0), phase("b", 2.0, 4.0)], ..series() };
        assert!(gap.check().is_err_and(|why| why.contains("phase `b`")));
        let open = Series { phases: vec![phase("a", 0.0, 3.0)], ..series() };
        assert!(open.check().is_err_and(|why| why.contains("end at 3 s")));
        let back = Series { time_s: vec![1.0, 3.0, 2.0], ..series() };
        assert!(back.check().is_err());
    }

    #[test]
    fn a_time_belongs_to_the_phase_that_begins_with_it() {
        let series = series();
        let name = |time: f64| series.phase_at(time).map(|phase| phase.name.as_str());
        assert_eq!((name(0.0), name(2.0), name(4.0)), (Some("fill"), Some("idle"), None));
    }

    /// Records of earlier versions have four columns and the temperature.
    #[test]
    fn columns_that_nobody_filled_are_not_written_and_may_be_missing() {
        let text = r#"{"name":"fill","time_s":[1.0],"position_bytes":[5.0],"bytes_per_s":[5.0]}"#;
        let old: Series = serde_json::from_str(text).unwrap();
        assert_eq!((old.len(), old.celsius.len()), (1, 0));
        assert_eq!(serde_json::to_string(&old).unwrap(), text);
    }
}

//! The arithmetic of an endurance rating (JESD218) on what an endurance workload (JESD219) showed.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use crate::values::Values;
use iopath::device::flash::cell::endurance::Class;
use iopath::device::flash::cell::retention::acceleration;
use metric::{MetricValue, Point, Shown, show_block};
use schemars::JsonSchema;
use serde::Deserialize;

/// Says how long a load takes to the rated writes and what the cells still hold then, how many
/// drives and reads show the failure and error rates that a class allows, and what mapping units of
/// other sizes would write at least.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The step whose `write_bandwidth` and `write_amplification` count.
    pub load: String,
    /// `enterprise` or `client`, a parameter as a rule.
    pub class: String,
    /// The smallest writes of JEDEC's enterprise workload, a parameter as a rule: smaller ones of
    /// the standard's sizes become so large. Without it the load is another one, and nothing is
    /// said of mapping units.
    pub sector: Option<String>,
    /// What its addresses are multiples of, a parameter as a rule; 4 KiB if it is not said.
    pub align: Option<String>,
    /// The rated writes, a size or a parameter; where it is not given, those that the cells of a
    /// model last for under this load.
    pub rated: String,
}

/// Confidence with which failure and error rates are shown (JESD218, 7.1.1).
const CONFIDENCE: f64 = 0.6;
/// Share of drives that may fail over the rated writes (functional failure requirement).
const FAILURES: f64 = 0.03;
/// Stress that the direct method waits for, hours; beyond it the rate is extrapolated.
const DIRECT_HOURS: f64 = 1000.0;
/// Share of the required retention below which a rating is not kept; what is nearer to all of it is
/// as near as the cells' own rating is found.
const SHORT: f64 = 0.995;
/// Sizes of mapping units, bytes.
const UNITS: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
/// Sizes of JEDEC's enterprise workload, bytes, and how many of a hundred writes have them.
const SIZES: [(u64, f64); 12] = [
    (512, 4.0),
    (1 << 10, 1.0),
    (1536, 1.0),
    (2 << 10, 1.0),
    (2560, 1.0),
    (3 << 10, 1.0),
    (3584, 1.0),
    (4 << 10, 67.0),
    (8 << 10, 10.0),
    (16 << 10, 7.0),
    (32 << 10, 3.0),
    (64 << 10, 3.0),
];

impl Action for Rating {
    fn said(&self) -> String {
        format!("endurance rating `{}` of {}", self.name, self.load)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let class = match session.text(&self.class).as_deref() {
            Some("client") => Class::Client,
            _ => Class::Enterprise,
        };
        let number = |name: &str| session.value(&format!("{}.{name}", self.load)).map(|v| v.value);
        let rate = number("write_bandwidth").filter(|rate| *rate > 0.0);
        let amplification = number("write_amplification").filter(|wa| *wa > 0.0);
        let given = session.bytes(&self.rated)?.map(|bytes| bytes as f64);
        let target = &session.target;
        let (cycles, raw) = (target.rated_cycles(), target.raw_bytes());
        let by_cells = cycles.zip(raw).zip(amplification);
        let by_cells = by_cells.map(|((cycles, raw), wa)| cycles * raw / wa);
        let rated = given.or(target.rated_writes()).or(by_cells);
        let mut values = Values::new();
        let mut put = |name: &str, value: Option<f64>| {
            values.extend(value.map(|value| (name.to_owned(), MetricValue::exact(value))));
        };
        put("rated", rated);
        put("time_to_rated", rated.zip(rate).map(|(rated, rate)| rated / rate));
        put("tbw", by_cells);
        // The cycles that the rated writes cost under this load.
        let spent = rated.zip(raw).zip(amplification).map(|((rated, raw), wa)| rated * wa / raw);
        put("cycles_at_rated", spent);
        let held = spent.and_then(|spent| target.retention_s(spent, class));
        put("retention_at_30", held);
        put("retention_at_40", held.map(|held| held / acceleration(30.0, 40.0)));
        let margin = held.map(|held| held / (3600.0 * class.retention_hours()));
        put("retention_margin", margin);
        put("failure_drives", Some(drives_without_failure()));
        put("error_reads", Some(reads_without_error(class)));
        if let (Some(rated), Some(lasts), Some(margin)) = (rated, by_cells, margin)
            && margin < SHORT
        {
            let [rated, lasts] = [rated, lasts].map(|bytes| Shown::of_volume(bytes).text(bytes));
            session.warn(format!(
                "a rating of {rated} is not kept: after these writes data lasts {margin:.2} of the \
                 time without power that JESD218 asks for; under this load the cells last for \
                 {lasts}"
            ));
        }
        if let (Some(rated), Some(rate)) = (rated, rate)
            && rated / rate > DIRECT_HOURS * 3600.0
        {
            session.warn(format!(
                "the rated writes take {:.0} hours at this rate: more than the {DIRECT_HOURS} of \
                 the direct method, so a rating is extrapolated",
                rated / rate / 3600.0
            ));
        }
        if let Some(form) = self.form(session)? {
            for unit in UNITS {
                let padding = MetricValue::exact(form.padding(unit));
                let at = vec![("mapping_unit".to_owned(), show_block(unit))];
                let metrics = [("padding".to_owned(), padding)].into();
                session.points.push(Point { at, metrics });
            }
        }
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

impl Rating {
    /// The form of the enterprise workload, if the load is that.
    fn form(&self, session: &Session<'_>) -> Result<Option<Form>, Failure> {
        let Some(sector) = &self.sector else { return Ok(None) };
        let bytes =
            |written: &str, usual| Ok::<_, Failure>(session.bytes(written)?.unwrap_or(usual));
        let align = self.align.as_deref().map_or(Ok(4096), |align| bytes(align, 4096))?;
        Ok(Some(Form { sector: bytes(sector, 512)?, align: align.max(512) }))
    }
}

/// Drives that have to live without a failure, so that the share that fails is shown to be within
/// the limit: the least whole n with `(1 - p)^n <= 1 - confidence`.
fn drives_without_failure() -> f64 {
    (libm::log(1.0 - CONFIDENCE) / libm::log(1.0 - FAILURES)).ceil()
}

/// Bytes that have to be read without an uncorrectable error, over all drives, so that the rate is
/// shown to be within the limit of the class: `-ln(1 - confidence) / UBER` bits.
fn reads_without_error(class: Class) -> f64 {
    -libm::log(1.0 - CONFIDENCE) / class.uber() / 8.0
}

/// The form of the workload: how small its writes are, and where they begin.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// The smallest writes, bytes.
    sector: u64,
    /// What addresses are multiples of, bytes.
    align: u64,
}

impl Form {
    /// Bytes that whole mapping units of a size hold over those that the host writes, for writes of
    /// JEDEC's sizes. What units are written in part is read and written whole, so no drive with
    /// this unit amplifies less.
    fn padding(self, unit: u64) -> f64 {
        let written = |(bytes, share): &(u64, f64)| {
            let bytes = (*bytes).max(self.sector);
            // How many units a write touches, in the mean over the starts that it may have.
            let step = self.align;
            let starts = (unit / step).max(1);
            let touched = |start: u64| (start * step + bytes).div_ceil(unit) - start * step / unit;
            let mean = (0..starts).map(|start| touched(start) as f64).sum::<f64>() / starts as f64;
            (mean * unit as f64 * share, bytes as f64 * share)
        };
        let sums = SIZES.iter().map(written);
        let (flash, host) = sums.fold((0.0, 0.0), |(flash, host), (f, h)| (flash + f, host + h));
        flash / host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 31 drives and 0.916 over the error rate, as JESD218's tables have them at 60 %.
    #[test]
    fn samples_are_those_of_a_confidence_of_60_percent() {
        assert_eq!(drives_without_failure(), 31.0);
        let bits = reads_without_error(Class::Enterprise) * 8.0;
        assert!((bits / 9.163e15 - 1.0).abs() < 1e-3, "{bits}");
        assert!(reads_without_error(Class::Client) * 9.9 < bits / 8.0);
    }

    #[test]
    fn larger_units_are_padded_more() {
        // Of 100 writes ten are below 4 KiB and fill a unit each; the others fill theirs.
        let host: f64 = SIZES.iter().map(|(bytes, share)| *bytes as f64 * share).sum();
        let below: f64 =
            SIZES[..7].iter().map(|(bytes, share)| (4096.0 - *bytes as f64) * share).sum();
        let form = Form { sector: 512, align: 4096 };
        assert!((form.padding(4096) - (host + below) / host).abs() < 1e-12);
        let all: Vec<f64> = UNITS.iter().map(|unit| form.padding(*unit)).collect();
        assert!(all.windows(2).all(|pair| pair[1] > pair[0]), "{all:?}");
        // A write of one byte more than nothing touches one unit of 64 KiB: at most 77 of them are
        // 16 times too large.
        assert!(all[4] < 16.0 && all[4] > 6.0, "{all:?}");
        assert_eq!(SIZES.iter().map(|(_, share)| share).sum::<f64>(), 100.0);
        // Where nothing is smaller than a unit and all begin at one, nothing is padded.
        let of_4k = Form { sector: 4096, align: 4096 };
        assert_eq!(of_4k.padding(4096), 1.0);
        // 77 writes of half a unit and the others of whole ones, which begin in the middle of one
        // half of the time.
        let host = 4.0 * 77.0 + 8.0 * 10.0 + 16.0 * 7.0 + 32.0 * 3.0 + 64.0 * 3.0;
        let flash = 8.0 * 77.0 + 12.0 * 10.0 + 20.0 * 7.0 + 36.0 * 3.0 + 68.0 * 3.0;
        assert!((of_4k.padding(8192) - flash / host).abs() < 1e-12);
        // A sector anywhere in a unit touches one; 4 KiB anywhere touch two, but for one start.
        let anywhere = Form { sector: 512, align: 512 };
        assert!(anywhere.padding(4096) > form.padding(4096));
    }
}

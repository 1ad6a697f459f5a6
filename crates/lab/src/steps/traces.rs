//! Statistical stand-ins for recorded traces, of which only totals are known.

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use crate::values::Values;
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;

/// Plays stand-ins one after the other: as many I/Os as a trace has, each of the trace's mean size,
/// at random places as often as the trace has it. What order, places and pauses it had is lost.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traces {
    /// Name of its numbers: `time` (of I/O), `total` (with the processor's), `bytes`, `bandwidth`,
    /// and `geomean`, the geometric mean of the traces' times with their fixed ones.
    #[serde(rename = "as")]
    pub name: String,
    /// Bytes that are addressed.
    pub span: String,
    /// I/Os in flight.
    pub qd: String,
    /// Processor time of all together; none if it is not said.
    pub fixed: Option<String>,
    /// The traces.
    pub traces: Vec<Trace>,
}

/// What is known of a trace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Its name, of letters, digits and dashes.
    pub name: String,
    /// Reads: sequential, random.
    pub reads: [u64; 2],
    /// Writes: sequential, random.
    pub writes: [u64; 2],
    /// Bytes read and written, in units of 10^6.
    pub mb: [u64; 2],
    /// Time of the processor, and of pauses that the replay keeps, s.
    #[serde(default)]
    pub fixed_s: f64,
}

/// Sizes are multiples of this.
const SECTOR: u64 = 512;

impl Trace {
    /// Its job's variables: shares in whole percent, mean sizes in whole sectors.
    fn variables(&self, span: u64, depth: u64) -> Vec<(&'static str, String)> {
        let (reads, writes) = (self.reads[0] + self.reads[1], self.writes[0] + self.writes[1]);
        let percent = |part: u64, all: u64| (100 * part + all / 2) / all.max(1);
        let mean = |mb: u64, ios: u64| {
            let bytes = mb * 1_000_000 / ios.max(1);
            ((bytes + SECTOR / 2) / SECTOR).max(1) * SECTOR
        };
        let read_percent = percent(reads, reads + writes);
        vec![
            ("READ_PERCENT", read_percent.to_string()),
            ("READ_RANDOM", percent(self.reads[1], reads).to_string()),
            ("WRITE_RANDOM", percent(self.writes[1], writes).to_string()),
            ("READ_BYTES", mean(self.mb[0], reads).to_string()),
            ("WRITE_BYTES", mean(self.mb[1], writes).to_string()),
            ("IOS", (reads + writes).to_string()),
            ("DEPTH", depth.to_string()),
            ("SIZE", span.to_string()),
        ]
    }
}

impl Action for Traces {
    fn said(&self) -> String {
        let names: Vec<&str> = self.traces.iter().map(|trace| trace.name.as_str()).collect();
        format!("traces `{}`: {}", self.name, names.join(", "))
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let needed = |what: &str| Failure::failed(format!("stand-ins need {what}"));
        let span = session.bytes(&self.span)?.ok_or_else(|| needed("a span"))?;
        let span = span.min(session.target.capacity()) / SECTOR * SECTOR;
        let depth = session.count(&self.qd)?.unwrap_or(1);
        let fixed = match &self.fixed {
            Some(written) => session.seconds(written)?.unwrap_or(0.0),
            None => 0.0,
        };
        let (mut time, mut bytes, mut logs) = (0.0, 0.0, 0.0);
        let mut values = Values::new();
        for (i, trace) in self.traces.iter().enumerate() {
            session.tell(&trace.name, i as f64 / self.traces.len() as f64);
            let load = Load::plain(TRACE, &trace.variables(span, depth), Some(span));
            let ran = session.measure_whole(&trace.name, &load, true)?;
            let of = |name: &str| ran.get(name).map_or(0.0, |value| value.value);
            time += of("time");
            bytes += of("bytes");
            logs += libm::log((of("time") + trace.fixed_s).max(1e-9));
            values.insert(format!("{}.time", trace.name), MetricValue::exact(of("time")));
        }
        session.written = true;
        let mut put = |name: &str, value: f64| {
            values.insert(name.to_owned(), MetricValue::exact(value));
        };
        put("time", time);
        put("total", time + fixed);
        put("bytes", bytes);
        put("bandwidth", bytes / time.max(1e-12));
        put("geomean", libm::exp(logs / self.traces.len().max(1) as f64));
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

/// The same places in every run: a program that runs a second time reads what it read before.
const TRACE: &str = "\
[global]
filename=/dev/target
ioengine=libaio
direct=1
norandommap=1
randrepeat=1
group_reporting=1

[trace]
rw=randrw
rwmixread=${READ_PERCENT}
percentage_random=${READ_RANDOM},${WRITE_RANDOM}
bs=${READ_BYTES},${WRITE_BYTES}
blockalign=4k
iodepth=${DEPTH}
size=${SIZE}
number_ios=${IOS}
io_size=1t
";

#[cfg(test)]
mod tests {
    use super::*;

    /// Word of PCMark 8: 152 and 4302 reads of 107 MB, 748 and 205 writes of 95 MB.
    #[test]
    fn a_stand_in_moves_what_its_trace_moves() {
        let word = Trace {
            name: "word".to_owned(),
            reads: [152, 4302],
            writes: [748, 205],
            mb: [107, 95],
            fixed_s: 0.0,
        };
        let variables = word.variables(1 << 30, 1);
        let value = |name: &str| -> f64 {
            let (_, text) = variables.iter().find(|(known, _)| *known == name).unwrap();
            text.parse().unwrap()
        };
        assert_eq!((value("IOS"), value("READ_PERCENT")), (5407.0, 82.0));
        assert_eq!((value("READ_RANDOM"), value("WRITE_RANDOM")), (97.0, 22.0));
        let read = value("IOS") * 0.82 * value("READ_BYTES");
        let written = value("IOS") * 0.18 * value("WRITE_BYTES");
        assert!((read / 107e6 - 1.0).abs() < 0.02, "{read}");
        assert!((written / 95e6 - 1.0).abs() < 0.03, "{written}");
        assert_eq!(value("READ_BYTES") % 512.0, 0.0);
    }

    #[test]
    fn its_job_is_read() {
        let trace =
            Trace { name: "x".to_owned(), reads: [1, 9], writes: [0, 0], mb: [1, 0], fixed_s: 0.0 };
        let load = Load::plain(TRACE, &trace.variables(1 << 30, 2), Some(1 << 30));
        let file = load.parse(0, 0).unwrap();
        assert_eq!(file.jobs[0].number_ios, Some(10));
        assert_eq!(file.jobs[0].percentage_random[0], 90);
    }
}

//! Short names of runs and values, for evidence and progress.

use super::params::{Params, Pattern, State};
use super::subject::Run;
use super::unit::Dimension;

impl Run {
    /// What the run does, in a few words: `rand write, 10 % given up, after 4 h`.
    pub fn label(&self) -> String {
        if !matches!(self.method.as_str(), "corner" | "mixed") {
            let method = &self.method;
            let params = match crate::measure::find(method) {
                Ok(known) => known.unusual(&self.params).to_string(),
                Err(_) => self.params.to_string(),
            };
            return if params.is_empty() { method.clone() } else { format!("{method} {params}") };
        }
        let sequential = self.params.pattern() == Some(Pattern::Sequential);
        let mut parts = vec![format!(
            "{} {}",
            if sequential { "seq" } else { "rand" },
            mix(self.params.read_share().unwrap_or(0.0))
        )];
        let (block, depth) = if sequential { (128 << 10, 128) } else { (4 << 10, 256) };
        let text = |name: &str| self.params.get(name).map(ToString::to_string);
        if self.params.block() != Some(block) {
            parts.extend(text("block"));
        }
        // Mixes are swept over the depth, so theirs is named even where it is the default.
        let pure = matches!(self.params.read_share(), Some(0.0 | 1.0));
        if !pure || self.params.queue_depth() != Some(depth) {
            parts.extend(text("qd").map(|depth| format!("QD {depth}")));
        }
        parts.extend(state(&self.params));
        parts.join(", ")
    }
}

fn mix(share: f64) -> String {
    match share {
        0.0 => "write".to_owned(),
        1.0 => "read".to_owned(),
        share => format!("{} % read", (share * 1e4).round() / 100.0),
    }
}

fn state(params: &Params) -> Vec<String> {
    let mut parts = Vec::new();
    let text = |name: &str| params.get(name).map(ToString::to_string).unwrap_or_default();
    if params.give_up() > 0.0 {
        parts.push(format!("{} given up", text("give_up")));
    }
    if params.power_state() > 0 {
        parts.push(format!("PS{}", params.power_state()));
    }
    match (params.prewrite_ns().filter(|nanos| *nanos > 0), params.state()) {
        (Some(_), _) => parts.push(format!("after {} of writing", text("prewrite"))),
        (None, Some(State::Steady) | None) => {}
        (None, Some(_)) => parts.push(text("state")),
    }
    parts
}

/// The unit that a reader expects for a value of the base unit: what one of it is worth in base
/// units, and its name behind a blank (empty where there is none).
pub fn reader_unit(dimension: Dimension, value: f64) -> (f64, &'static str) {
    let size = value.abs();
    match dimension {
        Dimension::Rate if size >= 1e5 => (1e3, " kIOPS"),
        Dimension::Rate => (1.0, " IOPS"),
        Dimension::Bandwidth => (1e6, " MB/s"),
        Dimension::Time if size < 1e-2 => (1e-6, " us"),
        Dimension::Time if size < 10.0 => (1e-3, " ms"),
        Dimension::Time => (1.0, " s"),
        Dimension::Power => (1.0, " W"),
        Dimension::Energy if size < 1e-2 => (1e-6, " uJ"),
        Dimension::Energy => (1e-3, " mJ"),
        Dimension::Bytes if size >= 1e12 => (1e12, " TB"),
        Dimension::Bytes if size >= 1e9 => (1e9, " GB"),
        Dimension::Bytes => (1024.0, " KiB"),
        Dimension::Temperature => (1.0, " C"),
        Dimension::Number | Dimension::Money | Dimension::Score => (1.0, ""),
    }
}

/// A value of the base unit in the unit that a reader expects, with four significant digits.
pub(super) fn show(dimension: Dimension, value: f64) -> String {
    let (scale, unit) = reader_unit(dimension, value);
    format!("{}{unit}", digits(value / scale))
}

/// Four significant digits without an exponent.
pub(super) fn digits(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size >= 1000.0 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 10.0 => 2,
        _ if size >= 0.1 || size == 0.0 => 3,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::super::complete::complete;
    use super::*;

    #[test]
    fn a_label_names_what_is_not_the_default() {
        let label = |pairs: &[(&'static str, &'static str)]| {
            let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
            complete("corner", &mut params).unwrap();
            Run { target: "t".into(), method: "corner".into(), params }.label()
        };
        assert_eq!(label(&[("pattern", "seq"), ("op", "read")]), "seq read");
        assert_eq!(label(&[("read", "70 %"), ("qd", "32")]), "rand 70 % read, QD 32");
        assert_eq!(label(&[("read", "70 %")]), "rand 70 % read, QD 256");
        assert_eq!(
            label(&[("op", "write"), ("give_up", "10 %"), ("prewrite", "4 h")]),
            "rand write, 10 % given up, after 4 h of writing"
        );
        assert_eq!(label(&[("op", "write"), ("state", "fresh")]), "rand write, fresh");
    }

    #[test]
    fn values_are_shown_in_the_unit_a_reader_expects() {
        assert_eq!(show(Dimension::Rate, 147_123.0), "147.1 kIOPS");
        assert_eq!(show(Dimension::Time, 523e-6), "523.0 us");
        assert_eq!(show(Dimension::Bandwidth, 7.41e9), "7410 MB/s");
        assert_eq!(show(Dimension::Number, 0.004), "0.004000");
    }
}

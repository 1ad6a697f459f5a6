//! One run of a method on a target, and its short name for evidence and progress.

use super::complete::FACTS;
use metric::{Params, Pattern, State};

/// One distinct measurement. Figures and claims that need the same one share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    /// Slug of the library, or path of a model file.
    pub target: String,
    /// Name of the method.
    pub method: String,
    /// Its parameters, completed with the defaults.
    pub params: Params,
}

impl Run {
    /// Whether its values are read from the model instead of being measured.
    pub fn is_fact(&self) -> bool {
        self.method == FACTS
    }
}

impl Run {
    /// What the run does, in a few words: `rand write, 10 % given up, after 4 h`.
    pub fn label(&self) -> String {
        if !matches!(self.method.as_str(), "corner" | "mixed") {
            let (method, params) = match crate::find(&self.method) {
                Ok(known) => (&known.name, known.unusual(&self.params).to_string()),
                Err(_) => (&self.method, self.params.to_string()),
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
}

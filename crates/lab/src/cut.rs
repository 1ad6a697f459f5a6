//! Measurements that were shorter than the user asked for: what a budget leaves of them.

use metric::Params;

/// The measurements of a session that were cut short.
#[derive(Debug, Default)]
pub struct Cut {
    /// What the user gave; the rest of the parameters are the method's defaults.
    given: Params,
    count: usize,
    asked_s: f64,
    least_s: f64,
    most_s: f64,
}

/// A time that is this share of what was asked for is that time.
const ALL: f64 = 0.999;

impl Cut {
    /// Nothing was cut yet, and these are the parameters that the user gave.
    pub fn new(given: Params) -> Self {
        Cut { given, ..Cut::default() }
    }

    /// A measurement takes so many seconds of those that parameter `name` asks for. It is told if
    /// the user gave it: the time of a method is an upper limit on a model.
    pub fn shorten(&mut self, name: Option<&str>, asked_s: f64, seconds: f64) {
        let given = name.is_some_and(|name| self.given.get(name).is_some());
        if given && seconds < ALL * asked_s {
            self.note(asked_s, seconds);
        }
    }

    fn note(&mut self, asked_s: f64, seconds: f64) {
        let first = self.count == 0;
        self.count += 1;
        self.asked_s = asked_s.max(self.asked_s);
        self.least_s = if first { seconds } else { seconds.min(self.least_s) };
        self.most_s = seconds.max(self.most_s);
    }

    /// What to keep in mind, if anything was cut.
    pub fn warning(&self) -> Option<String> {
        let (asked, least, most) = (shown(self.asked_s), shown(self.least_s), shown(self.most_s));
        let what = match self.count {
            0 => return None,
            1 => format!("the measurement after {most} s of the {asked} s asked for"),
            n if least == most => format!("{n} measurements after {most} s of {asked} s each"),
            n => format!("{n} measurements after {least} to {most} s of {asked} s each"),
        };
        Some(format!("the budget ended {what}: rates and latencies are those of this shorter time"))
    }
}

/// Seconds with as many digits as one reads.
fn shown(seconds: f64) -> String {
    let text = if seconds < 10.0 { format!("{seconds:.2}") } else { format!("{seconds:.1}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_several_are_told_in_a_sentence() {
        let mut cut = Cut::default();
        assert_eq!(cut.warning(), None);
        cut.note(60.0, 8.4);
        let one = cut.warning().unwrap();
        assert!(one.starts_with("the budget ended the measurement after 8.4 s of the 60 s"));
        cut.note(60.0, 12.04);
        let two = cut.warning().unwrap();
        assert!(two.starts_with("the budget ended 2 measurements after 8.4 to 12 s of 60 s each"));
    }
}

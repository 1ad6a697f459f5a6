//! `--age`: what a drive has been through before the run.

use crate::values;
use answer::Age;
use iopath::device::flash::cell::age::{AgeSpec, CyclesUsed};

const EXAMPLE: &str =
    "write for example `cycles=3000, shelf=6 months, temperature=30 C, reads=10k`";

/// Reads an age: `cycles=3000, shelf=6 months, temperature=30 C, reads=10k`; each part may be
/// left out.
pub fn age(text: &str) -> Result<AgeSpec, String> {
    let mut age = AgeSpec::default();
    let mut seen = Vec::new();
    for part in text.split(',').map(str::trim) {
        let Some((key, value)) = part.split_once('=') else {
            return Err(format!("`{part}` is no KEY=VALUE; {EXAMPLE}"));
        };
        let (key, value) = (key.trim(), value.trim());
        if seen.contains(&key) {
            return Err(format!("`{key}` is said twice"));
        }
        seen.push(key);
        match key {
            "cycles" => age.cycles = cycles(value)?,
            "shelf" => age.shelf_hours = values::span(value)?.seconds / 3600.0,
            "temperature" => age.celsius = celsius(value)?,
            "reads" => age.reads = count(value, 1e12)?,
            _ => return Err(format!("an age has no `{key}`; {EXAMPLE}")),
        }
    }
    if seen.contains(&"temperature") && !seen.contains(&"shelf") {
        return Err(format!("a temperature acts over a time on the shelf; {EXAMPLE}"));
    }
    Ok(age)
}

/// An age as answers have it.
pub fn as_answered(age: &AgeSpec) -> Age {
    let (cycles, share_of_rated_cycles) = match age.cycles {
        CyclesUsed::Count(cycles) => (Some(cycles), None),
        CyclesUsed::Share(share) => (None, Some(share)),
    };
    let AgeSpec { shelf_hours, celsius, reads, .. } = *age;
    Age { cycles, share_of_rated_cycles, shelf_hours, celsius, reads }
}

/// `3000`, `3k`, or `80 %` of what the cells are rated for.
fn cycles(text: &str) -> Result<CyclesUsed, String> {
    match text.strip_suffix('%') {
        Some(share) => Ok(CyclesUsed::Share(number(share, 1e6)? / 100.0)),
        None => Ok(CyclesUsed::Count(count(text, 1e8)?)),
    }
}

fn celsius(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no temperature from -40 C to 125 C; {EXAMPLE}");
    let degrees = text.strip_suffix('C').map(str::trim).ok_or_else(wrong)?;
    let degrees: f64 = degrees.parse().map_err(|_| wrong())?;
    if (-40.0..=125.0).contains(&degrees) { Ok(degrees) } else { Err(wrong()) }
}

/// A number with `k` for a thousand or `M` for a million.
fn count(text: &str, most: f64) -> Result<f64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 1e3),
        Some(b'M') => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    Ok(number(digits, most / factor)? * factor)
}

fn number(text: &str, most: f64) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(number),
        _ => Err(format!("`{text}` is no number from 0 to {most}; {EXAMPLE}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_says_what_it_says_and_the_rest_is_new() {
        let whole = age("cycles=3k, shelf=6 months, temperature=40 C, reads=10k").unwrap();
        assert_eq!(whole.cycles, CyclesUsed::Count(3000.0));
        assert!((whole.shelf_hours - 4380.0).abs() < 1e-6);
        assert_eq!((whole.celsius, whole.reads), (40.0, 10_000.0));
        let part = age("cycles=80 %").unwrap();
        assert_eq!(part, AgeSpec { cycles: CyclesUsed::Share(0.8), ..AgeSpec::default() });
    }

    #[test]
    fn what_is_no_age_is_answered_with_one() {
        for (wrong, part) in [
            ("3000", "KEY=VALUE"),
            ("cycle=3", "no `cycle`"),
            ("cycles=3, cycles=4", "twice"),
            ("cycles=-1", "no number"),
            ("cycles=nan", "no number"),
            ("shelf=6", "no unit"),
            ("shelf=1 year, temperature=400 C", "125 C"),
            ("shelf=1 year, temperature=40", "no temperature"),
            ("temperature=40 C", "over a time"),
            ("reads=1e300", "no number"),
            ("", "KEY=VALUE"),
        ] {
            let error = age(wrong).unwrap_err();
            assert!(error.contains(part), "{wrong}: {error}");
        }
    }
}

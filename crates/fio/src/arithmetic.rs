//! Integer expressions: `(4k + 1) * 2`, `8*1024*4096`.

use crate::number::{self, Suffix, shown};

/// Reads one number. The error says what is wrong, without naming the option.
pub(crate) fn parse(text: &str, suffix: Suffix) -> Result<u64, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the value is empty".to_owned());
    }
    if text.starts_with('(') {
        // Inside parentheses a bare time counts microseconds, whatever it counts outside.
        let inner = match suffix {
            Suffix::Time { .. } => Suffix::Time { default_us: 1 },
            bytes => bytes,
        };
        return evaluate(text, inner);
    }
    let (value, rest) = number::leading(text, suffix)?;
    if rest.is_empty() { Ok(value) } else { Err(number::unexpected(text, rest)) }
}

/// Bytes in one value such as `4k`, `0x1000` or `(4g-1m)`, where `k` stands for 1024. `None` for
/// anything else: percentages, ranges, and several values.
pub fn bytes(text: &str) -> Option<u64> {
    parse(text, Suffix::Bytes { kilo: 1024 }).ok()
}

/// Bytes in a value such as `4k`, `0x1000` or `(4g-1m)`, whichever of 1000 and 1024 a `k` is taken
/// for: the greater number. `None` for anything else, percentages included.
pub fn most_bytes(text: &str) -> Option<u64> {
    let read = |kilo| parse(text, Suffix::Bytes { kilo }).ok();
    read(1000).max(read(1024))
}

/// Nesting beyond this is refused, so that no text can exhaust the stack.
const DEPTH_MAX: u32 = 64;

/// Evaluates `+ - * / % ^` and parentheses over integers with units. Division rounds down.
///
/// # Errors
///
/// A sentence, if the text is not an expression, divides by zero, or leaves 0..2^63.
pub(crate) fn evaluate(text: &str, suffix: Suffix) -> Result<u64, String> {
    let mut reader = Reader { whole: text, rest: text.trim(), suffix, depth: 0 };
    let value = reader.sum()?;
    if !reader.rest.is_empty() {
        return Err(format!(
            "{} is not an expression: unexpected {}",
            shown(text),
            shown(reader.rest)
        ));
    }
    u64::try_from(value)
        .ok()
        .filter(|value| *value <= i64::MAX as u64)
        .ok_or_else(|| format!("{} is negative or too large", shown(text)))
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
    suffix: Suffix,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn take(&mut self, operators: &str) -> Option<char> {
        self.rest = self.rest.trim_start();
        let found = self.rest.chars().next().filter(|c| operators.contains(*c))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    fn sum(&mut self) -> Result<i128, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.take("+-") {
            let right = self.product()?;
            let result =
                if operator == '+' { value.checked_add(right) } else { value.checked_sub(right) };
            value = self.fits(result)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i128, String> {
        let mut value = self.power()?;
        while let Some(operator) = self.take("*/%") {
            let right = self.power()?;
            if operator != '*' && right == 0 {
                return Err(format!("{} divides by zero", shown(self.whole)));
            }
            let result = match operator {
                '*' => value.checked_mul(right),
                '/' => value.checked_div(right),
                _ => value.checked_rem(right),
            };
            value = self.fits(result)?;
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<i128, String> {
        let base = self.atom()?;
        if self.take("^").is_none() {
            return Ok(base);
        }
        let exponent = self.nested(Self::power)?;
        let result = u32::try_from(exponent).ok().and_then(|power| base.checked_pow(power));
        self.fits(result)
    }

    fn atom(&mut self) -> Result<i128, String> {
        if self.take("-").is_some() {
            return Ok(-self.nested(Self::atom)?);
        }
        if self.take("(").is_some() {
            let value = self.nested(Self::sum)?;
            return match self.take(")") {
                Some(_) => Ok(value),
                None => Err(format!("{} lacks a closing parenthesis", shown(self.whole))),
            };
        }
        let (value, rest): (u64, &'a str) = number::leading(self.rest, self.suffix)?;
        self.rest = rest.trim_start();
        Ok(i128::from(value))
    }

    fn nested(&mut self, rule: fn(&mut Self) -> Result<i128, String>) -> Result<i128, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("the expression is nested too deeply".to_owned());
        }
        let value = rule(self);
        self.depth -= 1;
        value
    }

    fn fits(&self, value: Option<i128>) -> Result<i128, String> {
        // A margin below i128 keeps negation and the next step from overflowing.
        value
            .filter(|value| value.unsigned_abs() < 1 << 120)
            .ok_or_else(|| format!("{} is too large", shown(self.whole)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: Suffix = Suffix::Bytes { kilo: 1024 };

    #[test]
    fn precedence_and_units() {
        for (text, value) in [
            ("(4*1024)", 4096),
            ("(4k+1)*2", 8194),
            ("8*1024*4096", 33_554_432),
            ("7*1024*1024*16/8", 14_680_064),
            ("(2^3^2)", 512),
            ("(10 - 2 * 3)", 4),
            ("(10%4)", 2),
        ] {
            assert_eq!(evaluate(text, BYTES), Ok(value), "{text}");
        }
    }

    #[test]
    fn mistakes_are_sentences() {
        for text in ["(1", "1)", "(1/0)", "(1-2)", "(2^4000)", "()", "1 2", "(9^99^9)"] {
            assert!(evaluate(text, BYTES).is_err(), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(evaluate(&deep, BYTES), Err("the expression is nested too deeply".to_owned()));
    }
}

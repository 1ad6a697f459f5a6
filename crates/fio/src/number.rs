//! Integers with units as job files write them: `4k`, `0x1000`, `30s`.

/// What a suffix may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// Multiples of `kilo` (1024 or 1000), result in bytes or in plain units.
    Bytes { kilo: u64 },
    /// Times; a bare number counts `default` microseconds.
    Time { default_us: u64 },
}

/// Reads the number that `text` begins with and returns what follows it.
pub(crate) fn leading(text: &str, suffix: Suffix) -> Result<(u64, &str), String> {
    if text.starts_with('-') {
        return Err(format!("{} is negative", shown(text)));
    }
    let body = text.strip_prefix('+').unwrap_or(text);
    let hexadecimal = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X"));
    let (digits, base) = match hexadecimal {
        Some(rest) => (rest, 16),
        None => (body, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    if digits.is_empty() {
        return Err(format!("{} is not a number", shown(text)));
    }
    let value = u64::from_str_radix(digits, base)
        .map_err(|_| format!("{} does not fit into 64 bits", shown(text)))?;
    let rest = rest.trim_start_matches(' ');
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    if rest.starts_with('.') {
        return Err(format!("{} is a fraction, but only integers are read", shown(text)));
    }
    let multiplier = multiplier(word, suffix).ok_or_else(|| unexpected(text, word))?;
    let value = value
        .checked_mul(multiplier)
        .filter(|value| *value <= i64::MAX as u64)
        .ok_or_else(|| format!("{} does not fit into 63 bits", shown(text)))?;
    Ok((value, rest))
}

/// A percentage `N%` without fraction, if `text` has that form.
pub(crate) fn percent(text: &str) -> Option<u64> {
    let digits = text.trim().strip_suffix('%')?.trim_end();
    let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| digits.parse().ok()).flatten()
}

/// True if the word is one of the suffixes `ki`, `mi`, ... without a `b`, on which fio's manual
/// and fio disagree.
pub(crate) fn has_bare_binary_suffix(text: &str) -> bool {
    let lower = text.trim().to_ascii_lowercase();
    let mut last = lower.bytes().rev();
    last.next() == Some(b'i')
        && last.next().is_some_and(|byte| b"kmgtp".contains(&byte))
        && last.next().is_some_and(|byte| byte.is_ascii_digit())
}

fn multiplier(word: &str, suffix: Suffix) -> Option<u64> {
    let lower = word.to_ascii_lowercase();
    match suffix {
        Suffix::Bytes { kilo } => bytes_multiplier(&lower, kilo),
        Suffix::Time { default_us } => match lower.as_str() {
            "" => Some(default_us),
            "us" | "usec" => Some(1),
            "ms" | "msec" => Some(1_000),
            "s" | "sec" | "seconds" => Some(1_000_000),
            "m" | "min" => Some(60_000_000),
            "h" => Some(3_600_000_000),
            "d" => Some(86_400_000_000),
            _ => None,
        },
    }
}

fn bytes_multiplier(word: &str, kilo: u64) -> Option<u64> {
    // With a kilo of 1024, `kib` is 1000: the historical meaning of `k` pushed the two apart.
    let reversed = if kilo == 1000 { 1024 } else { 1000 };
    let (letter, base) = match word.strip_suffix("ib") {
        Some(letter) => (letter, reversed),
        // fio reads `ki` as `k`, although its manual sets it beside `kib`.
        None => (word.strip_suffix('b').or(word.strip_suffix('i')).unwrap_or(word), kilo),
    };
    let power = match letter {
        "" if word.is_empty() || word == "b" => return Some(1),
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    Some(u64::pow(base, power))
}

pub(crate) fn unexpected(text: &str, rest: &str) -> String {
    format!("{} is not a number: unexpected {}", shown(text), shown(rest))
}

/// The text in back quotes, cut if it is long enough to hide the message.
pub(crate) fn shown(text: &str) -> String {
    const LIMIT: usize = 60;
    if text.chars().count() <= LIMIT {
        return format!("`{text}`");
    }
    let head: String = text.chars().take(LIMIT).collect();
    format!("`{head}...`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::parse;

    const BINARY: Suffix = Suffix::Bytes { kilo: 1024 };
    const DECIMAL: Suffix = Suffix::Bytes { kilo: 1000 };
    const SECONDS: Suffix = Suffix::Time { default_us: 1_000_000 };

    #[test]
    fn sizes_follow_kb_base() {
        for (text, binary, decimal) in [
            ("4096", 4096, 4096),
            ("4096B", 4096, 4096),
            ("4k", 4096, 4000),
            ("4KB", 4096, 4000),
            ("4ki", 4096, 4000),
            ("4kiB", 4000, 4096),
            ("1mib", 1_000_000, 1_048_576),
            ("0x1000", 4096, 4096),
            ("0x10k", 16_384, 16_000),
            ("2T", 2 << 40, 2_000_000_000_000),
            ("1p", 1 << 50, 1_000_000_000_000_000),
        ] {
            assert_eq!(parse(text, BINARY), Ok(binary), "{text}");
            assert_eq!(parse(text, DECIMAL), Ok(decimal), "{text}");
        }
    }

    #[test]
    fn times_have_a_default_unit() {
        for (text, microseconds) in [
            ("2", 2_000_000),
            ("2s", 2_000_000),
            ("2sec", 2_000_000),
            ("3ms", 3_000),
            ("3us", 3),
            ("5M", 300_000_000),
            ("1h", 3_600_000_000),
            ("1d", 86_400_000_000),
            ("(7)", 7),
            ("(2s+5)", 2_000_005),
        ] {
            assert_eq!(parse(text, SECONDS), Ok(microseconds), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", " ", "k", "4x", "1.5k", "-1", "4k4", "99999999999999999999", "9999999p"] {
            assert!(parse(text, BINARY).is_err(), "{text}");
        }
        assert_eq!(parse("4x", BINARY), Err("`4x` is not a number: unexpected `x`".to_owned()));
        assert_eq!(parse("-1", BINARY), Err("`-1` is negative".to_owned()));
    }

    #[test]
    fn bare_binary_suffixes_are_seen() {
        assert!(has_bare_binary_suffix("4Ki"));
        assert!(!has_bare_binary_suffix("4kib"));
        assert!(!has_bare_binary_suffix("mi"));
    }
}

//! Numbers of traces: whole ones, and times as decimals.

/// Why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    Empty,
    Negative,
    TooLarge,
    Text,
}

impl NoNumber {
    pub(crate) fn words(self) -> &'static str {
        match self {
            NoNumber::Empty => "is empty",
            NoNumber::Negative => "is negative",
            NoNumber::TooLarge => "is too large",
            NoNumber::Text => "is not a number",
        }
    }
}

/// A whole number: decimal, hexadecimal with `0x`, or a decimal with nothing but zeros behind its
/// point (as programs write that know only floating point).
pub(crate) fn whole(text: &str) -> Result<u64, NoNumber> {
    let text = unsigned(text)?;
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return hexadecimal(digits);
    }
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|b| b == b'0') => digits,
        _ => text,
    };
    let mut value = 0_u64;
    if digits.is_empty() {
        return Err(NoNumber::Text);
    }
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return Err(NoNumber::Text);
        }
        let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(byte - b'0')));
        value = next.ok_or(NoNumber::TooLarge)?;
    }
    Ok(value)
}

/// Hexadecimal digits.
pub(crate) fn hexadecimal(digits: &str) -> Result<u64, NoNumber> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(NoNumber::Text);
    }
    u64::from_str_radix(digits, 16).map_err(|_| NoNumber::TooLarge)
}

/// A decimal number times `unit` (a power of ten up to 10^9), rounded down.
pub(crate) fn scaled(text: &str, unit: u64) -> Result<u64, NoNumber> {
    let text = unsigned(text)?;
    if text.contains(['e', 'E']) {
        return floating(text, unit);
    }
    let (whole_part, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole_part.is_empty() && fraction.is_empty() {
        return Err(NoNumber::Text);
    }
    let mut value = match whole_part {
        "" => 0,
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => whole(digits)?,
        _ => return Err(NoNumber::Text),
    };
    value = value.checked_mul(unit).ok_or(NoNumber::TooLarge)?;
    let mut weight = unit;
    for byte in fraction.bytes() {
        if !byte.is_ascii_digit() {
            return Err(NoNumber::Text);
        }
        weight /= 10;
        let digit = u64::from(byte - b'0') * weight;
        value = value.checked_add(digit).ok_or(NoNumber::TooLarge)?;
    }
    Ok(value)
}

fn floating(text: &str, unit: u64) -> Result<u64, NoNumber> {
    let digits = |c: char| c.is_ascii_digit() || "eE.+-".contains(c);
    let value: f64 = match text.chars().all(digits) {
        true => text.parse().map_err(|_| NoNumber::Text)?,
        false => return Err(NoNumber::Text),
    };
    let value = value * unit as f64;
    // Beyond 2^64, or infinite.
    if value >= 18_446_744_073_709_551_615.0 {
        return Err(NoNumber::TooLarge);
    }
    Ok(value as u64)
}

fn unsigned(text: &str) -> Result<&str, NoNumber> {
    let text = text.strip_prefix('+').unwrap_or(text);
    match text.as_bytes().first() {
        None => Err(NoNumber::Empty),
        Some(b'-') => Err(NoNumber::Negative),
        Some(_) => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_three_spellings() {
        assert_eq!(whole("4096"), Ok(4096));
        assert_eq!(whole("0x1000"), Ok(4096));
        assert_eq!(whole("4096.0"), Ok(4096));
        assert_eq!(whole("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(whole("18446744073709551616"), Err(NoNumber::TooLarge));
        assert_eq!(whole("0x10000000000000000"), Err(NoNumber::TooLarge));
        assert_eq!(whole("-1"), Err(NoNumber::Negative));
        for text in ["1.5", "1_000", "x", ".", "0x", "1 2", "NaN"] {
            assert_eq!(whole(text), Err(NoNumber::Text), "{text}");
        }
    }

    #[test]
    fn decimals_become_nanoseconds_without_rounding_errors() {
        assert_eq!(scaled("0.1", 1_000_000_000), Ok(100_000_000));
        assert_eq!(scaled("1455592214.112233445566", 1_000_000_000), Ok(1_455_592_214_112_233_445));
        assert_eq!(scaled(".5", 1000), Ok(500));
        assert_eq!(scaled("7.", 10), Ok(70));
        assert_eq!(scaled("1.5e3", 1000), Ok(1_500_000));
        assert_eq!(scaled("1e300", 1000), Err(NoNumber::TooLarge));
        assert_eq!(scaled("20000000000", 1_000_000_000), Err(NoNumber::TooLarge));
        for text in ["inf", "nan", "1e", ".", "1.2.3", "e", "0x5"] {
            assert_eq!(scaled(text, 1000), Err(NoNumber::Text), "{text}");
        }
    }
}

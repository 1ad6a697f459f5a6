//! The formulas of a method's metrics: numbers of steps and plain numbers, joined by `+`, `-`,
//! `*` and `/` with blanks around them; products before sums, else from left to right. Of several
//! with `else` between them the first counts of which all numbers are known.

use metric::MetricValue;

/// What joins numbers.
const OPERATORS: [&str; 4] = ["+", "-", "*", "/"];

/// What the numbers of steps are, by their paths.
pub(super) type Known<'a> = dyn Fn(&str) -> Option<MetricValue> + 'a;

/// Whether a text is a formula. What its numbers are is known only to a run.
pub(super) fn is_one(formula: &str) -> bool {
    let plain = |one: &str| {
        let words: Vec<&str> = one.split_whitespace().collect();
        let alternate = |(i, word): (usize, &&str)| OPERATORS.contains(word) == (i % 2 == 1);
        words.len() % 2 == 1 && words.iter().enumerate().all(alternate)
    };
    formula.split(" else ").all(plain)
}

/// The paths in a formula, and its parameters.
pub(super) fn operands(formula: &str) -> impl Iterator<Item = &str> {
    let other =
        |word: &&str| !OPERATORS.contains(word) && *word != "else" && word.parse::<f64>().is_err();
    formula.split_whitespace().filter(other)
}

/// The value of a formula; `None` if a number in it is missing or a divisor is 0.
pub(super) fn value(known: &Known<'_>, formula: &str) -> Option<MetricValue> {
    formula.split(" else ").find_map(|one| plain(known, one))
}

fn plain(known: &Known<'_>, formula: &str) -> Option<MetricValue> {
    let path = formula.trim();
    // A number alone keeps its samples and its interval.
    if !path.contains(' ') && path.parse::<f64>().is_err() {
        return known(path);
    }
    evaluate(path, &|path| known(path).map(|value| value.value)).map(MetricValue::exact)
}

/// A sum of products of numbers and of what `known` answers.
fn evaluate(formula: &str, known: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let operand = |word: &str| word.parse().ok().or_else(|| known(word));
    let mut words = formula.split_whitespace();
    let mut product: f64 = operand(words.next()?)?;
    let (mut sum, mut sign) = (0.0, 1.0);
    while let Some(operator) = words.next() {
        let right = operand(words.next()?)?;
        match operator {
            "*" => product *= right,
            "/" if right != 0.0 => product /= right,
            "+" | "-" => {
                sum += sign * product;
                sign = if operator == "+" { 1.0 } else { -1.0 };
                product = right;
            }
            _ => return None,
        }
    }
    Some(sum + sign * product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_come_before_sums() {
        let known = |path: &str| match path {
            "a.x" => Some(6.0),
            "b.x" => Some(4.0),
            _ => None,
        };
        let of = |formula: &str| evaluate(formula, &known);
        assert_eq!(of("a.x"), Some(6.0));
        assert_eq!(of("a.x / b.x"), Some(1.5));
        assert_eq!(of("0.1 * a.x + b.x - 1"), Some(0.1 * 6.0 + 4.0 - 1.0));
        assert_eq!(of("a.x - b.x / 2 * 3"), Some(0.0));
        assert_eq!(of("100 / a.x * b.x"), Some(100.0 / 6.0 * 4.0));
    }

    #[test]
    fn numbers_and_operators_alternate() {
        for formula in ["a.x", "2", "a.x / b.x + 1", "a.x * 2 else b.y", "${span} / a.x"] {
            assert!(is_one(formula), "{formula}");
        }
        for formula in ["", "a.x b.x", "a.x /", "* 2", "a.x else", "a.x ^ 2", "a.x / / b.x"] {
            assert!(!is_one(formula), "{formula}");
        }
        let found: Vec<&str> = operands("0.5 * a.x else ${span} / b").collect();
        assert_eq!(found, ["a.x", "${span}", "b"]);
    }

    #[test]
    fn what_is_missing_gives_nothing() {
        for formula in ["", "a.y", "a.x /", "a.x / 0", "a.x ^ 2", "/ 2"] {
            assert_eq!(
                evaluate(formula, &|path| (path == "a.x").then_some(1.0)),
                None,
                "{formula}"
            );
        }
    }
}

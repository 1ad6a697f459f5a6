//! What a method assumes where a row is silent, so that equal runs are recognised as equal.

use super::params::{ParamValue, Params, Pattern};

/// Name of the method whose values are read from the model instead of being measured.
pub const FACTS: &str = "facts";

/// Fills in the parameters that `corner` and `mixed` default. Other methods keep what they got.
pub fn complete(method: &str, params: &mut Params) -> Result<(), String> {
    if !matches!(method, "corner" | "mixed") {
        return Ok(());
    }
    if params.read_share().is_none() {
        return Err(format!(
            "method `{method}` needs to know what to do: add read_pct = 70, or op = \"read\" or \
             \"write\""
        ));
    }
    let text = |word: &str| ParamValue::Text(word.to_owned());
    params.or_insert("pattern", text("rand"));
    let sequential = params.pattern() == Some(Pattern::Sequential);
    let (block, depth) = if sequential { (128 << 10, 128) } else { (4 << 10, 256) };
    params.or_insert("block", ParamValue::Bytes(block));
    params.or_insert("qd", ParamValue::Count(depth));
    params.or_insert("give_up", ParamValue::Ppm(0));
    params.or_insert("power_state", ParamValue::Count(0));
    // Hours of writing onto a drive that is steady already would change nothing: a review that
    // pre-writes starts from a formatted drive.
    let prewritten = params.prewrite_ns().is_some_and(|nanos| nanos > 0);
    params.or_insert("state", text(if prewritten { "fresh" } else { "steady" }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(pairs: &[(&'static str, &'static str)]) -> String {
        let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
        complete("corner", &mut params).unwrap();
        params.to_string()
    }

    #[test]
    fn a_power_row_and_a_bandwidth_row_of_one_corner_are_one_run() {
        let bandwidth = completed(&[("pattern", "seq"), ("op", "read"), ("block", "128 KiB")]);
        let power = completed(&[("pattern", "seq"), ("op", "read"), ("power_mode", "0")]);
        assert_eq!(bandwidth, power);
        assert_eq!(
            power,
            "block=128 KiB, give_up=0 %, pattern=seq, power_state=0, qd=128, read=100 %, \
             state=steady"
        );
    }

    #[test]
    fn prewriting_starts_from_a_formatted_drive() {
        assert!(completed(&[("op", "write"), ("prewrite", "4 h")]).ends_with("state=fresh"));
        assert!(completed(&[("op", "write")]).ends_with("state=steady"));
    }

    #[test]
    fn a_run_that_neither_reads_nor_writes_is_refused() {
        assert!(complete("corner", &mut Params::default()).unwrap_err().contains("read_pct"));
        assert!(complete("curve", &mut Params::default()).is_ok());
    }
}

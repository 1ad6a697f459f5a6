//! What a method assumes where a row is silent, so that equal runs are recognised as equal.

use metric::Params;

/// Name of the method whose values are read from the model instead of being measured.
pub const FACTS: &str = "facts";

/// Fills in the defaults of a method. A method that is not known keeps what it got.
///
/// # Errors
/// As [`Method::complete`](crate::Method::complete).
pub fn complete(method: &str, params: &mut Params) -> Result<(), String> {
    crate::find(method).map_or(Ok(()), |method| method.complete(params))
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
        assert!(complete("corner", &mut Params::default()).unwrap_err().contains("read = 70 %"));
        assert!(complete("curve", &mut Params::default()).is_ok());
    }
}

//! Values for variables of a job file that nobody has set, by the option that uses them.
//!
//! Job files in circulation are often templates: `bs=${BLKSIZE}`. A corpus says more if they run
//! with a plausible value than if all are refused for the want of one; each line of the report
//! names what was assumed.

use std::collections::BTreeMap;

/// Options with a value that fits them: alone, and before a suffix such as the `k` of `${BS}k`.
const VALUES: &[(&[&str], &str, &str)] = &[
    (&["filename"], "/dev/target", "target"),
    (&["directory"], "jobs", "jobs"),
    (&["ioengine"], "libaio", "libaio"),
    (&["rw", "readwrite"], "randread", "rand"),
    (&["bs", "blocksize", "bssplit", "ba", "blockalign", "bsrange"], "4k", "4"),
    (&["size", "filesize", "io_size", "io_limit"], "1g", "1"),
    (&["offset", "offset_increment"], "64m", "64"),
    (&["runtime", "timeout"], "2", "2"),
    (&["iodepth"], "16", "16"),
    (&["thinktime"], "10000", "10"),
    (&["rate"], "100m", "100"),
    (&["rate_iops"], "1000", "1000"),
    (&["rwmixread", "rwmixwrite"], "50", "50"),
];

/// What fits any other option that takes a number or a flag.
const OTHER: &str = "1";

/// Values for the variables of `text` that `set` does not have.
pub fn assume(text: &str, set: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut assumed = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        let Some((option, value)) = line.split_once('=') else { continue };
        let mut rest = value;
        while let Some((_, name, after)) = fio::variable(rest) {
            rest = after;
            if !set.contains_key(name) {
                let value = value_for(option.trim(), rest);
                assumed.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
    }
    assumed
}

fn value_for(option: &str, rest: &str) -> &'static str {
    let suffixed = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '%');
    let row = VALUES.iter().find(|(options, ..)| options.contains(&option));
    row.map_or(OTHER, |(_, alone, before)| if suffixed { before } else { alone })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_use_decides_and_what_is_set_stays() {
        let text =
            "# bs=${COMMENT}\n[a]\nbs=${BS}k\nsize=${SIZE}\nthinktime_blocks=${BS}\nnrfiles=${N}\n";
        let set = BTreeMap::from([("SIZE".to_owned(), "2g".to_owned())]);
        let assumed: Vec<(String, String)> = assume(text, &set).into_iter().collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(assumed, [pair("BS", "4"), pair("N", "1")]);
    }
}

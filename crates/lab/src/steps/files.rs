//! A program that reads many small files one after the other, as a virus scanner does.

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use crate::values::Values;
use engine::whole;
use metric::MetricValue;
use schemars::JsonSchema;
use serde::Deserialize;

/// Reads files of lognormal sizes at random places, one at a time, and their directory entries:
/// one read of 4 KiB for four files, since a file record of NTFS has 1 KiB. The processor's time
/// comes on top, because such a scanner reads a file and then looks at it. Every run reads the
/// same.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Name of its numbers: `time`, `io_time`, `bytes`.
    #[serde(rename = "as")]
    pub name: String,
    /// Number of files.
    pub files: String,
    /// Median of their sizes.
    pub median: String,
    /// Mean of their sizes, above the median.
    pub mean: String,
    /// Bytes over which they are spread.
    pub span: String,
    /// Processor time for a file.
    pub cpu_file: String,
    /// Processor time for a MiB of data.
    pub cpu_mib: String,
    /// Only directory entries are read: data that is known is not read again if this is `true`.
    pub known: Option<String>,
}

/// Bytes of a directory read, which holds the records of four files.
const DIRECTORY: u64 = 4096;
const FILES_A_READ: u64 = 4;
/// Sizes of files that are drawn: powers of four from 4 KiB to 16 MiB.
const CLASSES: [u64; 7] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20];

impl Action for Files {
    fn said(&self) -> String {
        format!("files `{}`: {} one by one", self.name, self.files)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let needed = |what: &str| Failure::failed(format!("a scan of files needs {what}"));
        let files = session.count(&self.files)?.ok_or_else(|| needed("their number"))?;
        let median = session.bytes(&self.median)?.ok_or_else(|| needed("a median size"))?;
        let mean = session.bytes(&self.mean)?.ok_or_else(|| needed("a mean size"))?;
        let span = session.bytes(&self.span)?.ok_or_else(|| needed("a span"))?;
        let span = span.min(session.target.capacity()) / (1 << 20) * (1 << 20);
        if mean <= median {
            return Err(Failure::left_out("sizes of files: the mean must be above the median"));
        }
        let cpu_file = session.seconds(&self.cpu_file)?.unwrap_or(0.0);
        let cpu_mib = session.seconds(&self.cpu_mib)?.unwrap_or(0.0);
        let known = self.known.as_ref().and_then(|written| session.text(written));
        session.tell("directories", 0.0);
        let entries = [
            ("SPLIT", format!("{DIRECTORY}/100")),
            ("IOS", files.div_ceil(FILES_A_READ).to_string()),
            ("SIZE", span.to_string()),
            ("SEED", "1".to_owned()),
        ];
        let load = Load::plain(FILES, &entries, Some(span));
        let directories = session.measure_whole("directories", &load, true)?;
        let of = |values: &Values, name: &str| values.get(name).map_or(0.0, |value| value.value);
        let (mut io, mut bytes) = (of(&directories, "time"), 0.0);
        if known.as_deref() != Some("true") {
            session.tell("files", 0.1);
            let split: Vec<String> = CLASSES
                .iter()
                .zip(shares(median as f64, mean as f64))
                .filter(|(_, percent)| *percent > 0)
                .map(|(size, percent)| format!("{size}/{percent}"))
                .collect();
            let all = [
                ("SPLIT", split.join(":")),
                ("IOS", files.to_string()),
                ("SIZE", span.to_string()),
                ("SEED", "2".to_owned()),
            ];
            let load = Load::plain(FILES, &all, Some(span));
            let data = session.measure_whole("files", &load, true)?;
            io += of(&data, "time");
            bytes = of(&data, "bytes");
        }
        let cpu = files as f64 * cpu_file + bytes / f64::from(1 << 20) * cpu_mib;
        let values =
            [("time", io + cpu), ("io_time", io), ("bytes", bytes + of(&directories, "bytes"))];
        let values = values.map(|(name, value)| (name.to_owned(), MetricValue::exact(value)));
        session.results.insert(self.name.clone(), values.into());
        Ok(())
    }
}

/// Whole percent of each class of a lognormal distribution; they sum to 100. Its sigma follows
/// from mean over median = exp(sigma^2 / 2).
fn shares(median: f64, mean: f64) -> [u64; CLASSES.len()] {
    let sigma = libm::sqrt(2.0 * libm::log(mean / median));
    // Share of sizes below x; a class reaches to twice its size, half way to the next.
    let below =
        |x: f64| 0.5 * libm::erfc(-libm::log(x / median) / (sigma * std::f64::consts::SQRT_2));
    let mut shares = [0; CLASSES.len()];
    let mut done = 0;
    for (i, size) in CLASSES.iter().enumerate() {
        let last = i + 1 == CLASSES.len();
        let up_to = if last { 100.0 } else { 100.0 * below(2.0 * *size as f64) };
        shares[i] = whole(up_to.round()).saturating_sub(done);
        done += shares[i];
    }
    shares
}

/// One after the other, at places and in sizes that are the same in every run.
const FILES: &str = "\
[global]
filename=/dev/target
ioengine=libaio
direct=1
norandommap=1
randrepeat=1
randseed=${SEED}
group_reporting=1

[files]
rw=randread
bssplit=${SPLIT}
blockalign=4k
iodepth=1
size=${SIZE}
number_ios=${IOS}
io_size=1t
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_lognormal() {
        let (median, mean) = (64.0 * 1024.0, 512.0 * 1024.0);
        let shares = shares(median, mean);
        assert_eq!(shares.iter().sum::<u64>(), 100);
        // Half is below the median: the classes of 4 and 16 KiB and half of that of 64 KiB.
        let below = shares[0] + shares[1] + shares[2] / 2;
        assert!((45..=55).contains(&below), "{shares:?}");
        let drawn: f64 =
            CLASSES.iter().zip(shares).map(|(size, p)| *size as f64 * p as f64 / 100.0).sum();
        // What is larger than 16 MiB is drawn as that.
        assert!((0.7..1.05).contains(&(drawn / mean)), "{drawn}");
    }

    #[test]
    fn a_small_mean_leaves_the_large_classes_out() {
        let shares = shares(8192.0, 10_000.0);
        assert_eq!((shares.iter().sum::<u64>(), shares[6]), (100, 0));
    }
}

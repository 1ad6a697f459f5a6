//! A workload profile: the load of an application on each drive, without its rate.

use super::size_mix::SizeMix;
use super::sourced::Sourced;
use super::{diagnose, set, sources};
use engine::{Count, Ratio};
use fio::Diagnostic;
use metric::hint;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The profiles that come with the program.
macro_rules! shipped {
    ($($name:literal)*) => {
        const PROFILES: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!("../../../methods/workloads/", $name, ".toml"))),
        )*];
    };
}

shipped! {
    "sql" "sql-90-10" "sql-80-20" "oracle" "oracle-90-10" "oracle-80-20"
    "vdi-fc-boot" "vdi-fc-initial-login" "vdi-fc-monday-login"
    "vdi-lc-boot" "vdi-lc-initial-login" "vdi-lc-monday-login"
    "oltp-8k" "rdbms-22k" "iometer-fileserver" "iometer-workstation"
}

/// Most commands that a profile keeps outstanding on one drive.
const MOST_OUTSTANDING: u64 = 65_536;

/// A workload profile, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Its name: that of its file without the extension.
    pub name: String,
    /// In a few words.
    pub title: String,
    /// Its origin: `exact:` with the source, or `approximation:` with what is unknown.
    #[schemars(extend("pattern" = "^(exact|approximation): "))]
    pub provenance: String,
    /// What is read and written.
    pub mix: Mix,
    /// Where; default anywhere.
    pub place: Option<Place>,
    /// How many at once.
    pub issue: Issue,
}

/// What is read and written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Share of the I/Os that read, whole percents.
    pub read: Sourced<Ratio>,
    /// Sizes of reads; needed if there are any.
    pub read_sizes: Option<Sourced<SizeMix>>,
    /// Sizes of writes; needed if there are any.
    pub write_sizes: Option<Sourced<SizeMix>>,
}

/// Where the I/Os go inside the part of the drive that is tested.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Share of the I/Os that go to a place drawn at random, whole percents; the others follow the
    /// previous I/O. Default all.
    pub random: Option<Sourced<Ratio>>,
    /// Share of the tested part, from its beginning on, that is hot, whole percents.
    pub hot_span: Option<Sourced<Ratio>>,
    /// Share of the random reads that go there, whole percents.
    pub hot_reads: Option<Sourced<Ratio>>,
    /// Share of the random writes that go there; by default they are evenly spread.
    pub hot_writes: Option<Sourced<Ratio>>,
}

/// How many I/Os are outstanding at most.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Threads for each drive.
    pub threads: Sourced<Count>,
    /// I/Os that each of them keeps outstanding.
    pub depth: Sourced<Count>,
}

/// The names of all profiles that come with the program.
pub fn workloads() -> impl Iterator<Item = &'static str> + Clone {
    PROFILES.iter().map(|(name, _)| *name)
}

/// The name of a profile, or the path of its file, and what stands behind its `@`: values of it
/// that are otherwise, as `mix.read=70 %`.
pub fn workload_and_changes(name: &str) -> (&str, Option<&str>) {
    match name.split_once('@') {
        // A path may hold the sign itself.
        Some((name, changes)) if changes.contains('=') => (name, Some(changes)),
        _ => (name, None),
    }
}

/// The text of a profile.
///
/// # Errors
/// If no profile has this name: a hint at the nearest names.
pub fn workload_text(name: &str) -> Result<&'static str, String> {
    let found = PROFILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    found.ok_or_else(|| hint("workloads", name, workloads()))
}

/// The file of a profile as errors name it, and its text.
fn file_of(name: &str) -> Result<(String, String), Diagnostic> {
    if name.ends_with(".toml") {
        let text = std::fs::read_to_string(name).map_err(|e| {
            let why = format!("the workload cannot be read: {e}");
            Diagnostic::new(&diagnose::place(name, "", 0), why)
                .with_help("`drivelab show sql > mine.toml` makes one to start from")
        })?;
        return Ok((name.to_owned(), text));
    }
    let text = workload_text(name).map_err(|help| {
        let why = format!("no workload is called `{name}`");
        Diagnostic::new(&diagnose::place("workload", "", 0), why).with_help(help)
    })?;
    Ok((format!("methods/workloads/{name}.toml"), text.to_owned()))
}

impl Workload {
    /// A profile by its name, or from a file of the user's, which ends in `.toml`; with other
    /// values if some are named behind an `@`: `sql-80-20@mix.read=75 %,issue.threads=16 threads`.
    ///
    /// # Errors
    /// If there is none, or it is wrong: the place and how to fix it.
    pub fn named(spec: &str) -> Result<Self, Diagnostic> {
        let (name, changes) = workload_and_changes(spec);
        let (file, text) = file_of(name)?;
        let wrong = |why| Diagnostic::new(&diagnose::place("workload", "", 0), why);
        let set = changes.map(super::changes).transpose().map_err(wrong)?.unwrap_or_default();
        match set.is_empty() {
            true => Self::parse(&file, &text),
            // Places are those of the changed text, which is no file.
            false => Self::parse(spec, &set::apply(&file, &text, &set)?),
        }
    }

    /// The text of a profile; `None` if it cannot be read.
    pub fn text_of(name: &str) -> Option<String> {
        file_of(workload_and_changes(name).0).ok().map(|(_, text)| text)
    }

    /// From text; `file` is named in errors.
    ///
    /// # Errors
    /// The place of what is wrong in it.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        let workload: Workload =
            toml::from_str(text).map_err(|e| diagnose::toml(file, text, &e, true))?;
        sources::check(file, text)?;
        workload.check().map_err(|(at, message, help)| {
            Diagnostic::new(&diagnose::place(file, text, at), message).with_help(help)
        })?;
        Ok(workload)
    }

    /// Ids of the figures on which a value of a profile was fitted.
    pub fn fitted_on(name: &str) -> BTreeSet<String> {
        Self::text_of(name).map(|text| sources::fitted_on(&text)).unwrap_or_default()
    }

    /// Share of reads, percent.
    pub fn read_percent(&self) -> u32 {
        percent(&self.mix.read)
    }

    /// Share of I/Os that go to random places, percent.
    pub fn random_percent(&self) -> u32 {
        let random = self.place.as_ref().and_then(|place| place.random.as_ref());
        random.map_or(100, percent)
    }

    /// Sizes of reads; those of writes where there are no reads.
    pub fn read_sizes(&self) -> SizeMix {
        self.sizes([&self.mix.read_sizes, &self.mix.write_sizes])
    }

    /// Sizes of writes; those of reads where there are no writes.
    pub fn write_sizes(&self) -> SizeMix {
        self.sizes([&self.mix.write_sizes, &self.mix.read_sizes])
    }

    fn sizes(&self, first: [&Option<Sourced<SizeMix>>; 2]) -> SizeMix {
        let known = first.into_iter().flatten().next();
        known.map_or(SizeMix::only(4096), |sizes| sizes.get().clone())
    }

    /// I/Os outstanding at most on one drive.
    pub fn outstanding(&self) -> u64 {
        let [threads, depth] = [&self.issue.threads, &self.issue.depth];
        (number(threads) * number(depth)).clamp(1, MOST_OUTSTANDING)
    }

    /// The hot part as percents of the tested part, of the reads and of the writes that go there.
    pub fn hot(&self) -> Option<(u32, u32, u32)> {
        let place = self.place.as_ref()?;
        let span = percent(place.hot_span.as_ref()?);
        let reads = place.hot_reads.as_ref().map_or(span, percent);
        Some((span, reads, place.hot_writes.as_ref().map_or(span, percent)))
    }

    fn check(&self) -> Result<(), (usize, String, &'static str)> {
        let known = ["exact: ", "approximation: "];
        if !known.iter().any(|word| self.provenance.starts_with(word)) {
            let message = "`provenance` begins with `exact: ` or `approximation: `".to_owned();
            return Err((0, message, "say where the profile comes from and what is unknown"));
        }
        let place = self.place.as_ref();
        let shares = [
            Some(&self.mix.read),
            place.and_then(|place| place.random.as_ref()),
            place.and_then(|place| place.hot_span.as_ref()),
            place.and_then(|place| place.hot_reads.as_ref()),
            place.and_then(|place| place.hot_writes.as_ref()),
        ];
        for share in shares.into_iter().flatten() {
            let ppm = share.get().base();
            if ppm > 1_000_000 || ppm % 10_000 != 0 {
                let message = format!("{} is not a whole percentage from 0 to 100 %", share.get());
                return Err((share.at(), message, "fio takes whole percents, as `90 %`"));
            }
        }
        let read = self.read_percent();
        let sides = [
            (read > 0, &self.mix.read_sizes, "read"),
            (read < 100, &self.mix.write_sizes, "write"),
        ];
        for (needed, sizes, what) in sides {
            if needed != sizes.is_some() {
                let message = match needed {
                    true => format!("{read} % of the I/Os read, and `{what}_sizes` is missing"),
                    false => format!("{read} % of the I/Os read: `{what}_sizes` says nothing"),
                };
                return Err((self.mix.read.at(), message, "sizes as `8 KiB 90 %, 64 KiB 10 %`"));
            }
        }
        let hot = place.map(|place| (&place.hot_span, &place.hot_reads, &place.hot_writes));
        if let Some((span, reads, writes)) = hot {
            let stated = reads.as_ref().or(writes.as_ref());
            match (span, stated) {
                (None, Some(stated)) => {
                    let message = "what share of the drive is hot is not said".to_owned();
                    return Err((stated.at(), message, "add `hot_span`"));
                }
                (Some(span), _) if percent(span) == 0 || percent(span) >= 100 => {
                    let message = format!("a hot part of {} is none", span.get());
                    return Err((span.at(), message, "1 to 99 %, or leave it out"));
                }
                _ => {}
            }
        }
        let counts = [(&self.issue.threads, "threads"), (&self.issue.depth, "depth")];
        for (count, what) in counts {
            if number(count) == 0 || number(count) > MOST_OUTSTANDING {
                let message = format!("`{what}` is {}", count.get());
                return Err((count.at(), message, "1 to 65536"));
            }
        }
        if number(&self.issue.threads) * number(&self.issue.depth) > MOST_OUTSTANDING {
            let message = "threads times depth is more than 65536".to_owned();
            return Err((self.issue.depth.at(), message, "a drive has no longer queue"));
        }
        Ok(())
    }
}

/// A share in percent; checked to be a whole one when the file was read.
fn percent(share: &Sourced<Ratio>) -> u32 {
    (share.get().base() / 10_000).min(100) as u32
}

fn number(count: &Sourced<Count>) -> u64 {
    u64::from(count.get().number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
name = "mine"
title = "Mine"
provenance = "exact: measured on my servers"

[mix]
read = { value = "70 %", source = "published: by me" }
read_sizes = { value = "8 KiB 90 %, 64 KiB 10 %", source = "published: by me" }
write_sizes = { value = "16 KiB 100 %", source = "published: by me" }

[place]
hot_span = { value = "10 %", source = "published: by me" }
hot_reads = { value = "80 %", source = "published: by me" }

[issue]
threads = { value = "16 threads", source = "published: by me" }
depth = { value = "2 each", source = "published: by me" }
"#;

    fn parse(from: &str, to: &str) -> Result<Workload, Diagnostic> {
        assert!(TEXT.contains(from), "{from}");
        Workload::parse("mine.toml", &TEXT.replace(from, to))
    }

    #[test]
    fn every_shipped_profile_is_right_and_says_where_it_comes_from() {
        for name in workloads() {
            let workload = Workload::named(name).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(workload.name, name);
            assert!(workload.provenance.len() > 60, "{name}: its provenance says little");
        }
    }

    #[test]
    fn a_profile_says_what_is_issued() {
        let mine = parse("", "").unwrap();
        assert_eq!((mine.read_percent(), mine.random_percent(), mine.outstanding()), (70, 100, 32));
        assert_eq!(mine.hot(), Some((10, 80, 10)));
        assert_eq!(mine.read_sizes().to_string(), "8 KiB 90 %, 64 KiB 10 %");
    }

    #[test]
    fn values_behind_the_name_are_otherwise() {
        let usual = Workload::named("sql-80-20").unwrap();
        let changes =
            "mix.read=75 %,issue.threads=16 threads,mix.read_sizes=8 KiB 50 %, 64 KiB 50 %";
        let other = Workload::named(&format!("sql-80-20@{changes}")).unwrap();
        assert_eq!((usual.read_percent(), other.read_percent()), (80, 75));
        assert_eq!((usual.outstanding(), other.outstanding()), (31, 16));
        assert_eq!(other.read_sizes().to_string(), "8 KiB 50 %, 64 KiB 50 %");
        assert_eq!(other.write_sizes(), usual.write_sizes());
        assert_eq!(Workload::fitted_on("sql@mix.read=90 %"), Workload::fitted_on("sql"));
        for wrong in
            ["mix.raed=75 %", "mix.read=75.5 %", "mix.read=75", "mix=75 %", "name.read=1 %"]
        {
            assert!(Workload::named(&format!("sql-80-20@{wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn mistakes_are_reported_with_line_and_fix() {
        let wrong = |from: &str, to: &str| {
            let error = parse(from, to).unwrap_err();
            assert!(error.help.is_some(), "{error}");
            (error.line, error.message)
        };
        let (line, message) = wrong("\"70 %\"", "\"100 %\"");
        assert!(line == 7 && message.contains("`write_sizes` says nothing"), "{line} {message}");
        let (_, message) = wrong("write_sizes =", "#");
        assert!(message.contains("`write_sizes` is missing"), "{message}");
        let (line, message) = wrong("\"70 %\"", "\"70.5 %\"");
        assert!(line == 7 && message.contains("whole percent"), "{message}");
        let (line, message) = wrong("\"10 %\"", "\"100 %\"");
        assert!(line == 12 && message.contains("hot part"), "{line} {message}");
        let (line, message) = wrong("hot_span", "# ");
        assert!(line == 13 && message.contains("not said"), "{line} {message}");
        let (line, _) = wrong("16 threads", "0 threads");
        assert_eq!(line, 16);
        let (line, _) = wrong("2 each", "65536 each");
        assert_eq!(line, 17);
        let (_, message) = wrong("exact: measured", "measured");
        assert!(message.contains("approximation"), "{message}");
        let (line, message) = wrong("published: by me", "by me");
        assert!(line == 7 && message.contains("source"), "{line} {message}");
        assert!(parse("90 %, 64", "91 %, 64").unwrap_err().message.contains("101 %"));
        assert!(parse("[issue]", "[issues]").unwrap_err().help.unwrap().contains("issue"));
    }

    #[test]
    fn a_name_that_is_nearly_right_is_met_with_the_right_one() {
        assert!(Workload::named("sgl").unwrap_err().help.unwrap().contains("sql"));
        assert!(Workload::named("./no.toml").unwrap_err().message.contains("cannot be read"));
    }
}

//! A method's job on a target of several devices: the same load on each of them.

/// The name under which a method's job means every device of the target.
pub const EVERY_DEVICE: &str = "/dev/target";

/// A job file in which each section for `/dev/target` is one for each of `devices` devices, all
/// with the same depth and rate, reported as one group. Sections that name devices themselves
/// (`/dev/target0`, `/dev/target1`, ...) and replays stay as they are.
pub(super) fn spread(text: &str, devices: usize) -> String {
    if devices <= 1 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * devices);
    let mut global = Options::default();
    for section in sections(text) {
        let own = Options::of(section.body);
        if section.name == Some("global") {
            global = own.over(&global);
        }
        let all = own.over(&global);
        let spread = section.name.is_some_and(|name| name != "global")
            && all.filename == Some(EVERY_DEVICE)
            && !all.replays;
        match section.name {
            Some(name) if spread => {
                for device in 0..devices {
                    one(&mut out, name, section.body, device, all.grouped);
                }
            }
            _ => {
                out.push_str(section.header);
                out.push_str(section.body);
            }
        }
    }
    out
}

/// Writes the section for one device. The first keeps name and barriers: those of one load begin
/// together.
fn one(out: &mut String, name: &str, body: &str, device: usize, grouped: bool) {
    match device {
        0 => out.push_str(&format!("[{name}]\n")),
        _ => out.push_str(&format!("[{name}-{device}]\n")),
    }
    for line in body.lines() {
        let key = key(line);
        if key == "filename" || device > 0 && key == "stonewall" {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&format!("filename={EVERY_DEVICE}{device}\n"));
    if !grouped {
        out.push_str("group_reporting=1\n");
    }
}

/// A part of a job file; the text before the first header has no name.
struct Section<'a> {
    name: Option<&'a str>,
    header: &'a str,
    body: &'a str,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            starts.push(at);
        }
        at += line.len();
    }
    let first = starts.first().copied().unwrap_or(text.len());
    let mut all = vec![Section { name: None, header: "", body: &text[..first] }];
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(text.len());
        let line = text[start..end].find('\n').map_or(end, |n| start + n + 1);
        let (header, body) = (&text[start..line], &text[line..end]);
        let name = header.trim().trim_start_matches('[').trim_end_matches(']').trim();
        all.push(Section { name: Some(name), header, body });
    }
    all
}

fn key(line: &str) -> &str {
    line.split('=').next().unwrap_or_default().trim()
}

/// What matters of a section's options.
#[derive(Clone, Copy, Default)]
struct Options<'a> {
    filename: Option<&'a str>,
    grouped: bool,
    replays: bool,
}

impl<'a> Options<'a> {
    fn of(body: &'a str) -> Self {
        let mut all = Options::default();
        for line in body.lines() {
            let value = line.split_once('=').map_or("1", |(_, value)| value.trim());
            match key(line) {
                "filename" => all.filename = Some(value),
                "group_reporting" => all.grouped = value != "0",
                "read_iolog" => all.replays = true,
                _ => {}
            }
        }
        all
    }

    fn over(self, below: &Options<'a>) -> Self {
        Options {
            filename: self.filename.or(below.filename),
            grouped: self.grouped || below.grouped,
            replays: self.replays || below.replays,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fio::LoadOptions;

    fn jobs(text: &str, devices: usize) -> Vec<fio::Job> {
        let spread = spread(text, devices);
        fio::jobfile::parse_str("test", &spread, &LoadOptions::default()).unwrap().jobs
    }

    const TEXT: &str = "# A comment.\n[global]\nfilename=/dev/target\ndirect=1\n\n\
                        [warm]\nrw=write\nsize=10%\n\n[load]\nstonewall\nrw=randread\niodepth=8\n";

    #[test]
    fn one_device_leaves_the_text_as_it_is() {
        assert_eq!(spread(TEXT, 1), TEXT);
        assert_eq!(spread("", 3), "");
    }

    #[test]
    fn each_section_is_one_a_device_and_they_report_together() {
        let all = jobs(TEXT, 3);
        let names: Vec<&str> = all.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["warm", "warm-1", "warm-2", "load", "load-1", "load-2"]);
        for (i, job) in all.iter().enumerate() {
            assert_eq!(job.filenames, [format!("/dev/target{}", i % 3)]);
            assert!(job.group_reporting);
            assert_eq!(job.stonewall, i == 3, "one barrier before all of them");
        }
    }

    #[test]
    fn sections_that_name_a_device_stay() {
        let text = "[a]\nfilename=/dev/target0\nrw=read\n[b]\nfilename=/dev/target1\nrw=write\n";
        assert_eq!(spread(text, 2), text);
    }
}

//! What a model file says about submission queues, and what runs.

use iopath::device::queues::{Arbitration, Class, QueueConfig};
use library::{Model, Overrides, Scale, source_text};

const SECTION: &str = r#"[queues]
count = { value = "128 queues", source = "assumed: test" }
entries = { value = "1024 entries", source = "assumed: test" }
slots = { value = "512 commands", source = "assumed: test" }
burst = { value = "4 commands", source = "assumed: test" }
arbitration = { value = "weighted 8 4 2", source = "assumed: test" }
classes = { value = "urgent high low", source = "assumed: test" }
"#;

/// A shipped model with queues in which these words are changed.
fn with(slug: &str, changes: &[(&str, &str)]) -> Result<Option<QueueConfig>, String> {
    let mut section = SECTION.to_owned();
    for (from, to) in changes {
        assert!(section.contains(from), "{from}");
        section = section.replacen(from, to, 1);
    }
    let text = source_text(slug).unwrap().replace("[controller]", &(section + "\n[controller]"));
    let model = Model::parse("mine", "mine.toml", &text, None, &[]).map_err(|e| e.to_string())?;
    let resolved = model.resolve(Scale::Share(1.0 / 512.0), &Overrides::default());
    resolved.map(|resolved| resolved.config.queues).map_err(|e| e.to_string())
}

#[test]
fn a_model_file_says_how_queues_take_turns() {
    let queues = with("d7-p5520-7.68tb", &[]).unwrap().unwrap();
    assert_eq!((queues.count, queues.depth, queues.slots, queues.burst), (128, 1023, 512, 4));
    let classes = vec![Class::Urgent, Class::High, Class::Low];
    assert_eq!(queues.arbitration, Arbitration::Weighted { weights: [8, 4, 2], classes });
    let lines: Vec<&str> = SECTION.lines().collect();
    let (slots, classes) = (lines[3], lines[6]);
    let changes = [("weighted 8 4 2", "round robin"), (slots, ""), (classes, "")];
    let queues = with("d7-p5520-7.68tb", &changes).unwrap().unwrap();
    assert_eq!((queues.slots, queues.arbitration), (u32::MAX, Arbitration::RoundRobin));
}

#[test]
fn the_least_and_the_most_are_possible_and_one_more_is_not() {
    let changed = |from, to| with("d7-p5520-7.68tb", &[(from, to)]);
    for (good, bad) in [
        (("128 queues", "1 queue"), ("128 queues", "0 queues")),
        (("128 queues", "256 queues"), ("128 queues", "257 queues")),
        (("1024 entries", "2 entries"), ("1024 entries", "1 entry")),
        (("1024 entries", "65536 entries"), ("1024 entries", "65537 entries")),
        (("512 commands", "1 command"), ("512 commands", "0 commands")),
        (("4 commands", "64 commands"), ("4 commands", "65 commands")),
        (("8 4 2", "256 1 1"), ("8 4 2", "257 1 1")),
        (("8 4 2", "1 1 1"), ("8 4 2", "1 0 1")),
    ] {
        assert!(changed(good.0, good.1).is_ok(), "{good:?}");
        let error = changed(bad.0, bad.1).unwrap_err();
        assert!(error.starts_with("mine.toml:") && error.contains("1"), "{bad:?}: {error}");
    }
}

#[test]
fn contradictions_are_reported_with_a_fix() {
    let error = with("intel-710-200gb", &[]).unwrap_err();
    assert!(error.contains("a SATA drive has one queue"), "{error}");
    let error = with("d7-p5520-7.68tb", &[("weighted 8 4 2", "round robin")]).unwrap_err();
    assert!(error.contains("round robin knows no classes"), "{error}");
    let classes = SECTION.lines().last().unwrap();
    let error = with("d7-p5520-7.68tb", &[(classes, "")]).unwrap_err();
    assert!(error.contains("weights need classes") && error.contains("`classes`"), "{error}");
    let error = with("d7-p5520-7.68tb", &[("urgent high low", "urgent top")]).unwrap_err();
    assert!(error.contains("`top` is not a class"), "{error}");
    let error = with("d7-p5520-7.68tb", &[("weighted 8 4 2", "fair")]).unwrap_err();
    assert!(error.contains("`weighted 8 4 2`"), "{error}");
}

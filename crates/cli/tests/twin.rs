//! `drivelab twin`: what is refused before anything is measured. What it finds is in
//! docs/guide/make-a-twin.md: it takes minutes.

use crate::common::drivelab;

fn refused(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("made");
    let output = drivelab(folder.path(), &[&["twin"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing is made");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn mistakes_are_found_before_anything_is_measured() {
    let text = refused(&["--on", "p4510", "-o", "twin.json"]);
    assert!(text.contains("a model file ends in .toml"), "{text}");
    let text = refused(&["--on", "gpu-raid5-8x-p5520", "-o", "twin.toml"]);
    assert!(text.contains("a twin is of one drive"), "{text}");
    let text = refused(&["--on", "p4510", "-o", "twin.toml", "--like", "nothing"]);
    assert!(text.contains("nothing"), "{text}");
    let text = refused(&["-o", "twin.toml"]);
    assert!(text.contains("--on"), "{text}");
}

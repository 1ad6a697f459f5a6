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
    let text = refused(&["--on", "dt01aca200", "-o", "twin.toml"]);
    assert!(text.contains("a twin is of a flash drive"), "{text}");
    let text = refused(&["--on", "p4510", "-o", "twin.toml", "--like", "nothing"]);
    assert!(text.contains("nothing"), "{text}");
    let text = refused(&["-o", "twin.toml"]);
    assert!(text.contains("--on"), "{text}");
    let text = refused(&["--blind", "2", "--only", "sn850", "-o", "blind.json"]);
    assert!(text.contains("--only: none is drawn from sn850-1tb"), "{text}");
    assert!(text.contains("of 2 there are those from p4510-8tb, d7-p5520-7.68tb"), "{text}");
    let text = refused(&["--blind", "2", "--only", "nothing", "-o", "blind.json"]);
    assert!(text.contains("no drive of the library is called `nothing`"), "{text}");
}

/// The answer of a blind test goes on in its own file and in no other.
#[test]
fn a_blind_test_goes_on_in_its_own_file_alone() {
    let text = refused(&["--blind", "2", "-o", "blind.toml"]);
    assert!(text.contains("the answer of a blind test ends in .json"), "{text}");
    let folder = tempfile::tempdir().expect("made");
    let file = folder.path().join("blind.json");
    let other = serde_json::json!({
        "schema": "drivelab/twin-blind/2",
        "seed": 1,
        "draws": 3,
        "drives": [],
        "values": [],
        "unseen_off": 0,
    });
    for text in ["notes\n", "{}", &other.to_string()] {
        std::fs::write(&file, text).expect("written");
        let output = drivelab(folder.path(), &["twin", "--blind", "2", "-o", "blind.json"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("is not the answer of this blind test"), "{told}");
        assert_eq!(std::fs::read_to_string(&file).expect("there"), text, "it is left alone");
    }
}

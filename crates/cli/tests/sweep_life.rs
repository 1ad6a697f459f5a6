//! How long the points of a sweep last.

use crate::common::made;
use crate::sweep::{refused, words};
use serde_json::Value;

/// With writes a day, points have a lifetime by the amplification that they show, beside everything
/// else that is measured: spare area prolongs it.
#[test]
fn how_long_a_point_lasts_is_a_limit_beside_others() {
    let folder = tempfile::tempdir().unwrap();
    let load = ["--load", "mixed@read=30%,qd=8", "--on", "intel-710", "--vary", "give_up=0%,30%"];
    let sought =
        ["--require", "write_lat_mean < 1 s", "--maximise", "lifetime", "--minimise", "power"];
    let without = refused(folder.path(), &words(&[&load[..], &sought].concat()));
    assert!(without.contains("say what is written: --dwpd 1"), "{without}");
    let told = made(
        folder.path(),
        &words(
            &[&load[..], &sought, &["--dwpd", "2", "--repeats", "3", "--json", "-o", "a"]].concat(),
        ),
    );
    let answer: Value = serde_json::from_str(&told).unwrap();
    let all = answer["all"].as_array().unwrap();
    let life = |give_up: &str| {
        let one = all.iter().find(|one| one["at"]["give_up"] == give_up).unwrap();
        (one["values"]["lifetime"]["value"].as_f64().unwrap(), one["values"]["lifetime"].clone())
    };
    let ((plain, interval), (spared, _)) = (life("0%"), life("30%"));
    assert!(spared > 1.3 * plain, "{plain} {spared}");
    assert!(interval["low95"].as_f64().unwrap() < plain, "{interval}");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("how long a point lasts"), "{warnings}");
    // Half the writes, twice the years.
    let told = made(
        folder.path(),
        &words(
            &[&load[..], &sought, &["--dwpd", "1", "--repeats", "3", "--json", "-o", "a"]].concat(),
        ),
    );
    let answer: Value = serde_json::from_str(&told).unwrap();
    let twice = answer["all"][0]["values"]["lifetime"]["value"].as_f64().unwrap();
    let at = answer["all"][0]["at"]["give_up"].as_str().unwrap();
    assert!((twice / life(at).0 - 2.0).abs() < 1e-6, "{twice}");
    let wrong = refused(folder.path(), &words(&[&load[..], &sought, &["--dwpd", "0"]].concat()));
    assert!(wrong.contains("it is a number above 0"), "{wrong}");
}

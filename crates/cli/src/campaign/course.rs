//! How far a campaign is, in a line.

use super::show;
use super::supervise::Watched;
use crate::progress;
use answer::Campaign;
use answer::campaign::CampaignTest;

/// How far a campaign is, by what its tests take at most.
pub struct Course {
    /// What the test that runs takes at most, s.
    own: Option<f64>,
    /// What all tests take at most, and those before it, s; `None` if that is not known of all.
    all: Option<(f64, f64)>,
}

impl Course {
    /// When a test begins.
    pub fn of(campaign: &Campaign, number: usize) -> Self {
        let most = |test: &CampaignTest| test.estimate.map(|estimate| estimate.seconds_most);
        let all = campaign.tests.iter().map(most).sum::<Option<f64>>();
        let before = campaign.tests[..number].iter().map(most).sum::<Option<f64>>();
        Self { own: most(&campaign.tests[number]), all: all.zip(before) }
    }

    /// How far it is when the test has run for so long: of the test, and of the campaign.
    fn text(&self, seconds: f64) -> String {
        let percent = |part: f64, all: f64| (100.0 * part / all.max(1.0)).min(100.0);
        let mut text = String::new();
        if let Some(own) = self.own {
            let percent = percent(seconds, own);
            text += &format!(" of at most {} ({percent:.0} %)", progress::time(own));
        }
        if let (Some(own), Some((all, before))) = (self.own, self.all) {
            let done = before + seconds.min(own);
            let left = progress::time(all - done);
            text += &format!("; campaign {:.0} %, at most {left} left", percent(done, all));
        }
        text
    }
}

/// The line of a minute.
pub fn minute_line(label: &str, watched: &Watched, course: &Course) -> String {
    let mut line = format!("{label}: {}", progress::time(watched.seconds()));
    line += &course.text(watched.seconds());
    if let Some(celsius) = watched.celsius {
        line += &format!(", {celsius:.0} C");
    }
    if let Some(written) = watched.written() {
        line += &format!(", {} written", show::bytes(written));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use answer::campaign::{Estimate, TestState};

    fn campaign(seconds: &[Option<f64>]) -> Campaign {
        let test = |most: &Option<f64>| CampaignTest {
            drive: "d".to_owned(),
            method: "corner".to_owned(),
            state: TestState::Open,
            why: None,
            record: None,
            estimate: most.map(|seconds_most| Estimate {
                seconds_least: seconds_most,
                seconds_most,
                written_most: 0.0,
                wear_most: None,
            }),
            seconds: 0.0,
            written: None,
            celsius: None,
            marks: Vec::new(),
        };
        Campaign {
            name: "c".to_owned(),
            tests: seconds.iter().map(test).collect(),
            stopped: None,
            report: None,
        }
    }

    /// The second of three tests, of 100, 200 and 100 s, a quarter of its time in.
    #[test]
    fn what_is_left_is_told_of_the_test_and_of_the_campaign() {
        let all = campaign(&[Some(100.0), Some(200.0), Some(100.0)]);
        let text = Course::of(&all, 1).text(50.0);
        assert!(text.contains("(25 %)") && text.contains("campaign 38 %"), "{text}");
        let late = Course::of(&all, 1).text(500.0);
        assert!(late.contains("(100 %)") && late.contains("campaign 75 %"), "{late}");
        let one = campaign(&[None, Some(200.0)]);
        let text = Course::of(&one, 1).text(50.0);
        assert!(text.contains("(25 %)") && !text.contains("campaign"), "{text}");
        assert_eq!(Course::of(&one, 0).text(50.0), "");
    }
}

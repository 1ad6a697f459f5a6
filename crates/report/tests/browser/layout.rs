//! Nothing that is written in a chart is cut, vanishes or lies upon something else.

use super::{draw_all, fixtures, opened_wide};
use serde_json::json;

/// Texts of charts that leave their canvas or overlap another, as sentences.
const TROUBLE: &str = r#"
[...document.querySelectorAll('figure.chart')].flatMap((figure) => {
  const title = figure.querySelector('figcaption').textContent;
  const canvas = figure.querySelector('.plot svg').getBoundingClientRect();
  const texts = [...figure.querySelectorAll('.plot svg text')].filter((t) => t.textContent.trim());
  const boxes = texts.map((t) => [t.textContent, t.getBoundingClientRect()]);
  const trouble = [];
  boxes.forEach(([text, b], i) => {
    if (b.left < canvas.left - 1 || b.right > canvas.right + 1 || b.top < canvas.top - 1 ||
        b.bottom > canvas.bottom + 1) trouble.push(`${title}: ${text} is cut`);
    if (text.includes('\u2026') || text.endsWith('...'))
      trouble.push(`${title}: ${text} is shortened`);
    boxes.slice(i + 1).forEach(([other, o]) => {
      const across = Math.min(b.right, o.right) - Math.max(b.left, o.left);
      const down = Math.min(b.bottom, o.bottom) - Math.max(b.top, o.top);
      if (across > 2 && down > 4) trouble.push(`${title}: ${text} lies upon ${other}`);
    });
  });
  const keys = [...figure.querySelectorAll('.legend button, .bands li')];
  for (const key of keys) {
    const b = key.getBoundingClientRect(), f = figure.getBoundingClientRect();
    if (b.right > f.right + 1 || key.scrollWidth > key.clientWidth + 1)
      trouble.push(`${title}: key ${key.textContent} is cut`);
  }
  return trouble;
})
"#;

/// What is written in the charts, blanks aside.
const WRITTEN: &str = r"
[...document.querySelectorAll('figure.chart .plot svg')].map((svg) =>
  [...svg.querySelectorAll('text')].map((t) => t.textContent).join('').replace(/\s/g, ''))
";

#[test]
fn no_label_vanishes_is_cut_or_lies_upon_another() {
    for (page, width) in
        [(fixtures::crowded(), 1280), (fixtures::crowded(), 700), (fixtures::page(), 1200)]
    {
        let Some((mut browser, _folder)) = opened_wide(&page, width, false) else { return };
        draw_all(&mut browser);
        assert_eq!(browser.evaluate(TROUBLE), json!([]), "at {width} px");
    }
}

#[test]
fn every_bar_has_its_whole_name_and_every_phase_its_key() {
    let Some((mut browser, _folder)) = opened_wide(&fixtures::crowded(), 1280, false) else {
        return;
    };
    draw_all(&mut browser);
    let written: Vec<String> = serde_json::from_value(browser.evaluate(WRITTEN)).unwrap();
    for (chart, count) in written.iter().zip(2..=8) {
        for i in 1..=count {
            let name = format!("pm9a3-7.68tb@give_up={i}%,flash.bus=800MT/s,ftl.alpha=1.2x");
            assert!(chart.contains(&name), "{name} of {count}: {chart}");
        }
    }
    let keys = browser.evaluate(
        "[...document.querySelectorAll('figure.wide .bands')].map((b) => \
         [...b.querySelectorAll('li')].map((li) => li.textContent).join())",
    );
    let keys: Vec<String> = serde_json::from_value(keys).unwrap();
    assert_eq!(keys.len(), 8, "a timeline a run");
    let all = "healthy,degraded,rebuilding with a rather long name,rebuilt";
    assert!(keys.iter().all(|key| key == all), "{keys:?}");
}

/// Tables that are wider than their place, as sentences.
const WIDE: &str = r"
[...document.querySelectorAll('.table')].flatMap((table) => {
  const inner = table.querySelector('table'), box = table.querySelector('.scroll');
  const wide = inner.getBoundingClientRect().width, room = box.getBoundingClientRect().width;
  const name = table.querySelector('.caption').textContent;
  return room > 0 && wide > room + 1 ? [`${name}: ${wide} of ${room}`] : [];
})
";

#[test]
fn no_table_is_wider_than_the_page_or_the_paper() {
    for page in [fixtures::crowded(), fixtures::page()] {
        let Some((mut browser, _folder)) = opened_wide(&page, 1200, false) else { return };
        draw_all(&mut browser);
        assert_eq!(browser.evaluate(WIDE), json!([]), "on a screen");
        // A4 between margins of 1 cm.
        let paper =
            json!({ "width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", paper);
        browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        assert_eq!(browser.evaluate(WIDE), json!([]), "on paper");
    }
}

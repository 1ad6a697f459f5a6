//! Nothing that is written in a chart is cut, vanishes or lies upon something else.

use super::{draw_all, fixtures, opened_wide};
use serde_json::json;

/// Texts of charts that leave their canvas or overlap another, as sentences. A text is a box by its
/// corners, which may be turned.
const TROUBLE: &str = r#"
[...document.querySelectorAll('figure.chart')].flatMap((figure) => {
  const title = figure.querySelector('figcaption').textContent;
  const canvas = figure.querySelector('.plot svg').getBoundingClientRect();
  const texts = [...figure.querySelectorAll('.plot svg text')].filter((t) => t.textContent.trim());
  const corners = (text) => {
    const b = text.getBBox(), m = text.getScreenCTM();
    const [right, bottom] = [b.x + b.width, b.y + b.height];
    return [[b.x, b.y], [right, b.y], [right, bottom], [b.x, bottom]].map(([x, y]) =>
      ({ x: m.a * x + m.c * y + m.e, y: m.b * x + m.d * y + m.f }));
  };
  // How deep two boxes lie in each other in the direction from a to b.
  const depth = (one, other, a, b) => {
    const size = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const along = (c) => (c.x * (b.x - a.x) + c.y * (b.y - a.y)) / size;
    const [p, q] = [one.map(along), other.map(along)];
    return Math.min(Math.max(...p), Math.max(...q)) - Math.max(Math.min(...p), Math.min(...q));
  };
  const overlap = (one, other) => [one, other].every((box) =>
    depth(one, other, box[0], box[1]) > 2 && depth(one, other, box[0], box[3]) > 4);
  const boxes = texts.map((t) => [t.textContent, corners(t)]);
  const trouble = [];
  boxes.forEach(([text, box], i) => {
    if (box.some(({ x, y }) => x < canvas.left - 1 || x > canvas.right + 1 ||
        y < canvas.top - 1 || y > canvas.bottom + 1)) trouble.push(`${title}: ${text} is cut`);
    if (text.includes('\u2026') || text.endsWith('...'))
      trouble.push(`${title}: ${text} is shortened`);
    boxes.slice(i + 1).forEach(([other, second]) => {
      if (overlap(box, second)) trouble.push(`${title}: ${text} lies upon ${other}`);
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
    let (page, crowded, reviews) = (fixtures::page(), fixtures::crowded(), fixtures::reviews());
    let all = [(&crowded, 1280), (&crowded, 700), (&page, 1200)];
    for (page, width) in all.into_iter().chain([1280, 700, 420].map(|width| (&reviews, width))) {
        let Some((mut browser, _folder)) = opened_wide(page, width, false) else { return };
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

#[test]
fn every_figure_of_a_review_has_its_whole_name() {
    let Some((mut browser, _folder)) = opened_wide(&fixtures::reviews(), 1280, false) else {
        return;
    };
    draw_all(&mut browser);
    let written: Vec<String> = serde_json::from_value(browser.evaluate(WRITTEN)).unwrap();
    // Behind the errors of a review stands the diagonal of its figures.
    for (errors, (count, length)) in written.iter().step_by(2).zip(fixtures::REVIEWS) {
        for i in 1..=count {
            let name = fixtures::figure_name(i, length);
            assert!(errors.contains(&name), "{name} of {count}: {errors}");
        }
    }
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

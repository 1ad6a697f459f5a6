//! The page of a report in a real browser: it loads without complaint and without the network, its
//! charts draw and answer, its tables sort, and it looks as it did.

mod chromium;
mod fixtures;
mod layout;
mod picture;

use self::chromium::Chromium;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

/// The page in a file, and a browser; `None` where no browser is installed.
fn opened(dark: bool) -> Option<(Chromium, TempDir)> {
    opened_wide(&fixtures::page(), 1280, dark)
}

/// A page in a window of this width, px.
fn opened_wide(page: &str, width: u32, dark: bool) -> Option<(Chromium, TempDir)> {
    let mut browser = Chromium::start()?;
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    browser.open(&file, width, 900, dark);
    Some((browser, folder))
}

fn draw_all(browser: &mut Chromium) {
    browser.evaluate("document.querySelector('button.all').click()");
    browser.wait(
        "document.querySelectorAll('figure.chart').length === \
         document.querySelectorAll('figure.chart[data-drawn]').length",
    );
}

/// The number of the chart whose title begins so.
fn chart(browser: &mut Chromium, title: &str) -> String {
    let found = browser.evaluate(&format!(
        "[...document.querySelectorAll('figure.chart')].find((f) => \
         f.querySelector('figcaption').textContent.startsWith({}))?.dataset.chart ?? null",
        json!(title)
    ));
    let number = found.as_str().unwrap_or_else(|| panic!("no chart `{title}`"));
    format!("figure[data-chart=\"{number}\"]")
}

/// What the tooltip of a chart says, once it is there.
fn tooltip(browser: &mut Chromium, chart: &str) -> String {
    let js = format!(
        "[...document.querySelectorAll('{chart} .plot > div')].filter((d) => \
         !d.querySelector('svg') && d.style.visibility !== 'hidden') \
         .map((d) => d.innerText).join('')"
    );
    browser.text(&js)
}

#[test]
fn it_loads_draws_and_prints_without_complaint_and_without_network() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let shapes = browser.evaluate(
        "[...document.querySelectorAll('figure.chart .plot')].map((p) => \
         p.querySelectorAll('svg path').length)",
    );
    let shapes: Vec<u64> = serde_json::from_value(shapes).unwrap();
    assert!(shapes.len() > 15, "{} charts", shapes.len());
    assert!(shapes.iter().all(|count| *count > 3), "an empty chart: {shapes:?}");
    let pdf = browser.call("Page.printToPDF", json!({}));
    assert!(pdf["data"].as_str().unwrap().len() > 50_000, "the print is empty");
    assert_eq!(browser.complaints, Vec::<String>::new());
    let fetched: Vec<&String> =
        browser.requests.iter().filter(|url| !url.starts_with("file://")).collect();
    assert_eq!(fetched, Vec::<&String>::new());
}

#[test]
fn hovering_shows_the_values_with_their_units() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let curve = chart(&mut browser, "load-curve, workload sql: latency against");
    let [left, top, width, height] = browser.place(&format!("{curve} .plot"));
    browser.hover(left + width * 0.5, top + height * 0.5);
    let said = tooltip(&mut browser, &curve);
    assert!(said.contains("drive-") && said.contains(" us"), "{said}");
    assert!(said.contains("kIOPS"), "{said}");
}

#[test]
fn arrow_keys_walk_through_the_points() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let curve = chart(&mut browser, "load-curve, workload sql: latency against");
    // A page that scrolls under the mouse takes a box away: it comes to rest first.
    browser.place(&format!("{curve} .plot"));
    browser.evaluate(&format!("document.querySelector('{curve} .plot').focus()"));
    browser.press("ArrowRight");
    let first = tooltip(&mut browser, &curve);
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    let third = tooltip(&mut browser, &curve);
    assert!(first.contains("rate 10 %") && third.contains("rate 30 %"), "{first}\n{third}");
}

#[test]
fn legends_switch_their_series() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let curve = chart(&mut browser, "load-curve, workload sql: latency against");
    let count = format!("document.querySelectorAll('{curve} svg path').length");
    let button = format!("document.querySelector('{curve} .legend button')");
    let before = browser.evaluate(&count).as_u64().unwrap();
    browser.evaluate(&format!("{button}.click()"));
    assert_eq!(browser.evaluate(&format!("{button}.getAttribute('aria-pressed')")), json!("false"));
    browser.wait(&format!("{count} < {before}"));
    browser.evaluate(&format!("{button}.click()"));
    browser.wait(&format!("{count} === {before}"));
}

#[test]
fn an_axis_of_a_sweep_is_narrowed_by_dragging_along_it() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let sweep = chart(&mut browser, "All points");
    let faded = format!(
        "[...document.querySelectorAll('{sweep} svg path')].filter((p) => \
         Number(p.getAttribute('stroke-opacity') ?? 1) < 0.05).length"
    );
    assert_eq!(browser.evaluate(&faded), json!(0), "all points are seen");
    let [left, top, width, height] = browser.place(&format!("{sweep} .plot"));
    // The second of four axes, from its middle to its end at the bottom: depths up to 8.
    let second = left + 60.0 + (width - 60.0 - 90.0) / 3.0;
    browser.drag(second, top + height * 0.55, top + height * 0.93);
    browser.wait(&format!("{faded} > 0"));
    let hidden = browser.evaluate(&faded).as_u64().unwrap();
    assert!((4..=10).contains(&hidden), "{hidden} of 14 points fade");
    // A click beside the mark lets all pass again.
    browser.drag(second, top + height * 0.3, top + height * 0.3);
    browser.wait(&format!("{faded} === 0"));
}

#[test]
fn a_drive_has_one_colour_and_every_bar_its_name() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let curve = chart(&mut browser, "load-curve, workload sql: latency against");
    let keys = browser.evaluate(&format!(
        "[...document.querySelectorAll('{curve} .legend button .key')].map((k) => \
         k.style.background)"
    ));
    assert_eq!(keys, json!(["rgb(0, 114, 178)", "rgb(213, 94, 0)"]), "drive-a, drive-b");
    let bars = chart(&mut browser, "rand read, QD 16: IOPS");
    let fills = browser.evaluate(&format!(
        "[...document.querySelectorAll('{bars} svg path')].map((p) => p.getAttribute('fill'))"
    ));
    let fills: Vec<String> = serde_json::from_value(fills).unwrap();
    // Whiskers and hatching are black and white.
    let coloured = |fill: &&str| fill.starts_with('#') && *fill != "#000";
    let colours: Vec<&str> = fills.iter().map(String::as_str).filter(coloured).collect();
    assert_eq!(colours, ["#0072B2", "#D55E00", "#009E73"], "of the same drives");
    let written = browser.text(&format!("document.querySelector('{bars} svg').textContent"));
    for name in ["drive-a", "drive-b", fixtures::LONG] {
        assert!(written.replace(' ', "").contains(&name.replace(' ', "")), "{name}: {written}");
    }
}

#[test]
fn tables_sort_by_value_and_copy_as_csv() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    let table = "[...document.querySelectorAll('.table')].find((t) => \
                 t.querySelector('.caption').textContent === 'Figures of a-review')";
    let column = |browser: &mut Chromium, index: usize| -> Vec<String> {
        let js = format!(
            "[...{table}.querySelectorAll('tbody tr')].map((r) => r.cells[{index}].innerText)"
        );
        serde_json::from_value(browser.evaluate(&js)).unwrap()
    };
    let head = format!("{table}.querySelectorAll('th')[4]");
    browser.evaluate(&format!("{head}.querySelector('button').click()"));
    assert_eq!(column(&mut browser, 4), ["9000", "100000", "900000"], "by number, not by letter");
    assert_eq!(browser.evaluate(&format!("{head}.getAttribute('aria-sort')")), json!("ascending"));
    browser.evaluate(&format!("{head}.querySelector('button').click()"));
    assert_eq!(column(&mut browser, 4), ["900000", "100000", "9000"]);
    browser.evaluate(
        "Object.defineProperty(navigator, 'clipboard', \
         { value: { writeText: async (t) => { window.copied = t; } } })",
    );
    browser.evaluate(&format!("{table}.querySelector('.copy').click()"));
    browser.wait("window.copied !== undefined");
    let csv = browser.evaluate("window.copied").as_str().unwrap().to_owned();
    let first: Vec<&str> = csv.lines().take(2).collect();
    assert_eq!(first[0], "Figure,Target,Metric,Unit,Published,Simulated,+-,Error,Basis,Verdict");
    assert_eq!(first[1], "f.three,drive-a,iops,IOPS,900000,950000,1.0 %,+5.6 %,predicted,hit");
}

#[test]
fn everything_has_a_name_for_who_cannot_see_it() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let nameless = browser.evaluate(
        "[...document.querySelectorAll('button, .plot, .scroll, nav, th')].filter((e) => \
         !(e.textContent.trim() || e.getAttribute('aria-label'))).length",
    );
    assert_eq!(nameless, json!(0));
    let unreachable = browser.evaluate(
        "[...document.querySelectorAll('.plot')].filter((e) => e.tabIndex !== 0 || \
         !e.getAttribute('aria-label').includes('Series')).length",
    );
    assert_eq!(unreachable, json!(0));
    // Every chart has its data as a table beside it.
    let rows: Value = browser.evaluate(
        "(async () => { const all = [...document.querySelectorAll('details.data')]; \
         all.forEach((d) => { d.open = true; }); await new Promise((r) => setTimeout(r, 300)); \
         return all.map((d) => d.querySelectorAll('tbody tr').length); })()",
    );
    let rows: Vec<u64> = serde_json::from_value(rows).unwrap();
    assert!(rows.iter().all(|count| *count > 0), "{rows:?}");
}

#[test]
fn the_page_follows_the_scheme_and_the_button() {
    let Some((mut browser, _folder)) = opened(true) else { return };
    let back = "getComputedStyle(document.body).backgroundColor";
    let dark = browser.evaluate(back);
    browser.evaluate("document.querySelector('button.theme').click()");
    let light = browser.evaluate(back);
    assert_eq!((dark, light), (json!("rgb(20, 24, 29)"), json!("rgb(255, 255, 255)")));
}

#[test]
fn it_looks_as_it_did() {
    let titles = [
        ("load-curve", "load-curve, workload sql: latency against"),
        ("percentiles", "load-curve, workload sql: latency by percentile"),
        ("state-over-time", "snia-iops: bandwidth and SLC cache"),
        ("heat-map", "snia-iops: drive-a: IOPS"),
        ("radar", "corner: against drive-a"),
        ("parallel", "All points"),
        ("errors", "Error of every figure"),
        ("diagonal", "Published against simulated"),
        ("comparison", "rand read, QD 16"),
        ("histogram", "before.json: completion latency, histogram"),
    ];
    for dark in [false, true] {
        let Some((mut browser, _folder)) = opened(dark) else { return };
        draw_all(&mut browser);
        let scheme = if dark { "dark" } else { "light" };
        // In the dark the same drawing with other colours: two of them tell that.
        for (name, title) in titles.iter().take(if dark { 2 } else { titles.len() }) {
            let chart = chart(&mut browser, title);
            let png = browser.picture(&chart);
            picture::is_as_before(&format!("{name}-{scheme}"), &png);
        }
    }
}

/// The comparison of pictures itself: a line that is missing is seen.
#[test]
fn a_missing_line_is_a_difference() {
    let Some((mut browser, _folder)) = opened(false) else { return };
    draw_all(&mut browser);
    let curve = chart(&mut browser, "load-curve, workload sql: latency against");
    let plot = format!("{curve} .plot");
    let whole = browser.picture(&plot);
    assert_eq!(picture::difference(&whole, &browser.picture(&plot)), 0.0);
    browser.evaluate(&format!("document.querySelector('{curve} .legend button').click()"));
    let without = browser.picture(&plot);
    assert!(picture::difference(&whole, &without) > 0.03);
}

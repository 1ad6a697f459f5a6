//! A report as one page that opens offline: no link leaves it, and no script or style is fetched.
//!
//! All text is in the page itself; the script draws the charts out of the data beside
//! them, and lets tables be sorted and copied.

mod block;
mod slug;

use crate::document::{Chart, Document};
use block::Page;
use maud::{DOCTYPE, PreEscaped, html};

/// The chart library, Apache ECharts 6.1.0 as released (`dist/echarts.min.js`).
const ECHARTS: &str = include_str!("../../assets/echarts.min.js");
/// Draws the charts and sorts the tables: files that share their names, and no other script does.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../../assets/page/axes.js"),
    include_str!("../../assets/page/charts.js"),
    include_str!("../../assets/page/page.js"),
    "})();\n"
);
const STYLE: &str = include_str!("../../assets/page.css");

/// Nothing may be fetched, whatever a file that was rendered says.
const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/// The page.
pub fn page(document: &Document) -> String {
    let mut page = Page::default();
    let summary = page.blocks(&document.summary);
    let mut names = slug::Names::default();
    let sections: Vec<_> = document
        .sections
        .iter()
        .map(|section| (names.of(&section.title), section, page.blocks(&section.blocks)))
        .collect();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content=(format!("drivelab {}", document.version));
                title { (document.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#content" { "To the content" }
                div.frame {
                    nav aria-label="Sections" {
                        strong { "drivelab" }
                        ol {
                            @for (id, section, _) in &sections {
                                li { a href=(format!("#{id}")) { (section.title) } }
                            }
                        }
                        p {
                            button.theme type="button" { "Dark or light" }
                        }
                        p {
                            button.all type="button" { "Open and draw all" }
                        }
                    }
                    main id="content" {
                        h1 { (document.title) }
                        p.by {
                            "Made by drivelab " (document.version) ". Arrow keys walk through the \
                            points of a chart; every chart and table can be copied as CSV."
                        }
                        (summary)
                        @for (id, section, blocks) in &sections {
                            section id=(id) data-kind=(section.kind) {
                                h2 { (section.title) }
                                (blocks)
                            }
                        }
                    }
                }
                script type="application/json" id="charts" { (PreEscaped(data(&page.charts))) }
                script { (PreEscaped(ECHARTS)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

/// The charts as JSON that no text in it can end early.
fn data(charts: &[&Chart]) -> String {
    let json = serde_json::to_string(charts).unwrap_or_else(|_| "[]".to_owned());
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, Cell, DataTable, Line, Section, Style};

    fn document(title: &str) -> Document {
        let chart = Chart {
            title: title.to_owned(),
            lines: vec![Line::new(title, Style::Line, vec![[0.0, f64::NAN]])],
            ..Chart::default()
        };
        let mut section = Section::new(title, "run");
        section.blocks = vec![Block::chart(chart), Block::Text(title.to_owned())];
        Document { title: title.to_owned(), sections: vec![section], ..Document::default() }
    }

    #[test]
    fn what_a_file_says_cannot_become_script() {
        let page = page(&document("</script><script>alert(1)</script>"));
        assert!(!page.contains("<script>alert"), "a title became a script");
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
    }

    #[test]
    fn what_is_no_number_is_null() {
        assert!(page(&document("t")).contains(r#""points":[[0.0,null]]"#));
    }

    #[test]
    fn what_stands_between_backticks_is_code() {
        let mut document = document("t");
        let text = "`better` and `a<b` hold, one ` is left".to_owned();
        document.sections[0].blocks = vec![Block::Text(text)];
        let expected = "<code>better</code> and <code>a&lt;b</code> hold, one ` is left</p>";
        assert!(page(&document).contains(expected));
    }

    #[test]
    fn cells_of_tables_have_code_too() {
        let mut document = document("t");
        let mut table = DataTable::new("t", &["T"]);
        let text = "`better` and `a<b` hold, one ` is left";
        table.rows.push(vec![Cell::text(text)]);
        document.sections[0].blocks = vec![Block::Table(table)];
        let expected = "<code>better</code> and <code>a&lt;b</code> hold, one ` is left</td>";
        assert!(page(&document).contains(expected));
    }

    #[test]
    fn nothing_is_fetched() {
        let page = page(&document("t"));
        for mark in ["src=\"", "@import", "url(http", "<link"] {
            assert!(!page.replace(ECHARTS, "").contains(mark), "{mark}");
        }
    }
}

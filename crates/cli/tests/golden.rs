//! Command lines in pages of documentation are run and compared with what the pages show.

#[test]
fn pages() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("tests/cmd/*.md")
        .insert_var("[VERSION]", env!("CARGO_PKG_VERSION"))
        .expect("a variable of the pages");
}

//! The key `media` of a drive file.

use super::diagnose;
use fio::Diagnostic;
use metric::hint;

/// The words of the key `media`; a file without it is flash.
const WORDS: [&str; 3] = ["flash", "disk", "xpoint"];

/// The word of the key `media` in a text; `flash` if there is none or the text is not TOML, which
/// the reader of the file will say better.
pub(super) fn media_word(file: &str, text: &str) -> Result<&'static str, Diagnostic> {
    let Ok(table) = toml::de::DeTable::parse(text) else { return Ok(WORDS[0]) };
    let Some(value) = table.get_ref().get("media") else { return Ok(WORDS[0]) };
    let said = value.get_ref().as_str().unwrap_or_default();
    WORDS.into_iter().find(|word| *word == said).ok_or_else(|| {
        let place = diagnose::place(file, text, value.span().start);
        Diagnostic::new(&place, format!("there is no medium `{said}`"))
            .with_help(hint("media", said, WORDS))
    })
}

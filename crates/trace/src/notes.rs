//! Irregularities of a trace that were corrected, counted.

use crate::format::Format;

/// Counts of what was left out or changed while reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Reads, writes and trims of no bytes, left out.
    pub empty: u64,
    /// Lines or records that are not requests: other events, other stages of a request.
    pub others: u64,
    /// Requests recorded after later ones, which were sorted.
    pub reordered: u64,
    /// Requests so far behind later ones that they got the time of the latest before them.
    pub late: u64,
    /// Requests whose first byte or length is not a multiple of 512.
    pub unaligned: u64,
    /// Records at the end of a file that are not complete.
    pub cut: u64,
}

impl Notes {
    /// A sentence for each thing that a user should know.
    pub fn warnings(&self, format: Format) -> Vec<String> {
        let mut list = Vec::new();
        let mut say = |count: u64, text: &str| {
            if count > 0 {
                let (requests, are) = match count {
                    1 => ("request", "is"),
                    _ => ("requests", "are"),
                };
                list.push(
                    text.replace("{n}", &format!("{count} {requests}")).replace("{are}", are),
                );
            }
        };
        say(self.empty, "{n} of no bytes {are} left out");
        say(self.reordered, "time goes backwards: {n} {are} sorted into place");
        say(
            self.late,
            "time goes far backwards: {n} {are} taken as arriving with the latest before",
        );
        say(self.unaligned, "{n} {are} not whole sectors of 512 bytes");
        if self.cut > 0 {
            list.push(
                "the file ends within a record: what is left of it is passed over".to_owned(),
            );
        }
        if format.has_whole_seconds() {
            let text = format!(
                "the format `{format}` has whole seconds: all requests of a second arrive at once"
            );
            list.push(text);
        }
        list
    }
}

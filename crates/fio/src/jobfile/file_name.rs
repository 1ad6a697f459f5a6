//! Lists of names separated by colons, where `\:` is a colon in a name.

/// Splits a list of files or directories; empty names are left out.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.peek() == Some(&':') => {
                rest.next();
                if let Some(name) = names.last_mut() {
                    name.push(':');
                }
            }
            ':' => names.push(String::new()),
            other => {
                if let Some(name) = names.last_mut() {
                    name.push(other);
                }
            }
        }
    }
    names.retain(|name| !name.trim().is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn colons_separate_unless_escaped() {
        assert_eq!(split("/dev/sda:/dev/sdb"), ["/dev/sda", "/dev/sdb"]);
        assert_eq!(split(r"/dev/by-path/pci-0\:0:b"), ["/dev/by-path/pci-0:0", "b"]);
        assert!(split(":").is_empty());
    }
}

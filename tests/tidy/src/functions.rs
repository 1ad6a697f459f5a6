//! Rules about functions.

use crate::tree::{check, files};
use syn::spanned::Spanned;
use syn::visit::Visit;

/// Lines of a function, from its signature to its closing brace.
const LINES: usize = 70;

/// Functions that are longer, by file and name. None is added.
const LONG: &[(&str, &str)] = &[("crates/fio/src/jobfile/draft.rs", "defaults")];

/// The functions of a file that are too long, by name and lines.
#[derive(Default)]
struct Long(Vec<(String, usize)>);

impl Long {
    fn take(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.span().end().line - signature.span().start().line + 1;
        if lines > LINES {
            self.0.push((signature.ident.to_string(), lines));
        }
    }
}

impl<'ast> Visit<'ast> for Long {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.take(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.take(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.take(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}

#[test]
fn a_function_fits_a_screen() {
    let mut breaches = Vec::new();
    let mut needed = Vec::new();
    for file in files("", ".rs") {
        let parsed = syn::parse_file(&file.text).unwrap_or_else(|e| panic!("{}: {e}", file.path));
        let mut long = Long::default();
        long.visit_file(&parsed);
        for (name, lines) in long.0 {
            match LONG.iter().find(|(path, known)| *path == file.path && *known == name) {
                Some(excuse) => needed.push(excuse),
                None => breaches.push(format!("{}: {name}, {lines} lines", file.path)),
            }
        }
    }
    check(&format!("a function has at most {LINES} lines; name its parts"), breaches);
    let stale = LONG.iter().filter(|excuse| !needed.contains(excuse));
    let stale = stale.map(|(path, name)| format!("{path}: {name}"));
    check("an exception that is not needed goes", stale.collect());
}

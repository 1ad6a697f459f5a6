//! Rules about the modules of a crate: no circles, and folders that point one way.

use crate::tree::{File, check, files};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// Folders of crates whose order is fixed: each may use itself and those before it.
const ORDERS: &[(&str, &[&str])] = &[
    ("iopath", &["kernel", "device", "volume", "host", "machine"]),
    ("iopath::device", &["health", "heat", "queues", "flash", "disk", "xpoint"]),
];

/// A module as the parts of its path; the root of the crate has none.
type Module = Vec<String>;

/// The modules that each module of a crate imports.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The module that a file of a crate is.
fn module_of(path: &str, src: &str) -> Module {
    let path = path.strip_prefix(src).unwrap_or(path).trim_end_matches(".rs");
    let mut parts: Module =
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// Collects the paths that a file names, from the root of its crate.
struct Paths {
    here: Module,
    found: BTreeSet<Module>,
}

impl Paths {
    /// Takes a path that begins with `crate`, `super` or `self`; others lead to another crate or
    /// to a part of this module.
    fn take(&mut self, parts: &[String]) {
        let mut at = match parts.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("super" | "self") => self.here.clone(),
            _ => return,
        };
        for part in parts {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => drop(at.pop()),
                name => at.push(name.to_owned()),
            }
        }
        self.found.insert(at);
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Name(name) => self.leaf(&name.ident, before),
            syn::UseTree::Rename(name) => self.leaf(&name.ident, before),
            syn::UseTree::Glob(_) => self.take(before),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(tree, before));
            }
        }
    }

    fn leaf(&mut self, name: &syn::Ident, before: &mut Vec<String>) {
        before.push(name.to_string());
        self.take(before);
        before.pop();
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.tree(&item.tree, &mut Vec::new());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if parts.len() > 1 {
            self.take(&parts);
        }
        syn::visit::visit_path(self, path);
    }
}

/// The imports among the modules of a crate. What is above a module in the same branch counts, what
/// is below does not: a module is made of its parts.
fn graph(src: &str) -> Graph {
    let of_tests = |file: &File| file.is_test();
    let files: Vec<File> = files(src, ".rs").into_iter().filter(|file| !of_tests(file)).collect();
    let known: BTreeSet<Module> = files.iter().map(|file| module_of(&file.path, src)).collect();
    let mut graph = Graph::new();
    for file in &files {
        let here = module_of(&file.path, src);
        let parsed = syn::parse_file(&file.text).unwrap_or_else(|e| panic!("{}: {e}", file.path));
        let mut paths = Paths { here: here.clone(), found: BTreeSet::new() };
        paths.visit_file(&parsed);
        let deepest = |path: &Module| {
            let prefixes = (0..=path.len()).rev().map(|n| path[..n].to_vec());
            prefixes.into_iter().find(|prefix| known.contains(prefix)).unwrap_or_default()
        };
        let used = paths.found.iter().map(deepest);
        let used = used.filter(|to| !to.is_empty() && !to.starts_with(&here)).collect();
        graph.insert(here, used);
    }
    graph
}

/// What is left when modules that import nothing, and those that nothing imports, are taken away
/// again and again: the circles, and what lies between them.
fn circles(mut graph: Graph) -> Graph {
    loop {
        let importing: BTreeSet<Module> =
            graph.iter().filter(|(_, used)| !used.is_empty()).map(|(m, _)| m.clone()).collect();
        let imported: BTreeSet<Module> = graph.values().flatten().cloned().collect();
        let before = graph.len();
        graph.retain(|module, _| importing.contains(module) && imported.contains(module));
        let left: BTreeSet<Module> = graph.keys().cloned().collect();
        graph.values_mut().for_each(|used| used.retain(|module| left.contains(module)));
        if graph.len() == before {
            return graph;
        }
    }
}

fn crates() -> BTreeSet<String> {
    let manifests = files("crates", "Cargo.toml").into_iter();
    manifests.map(|file| file.path.trim_end_matches("/Cargo.toml").to_owned()).collect()
}

#[test]
fn no_module_imports_itself_by_way_of_others() {
    let mut breaches = Vec::new();
    for folder in crates() {
        for (module, used) in circles(graph(&format!("{folder}/src/"))) {
            let used: Vec<String> = used.iter().map(|used| used.join("::")).collect();
            breaches.push(format!("{folder}: {} -> {}", module.join("::"), used.join(", ")));
        }
    }
    check("no circle of modules inside a crate", breaches);
}

#[test]
fn a_circle_is_found_with_what_makes_it() {
    let module = |name: &str| vec![name.to_owned()];
    let edges = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")];
    let mut graph: Graph = ["a", "b", "c", "d"].map(|m| (module(m), BTreeSet::new())).into();
    for (from, to) in edges {
        graph.get_mut(&module(from)).expect("a module").insert(module(to));
    }
    let left: Vec<Module> = circles(graph).into_keys().collect();
    assert_eq!(left, [module("b"), module("c")]);
}

#[test]
fn folders_point_one_way() {
    let mut breaches = Vec::new();
    for (parent, order) in ORDERS {
        let mut parts: Vec<String> = parent.split("::").map(str::to_owned).collect();
        let name = parts.remove(0);
        let place = |module: &Module| {
            let below = module.strip_prefix(parts.as_slice())?.first()?;
            order.iter().position(|folder| folder == below)
        };
        for (module, used) in graph(&format!("crates/{name}/src/")) {
            let Some(from) = place(&module) else { continue };
            for to in used.iter().filter(|to| place(to).is_some_and(|to| to > from)) {
                breaches.push(format!("{name}: {} -> {}", module.join("::"), to.join("::")));
            }
        }
    }
    check("a folder uses those before it in `ORDERS`", breaches);
}

//! Checks which file of `lower` imports which: rooms import downwards, and there are no import cycles.
//!
//! The counting rule: a file imports another file if one of its paths leads there. These paths count: those
//! in `use`, and those elsewhere that start with `crate::lower`, `self`, `super` or a module that the file
//! declares. A path leads to the file of the last module that it names, so an item of `mod.rs` counts for
//! `mod.rs`. Several paths to the same file count once. `mod` declarations, calls of methods, visibilities
//! such as `pub(in crate::lower)` and the test modules don't count.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The rooms of `lower`. Each imports only from itself and from those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    /// What all rooms share: the files of the folder itself.
    Shared,
    /// The schema resolver.
    Resolver,
    /// Types of schemas.
    Schema,
    /// Paths and operations.
    Operation,
    /// Passes over all types.
    Finish,
    /// `mod.rs`, which runs the others.
    Entry,
}

impl Room {
    /// Returns the room of a file.
    fn of(file: &str) -> Self {
        match file.split_once('/').map(|(folder, _)| folder) {
            Some("resolver") => Self::Resolver,
            Some("schema") => Self::Schema,
            Some("operation") => Self::Operation,
            Some("finish") => Self::Finish,
            Some(folder) => panic!("`{folder}` is not a room"),
            None if file == "mod.rs" => Self::Entry,
            None => Self::Shared,
        }
    }
}

#[test]
fn rooms_import_downwards() {
    let imports = Sources::read().imports();
    let mut upward = Vec::new();
    for (from, targets) in &imports {
        let higher = targets.iter().filter(|to| Room::of(to) > Room::of(from));
        upward.extend(higher.map(|to| (from.as_str(), to.as_str())));
    }
    assert_eq!(upward, [], "files of `lower` that import from a higher room");
}

#[test]
fn no_file_imports_itself_through_others() {
    let imports = Sources::read().imports();
    assert!(imports.len() > 50, "the sources of `lower` are found");
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reachable(&imports, file))).collect();
    let mut cycles = BTreeSet::new();
    for (file, targets) in &reached {
        let cycle: Vec<&str> =
            targets.iter().copied().filter(|other| reached[other].contains(file)).collect();
        if !cycle.is_empty() {
            cycles.insert(cycle);
        }
    }
    assert_eq!(cycles, BTreeSet::new(), "cycles of imports within `lower`");
}

#[test]
fn every_kind_of_path_counts() {
    let texts = [
        ("mod.rs", "mod a; mod room; pub use room::leaf::Leaf; fn run() { a::run() }"),
        ("a.rs", "use std::fmt; use super::{Lowering, room::{leaf::{self, Leaf as It}, other::*}};"),
        ("room/mod.rs", "pub(in crate::lower) mod leaf; mod other; type Other = other::Other;"),
        ("room/leaf.rs", "fn f() -> impl Fn() + use<> {} #[cfg(test)] mod tests { use crate::lower::a; }"),
        ("room/other.rs", "fn f() { crate::lower::a::b::<self::Leaf>(leaf::Leaf, super::super::Top, a.b) }"),
    ];
    let imports = Sources::of(&texts.map(|(name, text)| (name.to_owned(), text.to_owned()))).imports();
    let imports: Vec<(&str, Vec<&str>)> = imports
        .iter()
        .map(|(file, targets)| (file.as_str(), targets.iter().map(String::as_str).collect()))
        .collect();
    let expected = [
        ("a.rs", vec!["mod.rs", "room/leaf.rs", "room/other.rs"]),
        ("mod.rs", vec!["a.rs", "room/leaf.rs"]),
        ("room/leaf.rs", vec![]),
        ("room/mod.rs", vec!["room/other.rs"]),
        ("room/other.rs", vec!["a.rs", "mod.rs"]),
    ];
    assert_eq!(imports, expected);
}

/// The imports of each file.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the files that a file imports, also through other files.
fn reachable<'i>(imports: &'i Imports, from: &'i str) -> BTreeSet<&'i str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(imports[file].iter().map(String::as_str).filter(|target| reached.insert(*target)));
    }
    reached
}

/// The sources of `lower` without its tests: the file's path and tokens by module, such as `schema/flat`.
#[derive(Default)]
struct Sources(BTreeMap<String, (String, Vec<String>)>);

impl Sources {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower");
        let mut files = Vec::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let inner = path.strip_prefix(&root).unwrap().iter();
                let name = inner.map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/");
                if name == "tests" || name == "tests.rs" {
                    continue;
                }
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
        Self::of(&files)
    }

    /// Tokenizes files, each given by its path and text.
    fn of(files: &[(String, String)]) -> Self {
        let mut sources = Self::default();
        for (name, text) in files {
            let module = name.strip_suffix(".rs").unwrap();
            let module = if module == "mod" { "" } else { module.strip_suffix("/mod").unwrap_or(module) };
            let mut tokens = Vec::new();
            flatten(text.parse().unwrap(), &mut tokens);
            sources.0.insert(module.to_owned(), (name.clone(), tokens));
        }
        sources
    }

    fn imports(&self) -> Imports {
        let targets = |(module, (file, tokens)): (&String, &(String, Vec<String>))| {
            let paths = self.paths(module, tokens).into_iter();
            let targets = paths.filter_map(|path| self.target(module, &path));
            (file.clone(), targets.filter(|target| target != file).collect())
        };
        self.0.iter().map(targets).collect()
    }

    /// Returns the paths of a file that can lead to another file of `lower`.
    fn paths<'t>(&self, module: &str, tokens: &'t [String]) -> Vec<Vec<&'t str>> {
        let mut paths = Vec::new();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            let [before, previous] =
                [2, 1].map(|back| index.checked_sub(back).map_or("", |at| tokens[at].as_str()));
            let next = tokens.get(index + 1).map_or("", String::as_str);
            let is_start = ["crate", "self", "super"].contains(&token.as_str())
                || self.0.contains_key(&child(module, token));
            if token == "use" && next != "<" {
                let length = tokens[index..].iter().take_while(|token| *token != ";").count();
                leaves(&tokens[index + 1..index + length], &mut paths);
                index += length;
            } else if is_start && next == "::" && previous != "::" && [before, previous] != ["(", "in"] {
                let length =
                    tokens[index..].chunks(2).take_while(|pair| pair.get(1).is_some_and(|it| it == "::"));
                let length = length.count();
                paths.push(tokens[index..].iter().step_by(2).take(length + 1).map(String::as_str).collect());
                index += 2 * length;
            }
            index += 1;
        }
        paths
    }

    /// Returns the file that a path of a module leads to, unless it leads out of `lower`.
    fn target(&self, module: &str, path: &[&str]) -> Option<String> {
        let mut rest = path;
        let mut at = module.to_owned();
        if let Some(inner) = rest.strip_prefix(&["crate"]) {
            rest = inner.strip_prefix(&["lower"])?;
            at.clear();
        } else if !["self", "super"].contains(rest.first()?) && !self.0.contains_key(&child(module, rest[0]))
        {
            return None;
        }
        for name in rest {
            match *name {
                "self" => {}
                "super" if at.is_empty() => return None,
                "super" => at.truncate(at.rfind('/').unwrap_or_default()),
                name if self.0.contains_key(&child(&at, name)) => at = child(&at, name),
                _ => break,
            }
        }
        Some(self.0.get(&at)?.0.clone())
    }
}

fn child(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}/{name}") }
}

/// Returns the paths in the tokens between `use` and `;`.
fn leaves<'t>(tokens: &'t [String], paths: &mut Vec<Vec<&'t str>>) {
    let mut open: Vec<Vec<&str>> = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    let mut tokens = tokens.iter().map(String::as_str);
    let mut is_whole = false;
    while let Some(token) = tokens.next() {
        match token {
            "{" => open.push(path.clone()),
            "," | "}" => {
                if std::mem::take(&mut is_whole) {
                    paths.push(path);
                }
                if token == "}" {
                    open.pop();
                }
                path = open.last().cloned().unwrap_or_default();
            }
            "as" => _ = tokens.next(),
            "::" => {}
            "*" => is_whole = true,
            name => {
                path.push(name);
                is_whole = true;
            }
        }
    }
    if is_whole {
        paths.push(path);
    }
}

/// Appends the tokens of a file, without those of its test modules. `::` is one token.
fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    let mut is_test = false;
    let mut stream = stream.into_iter().peekable();
    while let Some(token) = stream.next() {
        match token {
            TokenTree::Group(group) => {
                let is_attribute = group.delimiter() == Delimiter::Bracket;
                is_test |= is_attribute && group.stream().to_string().replace(' ', "") == "cfg(test)";
                if is_test && group.delimiter() == Delimiter::Brace {
                    is_test = false;
                    continue;
                }
                let (start, end) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(start.to_owned());
                flatten(group.stream(), tokens);
                tokens.push(end.to_owned());
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint => {
                stream.next();
                tokens.push("::".to_owned());
            }
            other => {
                let token = other.to_string();
                is_test &= token != ";";
                tokens.push(token);
            }
        }
    }
}

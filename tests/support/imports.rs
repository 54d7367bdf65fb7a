//! Which source file of a crate imports which.
//!
//! A file imports another file if one of its paths leads there. These paths count: those in `use`, and those elsewhere
//! that start with `crate`, `self`, `super` or a module that the file declares. A path leads to the file of the last
//! module that it names, so an item of `mod.rs` counts for `mod.rs`. Several paths to the same file count once. `mod`
//! declarations, calls of methods, visibilities such as `pub(in crate::lower)` and the test modules don't count.
//!
//! The functions are for tests: they panic if the sources can't be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The imports of each file.
pub type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the imports of the files below a folder, whose module has this path in its crate: `["lower"]`.
///
/// # Panics
/// The folder can't be read.
#[must_use]
pub fn below(root: &Path, module: &[&str]) -> Imports {
    Sources::of(&files_below(root), module).imports()
}

/// Returns each import that an order forbids: its file, with the line, and the file that it leads to.
///
/// # Panics
/// The folder can't be read.
#[must_use]
pub fn upward(root: &Path, module: &[&str], is_above: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let files = files_below(root);
    let imports = Sources::of(&files, module).imports();
    let mut upward = Vec::new();
    for (file, text) in &files {
        let higher = imports[file].iter().filter(|target| is_above(target, file));
        upward.extend(higher.map(|target| format!("{file}:{} imports {target}", line_of(text, target))));
    }
    upward
}

/// Returns each import of a crate that leads from a module of the list to a later one, as [`upward`] does.
///
/// `order` lists the paths of modules. A file belongs to the longest path that contains it. The path of `lib.rs` and
/// `main.rs` is `""`: they import every module, and the position of `""` says who imports them.
///
/// # Panics
/// The folder can't be read, or a file belongs to no path.
#[must_use]
pub fn to_later_modules(root: &Path, order: &[&str]) -> Vec<String> {
    let position = |file: &str| {
        let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
        let module = if ["lib", "main"].contains(&module) { "" } else { module };
        let contains = |path: &str| {
            module == path || module.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
        };
        let mine =
            order.iter().enumerate().filter(|(_, path)| contains(path)).max_by_key(|(_, path)| path.len());
        mine.unwrap_or_else(|| panic!("{file} belongs to no module of the list: add one"))
    };
    upward(root, &[], |to, from| {
        let ((from, path), (to, _)) = (position(from), position(to));
        !path.is_empty() && to > from
    })
}

/// Returns the first line, from 1, that names the module of a file.
fn line_of(text: &str, target: &str) -> usize {
    let module = target.trim_end_matches(".rs").trim_end_matches("/mod");
    let name = module.rsplit('/').next().unwrap_or(module);
    let names = |line: &str| {
        let mut words = line.split(|character: char| !(character.is_alphanumeric() || character == '_'));
        !line.trim_start().starts_with("//") && words.any(|word| word == name)
    };
    text.lines().position(names).map_or(1, |index| index + 1)
}

/// Returns the files below a folder, without tests: the path and the text of each.
fn files_below(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let inner = path.strip_prefix(root).unwrap().iter();
            let name = inner.map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/");
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "tests") {
                    open.push(path);
                }
            } else if name.ends_with(".rs") && path.file_name().is_some_and(|name| name != "tests.rs") {
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Sources: the file's path and tokens by module, such as `schema/flat`; and the module of their folder in the crate.
#[derive(Default)]
struct Sources<'m>(BTreeMap<String, (String, Vec<String>)>, &'m [&'m str]);

impl<'m> Sources<'m> {
    /// Tokenizes files, each given by its path and text.
    fn of(files: &[(String, String)], module: &'m [&'m str]) -> Self {
        let mut sources = Self(BTreeMap::new(), module);
        for (name, text) in files {
            let module = name.strip_suffix(".rs").unwrap();
            let module = match module {
                "mod" | "lib" => "",
                _ => module.strip_suffix("/mod").unwrap_or(module),
            };
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

    /// Returns the paths of a file that can lead to another file of the folder.
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

    /// Returns the file that a path of a module leads to, unless it leads out of the folder.
    fn target(&self, module: &str, path: &[&str]) -> Option<String> {
        let mut rest = path;
        let mut at = module.to_owned();
        if let Some(inner) = rest.strip_prefix(&["crate"]) {
            rest = inner.strip_prefix(self.1)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_path_counts() {
        let texts = [
            ("mod.rs", "mod a; mod inner; pub use inner::leaf::Leaf; fn run() { a::run() }"),
            ("a.rs", "use std::fmt; use super::{Lowering, inner::{leaf::{self, Leaf as It}, other::*}};"),
            ("inner/mod.rs", "pub(in crate::lower) mod leaf; mod other; type Other = other::Other;"),
            (
                "inner/leaf.rs",
                "fn f() -> impl Fn() + use<> {} #[cfg(test)] mod tests { use crate::lower::a; }",
            ),
            (
                "inner/other.rs",
                "fn f() { crate::lower::a::b::<self::Leaf>(leaf::Leaf, super::super::Top, a.b) }",
            ),
        ];
        let imports =
            Sources::of(&texts.map(|(name, text)| (name.to_owned(), text.to_owned())), &["lower"]).imports();
        let imports: Vec<(&str, Vec<&str>)> = imports
            .iter()
            .map(|(file, targets)| (file.as_str(), targets.iter().map(String::as_str).collect()))
            .collect();
        let expected = [
            ("a.rs", vec!["inner/leaf.rs", "inner/other.rs", "mod.rs"]),
            ("inner/leaf.rs", vec![]),
            ("inner/mod.rs", vec!["inner/other.rs"]),
            ("inner/other.rs", vec!["a.rs", "mod.rs"]),
            ("mod.rs", vec!["a.rs", "inner/leaf.rs"]),
        ];
        assert_eq!(imports, expected);
    }

    #[test]
    fn an_import_is_shown_with_its_line() {
        let text = "//! Of engine.\n\nuse crate::time;\nuse crate::engine::{Engine, schema};\n";
        assert_eq!([line_of(text, "engine/mod.rs"), line_of(text, "engine/schema.rs")], [4, 4]);
    }
}

//! Reads a document: JSON or YAML, OpenAPI 3.0 or 3.1, into a tree whose nodes know their place in the text.
//!
//! Typed models of OpenAPI stop at their first error and know no positions, so this module reads the text into plain
//! [`Node`]s and hands those on; whatever is wrong with one node is said about that node, and the rest is read all the
//! same. A document that a program holds as `openapiv3`'s types is written into the same tree.

mod file;
mod json_spans;
mod links;
mod nesting;
mod node;
mod reference;
mod spans;
#[cfg(feature = "openapiv3")]
mod typed;

pub use node::{Node, Object};
pub use reference::{RefError, Resolved, component_name};
pub use spans::{Position, Range, Spans};

use crate::diagnostics::{Code, Diagnostics};
pub(crate) use file::File;
use links::Links;

/// A document: one file, and those that its references lead to.
#[derive(Debug)]
pub struct Document {
    main: File,
    others: Vec<File>,
    links: Links,
    version: Version,
}

/// Gives the text of a file, or says in a few words why not. The path is as seen from where the name of the document is.
pub type Load<'l> = dyn Fn(&str) -> Result<String, String> + 'l;

/// A text and the name that people know it by.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path, as it was given.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Which OpenAPI a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 3.0.x
    V3_0,
    /// 3.1.x, and 3.2 as far as it is the same.
    V3_1,
}

/// What reading a text gave.
#[derive(Debug)]
pub struct Parsed {
    /// The document, unless the text is none.
    pub document: Option<Document>,
    /// The text, if it is no document.
    pub source: Option<Source>,
    /// What is wrong with it so far.
    pub diagnostics: Diagnostics,
}

impl Document {
    /// Reads a document that is a file alone. `name` is told in diagnostics; it also says, by its ending, whether the
    /// text is JSON or YAML (without a known ending, the text itself does).
    #[must_use]
    pub fn parse(name: &str, text: &str) -> Parsed {
        Self::parse_main(name, text)
    }

    /// Reads a document and the files that it refers to.
    #[must_use]
    pub fn parse_with_files(name: &str, text: &str, load: &Load<'_>) -> Parsed {
        let mut parsed = Self::parse_main(name, text);
        if let Some(document) = &mut parsed.document {
            links::link(document, load, &mut parsed.diagnostics);
        }
        parsed
    }

    fn parse_main(name: &str, text: &str) -> Parsed {
        let source = Source { name: name.to_owned(), text: text.trim_start_matches('\u{feff}').to_owned() };
        let root = file::read(&source);
        Self::of(source, root)
    }

    /// A document of this tree, or why there is none.
    fn of(source: Source, root: Result<Node, file::ReadError>) -> Parsed {
        let mut diagnostics = Diagnostics::default();
        let root = match root {
            Ok(root) => root,
            Err((position, message)) => {
                diagnostics.error_at(Code::Syntax, position, message);
                return Parsed { document: None, source: Some(source), diagnostics };
            }
        };
        let main = File::new(source, root);
        let version = version_of(&main.root, &mut diagnostics);
        if version.is_some() {
            main.report_duplicates(&mut diagnostics);
        }
        let version = version.unwrap_or(Version::V3_0);
        let document = Self { main, others: Vec::new(), links: Links::default(), version };
        Parsed { document: Some(document), source: None, diagnostics }
    }

    /// The whole document: the main file.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.main.root
    }

    /// Every node of every file, file by file, depth first.
    pub(crate) fn walk<'d>(&'d self, visit: &mut dyn FnMut(&'d Node)) {
        self.main.root.walk(visit);
        self.others.iter().for_each(|file| file.root.walk(visit));
    }

    /// A field of the document; where it is a reference, what that leads to.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Node> {
        let field = self.root().get(name)?;
        Some(self.resolve(field).map_or(field, |resolved| resolved.node))
    }

    /// The node of a section of `components`, as it is written in the main file.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&Node> {
        let section = self.field("components")?.get(name)?;
        Some(self.resolve(section).map_or(section, |resolved| resolved.node))
    }

    /// The components of a section: the main file's, then those that other files add.
    pub fn components(&self, section: &str) -> impl Iterator<Item = (&str, &Node)> {
        let written = self.section(section);
        let adopted = |name: &str| self.links.find(section, name).and_then(|target| self.target(target));
        let own = written.into_iter().flat_map(Node::entries);
        let own = own.map(move |(name, node)| (name, adopted(name).unwrap_or(node)));
        let more = self
            .links
            .of(section)
            .filter(move |(name, _)| written.is_none_or(|node| node.get(name).is_none()));
        own.chain(more.filter_map(|(name, target)| Some((name, self.target(target)?))))
    }

    /// Which OpenAPI it is written in.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The text and its name.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.main.source
    }

    /// Where the nodes of the main file stand in its text.
    #[must_use]
    pub fn spans(&self) -> &Spans {
        self.main.spans()
    }

    /// A file, by its place; the main one is the first.
    pub(crate) fn file(&self, place: usize) -> Option<&File> {
        match place.checked_sub(1) {
            None => Some(&self.main),
            Some(place) => self.others.get(place),
        }
    }

    /// The files, the main one first.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        std::iter::once(&self.main).chain(&self.others)
    }

    fn files_mut(&mut self) -> impl Iterator<Item = &mut File> {
        std::iter::once(&mut self.main).chain(&mut self.others)
    }

    fn place_of_file(&self, name: &str) -> Option<usize> {
        // The main file may be called as it never is by others: `./api.yaml`.
        let is_main = links::join("", &self.main.source.name) == name;
        if is_main { Some(0) } else { self.files().position(|file| file.source.name == name) }
    }

    /// Adds a file; its place.
    fn add_file(&mut self, file: File) -> usize {
        self.others.push(file);
        self.others.len()
    }
}

fn version_of(root: &Node, diagnostics: &mut Diagnostics) -> Option<Version> {
    let Some(node) = root.get("openapi") else {
        let diagnostic = diagnostics.error(
            Code::NoOpenApi,
            root,
            "this is no OpenAPI document: there is no `openapi` field",
        );
        if root.get("swagger").is_some() {
            diagnostic.help("Swagger 2.0 documents must be converted to OpenAPI 3 first.");
        } else {
            diagnostic.help("Begin with `openapi: 3.0.3` or `openapi: 3.1.0`.");
        }
        return None;
    };
    let version = match node {
        Node::String(version) => version.clone(),
        Node::Number(number) => number.to_string(),
        _ => String::new(),
    };
    match version.split('.').take(2).collect::<Vec<_>>().as_slice() {
        ["3", "0"] => Some(Version::V3_0),
        ["3", "1"] => Some(Version::V3_1),
        ["3", "2"] => {
            let message = format!("OpenAPI {version} is read as 3.1, so what is new in it has no effect");
            diagnostics.warning(Code::NewerVersion, node, message);
            Some(Version::V3_1)
        }
        _ => {
            diagnostics
                .error(
                    Code::UnsupportedVersion,
                    node,
                    format!("OpenAPI version `{version}` is not supported"),
                )
                .help("3.0 and 3.1 are.");
            None
        }
    }
}

#[cfg(test)]
mod tests;

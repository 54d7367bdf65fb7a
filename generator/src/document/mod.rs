//! Parses an OpenAPI document into a tree of nodes with source locations.
//!
//! Typed models of OpenAPI stop at the first error and don't track positions. So this module parses the text
//! into plain [`Node`]s. A diagnostic points at a node, and the other nodes are read anyway. A document that a
//! program holds as openapiv3's types is written into the same tree.

mod bindings;
mod bundle;
mod file;
mod ids;
mod links;
pub mod media;
mod node_path;
mod overlay;
mod path_item;
mod read;
mod reference;
mod swagger;
#[cfg(feature = "openapiv3")]
mod typed;
mod write;

pub(crate) use node_path::NodePath;
#[cfg(feature = "cli")]
pub(crate) use overlay::quoted_name;
pub(crate) use overlay::{Insertion, Origins};
pub(crate) use path_item::{ADDITIONAL, is_additional, method_fields, operations_of};
pub use reference::{RefError, Resolved, component_name, percent_encode};
pub(crate) use reference::{decode_step, section_of};
pub use write::DocumentFormat;

use std::collections::HashMap;

use crate::diagnostics::{Code, Diagnostics};
use crate::tree::{Node, NodeId, Value};
pub(crate) use file::File;
pub(crate) use ids::Ids;
use links::Links;
pub(crate) use links::Role;

/// A document: the main file, and the files that its references lead to.
#[derive(Debug)]
pub struct Document {
    main: File,
    /// The overlays that were applied to the main file. They have no nodes.
    overlays: Vec<File>,
    others: Vec<File>,
    origins: Origins,
    links: Links,
    version: Version,
    /// The components that were copied, by the names of the copies.
    templates: HashMap<String, String>,
}

/// Loads the text of a file, or returns the reason why not, as a short text.
///
/// The path is relative to the same folder as the name of the document.
pub type Load<'l> = dyn Fn(&str) -> Result<String, String> + 'l;

/// A text and its name in diagnostics.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path, as given by the caller or in a reference.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The OpenAPI version of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 3.0.x.
    V3_0,
    /// 3.1.x.
    V3_1,
    /// 3.2.x.
    V3_2,
}

/// The result of parsing a text.
#[derive(Debug)]
pub struct Parsed {
    /// The document, if the text is valid JSON or YAML.
    pub document: Option<Document>,
    /// The text, if it is not valid JSON or YAML.
    pub source: Option<Source>,
    /// The diagnostics of parsing.
    pub diagnostics: Diagnostics,
}

impl Document {
    /// Parses a document that consists of one file.
    ///
    /// Diagnostics show `name`. Its extension decides between JSON and YAML; without a known extension, the
    /// first character of the text does.
    pub fn parse(name: &str, text: &str) -> Parsed {
        Self::parse_with(name, text, &[], None)
    }

    /// Parses a document, applies overlays to it, and loads the files that it then refers to.
    ///
    /// Without `load`, a reference to another file is unknown.
    pub fn parse_with(name: &str, text: &str, overlays: &[Source], load: Option<&Load<'_>>) -> Parsed {
        let source = Source::new(name, text);
        match read::read(&source, 0, NodeId::default()) {
            Ok(root) => Self::of(File::new(source, root), overlays, load),
            Err(error) => Self::unreadable(source, error),
        }
    }

    /// Reports why a document could not be read.
    fn unreadable(source: Source, (position, message): read::ReadError) -> Parsed {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error_in(Code::Syntax, 0, position, message);
        Parsed { document: None, source: Some(source), diagnostics }
    }

    /// Creates the document whose main file this is.
    fn of(mut main: File, overlays: &[Source], load: Option<&Load<'_>>) -> Parsed {
        let mut diagnostics = Diagnostics::default();
        let (overlays, origins) = overlay::apply(&mut main, overlays, &mut diagnostics);
        let version = version_of(&main.root, &mut diagnostics);
        if version.is_some() {
            main.remove_duplicates(&mut diagnostics);
        }
        let is_swagger = main.root.get("openapi").is_none();
        let mut document = Self {
            main,
            overlays,
            others: Vec::new(),
            origins,
            links: Links::default(),
            version: version.unwrap_or(Version::V3_0),
            templates: HashMap::new(),
        };
        if is_swagger && version.is_some() {
            swagger::rewrite(&mut document, load, &mut diagnostics);
        }
        links::link(&mut document, load, &mut diagnostics);
        bindings::bind(&mut document, &mut diagnostics);
        Parsed { document: Some(document), source: None, diagnostics }
    }

    /// Returns the root node of the main file.
    pub fn root(&self) -> &Node {
        &self.main.root
    }

    /// Returns the root node of the main file as it is written, after overlays.
    ///
    /// Of Swagger 2.0, it is that of the document before it was rewritten.
    pub fn written_root(&self) -> &Node {
        self.origins.original().map_or_else(|| self.root(), |original| &original.root)
    }

    /// Visits every node of every file, file by file, depth first.
    pub(crate) fn walk<'d>(&'d self, visit: &mut dyn FnMut(&'d Node)) {
        self.main.root.walk(visit);
        self.others.iter().for_each(|file| file.root.walk(visit));
    }

    /// Returns a field of the root, or its target if it is a reference.
    pub fn field(&self, name: &str) -> Option<&Node> {
        Some(media::target(self, self.root().get(name)?))
    }

    /// Returns a section of `components`, as written in the main file.
    pub fn section(&self, name: &str) -> Option<&Node> {
        Some(media::target(self, self.field("components")?.get(name)?))
    }

    /// Returns the components of a section.
    ///
    /// Those of the main file come first, then those adopted from other files.
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

    /// Returns the name that a component has in the document as it is written.
    pub(crate) fn written_name<'n>(&'n self, component: &'n str) -> &'n str {
        self.templates.get(component).map_or(component, String::as_str)
    }

    /// Returns the OpenAPI version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns whether the document was Swagger 2.0.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.origins.original().is_some()
    }

    /// Returns the text and the name of the main file.
    pub fn source(&self) -> &Source {
        &self.main.source
    }

    /// Returns the file with this index; 0 is the main file.
    pub(crate) fn file(&self, index: usize) -> Option<&File> {
        self.files().nth(index)
    }

    /// Returns the files: the main file, the overlays, and the files that references lead to.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        std::iter::once(&self.main).chain(&self.overlays).chain(&self.others)
    }

    /// Returns the files that have nodes.
    fn files_mut(&mut self) -> impl Iterator<Item = &mut File> {
        std::iter::once(&mut self.main).chain(&mut self.others)
    }

    /// Returns the index of the file that references call by this name.
    fn index_of_file(&self, name: &str) -> Option<usize> {
        let index = self.others.iter().position(|file| file.source.name == name);
        // The name of the main file may be given in a form that references never have: `./api.yaml`.
        let is_main = links::join("", &self.main.source.name) == name || self.main.source.name == name;
        let index = if is_main { Some(0) } else { index.map(|index| 1 + self.overlays.len() + index) };
        let is_self = |file: &File| file.self_uri().is_some_and(|own| own == name);
        index.or_else(|| self.files().position(is_self))
    }

    /// Returns which nodes came from overlays.
    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Returns the id of the first node of the next file.
    fn next_id(&self) -> NodeId {
        self.others.last().unwrap_or(&self.main).root.last_id().next()
    }

    /// Returns the index of the file that a reference in a file names, and loads the file on first use, if files can be
    /// loaded.
    fn open(
        &mut self,
        uri: &str,
        from: usize,
        load: Option<&Load<'_>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<usize> {
        let base = self.file(from).map_or("", |file| file.source.name.as_str());
        let name = links::join(base, &links::path::decode(uri));
        if let Some(index) = self.index_of_file(&name) {
            return Some(index);
        }
        let (index, first) = (self.files().count(), self.next_id());
        let file = File::load(name, load?, index, first, diagnostics);
        Some(self.add_file(file))
    }

    /// Adds a file and returns its index.
    fn add_file(&mut self, file: File) -> usize {
        self.others.push(file);
        self.overlays.len() + self.others.len()
    }
}

impl Source {
    /// Creates a source without the byte order mark that the text may start with.
    #[must_use]
    pub fn new(name: impl Into<String>, text: &str) -> Self {
        Self { name: name.into(), text: text.trim_start_matches('\u{feff}').to_owned() }
    }
}

/// Returns the version of a document. Swagger 2.0 is rewritten as 3.1.
fn version_of(root: &Node, diagnostics: &mut Diagnostics) -> Option<Version> {
    let Some((name, node)) =
        ["openapi", "swagger"].into_iter().find_map(|name| Some((name, root.get(name)?)))
    else {
        diagnostics
            .error(Code::NoOpenApi, root, "not an OpenAPI document: missing field `openapi` or `swagger`")
            .help("start the document with `openapi: 3.0.3` or `openapi: 3.1.0`");
        return None;
    };
    let version = node.as_written().filter(|_| node.as_bool().is_none()).unwrap_or_default();
    match (name, version.split('.').take(2).collect::<Vec<_>>().as_slice()) {
        ("openapi", ["3", "0"]) => Some(Version::V3_0),
        ("openapi", ["3", "1"]) => Some(Version::V3_1),
        ("openapi", ["3", "2"]) => Some(Version::V3_2),
        ("swagger", ["2"] | ["2", "0"]) => Some(Version::V3_1),
        (name, _) => {
            let what = if name == "openapi" { "OpenAPI" } else { "Swagger" };
            diagnostics
                .error(Code::UnsupportedVersion, node, format!("unsupported {what} version `{version}`"))
                .help("supported versions are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2");
            None
        }
    }
}

#[cfg(test)]
mod tests;

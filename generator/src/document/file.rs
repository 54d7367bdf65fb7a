//! A file of a document: its text and its tree.

use super::{Load, Source, links::path, read::read};
use crate::diagnostics::{Code, Diagnostics};
use crate::tree::{Node, NodeId, Value};

/// A file of a document.
#[derive(Debug)]
pub(crate) struct File {
    pub source: Source,
    pub root: Node,
    /// Why the file has no content.
    pub error: Option<String>,
    /// Whether there is a text; a document that a program built has none.
    pub has_text: bool,
}

impl File {
    /// Returns the URI that the document gives itself (`$self`), without a fragment.
    pub fn self_uri(&self) -> Option<&str> {
        let uri = self.root.get("$self")?.as_str()?;
        Some(uri.split_once('#').map_or(uri, |(uri, _)| uri)).filter(|uri| !uri.is_empty())
    }

    /// Returns the URI of the file, if it has a `$self`, which may be relative to where the file was found.
    pub fn uri(&self) -> Option<String> {
        Some(path::resolve(&self.source.name, self.self_uri()?))
    }

    pub fn new(source: Source, root: Node) -> Self {
        Self { source, root, error: None, has_text: true }
    }

    /// Creates a file that could not be read.
    pub fn without_content(source: Source, id: NodeId) -> Self {
        Self::new(source, Node { id, location: None, value: Value::Null })
    }

    /// Loads a file that the document refers to.
    ///
    /// `index` is the index that the file will have, `first` the id of its first node.
    ///
    /// If the file can't be loaded, `error` has the reason, and each reference to it reports that.
    pub fn load(
        name: String,
        load: &Load<'_>,
        index: usize,
        first: NodeId,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let text = match load(&name) {
            Ok(text) => text,
            Err(error) => {
                let error = Some(format!("cannot be read: {error}"));
                return Self { error, ..Self::without_content(Source::new(name, ""), first) };
            }
        };
        Self::parse(Source::new(name, &text), Code::UnreadableFile, index, first, diagnostics)
    }

    /// Parses the text of a file.
    ///
    /// `index` is the index that the file will have, `first` the id of its first node. If the text is not valid,
    /// an error with this code is reported, and `error` has the reason.
    pub fn parse(
        source: Source,
        code: Code,
        index: usize,
        first: NodeId,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        match read(&source, index, first) {
            Ok(root) => {
                let mut file = Self::new(source, root);
                file.remove_duplicates(diagnostics);
                file
            }
            Err((position, message)) => {
                diagnostics.error_in(code, index, position, message);
                let error = Some("is not valid JSON or YAML".to_owned());
                Self { error, ..Self::without_content(source, first) }
            }
        }
    }

    /// Reports duplicate fields, and keeps the first of each.
    pub fn remove_duplicates(&mut self, diagnostics: &mut Diagnostics) {
        let mut found = false;
        self.root.walk(&mut |node| {
            for (name, first, second) in node.duplicates() {
                diagnostics
                    .error(Code::DuplicateKey, second, format!("duplicate field `{name}`"))
                    .at_name()
                    .label_at_name(first, "first defined here")
                    .help("remove or rename one of the two");
                found = true;
            }
        });
        if found {
            self.root.walk_mut(&mut Node::remove_duplicates);
        }
    }
}

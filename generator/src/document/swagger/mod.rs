//! Rewrites documents of Swagger 2.0 as OpenAPI 3.1.
//!
//! The rewrite runs after overlays are applied and before references are resolved. So overlays change the original
//! document, and all later code reads OpenAPI 3.1 only. Each new node has the source location of the node that it
//! replaces. This module reports mistakes in the terms of Swagger 2.0. The code that reads the new document handles their
//! effects.
//!
//! There are three steps:
//! - `scan` finds the references, the expected kind of each target, and the files that they name.
//! - `Rewriter` builds new trees. In the main file, sections become components. In other files, the targets of references
//!   are rewritten in place, as what the reference expects.
//! - `references` rewrites the references: a new one leads to the current position of the node that replaces the old
//!   target.

mod bodies;
mod build;
mod keys;
mod parameters;
mod paths;
mod references;
mod responses;
mod root;
mod scan;
mod schemas;
mod security;
mod servers;
mod table;
mod usage;
mod values;

use super::{Document, Ids, Load, read::most_nodes};
use crate::diagnostics::{Code, Diagnostics};
use crate::tree::Node;
use build::Rewriter;
use keys::Keys;
use usage::Usage;

#[cfg(test)]
mod tests;

/// The version of the rewritten documents.
const VERSION: &str = "3.1.0";

/// Rewrites a document of Swagger 2.0, and loads the files that it refers to.
pub(super) fn rewrite(document: &mut Document, load: Option<&Load<'_>>, diagnostics: &mut Diagnostics) {
    let references = scan::scan(document, load, diagnostics);
    let mut trees = build(document, &references, diagnostics);
    references::write(document, &references, &mut trees);
    let first = document.next_id();
    let empty = Node { id: document.root().id(), location: None, value: super::Value::Null };
    let root = std::mem::replace(&mut document.main.root, empty);
    let ids = Ids::number(first, trees.iter_mut().map(|(_, tree)| tree));
    for (file, (_, tree)) in document.files_mut().zip(trees) {
        file.root = tree;
    }
    document.origins.original = Some(Original { root, ids });
}

/// The main file as it was written, and which of its nodes each node of the rewritten document stands for.
#[derive(Debug)]
pub(crate) struct Original {
    pub(in crate::document) root: Node,
    pub(in crate::document) ids: Ids,
}

/// Builds the new trees of all files, with the index of each.
fn build(
    document: &Document,
    references: &scan::References,
    diagnostics: &mut Diagnostics,
) -> Vec<(usize, Node)> {
    let length = document.files().map(|file| file.source.text.len()).sum();
    let root = document.root();
    let parameters = root.get("parameters").into_iter().flat_map(Node::entries);
    let most = most_nodes(length);
    let mut rewriter = Rewriter {
        document,
        references,
        usage: Usage::new(document, references),
        keys: Keys::new(root, references),
        consumes: Vec::new(),
        produces: Vec::new(),
        diagnostics,
        left: most,
        mapped: 0,
        main_parameters: parameters.map(|(_, parameter)| parameter.id()).collect(),
    };
    rewriter.consumes = rewriter.media_types(root, "consumes").unwrap_or_default();
    rewriter.produces = rewriter.media_types(root, "produces").unwrap_or_default();
    let mut trees = vec![(0, rewriter.root())];
    let others = document.overlays.len() + 1;
    for (index, file) in document.others.iter().enumerate() {
        trees.push((others + index, rewriter.keep(&file.root)));
    }
    if rewriter.left == 0 {
        let reason = if rewriter.mapped > most / 2 {
            "the mapping of each discriminator lists all schemas that extend its own"
        } else {
            "its media types repeat its schemas"
        };
        let message = format!("the document becomes too large in OpenAPI 3, because {reason}");
        rewriter.error(Code::Syntax, root, message);
    }
    trees
}

impl Document {
    /// Returns the node that stands for a JSON pointer into the document as it is written: `#/definitions/Pet`.
    pub(crate) fn written(&self, reference: &str) -> Option<&Node> {
        let original = self.origins.original()?;
        let pointer = super::links::path::decode(reference.strip_prefix('#')?);
        let old = super::reference::pointed(&original.root, &pointer)?;
        self.main.root.find(original.ids.new_id(old.id())?)
    }

    /// Returns the node that stands for a definition, by its name in the document as it is written.
    pub(crate) fn written_definition(&self, name: &str) -> Option<&Node> {
        self.written(&format!("#/definitions/{}", super::links::path::escape_step(name)))
    }
}

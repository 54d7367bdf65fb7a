//! Diagnostics: the errors and warnings about a document.
//!
//! Every pass adds to one [`Diagnostics`] and continues. A [`Report`] holds all of them, sorted by source
//! location, and prints them as a compiler does: location, source line, notes and help.

mod code;
mod frame;
mod group;
mod locate;
mod nearest;
mod report;

pub use code::{Code, Level, Strictness};
pub use group::{LintGroup, Lints};
pub use nearest::nearest;
pub use report::{Diagnostic, Report, Summary};

use crate::document::{Document, File, Location, Node, NodeId, Origins, Parsed, Position};

/// The diagnostics of a pass, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Diagnostics(Vec<UnlocatedDiagnostic>);

/// A diagnostic that refers to nodes, before their source locations are known.
#[derive(Debug)]
pub struct UnlocatedDiagnostic {
    level: Level,
    code: Code,
    message: String,
    place: Place,
    labels: Vec<(Place, String)>,
    notes: Vec<String>,
    helps: Vec<String>,
}

/// The source location that a diagnostic points at.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// A node.
    Node(NodeId, Option<Location>),
    /// The field name of a node.
    Name(NodeId, Option<Location>),
    /// A position in the file with this index.
    Position(usize, Position),
    /// The file with this index as a whole.
    File(usize),
}

impl Diagnostics {
    /// Adds an error about a node.
    ///
    /// At standard strictness, an error prevents generation.
    pub fn error(&mut self, code: Code, node: &Node, message: impl Into<String>) -> &mut UnlocatedDiagnostic {
        self.add(Level::Error, code, Place::node(node), message.into())
    }

    /// Adds a warning about a node. A warning does not prevent generation.
    pub fn warning(
        &mut self,
        code: Code,
        node: &Node,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        self.add(Level::Warning, code, Place::node(node), message.into())
    }

    /// Adds an error at a position in the main file, for text that could not be parsed.
    pub fn error_at(
        &mut self,
        code: Code,
        position: Option<Position>,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        self.error_in(code, 0, position, message)
    }

    /// Adds an error at a position in the file with this index.
    pub(crate) fn error_in(
        &mut self,
        code: Code,
        file: usize,
        position: Option<Position>,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        let place = position.map_or(Place::File(file), |position| Place::Position(file, position));
        self.add(Level::Error, code, place, message.into())
    }

    /// Returns whether any diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.level == Level::Error)
    }

    /// Returns whether there are no diagnostics.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves all diagnostics of `other` to the end of this list.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Removes the labels of nodes that have no source location.
    pub(crate) fn remove_labels_without_location(&mut self) {
        for diagnostic in &mut self.0 {
            diagnostic.labels.retain(|(place, _)| locate::place_of(*place).1.is_some());
        }
    }

    /// Returns all diagnostics with their source locations.
    #[must_use]
    pub fn report(&self, document: &Document) -> Report {
        Report::new(&self.0, &document.files().collect::<Vec<_>>(), document.origins())
    }

    fn add(&mut self, level: Level, code: Code, place: Place, message: String) -> &mut UnlocatedDiagnostic {
        let diagnostic = UnlocatedDiagnostic {
            level,
            code,
            message,
            place,
            labels: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        };
        let last = self.0.len();
        self.0.push(diagnostic);
        // The element was just pushed, so the slice is not empty and the index is in bounds.
        #[expect(clippy::indexing_slicing, reason = "index of the element pushed above")]
        &mut self.0[last]
    }
}

/// Formats a number of nodes: `1 other node`, `2 other nodes`.
pub(crate) fn other_nodes(count: usize) -> String {
    format!("{count} other node{}", if count == 1 { "" } else { "s" })
}

impl Place {
    fn node(node: &Node) -> Self {
        Self::Node(node.id(), node.location())
    }

    /// Returns the node that it refers to.
    fn id(self) -> Option<NodeId> {
        match self {
            Self::Node(id, _) | Self::Name(id, _) => Some(id),
            Self::Position(..) | Self::File(_) => None,
        }
    }
}

impl UnlocatedDiagnostic {
    /// Points at the field name of the node instead of its value.
    pub fn at_name(&mut self) -> &mut Self {
        if let Place::Node(id, location) = self.place {
            self.place = Place::Name(id, location);
        }
        self
    }

    /// Adds a note with more information.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Self {
        self.notes.push(text.into());
        self
    }

    /// Adds help: what to do about the problem.
    pub fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.helps.push(text.into());
        self
    }

    /// Adds a label at a related node.
    pub fn label(&mut self, node: &Node, text: impl Into<String>) -> &mut Self {
        self.labels.push((Place::node(node), text.into()));
        self
    }

    /// Adds a label at the field name of a related node.
    pub fn label_at_name(&mut self, node: &Node, text: impl Into<String>) -> &mut Self {
        self.labels.push((Place::Name(node.id(), node.location()), text.into()));
        self
    }
}

impl Parsed {
    /// Returns the diagnostics of parsing with their source locations.
    #[must_use]
    pub fn report(&self) -> Report {
        match (&self.document, &self.source) {
            (Some(document), _) => self.diagnostics.report(document),
            (None, Some(source)) => {
                let file = File::without_content(source.clone(), NodeId::default());
                Report::new(&self.diagnostics.0, &[&file], &Origins::default())
            }
            (None, None) => Report::default(),
        }
    }
}

#[cfg(test)]
mod tests;

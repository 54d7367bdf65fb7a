//! Diagnostics: the errors and warnings about a document.
//!
//! Every pass adds to one [`Diagnostics`] and continues. `report` prints them.

mod code;
mod group;
mod level;
mod nearest;

pub use code::Code;
pub use group::{LintGroup, Lints};
pub use level::{Level, Strictness};
pub(crate) use nearest::misspelled;
pub use nearest::nearest;

use crate::tree::{Location, Node, NodeId, Position, Range};

/// The diagnostics of a pass, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Diagnostics(pub(crate) Vec<UnlocatedDiagnostic>);

/// A diagnostic that refers to nodes, before their source locations are known.
#[derive(Debug)]
pub struct UnlocatedDiagnostic {
    pub(crate) level: Level,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) target: Target,
    pub(crate) labels: Vec<(Target, String)>,
    pub(crate) notes: Vec<String>,
    pub(crate) helps: Vec<String>,
}

/// The source location that a diagnostic points at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
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
        self.add(Level::Error, code, Target::node(node), message.into())
    }

    /// Adds a warning about a node. A warning does not prevent generation.
    pub fn warning(
        &mut self,
        code: Code,
        node: &Node,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        self.add(Level::Warning, code, Target::node(node), message.into())
    }

    /// Adds an error about a node that is not what OpenAPI requires: `an array`.
    pub(crate) fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        let message = format!("{what} must be {expected}, not {}", node.kind_name());
        self.error(Code::WrongType, node, message);
    }

    /// Adds a warning about a field that `what` does not have, with the known name that is similar.
    pub(crate) fn unknown_field<'n>(
        &mut self,
        field: &Node,
        name: &str,
        what: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let message = format!("unknown field `{name}` in {what}");
        self.warning(Code::UnknownField, field, message)
            .at_name()
            .near("a field with a similar name", nearest(name, known));
    }

    /// Adds an error at a position in the file with this index, for text that could not be parsed.
    pub(crate) fn error_in(
        &mut self,
        code: Code,
        file: usize,
        position: Option<Position>,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        let target = position.map_or(Target::File(file), |position| Target::Position(file, position));
        self.add(Level::Error, code, target, message.into())
    }

    /// Returns whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.level == Level::Error)
    }

    /// Returns whether there are no diagnostics.
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
            diagnostic.labels.retain(|(target, _)| target.location().1.is_some());
        }
    }

    fn add(&mut self, level: Level, code: Code, target: Target, message: String) -> &mut UnlocatedDiagnostic {
        let diagnostic = UnlocatedDiagnostic {
            level,
            code,
            message,
            target,
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

impl Target {
    fn node(node: &Node) -> Self {
        Self::Node(node.id(), node.location())
    }

    /// Returns the node that it refers to.
    pub(crate) fn id(self) -> Option<NodeId> {
        match self {
            Self::Node(id, _) | Self::Name(id, _) => Some(id),
            Self::Position(..) | Self::File(_) => None,
        }
    }

    /// Returns the index of the file, and the range in its text.
    pub(crate) fn location(self) -> (usize, Option<Range>) {
        let (file, span) = match self {
            Self::Position(file, start) => return (file, Some(Range { start, length: 1 })),
            Self::File(file) => return (file, None),
            Self::Node(_, Some(location)) => (location.file, location.value),
            Self::Name(_, Some(location)) => (location.file, location.name),
            Self::Node(_, None) | Self::Name(_, None) => return (0, None),
        };
        (file.get(), Some(span.range()))
    }
}

impl UnlocatedDiagnostic {
    /// Points at the field name of the node instead of its value.
    pub fn at_name(&mut self) -> &mut Self {
        if let Target::Node(id, location) = self.target {
            self.target = Target::Name(id, location);
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

    /// Adds help about a similar name, if there is one: `a tag with a similar name exists: …`.
    pub(crate) fn near(&mut self, what: &str, name: Option<&str>) -> &mut Self {
        self.helps.extend(name.map(|name| format!("{what} exists: `{name}`")));
        self
    }

    /// Adds a label at a related node.
    pub fn label(&mut self, node: &Node, text: impl Into<String>) -> &mut Self {
        self.labels.push((Target::node(node), text.into()));
        self
    }

    /// Adds a label at the field name of a related node.
    pub fn label_at_name(&mut self, node: &Node, text: impl Into<String>) -> &mut Self {
        self.labels.push((Target::Name(node.id(), node.location()), text.into()));
        self
    }
}

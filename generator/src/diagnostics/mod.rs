//! What is wrong with a document, told so that a person can act on it.
//!
//! Every pass adds to one [`Diagnostics`] and goes on; a [`Report`] is all of it, sorted by place, as a compiler
//! would tell it.

mod code;
mod frame;
mod nearest;
mod pointers;
mod report;

pub use code::{Code, Level, Strictness};
pub use nearest::nearest;
pub use report::{Finding, Report, Summary};

use crate::document::{Document, File, Node, Parsed, Position};

/// All that was found so far.
#[derive(Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

/// One finding, not yet located.
#[derive(Debug)]
pub struct Diagnostic {
    level: Level,
    code: Code,
    message: String,
    place: Place,
    labels: Vec<(Place, String)>,
    notes: Vec<String>,
    helps: Vec<String>,
}

/// Where a finding is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// At the node with this address.
    Node(usize),
    /// At the name that this node stands under.
    Name(usize),
    /// At a position of the text of the file at this place.
    Position(usize, Position),
    /// In the document as a whole.
    Document,
}

impl Diagnostics {
    /// Adds an error about a node: nothing will be generated.
    pub fn error(&mut self, code: Code, node: &Node, message: impl Into<String>) -> &mut Diagnostic {
        self.add(Level::Error, code, Place::Node(node.address()), message.into())
    }

    /// Adds a warning about a node: something is lost or doubtful, and generation goes on.
    pub fn warning(&mut self, code: Code, node: &Node, message: impl Into<String>) -> &mut Diagnostic {
        self.add(Level::Warning, code, Place::Node(node.address()), message.into())
    }

    /// Adds an error about a position of the text, for what could not be read at all.
    pub fn error_at(
        &mut self,
        code: Code,
        position: Option<Position>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.error_in(code, 0, position, message)
    }

    /// The same, in the file at this place among those of the document.
    pub(crate) fn error_in(
        &mut self,
        code: Code,
        file: usize,
        position: Option<Position>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let place = position.map_or(Place::Document, |position| Place::Position(file, position));
        self.add(Level::Error, code, place, message.into())
    }

    /// Whether there is an error among the findings.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.level == Level::Error)
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all findings of `other` over.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// All findings with their places in the document.
    #[must_use]
    pub fn report(&self, document: &Document) -> Report {
        Report::new(&self.0, &document.files().collect::<Vec<_>>())
    }

    fn add(&mut self, level: Level, code: Code, place: Place, message: String) -> &mut Diagnostic {
        let diagnostic = Diagnostic {
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

impl Place {
    /// The address of the node that it speaks of.
    fn address(self) -> Option<usize> {
        match self {
            Self::Node(address) | Self::Name(address) => Some(address),
            Self::Position(..) | Self::Document => None,
        }
    }
}

impl Diagnostic {
    /// Points at the name that the node stands under, where it is the name that is wrong.
    pub fn at_name(&mut self) -> &mut Self {
        if let Place::Node(address) = self.place {
            self.place = Place::Name(address);
        }
        self
    }

    /// Adds what else there is to know.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Self {
        self.notes.push(text.into());
        self
    }

    /// Adds what to do about it.
    pub fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.helps.push(text.into());
        self
    }

    /// Points at another node that has to do with it.
    pub fn label(&mut self, node: &Node, text: impl Into<String>) -> &mut Self {
        self.labels.push((Place::Node(node.address()), text.into()));
        self
    }
}

impl Parsed {
    /// What was found while reading, with its places.
    #[must_use]
    pub fn report(&self) -> Report {
        match (&self.document, &self.source) {
            (Some(document), _) => self.diagnostics.report(document),
            (None, Some(source)) => {
                Report::new(&self.diagnostics.0, &[&File::new(source.clone(), Node::Null)])
            }
            (None, None) => Report::default(),
        }
    }
}

#[cfg(test)]
mod tests;

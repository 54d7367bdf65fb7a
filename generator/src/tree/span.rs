//! Source locations: line, column and length.

use std::num::NonZeroU32;

/// A position in a text. Lines and columns start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A range within one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// The start.
    pub start: Position,
    /// The length in characters, at least 1.
    pub length: usize,
}

/// A range in compact form, because a large document has a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    line: NonZeroU32,
    column: u32,
    length: u32,
}

impl Span {
    /// Creates a span of this length. Line and column start at 1.
    pub(crate) fn new(line: usize, column: usize, length: usize) -> Self {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            line: NonZeroU32::new(small(line)).unwrap_or(NonZeroU32::MIN),
            column: small(column),
            length: small(length),
        }
    }

    pub(crate) fn range(self) -> Range {
        let large = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let start = Position { line: large(self.line.get()), column: large(self.column) };
        Range { start, length: large(self.length).max(1) }
    }
}

/// The index of a file of a document: 0 is the main file.
///
/// As small as possible, because each node has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FileIndex(u32);

impl FileIndex {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(crate) fn get(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// The source location of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    /// The position of diagnostics about the node: that of a scalar or an alias, or else of the field name.
    pub(crate) value: Span,
    /// The field name, or the value if the node is not a field.
    pub(crate) name: Span,
    /// The index of the file, see `Document::file`.
    pub(crate) file: FileIndex,
}

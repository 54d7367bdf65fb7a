//! Lines with indented lines below them.

use crate::escape::escape_line;

/// A line, and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    head: String,
    below: Vec<Self>,
}

impl Block {
    /// Creates a line with nothing below it.
    pub(super) fn line(head: impl Into<String>) -> Self {
        Self::over(head, Vec::new())
    }

    /// Creates a line with these blocks below it.
    pub(super) fn over(head: impl Into<String>, below: Vec<Self>) -> Self {
        Self { head: head.into(), below }
    }

    /// Prepends a text to the first line.
    pub(super) fn after(self, text: &str) -> Self {
        Self { head: format!("{text}{}", self.head), ..self }
    }

    /// Appends blocks below the first line.
    pub(super) fn with(mut self, below: impl IntoIterator<Item = Self>) -> Self {
        self.below.extend(below);
        self
    }

    pub(super) fn head(&self) -> &str {
        &self.head
    }

    pub(super) const fn is_line(&self) -> bool {
        self.below.is_empty()
    }

    fn write(&self, depth: usize, text: &mut String) {
        text.push_str(&"    ".repeat(depth));
        // A text of the document can have several lines.
        text.push_str(&escape_line(&self.head));
        text.push('\n');
        self.below.iter().for_each(|block| block.write(depth + 1, text));
    }
}

/// Returns the text of blocks, with blank lines around blocks of several lines.
pub(super) fn text(blocks: &[Block]) -> String {
    let mut text = String::new();
    let mut is_line = true;
    for block in blocks {
        if !(text.is_empty() || is_line && block.is_line()) {
            text.push('\n');
        }
        is_line = block.is_line();
        block.write(0, &mut text);
    }
    text
}

//! Bodies in XML, guided by the rows of [`table`](crate::table).
//!
//! XML writes an array of one item like the item, and every leaf is text. So the schema determines the types. The
//! reader reads untyped text, as those of parameters do. The rows of [`Xml`] determine which elements and attributes
//! belong to a property.
//!
//! # What is read
//! - Elements and attributes in any order. A row without a namespace accepts every namespace that no other row has.
//! - Processing instructions and comments are skipped. A document type declaration is an error, so no entity is ever
//!   expanded.
//! - `xsi:nil="true"` is null. A required attribute or text that can be null is null if it is absent.
//! - A required array without an element around its items is empty if it has no items.
//! - An empty body is an object without a node that has no fields.
//!
//! A tolerant reader also accepts other names of the root and of wrapped items, and elements without a namespace. It reads
//! an empty body as an empty element.

mod form;
mod name;
mod parse;
mod read;
mod tree;
mod write;

#[cfg(test)]
mod tests;

use crate::codec::{DecodeError, Item};
use crate::table::{Schema, Xml, XmlNode};
use crate::text::ReadMode;
use read::Cursor;
use tree::Tree;

pub(crate) use write::write_xml;

/// A document with the rows of its root.
pub(crate) struct Document<'a> {
    tree: Tree<'a>,
    root: &'static Xml,
    schema: &'static Schema,
    mode: ReadMode,
}

impl<'a> Document<'a> {
    /// Parses a document.
    ///
    /// # Errors
    /// Fails if the document is malformed, exceeds a limit, or has another root.
    pub(crate) fn parse(
        body: &'a [u8],
        root: &'static Xml,
        schema: &'static Schema,
        mode: ReadMode,
    ) -> Result<Self, DecodeError> {
        let tree = match root.node {
            _ if !body.trim_ascii().is_empty() => Tree::parse(body)?,
            XmlNode::None => Tree::default(),
            _ if mode.is_tolerant => Tree::parse(b"<empty/>")?,
            _ => Tree::parse(body)?,
        };
        let document = Self { tree, root, schema, mode };
        document.cursor().check_root()?;
        Ok(document)
    }

    /// Passes a reader of the value, which is the documented alternative `index`, to `read`.
    pub(crate) fn read(&self, index: usize, read: &mut Item<'_>) -> Result<(), DecodeError> {
        read(&mut self.cursor().reader().with_choice(index))
    }

    fn cursor(&self) -> Cursor<'_> {
        Cursor::root(&self.tree, self.root, self.schema, self.mode)
    }
}

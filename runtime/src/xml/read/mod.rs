//! Reads the values in a document.

mod object;
mod source;

use std::collections::HashSet;

use super::form::{Form, INSTANCE, XML};
use super::tree::{NONE, Tree};
use crate::codec::{DecodeError, Kind};
use crate::table::{Schema, Type, Xml, XmlNode};
use crate::text::{ReadMode, SourceReader, source_reader};
use crate::validation::resolve::{is_nullable, type_of};

/// The content of an element whose schema has no text.
const NO_TEXT: &str = "elements without text between them";

/// A value in a document.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    tree: &'t Tree<'t>,
    at: At<'t>,
    schema: Option<&'static Schema>,
    form: Form<'t>,
    mode: ReadMode,
}

/// The nodes that a value consists of.
#[derive(Clone, Copy)]
enum At<'t> {
    /// An element, or the document around the root if the index is [`NONE`].
    Element(u32),
    /// The items of an array.
    Items(&'t [u32]),
    /// An attribute, or the text of an element.
    Text(&'t str),
    /// Nothing, which stands for null.
    Null,
}

impl<'t> Cursor<'t> {
    pub(super) fn root(
        tree: &'t Tree<'t>,
        root: &'static Xml,
        schema: &'static Schema,
        mode: ReadMode,
    ) -> Self {
        let form = Form::root(root);
        let at = At::Element(if form.node == XmlNode::None { NONE } else { 0 });
        Self { tree, at, schema: Some(schema), form, mode }
    }

    /// Checks the name of the root.
    pub(super) fn check_root(&self) -> Result<(), DecodeError> {
        let Some((_, root)) = self.tree.children(NONE).next() else { return Ok(()) };
        let is_known = match self.at {
            At::Element(NONE) => self.rows().iter().any(|row| !self.owned(row, NONE).is_empty()),
            _ => self.mode.is_tolerant || self.fit(self.form, root.name, root.namespace).is_some(),
        };
        if is_known {
            return Ok(());
        }
        let expected = match (self.at, self.form.namespace) {
            (At::Element(NONE), _) => {
                let fields = self.rows().into_iter().flat_map(|row| row.fields);
                let names: Vec<_> = fields.map(|field| format!("`{}`", Form::of(field).name)).collect();
                names.join(" or ")
            }
            (_, Some(namespace)) => format!("`{}` of the namespace `{namespace}`", self.form.name),
            (_, None) => format!("`{}`", self.form.name),
        };
        let found: String = root.name.chars().take(80).collect();
        Err(DecodeError::custom(format!("expected the root element {expected}, found `{found}`")))
    }

    /// Returns a reader of the value.
    pub(super) fn reader(self) -> SourceReader<Self> {
        source_reader(self).in_mode(self.mode)
    }

    /// Returns a value in the same document.
    fn with<'s>(&self, at: At<'s>, schema: Option<&'static Schema>, form: Form<'s>) -> Cursor<'s>
    where
        't: 's,
    {
        Cursor { tree: self.tree, at, schema, form, mode: self.mode }
    }

    /// Returns how well a node has the name of a form: exactly, or except for its namespace.
    fn fit(&self, form: Form<'_>, name: &str, namespace: u32) -> Option<bool> {
        if form.name != name {
            return None;
        }
        match form.namespace {
            Some(expected) if self.tree.namespace(namespace) == Some(expected) => Some(true),
            Some(_) => (self.mode.is_tolerant && namespace == NONE).then_some(false),
            None => Some(false),
        }
    }

    /// Returns the element, if the value is one.
    fn element(&self) -> Option<u32> {
        if let At::Element(index) = self.at { Some(index) } else { None }
    }

    /// Returns the kind of an element by its content.
    fn looks_like(&self, index: u32) -> Kind {
        let has_parts = self.tree.children(index).next().is_some()
            || self.tree.attributes(index).iter().any(|it| !self.is_about_element(it.namespace));
        if has_parts { Kind::Object } else { Kind::Text }
    }

    /// Returns whether attributes of a namespace describe their element, such as `xsi:type`.
    fn is_about_element(&self, namespace: u32) -> bool {
        matches!(self.tree.namespace(namespace), Some(INSTANCE | XML))
    }

    /// Counts a visit of an element with all that is directly in it.
    fn visit(&self, index: u32) -> Result<(), DecodeError> {
        self.tree.visit(1 + self.tree.children(index).count() + self.tree.attributes(index).len())
    }

    fn is_nil(&self, index: u32) -> bool {
        self.tree.element(index).is_some_and(|element| element.is_nil)
    }

    /// Returns whether items are an array that is null: one null, where an item can't be null.
    fn is_null(&self, items: &[u32]) -> bool {
        let [index] = items else { return false };
        self.is_nil(*index)
            && self.schema.is_some_and(is_nullable)
            && !self.item_schema(0).is_some_and(is_nullable)
    }

    /// Returns the schema of the item at `index`.
    fn item_schema(&self, index: usize) -> Option<&'static Schema> {
        types(self.schema?).into_iter().find_map(|of| match of {
            Type::Array(array) => Some(array.items),
            Type::Tuple(items) => items.get(index).copied(),
            _ => None,
        })
    }
}

/// Returns the type of a schema, or those of its variants, each once.
fn types(schema: &'static Schema) -> Vec<&'static Type> {
    let mut types = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        match type_of(schema) {
            // Unions that share variants have exponentially many paths to them.
            of if !seen.insert(std::ptr::from_ref(of)) => {}
            Type::Union(union) => open.extend(union.variants.iter().rev()),
            of => types.push(of),
        }
    }
    types
}
